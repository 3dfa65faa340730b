#![doc = include_str!("../README.md")]

pub mod categorical;
#[cfg(feature = "checkpoint")]
pub mod checkpoint;
mod columns;
pub mod control_variates;
pub mod dp;
pub mod error;
pub mod lda;
pub mod model;
mod parallel;
pub mod prior;
pub mod run;
mod top;

pub use categorical::Categorical;
pub use control_variates::{ControlVariates, CvSettings, Numbered};
pub use dp::{DpMixture, DpSettings};
pub use error::{Error, Result};
pub use lda::{CollapsedLda, Lda, LdaSettings};
pub use model::{At, Block, Counts, Items, Known, Model, Priors};
pub use prior::Concentration;
pub use run::observe;
pub use run::{Ended, Observer, Sampler, Step, Steps};
