//! One JSON object a line, with the text in one of its fields.

use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::error::{Error, Result};
use crate::source::{Source, utf8};
use crate::stream::{TextDocument, TextSource};
use crate::write::AtomicFile;

/// Reads one JSON object a line. Blank lines are passed over; fields other than the three below are not looked at.
///
/// ```
/// use scir_data::formats::JsonLines;
/// use scir_data::{Limits, Source, TextSource};
/// # fn main() -> scir_data::Result<()> {
/// let line = br#"{"id": 7, "body": "Some words.", "stars": 5}"#;
/// let source = Source::from_reader("<memory>", &line[..], Limits::default())?;
/// let text = JsonLines::new(source).text_field("body").texts().next().unwrap()?;
/// assert_eq!((text.id.as_str(), text.text.as_str()), ("7", "Some words."));
/// # Ok(())
/// # }
/// ```
pub struct JsonLines {
    source: Source,
    line: Vec<u8>,
    fields: Fields,
}

struct Fields {
    text: String,
    id: String,
    title: String,
}

impl JsonLines {
    /// Reads a file with the default limits.
    ///
    /// # Errors
    /// What [`Source::open`] refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(Source::open(path)?))
    }

    /// Reads a source.
    pub fn new(source: Source) -> Self {
        let fields = Fields { text: "text".into(), id: "id".into(), title: "title".into() };
        Self { source, line: Vec::new(), fields }
    }

    /// The field with the text, which every object must have; `text` if not said otherwise.
    pub fn text_field(mut self, name: &str) -> Self {
        self.fields.text = name.into();
        self
    }

    /// The field with the identifier, a string or a number; `id` if not said otherwise.
    pub fn id_field(mut self, name: &str) -> Self {
        self.fields.id = name.into();
        self
    }

    /// The field with the title; `title` if not said otherwise.
    pub fn title_field(mut self, name: &str) -> Self {
        self.fields.title = name.into();
        self
    }

    /// Writes one object a line, with the fields `text`, and `id` and `title` where there are any. The file
    /// appears whole or not at all.
    ///
    /// # Errors
    /// Those of `texts`, and what the file system says.
    pub fn write(path: impl AsRef<Path>, mut texts: impl TextSource) -> Result<()> {
        let mut file = AtomicFile::create(path.as_ref())?;
        let mut document = TextDocument::default();
        while texts.read_text(&mut document)? {
            let mut object = serde_json::Map::new();
            for (name, value) in [("id", &document.id), ("title", &document.title)] {
                if !value.is_empty() {
                    object.insert(name.into(), value.as_str().into());
                }
            }
            object.insert("text".into(), document.text.as_str().into());
            file.line(format_args!("{}", serde_json::Value::Object(object)))?;
        }
        file.commit()
    }
}

impl TextSource for JsonLines {
    fn read_text(&mut self, document: &mut TextDocument) -> Result<bool> {
        document.clear();
        loop {
            if !self.source.next_line(&mut self.line)? {
                return Ok(false);
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        let place = || self.source.place();
        let line = utf8(&self.line, self.source.place().byte, place)?;
        let refuse = |error: serde_json::Error| Error::Malformed {
            place: place(),
            expected: format!("a JSON object with the text field {:?}", self.fields.text).into(),
            found: error.to_string(),
        };
        let mut json = serde_json::Deserializer::from_str(line);
        let seed = ObjectSeed { fields: &self.fields, document };
        seed.deserialize(&mut json).map_err(refuse)?;
        json.end().map_err(refuse)?;
        Ok(true)
    }
}

/// Puts the fields of an object where they belong, without a copy of the rest.
struct ObjectSeed<'a> {
    fields: &'a Fields,
    document: &'a mut TextDocument,
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ObjectSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let mut has_text = false;
        while let Some(key) = map.next_key::<String>()? {
            if key == self.fields.text {
                self.document.text = map.next_value()?;
                has_text = true;
            } else if key == self.fields.id {
                self.document.id = map.next_value::<Name>()?.0;
            } else if key == self.fields.title {
                self.document.title = map.next_value::<Name>()?.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if has_text { Ok(()) } else { Err(serde::de::Error::custom("an object without it")) }
    }
}

/// A string, or a number as a string; null is the empty string.
struct Name(String);

impl<'de> serde::Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Either {
            Text(String),
            Number(serde_json::Number),
            Null(()),
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::Text(text) => text,
            Either::Number(number) => number.to_string(),
            Either::Null(()) => String::new(),
        }))
    }
}
