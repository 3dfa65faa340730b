//! The settings of training as they are given, on the command line or in a TOML file.

use crate::input::VocabularyOptions;
use crate::training::{CountsName, EvaluationOptions};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// Everything may be left out: what is not given has a default, which may depend on the method.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(super) struct Options {
    /// The number K of topics
    #[arg(long, short = 'k', value_name = "K", help_heading = "Model")]
    pub(super) topics: Option<usize>,
    /// How topics are moved: scir (exact), scir-vm (the same without the variance that minibatches add: the best for most),
    /// sgrld (for comparison), or gibbs on all documents in memory [default: scir]
    #[arg(long, value_name = "METHOD", help_heading = "Model")]
    pub(super) method: Option<MethodName>,
    /// The prior α of the topics of a document [default: 0.1; sgrld: 0.01]
    #[arg(long, value_name = "X", help_heading = "Model")]
    pub(super) alpha: Option<f64>,
    /// The prior β of the words of a topic [default: 0.5; sgrld: 0.0001]
    #[arg(long, value_name = "X", help_heading = "Model")]
    pub(super) beta: Option<f64>,
    /// The step size h: update m moves over h (1 + m/τ)^−κ [default: 0.5; sgrld: 0.01]
    #[arg(long, value_name = "H", help_heading = "Model")]
    pub(super) step: Option<f64>,
    /// After how many updates the steps become smaller, τ [default: 10; sgrld: 1000]
    #[arg(long, value_name = "X", help_heading = "Model")]
    pub(super) tau: Option<f64>,
    /// How fast they do, κ; 0 is a constant step [default: 0.33; scir-vm and sgrld: 0.6]
    #[arg(long, value_name = "X", help_heading = "Model")]
    pub(super) kappa: Option<f64>,
    /// Gibbs sweeps over the tokens of a document in one update [default: 50]
    #[arg(long, value_name = "N", help_heading = "Model")]
    pub(super) sweeps: Option<u32>,
    /// How many of them are left out of the average [default: half]
    #[arg(long, value_name = "N", help_heading = "Model")]
    pub(super) burn_in: Option<u32>,
    /// Where counts come from: minibatch, as in the paper, or remembered: what each document contributed last is kept, and an
    /// update has the noise of what has changed since. Gains from the second pass on [default: minibatch]
    #[arg(long, value_name = "SOURCE", help_heading = "Model")]
    pub(super) counts: Option<CountsName>,
    /// The most memory for what is remembered; documents for which there is no room count as not seen [default: 1024]
    #[arg(long, value_name = "MB", help_heading = "Model")]
    pub(super) remember_mb: Option<usize>,
    /// Stop after N updates, or sweeps of gibbs [default: one pass, but at least 500; ten passes if counts are remembered;
    /// gibbs: 200]
    #[arg(long, value_name = "N", conflicts_with = "passes", help_heading = "Run")]
    pub(super) updates: Option<u64>,
    /// Stop after N passes over the documents
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(super) passes: Option<u64>,
    /// Documents in a minibatch [default: 50]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(super) batch_size: Option<usize>,
    /// Documents as they come, or shuffled in every pass, which takes them all into memory [default: sequential]
    #[arg(long, value_name = "ORDER", help_heading = "Run")]
    pub(super) order: Option<Order>,
    /// Parts that gibbs works on at a time; 1 is exact, more are faster [default: 1]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(super) parts: Option<usize>,
    /// The seed of all random numbers [default: 1]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) evaluation: EvaluationOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) vocabulary: VocabularyOptions,
}

/// How topics are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MethodName {
    Scir,
    ScirVm,
    Sgrld,
    Gibbs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    #[default]
    Sequential,
    Shuffled,
}
