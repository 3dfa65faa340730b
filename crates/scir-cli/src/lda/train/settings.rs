//! The settings of training in full: what changes the numbers, and is stored with the model.

use super::options::{MethodName, Options, Order};
use crate::input::{InputFormat, Inputs, TokenizerName};
use crate::output::usage;
use crate::training::{CountsName, Evaluation};
use anyhow::Result;
use scir_core::{Method, StepSize};
use scir_models::lda::Gibbs;
use scir_models::{CvSettings, LdaSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Not how long a run is, on how many threads, or how often it is saved: that does not change what it computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(super) method: MethodName,
    pub(super) lda: LdaSettings,
    /// None for Gibbs sampling.
    pub(super) online: Option<Online>,
    /// The parts of Gibbs sampling.
    pub(super) parts: Option<usize>,
    pub(crate) seed: u64,
    pub(super) evaluation: Evaluation,
    pub(crate) tokenizer: TokenizerName,
    /// How the words are chosen; null if they come from a file or with the data.
    vocabulary: Value,
    input_formats: Vec<InputFormat>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Online {
    pub(super) step: StepSize,
    pub(super) batch_size: usize,
    pub(super) order: Order,
    /// None if counts are those of minibatches alone.
    pub(super) remembering: Option<CvSettings>,
}

impl Settings {
    pub(super) fn resolve(options: &Options, inputs: &Inputs) -> Result<Self> {
        let Some(topics) = options.topics else {
            return Err(usage("how many topics? Give --topics K, or topics = K in the --config file"));
        };
        let method = options.method.unwrap_or(MethodName::Scir);
        let paper = method.defaults();
        let sweeps = options.sweeps.unwrap_or(50);
        let gibbs = Gibbs { sweeps, burn_in: options.burn_in.unwrap_or(sweeps / 2), ..Gibbs::default() };
        let lda = LdaSettings {
            topics,
            alpha: options.alpha.unwrap_or(paper.alpha).into(),
            beta: options.beta.unwrap_or(paper.beta).into(),
            gibbs,
        };
        let is_gibbs = method == MethodName::Gibbs;
        let online = if is_gibbs {
            None
        } else {
            let [h, tau, kappa] = [
                options.step.unwrap_or(paper.step),
                options.tau.unwrap_or(paper.tau),
                options.kappa.unwrap_or(paper.kappa),
            ];
            Some(Online {
                step: StepSize::decreasing(h, tau, kappa).map_err(|error| usage(error.to_string()))?,
                batch_size: options.batch_size.unwrap_or(50),
                order: options.order.unwrap_or_default(),
                remembering: remembering(options)?,
            })
        };
        refuse_misplaced(options, is_gibbs)?;
        Ok(Self {
            method,
            lda,
            online,
            parts: is_gibbs.then(|| options.parts.unwrap_or(1)),
            seed: options.seed.unwrap_or(1),
            evaluation: options.evaluation.resolve(if is_gibbs { 10 } else { 50 })?,
            tokenizer: options.vocabulary.tokenizer(),
            vocabulary: options.vocabulary.identity(inputs)?,
            input_formats: inputs.0.iter().map(|input| input.format).collect(),
        })
    }
}

/// How contributions are remembered, if they are.
fn remembering(options: &Options) -> Result<Option<CvSettings>> {
    match (options.counts.unwrap_or_default(), options.remember_mb) {
        (CountsName::Minibatch, None) => Ok(None),
        (CountsName::Minibatch, Some(_)) => Err(usage("--remember-mb needs --counts remembered")),
        (CountsName::Remembered, most) => {
            let default = CvSettings::default();
            let bytes = |mb: usize| mb.saturating_mul(1 << 20);
            Ok(Some(CvSettings { most_bytes: most.map_or(default.most_bytes, bytes), ..default }))
        }
    }
}

/// A setting that the method does not have is a mistake, and not to be passed over in silence.
fn refuse_misplaced(options: &Options, is_gibbs: bool) -> Result<()> {
    let online = [
        ("--step", options.step.is_some()),
        ("--tau", options.tau.is_some()),
        ("--kappa", options.kappa.is_some()),
        ("--batch-size", options.batch_size.is_some()),
        ("--order", options.order.is_some()),
        ("--counts", options.counts.is_some()),
        ("--remember-mb", options.remember_mb.is_some()),
    ];
    let (misplaced, hint): (&[(&str, bool)], _) = if is_gibbs {
        (&online, "has no meaning with --method gibbs")
    } else {
        (&[("--parts", options.parts.is_some())], "needs --method gibbs")
    };
    if let Some((name, _)) = misplaced.iter().find(|(_, given)| *given) {
        return Err(usage(format!("{name} {hint}")));
    }
    if options.batch_size == Some(0) {
        return Err(usage("--batch-size must be at least 1"));
    }
    Ok(())
}

/// The settings of Table 2 of the SCIR paper, and for what is not in it what was best on Wikipedia.
struct Defaults {
    alpha: f64,
    beta: f64,
    step: f64,
    tau: f64,
    kappa: f64,
}

impl MethodName {
    fn defaults(self) -> Defaults {
        match self {
            Self::Scir | Self::Gibbs => Defaults { alpha: 0.1, beta: 0.5, step: 0.5, tau: 10.0, kappa: 0.33 },
            Self::ScirVm => Defaults { kappa: 0.6, ..Self::Scir.defaults() },
            Self::Sgrld => Defaults { alpha: 0.01, beta: 0.0001, step: 0.01, tau: 1000.0, kappa: 0.6 },
        }
    }

    /// The transition; none for Gibbs sampling.
    pub(crate) fn transition(self) -> Option<Method> {
        match self {
            Self::Scir => Some(Method::Scir),
            Self::ScirVm => Some(Method::ScirVmScheduled),
            Self::Sgrld => Some(Method::Sgrld),
            Self::Gibbs => None,
        }
    }
}
