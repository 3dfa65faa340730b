#![doc = include_str!("../README.md")]

pub mod beta;
pub mod block;
pub mod cir;
pub mod counts;
mod draw;
pub mod error;
pub mod gengamma;
pub mod lognormal;
pub mod moments;
mod noncentral;
pub mod simplex;
mod special;
pub mod step;
pub mod stream;
pub mod target;
pub mod theory;
pub mod transition;

pub use beta::{BetaLaw, BetaProcess, BetaState};
pub use block::{Place, step_block};
pub use cir::{Cir, CirLaw};
pub use counts::{estimate_counts, scale_counts};
pub use error::{Error, Result};
pub use gengamma::{GenGamma, GenGammaLaw};
pub use lognormal::{ExpOu, LogNormalLaw};
pub use moments::Moments;
pub use rand;
pub use simplex::{Coordinates, Simplex};
pub use step::StepSize;
pub use stream::{Purpose, StreamRng, Streams};
pub use target::{Prior, Target};
pub use transition::{Exact, Method, Report, Scir, ScirVm, Sgld, Sgrld, Transition};
