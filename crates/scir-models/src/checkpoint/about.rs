//! What a checkpoint belongs to: the kind of model, the settings and the data of its run.

use super::error::Problem;
use serde::Serialize;
use serde_json::Value;

/// What a checkpoint or a model file belongs to.
///
/// Settings and data are kept as readable JSON, so that a file can tell what it is, and a refusal which field differs:
///
/// ```
/// use scir_models::{LdaSettings, checkpoint::About};
/// let of = |alpha: f64| {
///     let settings = LdaSettings { alpha: alpha.into(), ..LdaSettings::default() };
///     About::new("lda", &settings, &"sha256 of the documents")
/// };
/// let refused = of(0.1)?.check(&of(0.5)?).unwrap_err().to_string();
/// assert!(refused.ends_with("settings.alpha is 0.1 there and 0.5 here"), "{refused}");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// The kind of the model, such as `lda`.
    pub kind: String,
    /// Everything that changes the numbers of the run, the seed included; not how long it is or on how many threads.
    pub settings: Value,
    /// What tells the data from other data, such as a hash of the files.
    pub data: Value,
}

impl About {
    /// From settings and a description of the data.
    ///
    /// # Errors
    /// If one of them cannot be written as JSON.
    pub fn new(
        kind: &str,
        settings: &(impl Serialize + ?Sized),
        data: &(impl Serialize + ?Sized),
    ) -> serde_json::Result<Self> {
        Ok(Self {
            kind: kind.to_owned(),
            settings: serde_json::to_value(settings)?,
            data: serde_json::to_value(data)?,
        })
    }

    /// Refuses what does not belong to the run described by `here`, by the first field that differs.
    ///
    /// # Errors
    /// [`Problem::Differs`].
    pub fn check(&self, here: &Self) -> Result<(), Problem> {
        let kinds = (self.kind != here.kind).then(|| Difference {
            field: "kind".to_owned(),
            there: self.kind.clone(),
            here: here.kind.clone(),
        });
        let found = kinds
            .or_else(|| difference("settings", &self.settings, &here.settings))
            .or_else(|| difference("data", &self.data, &here.data));
        match found {
            None => Ok(()),
            Some(Difference { field, there, here }) => Err(Problem::Differs { field, there, here }),
        }
    }
}

struct Difference {
    field: String,
    there: String,
    here: String,
}

/// The first leaf in which two values differ.
fn difference(field: &str, there: &Value, here: &Value) -> Option<Difference> {
    let missing = Value::String("nothing".to_owned());
    match (there, here) {
        (Value::Object(a), Value::Object(b)) => a
            .keys()
            .chain(b.keys().filter(|key| !a.contains_key(*key)))
            .find_map(|key| inner(&format!("{field}.{key}"), a.get(key), b.get(key), &missing)),
        (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len()))
            .find_map(|i| inner(&format!("{field}[{i}]"), a.get(i), b.get(i), &missing)),
        _ => (there != here).then(|| Difference {
            field: field.to_owned(),
            there: shown(there),
            here: shown(here),
        }),
    }
}

fn inner(field: &str, there: Option<&Value>, here: Option<&Value>, missing: &Value) -> Option<Difference> {
    difference(field, there.unwrap_or(missing), here.unwrap_or(missing))
}

/// A value on one line, without quotes around text.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "not set".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_with_both_values() {
        let about = |kind: &str, settings: Value, data: Value| About { kind: kind.into(), settings, data };
        let here = about("lda", json!({"h": 0.5, "steps": [1, 2]}), json!({"sha256": "ab"}));
        let refusal = |there: About| there.check(&here).unwrap_err().to_string();
        assert!(here.check(&here).is_ok());
        let of = "does not belong to this run: ";
        assert_eq!(
            refusal(about("dp", here.settings.clone(), here.data.clone())),
            format!("{of}kind is dp there and lda here")
        );
        assert_eq!(
            refusal(about("lda", json!({"h": 0.5, "steps": [1]}), here.data.clone())),
            format!("{of}settings.steps[1] is nothing there and 2 here")
        );
        assert_eq!(
            refusal(about("lda", json!({"h": 0.5, "k": null, "steps": [1, 2]}), here.data.clone())),
            format!("{of}settings.k is not set there and nothing here")
        );
        assert_eq!(
            refusal(about("lda", here.settings.clone(), json!({"sha256": "cd"}))),
            format!("{of}data.sha256 is cd there and ab here")
        );
    }
}
