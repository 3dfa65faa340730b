//! Observers: what looks at a run while it goes on.
//!
//! | observer | what it does |
//! |---|---|
//! | any closure `\|model, step\|` | what you like |
//! | [`Evaluate`] | measures the model every k iterations, and leaves the result in a [`Score`] |
//! | [`Progress`] | tells how far the run is, to the terminal or to a function of yours |
//! | [`Log`] | writes a row for each iteration, as CSV or JSON lines |
//! | [`EarlyStopping`] | ends the run when the score has not improved for a while |
//! | `Checkpointing`, with the feature `checkpoint` | saves the run, with the observers that it is put around |

mod evaluate;
mod log;
mod progress;
#[cfg(feature = "checkpoint")]
mod rows;
mod score;
mod stopping;

pub use evaluate::{Evaluate, Measure};
pub use log::{Log, LogFormat};
pub use progress::{Progress, Status};
pub use score::{Score, Scored};
pub use stopping::EarlyStopping;

use std::ops::ControlFlow;
use std::time::Duration;

/// What went wrong in an observer: any error at all.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

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
    fn observe(&mut self, model: &M, step: &Step) -> Result<ControlFlow<()>, ObserverError>;

    /// What has to survive when the run is stopped and resumed, such as a running average; nothing, unless said otherwise.
    ///
    /// # Errors
    /// If it cannot be written down.
    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        Ok(Vec::new())
    }

    /// Goes on from what [`save`](Self::save) gave.
    ///
    /// # Errors
    /// If that is not from an observer like this one.
    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        if saved.is_empty() { Ok(()) } else { Err("what was saved belongs to another observer".into()) }
    }
}

impl<M: ?Sized, F> Observer<M> for F
where
    F: FnMut(&M, &Step) -> Result<ControlFlow<()>, ObserverError>,
{
    fn observe(&mut self, model: &M, step: &Step) -> Result<ControlFlow<()>, ObserverError> {
        self(model, step)
    }
}

/// An observer that may be there or not. If it was not there before a stop, it starts anew when the run is resumed.
impl<M: ?Sized, O: Observer<M>> Observer<M> for Option<O> {
    fn observe(&mut self, model: &M, step: &Step) -> Result<ControlFlow<()>, ObserverError> {
        self.as_mut().map_or(Ok(ControlFlow::Continue(())), |observer| observer.observe(model, step))
    }

    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        self.as_ref().map_or(Ok(Vec::new()), |observer| observer.save())
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        match self {
            Some(observer) if !saved.is_empty() => observer.restore(saved),
            _ => Ok(()),
        }
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
    /// The number of tokens in it.
    pub tokens: u64,
    /// How many coordinates are now 0 as an f64 (their logarithms may still be finite).
    pub zeros: usize,
    /// How many coordinates crossed 0 and were reflected.
    pub reflections: usize,
    /// How many estimates of counts were below 0, and taken as 0: only control variates can be.
    pub clamped: usize,
    /// The time that the latent step took, and all else that is not moving blocks.
    pub latent: Duration,
    /// The time that it took to move the blocks.
    pub moving: Duration,
}

impl Step {
    /// The time that it took.
    pub fn time(&self) -> Duration {
        self.latent + self.moving
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// There were no more minibatches.
    OutOfBatches,
    /// An observer said so.
    Stopped,
}
