//! The program as a user runs it.

mod commands;
mod common;
mod mixtures;
mod refusals;
#[cfg(unix)]
mod survive;
mod train;
