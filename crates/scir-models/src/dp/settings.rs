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
///
/// ```
/// use scir_models::dp::{DpSettings, Estimator, Moves};
/// let moves = Moves { splits: 20, ..Moves::NONE };
/// let settings = DpSettings { counts: Estimator::ControlVariates, moves, ..DpSettings::default() };
/// # let _ = settings;
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Moves {
    /// How many splits or merges of clusters are worked out at a time; 20 is a good number. They need the sums of
    /// [`Estimator::ControlVariates`], begin when every item has been in a minibatch, and want minibatches that go through
    /// the data: in an order without epochs it takes long until every item has come.
    pub splits: usize,
    /// How many of them are merges: a probability between 0 and 1. A cluster too many mostly dies by itself, while one too few
    /// does not come, so that few will do.
    pub merges: f64,
    /// After how many scans through the items of its clusters a split or merge is proposed, in one more.
    pub scans: usize,
    /// How many items a part has to begin with: the more there are, the fewer parts a cluster is split into. Parts must be large
    /// enough to learn something of their own against the base measure, and as small as the clusters that are looked for.
    pub part: usize,
    /// For how many passes over the data there are no splits and merges, after some have been decided.
    pub rest: usize,
    /// How many pairs of sticks try to swap their clusters, in each of two ways.
    pub swaps: usize,
    /// Whether clusters are dealt to the sticks anew in every iteration, and all sticks drawn given that. It is done anyhow
    /// when a split or merge was accepted.
    pub relabel: bool,
}

impl Moves {
    /// No moves; and what has been found to be good for splits if there are to be any.
    pub const NONE: Self =
        Self { splits: 0, merges: 0.05, scans: 10, part: 1000, rest: 20, swaps: 0, relabel: false };
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
        )?;
        let merges = self.moves.merges;
        check(
            merges > 0.0 && merges < 1.0,
            "merges",
            merges,
            "between 0 and 1: a split must have a way back",
        )?;
        check(self.moves.scans > 0, "scans", self.moves.scans, "at least 1")?;
        check(self.moves.part > 0, "part", self.moves.part, "at least 1")
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
