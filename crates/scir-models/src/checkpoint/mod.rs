//! Checkpoints and model files: nothing is lost, and nothing is mistaken for something else.
//!
//! A [`Snapshot`] is a model at one iteration with all that belongs to it. Its file tells what it is: a version of the
//! format, the version of this crate, the settings and what identifies the data as readable text with their hashes, the
//! iteration; and it ends with a checksum of everything. It is written under another name, synced and renamed, so that
//! a kill or a power failure leaves the old file or the new one, never half of one.
//!
//! A [`Folder`] keeps the last few snapshots of a run, and the best. [`Checkpointing`] is the observer that fills it:
//!
//! ```
//! use scir_core::{Scir, StepSize};
//! use scir_data::{Batching, Corpus, Document};
//! use scir_models::checkpoint::{About, Checkpointing, Every, Folder};
//! use scir_models::{Error, Lda, LdaSettings, Sampler};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let temporary = tempfile::tempdir()?;
//! # let path = temporary.path();
//! # let corpus = Corpus::collect((0..200u32).map(|d| Ok(Document::from_tokens(vec![d % 7; 10]))))?;
//! let settings = LdaSettings { topics: 3, ..LdaSettings::default() };
//! let about = About::new("my lda", &settings, "the documents of May")?;
//! let mut checkpoints = Checkpointing::new(Folder::open(path, 2)?, about, Every::Iterations(5));
//!
//! let mut lda = Lda::new(settings, corpus.words(), 1)?;
//! let mut sampler = Sampler::new(Scir, StepSize::constant(0.3)?, corpus.len(), 1)?;
//! if let Some(found) = checkpoints.resume()? {
//!     found.damaged.iter().for_each(|error| eprintln!("{error}; the one before is used"));
//!     lda = found.snapshot.get("model")?;
//!     sampler = sampler.starting_at(found.snapshot.iteration());
//! }
//! let batches = Batching::default().over(&corpus)?;
//! let batches = batches.starting_at(sampler.iteration()).map(|batch| Ok::<_, Error>(batch.documents)).take(20);
//! sampler.run(&mut lda, batches, &mut [&mut checkpoints])?;
//! # Ok(())
//! # }
//! ```
//!
//! A run that is killed at any moment and started again goes on as if nothing had happened, to the same bits. The state
//! is the model, the iteration and what observers have to remember: random numbers are made from (seed, purpose,
//! iteration, index), so there is no generator to save.

mod about;
mod codec;
mod error;
mod every;
mod file;
mod folder;
mod observer;
mod snapshot;

pub use about::About;
pub(crate) use codec::{from_bytes, to_bytes};
pub use error::{CheckpointError, Problem, Result};
pub use every::Every;
pub use folder::{Folder, Found};
pub use observer::Checkpointing;
pub use snapshot::Snapshot;

#[cfg(test)]
mod tests;
