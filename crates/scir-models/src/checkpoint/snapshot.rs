//! A model at one iteration, with what belongs to it: what a checkpoint and a model file are.

use super::about::About;
use super::codec;
use super::error::{Problem, Result};
use super::file;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A model at one iteration with what belongs to it, as named parts. Checkpoints and model files are snapshots.
///
/// ```
/// use scir_models::checkpoint::{About, Snapshot};
/// use scir_models::{Lda, LdaSettings};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("m.scir");
/// let lda = Lda::new(LdaSettings { topics: 2, ..LdaSettings::default() }, 10, 1)?;
/// let about = About::new("lda", lda.settings(), "made up")?;
/// Snapshot::new(about, 0).with("model", &lda)?.write(&path)?;
///
/// let snapshot = Snapshot::read(&path)?; // refuses what is not bit for bit what was written
/// assert_eq!(snapshot.about().settings["topics"], 2);
/// assert_eq!(snapshot.get::<Lda>("model")?, lda);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub(super) version: String,
    pub(super) about: About,
    pub(super) iteration: u64,
    pub(super) notes: Value,
    pub(super) parts: BTreeMap<String, Vec<u8>>,
}

impl Snapshot {
    /// A snapshot without parts, before iteration number `iteration`.
    pub fn new(about: About, iteration: u64) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { version, about, iteration, notes: Value::Null, parts: BTreeMap::new() }
    }

    /// The same at another iteration.
    pub(super) fn at(self, iteration: u64) -> Self {
        Self { iteration, ..self }
    }

    /// The same with a part more.
    ///
    /// # Errors
    /// If the value cannot be written down.
    pub fn with(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<Self, Problem> {
        self.parts.insert(name.to_owned(), codec::to_bytes(name, value)?);
        Ok(self)
    }

    /// The same with notes: what is good to know, and is not compared when a run is resumed.
    pub fn with_notes(self, notes: Value) -> Self {
        Self { notes, ..self }
    }

    /// A part.
    ///
    /// # Errors
    /// If there is none of that name, or it is something else.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, Problem> {
        let bytes = self.parts.get(name).ok_or_else(|| Problem::NoPart(name.to_owned()))?;
        codec::from_bytes(name, bytes)
    }

    /// The names of the parts and their sizes in bytes.
    pub fn parts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.parts.iter().map(|(name, bytes)| (name.as_str(), bytes.len()))
    }

    /// What it belongs to.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The number of the iteration that comes next: how many have been done.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// What is good to know.
    pub fn notes(&self) -> &Value {
        &self.notes
    }

    /// The version of this crate that wrote it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The version of the file format.
    pub fn format(&self) -> u32 {
        codec::FORMAT
    }

    /// The SHA-256 hashes of settings and data, as in the file, in hexadecimal digits.
    pub fn hashes(&self) -> [String; 2] {
        [codec::hash(&self.about.settings), codec::hash(&self.about.data)]
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, is not one of ours, is damaged in any bit, or has a newer format.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| Problem::from(error).of(path))?;
        codec::decode(&bytes).map_err(|problem| problem.of(path))
    }

    /// As [`read`](Self::read), and refuses a file that belongs to something else.
    ///
    /// # Errors
    /// Those of `read`, and [`Problem::Differs`].
    pub fn read_for(path: impl AsRef<Path>, about: &About) -> Result<Self> {
        let snapshot = Self::read(&path)?;
        snapshot.about.check(about).map_err(|problem| problem.of(path.as_ref()))?;
        Ok(snapshot)
    }

    /// Writes a file that is there whole or not at all, whatever happens meanwhile: under another name in the same
    /// folder, synced, renamed, and the folder synced.
    ///
    /// # Errors
    /// What the file system says; the file of that name is then what it was before.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let bytes = codec::encode(self).map_err(|problem| problem.of(path))?;
        file::write_whole(path, &bytes).map_err(|error| Problem::from(error).of(path))
    }
}
