#![doc = include_str!("../README.md")]

pub mod error;
pub mod stream;

pub use error::{Error, Result};
pub use rand;
pub use stream::{Purpose, StreamRng, Streams};
