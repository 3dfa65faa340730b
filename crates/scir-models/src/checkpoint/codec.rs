//! The bytes of a checkpoint or model file. All that knows the layout, and all that knows `bincode`, is here.
//!
//! ```text
//! magic           8 bytes
//! format version  u32
//! crate version   text           a text is its length in bytes as u64, and UTF-8
//! kind            text
//! settings hash   32 bytes       SHA-256 of the text of the settings
//! data hash       32 bytes       … of the text of the data
//! iteration       u64
//! settings        text           JSON
//! data            text           JSON
//! notes           text           JSON
//! body length     u64
//! body            bincode        the parts: names and bytes, which are bincode again
//! checksum        32 bytes       SHA-256 of everything before
//! ```
//!
//! All numbers are little-endian. Whatever later versions change, the magic stays first, the versions follow it, and the
//! checksum is last: so that damage and a newer format can always be told apart.

use super::about::About;
use super::error::Problem;
use super::snapshot::Snapshot;
use bincode::Options;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::cmp::Ordering;

/// As in PNG, bytes that a transfer as text would change.
const MAGIC: [u8; 8] = *b"\x89SCIR\r\n\x1a";
/// The latest version of the format.
pub(super) const FORMAT: u32 = 2;
const HASH: usize = 32;

/// What a snapshot is as bytes.
pub(super) fn encode(snapshot: &Snapshot) -> Result<Vec<u8>, Problem> {
    let About { kind, settings, data } = &snapshot.about;
    let [settings, data, notes] = [settings, data, &snapshot.notes].map(Value::to_string);
    let parts: usize = snapshot.parts().map(|(name, bytes)| name.len() + bytes + 16).sum();
    let mut bytes = Vec::with_capacity(parts + settings.len() + data.len() + notes.len() + 1024);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    put_text(&mut bytes, &snapshot.version);
    put_text(&mut bytes, kind);
    bytes.extend(Sha256::digest(&settings));
    bytes.extend(Sha256::digest(&data));
    bytes.extend(snapshot.iteration.to_le_bytes());
    [settings, data, notes].iter().for_each(|text| put_text(&mut bytes, text));
    let length = bytes.len();
    bytes.extend(0u64.to_le_bytes());
    // Behind the rest and not by itself: what is remembered of many documents is large, and one copy less of it.
    let options = bincode::options().with_fixint_encoding();
    options.serialize_into(&mut bytes, &snapshot.parts).map_err(|error| not_coded("body", &error))?;
    let body = (bytes.len() - length - 8) as u64;
    bytes[length..length + 8].copy_from_slice(&body.to_le_bytes());
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum);
    Ok(bytes)
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// The snapshot that bytes stand for, if every bit is as it was written.
pub(super) fn decode(bytes: &[u8]) -> Result<Snapshot, Problem> {
    let Some(rest) = bytes.strip_prefix(&MAGIC) else {
        return Err(Problem::NotOurs);
    };
    let Some((content, checksum)) = rest.split_last_chunk::<HASH>() else {
        return Err(Problem::Damaged("it is cut off"));
    };
    if Sha256::digest(&bytes[..bytes.len() - HASH]).as_slice() != checksum {
        return Err(Problem::Damaged("its checksum is wrong, as after a flipped bit or a cut-off write"));
    }
    let mut fields = Fields(content);
    let format = u32::from_le_bytes(fields.array()?);
    let version = fields.text()?;
    match format.cmp(&FORMAT) {
        Ordering::Greater => return Err(Problem::NewerFormat { found: format, known: FORMAT, by: version }),
        Ordering::Less => return Err(Problem::OlderFormat { found: format, known: FORMAT, by: version }),
        Ordering::Equal => {}
    }
    let kind = fields.text()?;
    let hashes = [fields.array::<HASH>()?, fields.array::<HASH>()?];
    let iteration = fields.number()?;
    let texts = [fields.text()?, fields.text()?, fields.text()?];
    if hashes.iter().zip(&texts).any(|(hash, text)| Sha256::digest(text).as_slice() != hash) {
        return Err(Problem::Damaged("settings or data are not those of their hash"));
    }
    let [settings, data, notes] = texts
        .map(|text| serde_json::from_str(&text).map_err(|_| Problem::Damaged("its settings are no JSON")));
    let about = About { kind, settings: settings?, data: data? };
    let length = fields.number()?;
    if length != fields.0.len() as u64 {
        return Err(Problem::Damaged("its body is not as long as it says"));
    }
    let parts = from_bytes("body", fields.0)?;
    Ok(Snapshot { version, about, iteration, notes: notes?, parts })
}

/// What is still to be read.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, length: u64) -> Result<&'a [u8], Problem> {
        let split = usize::try_from(length).ok().and_then(|length| self.0.split_at_checked(length));
        let (field, rest) = split.ok_or(Problem::Damaged("a field goes beyond its end"))?;
        self.0 = rest;
        Ok(field)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N as u64)?);
        Ok(array)
    }

    fn number(&mut self) -> Result<u64, Problem> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn text(&mut self) -> Result<String, Problem> {
        let length = self.number()?;
        let bytes = self.bytes(length)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| Problem::Damaged("a text is not UTF-8"))
    }
}

/// SHA-256 as text, for showing.
pub(super) fn hash(value: &Value) -> String {
    Sha256::digest(value.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A value in `bincode`; `name` is for messages.
pub(crate) fn to_bytes(name: &str, value: &(impl Serialize + ?Sized)) -> Result<Vec<u8>, Problem> {
    bincode::options().with_fixint_encoding().serialize(value).map_err(|error| not_coded(name, &error))
}

fn not_coded(name: &str, error: &bincode::Error) -> Problem {
    Problem::Part { name: name.to_owned(), reason: error.to_string() }
}

/// The value that bytes stand for, all of them.
pub(crate) fn from_bytes<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, Problem> {
    // The limit: a length that is not true must not become an allocation.
    let options = bincode::options().with_fixint_encoding().with_limit(bytes.len() as u64);
    options.deserialize(bytes).map_err(|error| not_coded(name, &error))
}
