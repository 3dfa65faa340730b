//! Why a checkpoint or a model file was refused.

use std::io;
use std::path::{Path, PathBuf};

/// A file, or a folder of them, and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", .path.display())]
pub struct CheckpointError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: Problem,
}

/// What can be wrong with a checkpoint or a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Something else than a file of ours.
    #[error("is not a scir file")]
    NotOurs,
    /// The bytes are not those that were written.
    #[error("is damaged: {0}")]
    Damaged(&'static str),
    /// Written by a later version in a way that this one does not know.
    #[error(
        "has the format version {found}, written by scir {by}; this is scir {ours}, which reads up to {known}: \
         use a later version", ours = env!("CARGO_PKG_VERSION")
    )]
    NewerFormat {
        /// The version of the format.
        found: u32,
        /// The latest that is known here.
        known: u32,
        /// The version of the crate that wrote the file.
        by: String,
    },
    /// Written by an earlier version, in a way that is not read any more.
    #[error(
        "has the format version {found}, written by scir {by}; this is scir {ours}, which reads version {known}: train \
         again, or use the version that wrote it", ours = env!("CARGO_PKG_VERSION")
    )]
    OlderFormat {
        /// The version of the format.
        found: u32,
        /// The one that is read here.
        known: u32,
        /// The version of the crate that wrote the file.
        by: String,
    },
    /// A good file that belongs to something else.
    #[error("does not belong to this run: {field} is {there} there and {here} here")]
    Differs {
        /// What differs: `kind`, or the path of a field, as in `settings.alpha` or `data.inputs[0].sha256`.
        field: String,
        /// Its value in the file.
        there: String,
        /// Its value in the run that wants to use the file.
        here: String,
    },
    /// A part that is not in the file.
    #[error("has no part '{0}'")]
    NoPart(String),
    /// A part that is not what it should be, or cannot be written.
    #[error("the part '{name}' is not what was expected: {reason}")]
    Part {
        /// The name of the part.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Another run holds the folder.
    #[error("is in use by another run")]
    InUse,
    /// All checkpoints of a folder are damaged.
    #[error("has no checkpoint that can be read; the latest: {0}")]
    NoneIsGood(Box<CheckpointError>),
}

impl Problem {
    /// The same with the file that it is about.
    pub(super) fn of(self, path: &Path) -> CheckpointError {
        CheckpointError { path: path.to_owned(), problem: self }
    }

    /// Whether an earlier checkpoint may stand in: the file is not what was once written.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::NotOurs | Self::Damaged(_))
    }
}

/// Shorthand for results with files.
pub type Result<T, E = CheckpointError> = std::result::Result<T, E>;
