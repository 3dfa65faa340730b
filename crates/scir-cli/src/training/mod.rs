//! Training of any model: its documents, what watches it, checkpoints, and how it ends.

mod config;
mod counts;
mod documents;
mod evaluation;
mod session;
mod watch;

pub(crate) use config::merged;
pub(crate) use counts::CountsName;
pub(crate) use documents::Documents;
pub(crate) use evaluation::{Evaluation, EvaluationOptions};
pub(crate) use session::{Kinds, Session, Start, vocabulary};
pub(crate) use watch::Watch;

use clap::Args;
use scir_models::checkpoint::Every;
use std::path::PathBuf;

/// Where a run goes, and how it is saved: what does not change what it computes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Place {
    /// Where the model goes
    #[arg(long, short, value_name = "MODEL")]
    pub(crate) out: PathBuf,
    /// Read settings from a TOML file: names as those of the flags, as in `seed = 2`; flags win
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The folder for checkpoints [default: MODEL.checkpoints]
    #[arg(long, value_name = "FOLDER", help_heading = "Run")]
    checkpoint: Option<PathBuf>,
    /// How often: a number of updates, a time such as 30s or 5m, or never
    #[arg(long, value_name = "N|TIME", default_value = "60s", help_heading = "Run")]
    checkpoint_every: Every,
    /// Forget checkpoints and the model that is there, and start over
    #[arg(long, help_heading = "Run")]
    fresh: bool,
    /// Write a row for each update to a file: .csv, or JSON lines for any other name
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    log: Option<PathBuf>,
}

impl Place {
    fn folder(&self) -> PathBuf {
        self.checkpoint.clone().unwrap_or_else(|| {
            let mut name = self.out.clone().into_os_string();
            name.push(".checkpoints");
            name.into()
        })
    }
}
