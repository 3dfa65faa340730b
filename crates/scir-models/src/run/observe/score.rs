//! The last score of a run, shared between those who measure it and those who use it.

use std::sync::{Arc, Mutex, PoisonError};

/// The last score of a run; clones share it. Lower is better, as with perplexity: negate what is better when higher.
///
/// [`Evaluate`](super::Evaluate) sets it; progress, logs, early stopping and checkpoints look at it; and so may a closure:
///
/// ```
/// use scir_models::observe::Score;
/// let score = Score::default();
/// let seen = score.clone();
/// score.set(9, 1203.5);
/// assert_eq!(seen.at(9), Some(1203.5)); // measured at iteration 9
/// assert_eq!(seen.at(10), None); // and not at 10
/// ```
#[derive(Debug, Clone, Default)]
pub struct Score(Arc<Mutex<Option<Scored>>>);

/// A score, and the iteration after which it was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scored {
    /// The iteration, counted from 0.
    pub iteration: u64,
    /// The score.
    pub value: f64,
}

impl Score {
    /// Sets the score measured after an iteration.
    pub fn set(&self, iteration: u64, value: f64) {
        self.put(Some(Scored { iteration, value }));
    }

    /// The last score.
    pub fn latest(&self) -> Option<Scored> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The score of an iteration, if it was measured then.
    pub fn at(&self, iteration: u64) -> Option<f64> {
        self.latest().filter(|scored| scored.iteration == iteration).map(|scored| scored.value)
    }

    pub(super) fn put(&self, scored: Option<Scored>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = scored;
    }
}
