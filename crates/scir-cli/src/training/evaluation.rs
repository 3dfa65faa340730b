//! Measuring while training: on which documents, how often, and when to stop.

use crate::output::usage;
use anyhow::Result;
use clap::Args;
use serde::{Deserialize, Serialize};

/// As it is given: everything may be left out.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct EvaluationOptions {
    /// Do not train on N documents, spread over the inputs, but measure how well they are predicted [default: 0]
    #[arg(long, value_name = "N", help_heading = "Evaluation")]
    held_out: Option<u64>,
    /// Measure after every N updates [default: 50; lda by gibbs: 10]
    #[arg(long, value_name = "N", help_heading = "Evaluation")]
    evaluate_every: Option<u64>,
    /// Stop when N evaluations in a row have not become better by 0.1 %
    #[arg(long, value_name = "N", help_heading = "Evaluation")]
    patience: Option<u64>,
}

/// In full, as it is stored with a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evaluation {
    pub(crate) held_out: u64,
    pub(crate) every: u64,
    pub(crate) patience: Option<u64>,
}

impl EvaluationOptions {
    /// With defaults for what was left out.
    pub(crate) fn resolve(&self, every: u64) -> Result<Evaluation> {
        let held_out = self.held_out.unwrap_or(0);
        if self.patience.is_some() && held_out == 0 {
            return Err(usage("--patience needs documents to measure on: give --held-out N"));
        }
        if self.evaluate_every == Some(0) || self.patience == Some(0) {
            return Err(usage("--evaluate-every and --patience must be at least 1"));
        }
        Ok(Evaluation { held_out, every: self.evaluate_every.unwrap_or(every), patience: self.patience })
    }
}
