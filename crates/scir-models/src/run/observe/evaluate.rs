//! Measuring the model every k iterations.

use super::{Observer, ObserverError, Score, Step};
use crate::error::{Result, check};
use std::ops::ControlFlow;

/// Something to measure a model by. Any closure from a model to a number is one.
pub trait Measure<M: ?Sized> {
    /// The score of the model as it is now; lower is better.
    ///
    /// # Errors
    /// Whatever went wrong.
    fn measure(&mut self, model: &M) -> Result<f64, ObserverError>;

    /// What has to survive when the run is stopped and resumed; nothing, unless said otherwise.
    ///
    /// # Errors
    /// If it cannot be written down.
    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        Ok(Vec::new())
    }

    /// Goes on from what [`save`](Self::save) gave.
    ///
    /// # Errors
    /// If that is from something else.
    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        if saved.is_empty() { Ok(()) } else { Err("what was saved belongs to another measure".into()) }
    }
}

impl<M: ?Sized, F: FnMut(&M) -> Result<f64, ObserverError>> Measure<M> for F {
    fn measure(&mut self, model: &M) -> Result<f64, ObserverError> {
        self(model)
    }
}

/// Measures the model every k iterations and leaves the result in a [`Score`].
///
/// ```
/// use scir_models::observe::{Evaluate, Score};
/// use scir_models::{Lda, Observer};
/// let score = Score::default();
/// let zeros = |lda: &Lda| Ok(lda.topics().iter().flat_map(|topic| topic.theta()).filter(|&&x| x == 0.0).count() as f64);
/// let mut evaluate = Evaluate::every(10, zeros, score)?;
/// let _: &mut dyn Observer<Lda> = &mut evaluate;
/// # Ok::<(), scir_models::Error>(())
/// ```
#[derive(Debug)]
pub struct Evaluate<E> {
    every: u64,
    measure: E,
    score: Score,
}

impl<E> Evaluate<E> {
    /// Measures after the iterations number `every`, 2 · `every`, …, counted from 1.
    ///
    /// # Errors
    /// If `every` is 0.
    pub fn every(every: u64, measure: E, score: Score) -> Result<Self> {
        check(every > 0, "every", every, "at least 1")?;
        Ok(Self { every, measure, score })
    }
}

impl<M: ?Sized, E: Measure<M>> Observer<M> for Evaluate<E> {
    fn observe(&mut self, model: &M, step: &Step) -> Result<ControlFlow<()>, ObserverError> {
        if (step.iteration + 1).is_multiple_of(self.every) {
            self.score.set(step.iteration, self.measure.measure(model)?);
        }
        Ok(ControlFlow::Continue(()))
    }

    #[cfg(feature = "checkpoint")]
    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        Ok(crate::checkpoint::to_bytes("evaluation", &(self.score.latest(), self.measure.save()?))?)
    }

    #[cfg(feature = "checkpoint")]
    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        let (score, measure): (_, Vec<u8>) = crate::checkpoint::from_bytes("evaluation", saved)?;
        self.score.put(score);
        self.measure.restore(&measure)
    }
}
