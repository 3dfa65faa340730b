//! The parsers that are fuzzed: the same functions that the mutation tests use.
//!
//! `cargo +nightly fuzz run uci` from the root of the project; `cargo +nightly fuzz list` names the targets.

#[path = "../../crates/scir-data/tests/parsers/mod.rs"]
pub mod parsers;
