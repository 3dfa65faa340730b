//! Parts of an experiment that are finished, kept so that an interrupted run goes on where it was.

use super::summary::write_whole;
use crate::data::digest::{self, hex};
use anyhow::{Context, Result};
use scir_models::checkpoint::About;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder `parts` of an experiment. A part counts only for the run whose key it has.
pub(crate) struct Finished {
    folder: PathBuf,
    key: String,
}

/// Where a part is saved while it is under way, and what it is.
pub(crate) struct Saved {
    pub(crate) path: PathBuf,
    pub(crate) about: About,
}

#[derive(Serialize, Deserialize)]
struct Part<T> {
    key: String,
    value: T,
}

impl Finished {
    /// The parts in `out` of the run that is described by `what`: program, settings and data, but not the seeds, so
    /// that more seeds can be added.
    pub(crate) fn open(out: &Path, what: &[&str]) -> Result<Self> {
        let folder = out.join("parts");
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Self { folder, key: hash(what) })
    }

    /// The part with this name, from the folder if it is there, else by running it. Tells which.
    pub(crate) fn or_run<T>(&self, name: &str, run: impl FnOnce() -> Result<T>) -> Result<(T, bool)>
    where
        T: Serialize + DeserializeOwned,
    {
        let path = self.folder.join(format!("{name}.json"));
        if let Some(part) = read::<Part<T>>(&path).filter(|part| part.key == self.key) {
            return Ok((part.value, true));
        }
        let part = Part { key: self.key.clone(), value: run()? };
        write_whole(&path, &serde_json::to_vec(&part)?)?;
        // What was saved on the way has done its duty.
        let _ = fs::remove_file(self.saved_path(name));
        Ok((part.value, false))
    }

    fn saved_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.scir"))
    }

    /// Where the part with this name is saved while it is under way.
    pub(crate) fn saved(&self, name: &str) -> Result<Saved> {
        Ok(Saved { path: self.saved_path(name), about: About::new("reproduce", name, &self.key)? })
    }
}

/// A file that cannot be read is as good as none: the part is run again.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// A short name for texts.
pub(crate) fn hash(texts: &[&str]) -> String {
    let mut sum = Sha256::new();
    for text in texts {
        sum.update((text.len() as u64).to_le_bytes());
        sum.update(text.as_bytes());
    }
    hex(&sum.finalize())
}

/// What this program is, to the bit: results of another build are not taken for its own.
pub(crate) fn program() -> Result<String> {
    let path = std::env::current_exe().context("the program cannot be found")?;
    Ok(digest::of_file(&path)?.sha256)
}

/// The documents of a corpus as a checksum.
pub(crate) fn corpus_sum<'a>(documents: impl Iterator<Item = scir_data::DocView<'a>>) -> String {
    let mut sum = Sha256::new();
    for document in documents {
        sum.update((document.ids().len() as u64).to_le_bytes());
        for (word, count) in document.iter() {
            sum.update(word.to_le_bytes());
            sum.update(count.to_le_bytes());
        }
    }
    hex(&sum.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_run_once_and_only_for_their_run() {
        let folder = tempfile::tempdir().unwrap();
        let part = |what: &str, value: u32| {
            let finished = Finished::open(folder.path(), &["program", what]).unwrap();
            finished.or_run("scir-1", || Ok(value)).unwrap()
        };
        assert_eq!(part("settings", 1), (1, false));
        assert_eq!(part("settings", 2), (1, true));
        assert_eq!(part("other settings", 3), (3, false));
        fs::write(folder.path().join("parts/scir-1.json"), "{\"key\": \"").unwrap();
        assert_eq!(part("other settings", 4), (4, false), "half a file is none");
        let finished = Finished::open(folder.path(), &["x"]).unwrap();
        assert!(finished.or_run::<u32>("scir-2", || anyhow::bail!("no")).is_err());
        assert_eq!(finished.or_run("scir-2", || Ok(5)).unwrap(), (5, false), "what failed is not kept");
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }
}
