//! The settings of a Dirichlet-process mixture, plain data that is checked when a model is made.

use crate::error::{Result, check};

/// The settings of a mixture. The default is Table 3 of the SCIR paper, for SCIR.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct DpSettings {
    /// The concentration α of the process.
    pub alpha: Alpha,
    /// How many clusters there are at the start.
    pub initial: usize,
    /// How items come to their first cluster.
    pub start: Start,
    /// The most components that may be instantiated at a time. There is no truncation: if more are needed, the run ends
    /// with an error.
    pub most: usize,
    /// How the counts of the whole data are found out.
    pub counts: Estimator,
    /// Moves of many items at a time, besides those of single ones.
    pub moves: Moves,
}

/// How the counts of the whole data, towards which sticks and atoms move, are found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Estimator {
    /// From the items of the minibatch, times N/n, as in the SCIR paper.
    #[default]
    Minibatch,
    /// From the cluster of every item and from sums that are kept for each cluster, which an item that changes its cluster
    /// takes along. Once every item has been in a minibatch the counts are exact, whatever the minibatch.
    ControlVariates,
}

/// Moves of many items at a time, tried at the end of every iteration. All leave the posterior as it is; the default is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Moves {
    /// How many splits or merges of clusters are proposed in an iteration. They need the sums of
    /// [`Estimator::ControlVariates`], and begin when every item has been in a minibatch.
    pub splits: usize,
    /// How many times a split goes through its items again before it is proposed.
    pub scans: usize,
    /// part
    pub part: usize,
    /// rest
    pub rest: usize,
    /// How many pairs of sticks try to swap their clusters, in each of two ways.
    pub swaps: usize,
    /// Whether clusters are dealt to the sticks anew in every iteration.
    pub relabel: bool,
}

impl Moves {
    /// No moves.
    pub const NONE: Self = Self { splits: 0, scans: 0, part: 500, rest: 0, swaps: 0, relabel: false };
}

impl Default for Moves {
    fn default() -> Self {
        Self::NONE
    }
}

/// How items come to their first cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Start {
    /// At random, all items before the first iteration, as in the SCIR paper. The clusters are then all alike, and tell
    /// apart as items are allocated anew: it takes some passes over the data.
    #[default]
    Dealt,
    /// When they are first in a minibatch, by the clusters as they are then. Much may have been learnt before all items have
    /// been seen: the start for data so large that there is hardly one pass.
    OnSight,
}

/// The concentration α of a Dirichlet process: the larger, the more clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Alpha {
    /// Known.
    Fixed(f64),
    /// With a gamma prior, and drawn at every iteration.
    Gamma {
        /// The shape b₁ of the prior.
        shape: f64,
        /// The rate b₂ of the prior.
        rate: f64,
    },
}

impl Default for DpSettings {
    fn default() -> Self {
        Self {
            alpha: Alpha::Gamma { shape: 1.0, rate: 1.0 },
            initial: 20,
            start: Start::Dealt,
            most: 10_000,
            counts: Estimator::Minibatch,
            moves: Moves::NONE,
        }
    }
}

impl DpSettings {
    pub(super) fn check(&self) -> Result<()> {
        let positive =
            |name, x: f64| check(x > 0.0 && x < f64::INFINITY, name, x, "finite and greater than 0");
        match self.alpha {
            Alpha::Fixed(alpha) => positive("alpha", alpha)?,
            Alpha::Gamma { shape, rate } => {
                positive("shape of alpha", shape)?;
                positive("rate of alpha", rate)?;
            }
        }
        check(self.initial > 0, "initial", self.initial, "at least 1")?;
        check(self.most <= 1 << 24, "most", self.most, "at most 2^24")?;
        check(self.initial <= self.most, "initial", self.initial, "at most the setting `most`")?;
        check(
            self.moves.splits == 0 || self.counts == Estimator::ControlVariates,
            "splits",
            self.moves.splits,
            "0 unless counts are those of control variates, whose sums splits and merges are judged by",
        )
    }
}

impl Alpha {
    /// Where α starts: at its value, or at its prior mean.
    pub(super) fn start(&self) -> f64 {
        match *self {
            Self::Fixed(alpha) => alpha,
            Self::Gamma { shape, rate } => shape / rate,
        }
    }
}
