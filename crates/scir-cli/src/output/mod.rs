//! What the program writes: text, JSON, CSV on standard output, and matrices for NumPy.

mod npy;

pub(crate) use npy::Npy;

use clap::ValueEnum;
use std::fmt;
use std::io::{self, BufWriter, Stdout};

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For tables
    Csv,
}

/// Standard output with a buffer. Unlike `println!`, what is written to it can fail without a panic.
pub(crate) fn stdout() -> BufWriter<Stdout> {
    BufWriter::new(io::stdout())
}

/// The command line asks for something that cannot be, beyond what its parser knows: exit code 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error of usage.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    Usage(message.into()).into()
}
