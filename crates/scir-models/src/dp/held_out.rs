//! The score of held-out records, as a mixture moves.

use super::{DpMixture, Multinomials};
use crate::error::Result;
use crate::observe::{Measure, ObserverError};
use scir_data::TestSet;
use scir_eval::LogPredictive;

/// Minus the mean logarithm of the predictive density of held-out records, with densities averaged over all evaluations so
/// far (see [`LogPredictive`] for the formula). Lower is better.
#[derive(Debug, Clone)]
pub struct HeldOutPredictive {
    test: TestSet,
    running: LogPredictive,
}

impl HeldOutPredictive {
    /// For test records.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(test: TestSet) -> Result<Self> {
        Ok(Self { running: LogPredictive::new(test.len())?, test })
    }

    /// Evaluates the mixture as it is now.
    ///
    /// # Errors
    /// If a record has a category that the mixture has not.
    pub fn evaluate(&mut self, mixture: &DpMixture<Multinomials>) -> Result<&LogPredictive> {
        self.running.push(&mixture.ln_predictive(self.test.docs())?)?;
        Ok(&self.running)
    }
}

/// By the score of the averaged densities. What survives a stop is the average; not the records.
impl Measure<DpMixture<Multinomials>> for HeldOutPredictive {
    fn measure(&mut self, mixture: &DpMixture<Multinomials>) -> Result<f64, ObserverError> {
        Ok(self.evaluate(mixture)?.averaged())
    }

    #[cfg(feature = "checkpoint")]
    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        Ok(crate::checkpoint::to_bytes("predictive", &self.running)?)
    }

    #[cfg(feature = "checkpoint")]
    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        let running: LogPredictive = crate::checkpoint::from_bytes("predictive", saved)?;
        if running.records() != self.test.len() {
            return Err("the predictive that was saved is of other test records".into());
        }
        self.running = running;
        Ok(())
    }
}
