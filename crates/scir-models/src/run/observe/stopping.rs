//! Ending a run that no longer gets better.

use super::{Observer, ObserverError, Score, Step};
use crate::error::{Result, check};
use std::ops::ControlFlow;

/// Ends the run when the score has not improved in a number of evaluations in a row.
///
/// Put it after the observer that [evaluates](super::Evaluate).
#[derive(Debug)]
pub struct EarlyStopping {
    score: Score,
    patience: u64,
    improvement: f64,
    best: f64,
    in_vain: u64,
}

impl EarlyStopping {
    /// Ends after `patience` evaluations that are not better than the best one by a part `improvement` of it (0.001 is one
    /// per mille, 0 any improvement).
    ///
    /// # Errors
    /// If `patience` is 0, or the improvement is not in [0, 1).
    pub fn new(score: Score, patience: u64, improvement: f64) -> Result<Self> {
        check(patience > 0, "patience", patience, "at least 1")?;
        check((0.0..1.0).contains(&improvement), "improvement", improvement, "in [0, 1)")?;
        Ok(Self { score, patience, improvement, best: f64::INFINITY, in_vain: 0 })
    }
}

impl<M: ?Sized> Observer<M> for EarlyStopping {
    fn observe(&mut self, _: &M, step: &Step) -> Result<ControlFlow<()>, ObserverError> {
        if let Some(score) = self.score.at(step.iteration) {
            let enough = self.best - self.improvement * self.best.abs();
            // The first score is better than none; from infinity on, the line above is NaN.
            if score < enough || self.best == f64::INFINITY {
                (self.best, self.in_vain) = (score, 0);
            } else {
                self.in_vain += 1;
            }
        }
        Ok(if self.in_vain >= self.patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    #[cfg(feature = "checkpoint")]
    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        Ok(crate::checkpoint::to_bytes("early stopping", &(self.best, self.in_vain))?)
    }

    #[cfg(feature = "checkpoint")]
    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        (self.best, self.in_vain) = crate::checkpoint::from_bytes("early stopping", saved)?;
        Ok(())
    }
}
