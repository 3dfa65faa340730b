//! Where the counts of all the data come from, which a run moves by.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Where counts come from: as it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CountsName {
    /// The minibatch, times N/n
    #[default]
    Minibatch,
    /// What each document or record contributed last, of which a minibatch renews its own
    Remembered,
}
