#![doc = include_str!("../README.md")]

pub mod chains;
pub mod coherence;
pub mod error;
pub mod ks;
pub mod perplexity;
pub mod rosenblatt;

pub use chains::{effective_sample_size, split_r_hat};
pub use coherence::Coherence;
pub use error::{Error, Result};
pub use ks::ks_uniform;
pub use perplexity::RunningPerplexity;
pub use rosenblatt::{DirichletKs, dirichlet_ks, rosenblatt, rosenblatt_ln};
