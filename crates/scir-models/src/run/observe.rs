//! Observers: what looks at a run while it goes on.

use std::ops::ControlFlow;
use std::time::Duration;

/// Sees the model after each iteration, and may end the run.
///
/// Progress, logs, evaluation and checkpoints are observers. Any closure of the same shape is one:
///
/// ```
/// use scir_models::{Lda, Observer, Step};
/// use std::ops::ControlFlow;
/// let mut stop_at_ten = |_: &Lda, step: &Step| {
///     Ok(if step.iteration == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
/// };
/// let _: &mut dyn Observer<Lda> = &mut stop_at_ten;
/// ```
pub trait Observer<M: ?Sized> {
    /// Looks at the model after an iteration; `Break` ends the run.
    ///
    /// # Errors
    /// Whatever went wrong; the run then ends with that error.
    fn observe(
        &mut self,
        model: &M,
        step: &Step,
    ) -> Result<ControlFlow<()>, Box<dyn std::error::Error + Send + Sync>>;
}

impl<M: ?Sized, F> Observer<M> for F
where
    F: FnMut(&M, &Step) -> Result<ControlFlow<()>, Box<dyn std::error::Error + Send + Sync>>,
{
    fn observe(
        &mut self,
        model: &M,
        step: &Step,
    ) -> Result<ControlFlow<()>, Box<dyn std::error::Error + Send + Sync>> {
        self(model, step)
    }
}

/// What happened in one iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The iteration, counted from 0.
    pub iteration: u64,
    /// The number n of items in the minibatch.
    pub items: usize,
    /// How many coordinates are now 0 as an f64 (their logarithms may still be finite).
    pub zeros: usize,
    /// How many coordinates crossed 0 and were reflected.
    pub reflections: usize,
    /// The time that the latent step took, and all else that is not moving blocks.
    pub latent: Duration,
    /// The time that it took to move the blocks.
    pub moving: Duration,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// There were no more minibatches.
    OutOfBatches,
    /// An observer said so.
    Stopped,
}
