//! Settings from a TOML file, under those of the command line.

use crate::output::usage;
use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::Path;

/// The flags, and for what they do not say the file. All settings are optional and have the same names in both.
pub(crate) fn merged<O>(flags: &O, config: Option<&Path>) -> Result<O>
where
    O: Serialize + DeserializeOwned + Default + Clone,
{
    let Some(path) = config else { return Ok(flags.clone()) };
    let explain = || format!("--config {}", path.display());
    let text = std::fs::read_to_string(path).with_context(explain)?;
    let mut all: Map<String, Value> = toml::from_str(&text).with_context(explain)?;
    let known = object(&O::default())?;
    if let Some(name) = all.keys().find(|name| !known.contains_key(*name)) {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        let names = names.join(", ");
        return Err(usage(format!("{}: there is no setting '{name}'; there are {names}", explain())));
    }
    let given: Map<String, Value> =
        object(flags)?.into_iter().filter(|(_, value)| !value.is_null()).collect();
    // These two say the same: one of them on the command line is enough.
    let length = ["updates", "passes"];
    if length.iter().any(|name| given.contains_key(*name)) {
        length.iter().for_each(|name| {
            all.remove(*name);
        });
    }
    if length.iter().all(|name| all.contains_key(*name)) {
        return Err(usage(format!("{}: give updates or passes, and not both", explain())));
    }
    all.extend(given);
    serde_json::from_value(Value::Object(all)).with_context(explain)
}

fn object(options: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(options)? {
        Value::Object(map) => Ok(map),
        _ => Ok(Map::new()),
    }
}
