//! Step sizes for the blocks of a model.

use crate::error::{Error, Result};
use scir_core::StepSize;

/// One step size for all blocks, or one for each.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Steps(Vec<StepSize>);

impl From<StepSize> for Steps {
    fn from(step_size: StepSize) -> Self {
        Self(vec![step_size])
    }
}

impl From<Vec<StepSize>> for Steps {
    fn from(step_sizes: Vec<StepSize>) -> Self {
        Self(step_sizes)
    }
}

impl Steps {
    /// The step of block `b` out of `blocks`, at an iteration.
    pub(crate) fn at(&self, b: usize, blocks: usize, iteration: u64) -> Result<f64> {
        match self.0.as_slice() {
            [all] => Ok(all.at(iteration)),
            each if each.len() == blocks => Ok(each[b].at(iteration)),
            each => Err(Error::StepSizes { given: each.len(), blocks }),
        }
    }
}
