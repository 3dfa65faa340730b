#![doc = include_str!("../README.md")]

pub mod chains;
pub mod error;
pub mod ks;
pub mod rosenblatt;

pub use chains::{effective_sample_size, split_r_hat};
pub use error::{Error, Result};
pub use ks::ks_uniform;
pub use rosenblatt::{DirichletKs, dirichlet_ks, rosenblatt, rosenblatt_ln};
