#![doc = include_str!("../README.md")]

pub mod chains;
pub mod clustering;
pub mod coherence;
pub mod error;
pub mod ks;
pub mod perplexity;
pub mod predictive;
pub mod rosenblatt;

pub use chains::{effective_sample_size, split_r_hat};
pub use clustering::{CoClustering, adjusted_rand_index};
pub use coherence::Coherence;
pub use error::{Error, Result};
pub use ks::ks_uniform;
pub use perplexity::RunningPerplexity;
pub use predictive::LogPredictive;
pub use rosenblatt::{DirichletKs, dirichlet_ks, rosenblatt, rosenblatt_ln};
