//! A folder of checkpoints: the last few, and the best.

use super::about::About;
use super::error::{CheckpointError, Problem, Result};
use super::file::UNFINISHED;
use super::snapshot::Snapshot;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The checkpoints of one run, in a folder of their own that the run has for itself.
///
/// A checkpoint is a file `000000000120.scir`, named by its iteration; the best one, where a run knows which that is, is a
/// copy under the name `best.scir`.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    keep: usize,
    /// Locked while this lives. The system unlocks it when the process ends, however it ends.
    _lock: File,
}

/// The newest checkpoint that can be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Found {
    /// The checkpoint.
    pub snapshot: Snapshot,
    /// What was wrong with those that are newer: to be shown.
    pub damaged: Vec<CheckpointError>,
}

const BEST: &str = "best.scir";
const LOCK: &str = "lock";

impl Folder {
    /// Takes a folder, which is made if it is not there, to keep the last `keep` checkpoints (at least 1; with 2 or more,
    /// there is another one if the last is damaged). What an interrupted run left unfinished there is removed.
    ///
    /// # Errors
    /// If the folder cannot be made or written to, or another run has it.
    pub fn open(path: impl Into<PathBuf>, keep: usize) -> Result<Self> {
        let path = path.into();
        let taken = fs::create_dir_all(&path).and_then(|()| File::create(path.join(LOCK)));
        let lock = taken.map_err(|error| Problem::from(error).of(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Problem::InUse.of(&path)),
            // A file system without locks: the folder still works, for one run at a time.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(Problem::from(error).of(&path)),
        }
        let folder = Self { path, keep: keep.max(1), _lock: lock };
        for name in folder.names()?.iter().filter(|name| name.ends_with(UNFINISHED)) {
            folder.remove_file(name)?;
        }
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Saves a checkpoint, and removes those that are no longer among the last.
    ///
    /// # Errors
    /// What the file system says; earlier checkpoints are then still there.
    pub fn save(&self, snapshot: &Snapshot) -> Result<()> {
        snapshot.write(self.path.join(format!("{:012}.scir", snapshot.iteration())))?;
        self.remove_old()
    }

    /// Saves a checkpoint as the best one.
    ///
    /// # Errors
    /// What the file system says; the best one before is then still there.
    pub fn save_best(&self, snapshot: &Snapshot) -> Result<()> {
        snapshot.write(self.best())
    }

    /// The file of the best one.
    pub fn best(&self) -> PathBuf {
        self.path.join(BEST)
    }

    /// The newest checkpoint that is not damaged; `None` if there are none at all.
    ///
    /// # Errors
    /// If the newest good one belongs to something else than `about` or has a newer format, or all of them are damaged.
    pub fn newest(&self, about: &About) -> Result<Option<Found>> {
        let mut damaged = Vec::new();
        for (_, name) in self.checkpoints()?.iter().rev() {
            match Snapshot::read_for(self.path.join(name), about) {
                Ok(snapshot) => return Ok(Some(Found { snapshot, damaged })),
                Err(error) if error.problem.is_damage() => damaged.push(error),
                Err(error) => return Err(error),
            }
        }
        match damaged.into_iter().next() {
            None => Ok(None),
            Some(latest) => Err(Problem::NoneIsGood(Box::new(latest)).of(&self.path)),
        }
    }

    /// Removes all checkpoints, and the best one too if `best` says so: for a run that starts anew.
    ///
    /// # Errors
    /// What the file system says.
    pub fn clear(&self, best: bool) -> Result<()> {
        for (_, name) in self.checkpoints()? {
            self.remove_file(&name)?;
        }
        if best && self.best().exists() {
            self.remove_file(BEST)?;
        }
        Ok(())
    }

    /// Removes all checkpoints but the best one, for a run that is over. The folder goes with them if nothing else is in it.
    ///
    /// # Errors
    /// What the file system says.
    pub fn finish(self) -> Result<()> {
        self.clear(false)?;
        self.remove_file(LOCK)?;
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => {
                Err(Problem::from(error).of(&self.path))
            }
            _ => Ok(()),
        }
    }

    fn remove_old(&self) -> Result<()> {
        let all = self.checkpoints()?;
        all.iter().rev().skip(self.keep).try_for_each(|(_, name)| self.remove_file(name))
    }

    /// The iterations of the checkpoints and the names of their files, oldest first.
    fn checkpoints(&self) -> Result<Vec<(u64, String)>> {
        let numbered = |name: String| Some((name.strip_suffix(".scir")?.parse().ok()?, name));
        let mut all: Vec<(u64, String)> = self.names()?.into_iter().filter_map(numbered).collect();
        all.sort_unstable();
        Ok(all)
    }

    /// Names that are not UTF-8 are not ours.
    fn names(&self) -> Result<Vec<String>> {
        fs::read_dir(&self.path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.file_name().into_string().ok())).collect())
            .map(|names: Vec<Option<String>>| names.into_iter().flatten().collect())
            .map_err(|error| Problem::from(error).of(&self.path))
    }

    fn remove_file(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        fs::remove_file(&path).map_err(|error| Problem::from(error).of(&path))
    }
}
