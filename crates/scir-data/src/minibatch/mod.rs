//! Minibatches: from a corpus in memory, from a stream of any length, and ahead of time on another thread.
//!
//! | from | with | order |
//! |---|---|---|
//! | a [`Corpus`] | [`Batching::over`] | in sequence, shuffled, or drawn with or without replacement |
//! | files that do not fit in memory | [`StreamBatches`] | in sequence, in one or more passes |
//!
//! [`Prefetch`] makes either of them on a thread of its own, while the last batch is still being worked on.
//!
//! **Batch number i is a function of the settings and i.** It depends on no other batch, no thread and no
//! prefetching, so a run that is stopped and resumed sees the batches that it would have seen.
//!
//! ```
//! use scir_data::{Batching, BatchOrder, Corpus, Document, Prefetch};
//! # fn main() -> scir_data::Result<()> {
//! # let corpus = Corpus::collect((0..10).map(|i| Ok(Document::from_tokens(vec![i]))))?;
//! let batching = Batching { size: 4, order: BatchOrder::Shuffled, seed: 42, ..Batching::default() };
//! let batches = batching.over(&corpus)?;
//! assert_eq!(batches.per_epoch(), 3); // 4 + 4 + 2 documents
//! for batch in Prefetch::new(2, batches.starting_at(0).take(5))? {
//!     println!("iteration {} in epoch {}: documents {:?}", batch.iteration, batch.epoch, batch.positions);
//! }
//! assert_eq!(batches.batch(7), batches.starting_at(7).next().unwrap());
//! # Ok(())
//! # }
//! ```

mod memory;
mod prefetch;
mod stream;

use serde::{Deserialize, Serialize};

pub use memory::{Batches, Minibatches};
pub use prefetch::Prefetch;
pub use stream::{StreamBatches, StreamBatching, WordIds};

use crate::corpus::Corpus;
use crate::error::{Error, Result};

/// Some documents to work on in one iteration.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Minibatch {
    /// Which batch this is, from 0.
    pub iteration: u64,
    /// How many times the data had been seen when this batch began.
    pub epoch: u64,
    /// The documents.
    pub documents: Corpus,
    /// Where each of them stands in the whole corpus (or in the pass over a stream), from 0. What is kept for
    /// each document of the whole, such as an allocation, is found through these and never by the position
    /// inside the batch.
    pub positions: Vec<usize>,
}

/// In which order documents come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatchOrder {
    /// In the order of the corpus, from the start again after the end: the *online* order, the same in every epoch.
    #[default]
    Sequential,
    /// Every document once in each epoch, in an order of its own for each epoch.
    Shuffled,
    /// Each batch anew: n different documents, every set of n equally probable.
    WithoutReplacement,
    /// Each batch anew: n independent draws, so that a document may come more than once.
    WithReplacement,
}

/// What becomes of the documents at the end of an epoch that do not fill a batch.
///
/// It concerns the orders that go through the data ([`Sequential`](BatchOrder::Sequential) and
/// [`Shuffled`](BatchOrder::Shuffled)); the others always draw n documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LastBatch {
    /// They make a short batch, so that every document is seen in every epoch. A batch never holds documents of
    /// two epochs. Whoever scales by N/n takes n from the batch, not from the settings.
    #[default]
    Short,
    /// They are left out, so that all batches have the same size. In sequential order these are the same documents
    /// in every epoch, and they are never seen.
    Dropped,
}

/// How a corpus in memory is cut into minibatches. Plain data; [`over`](Self::over) checks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Batching {
    /// The number n of documents in a batch.
    pub size: usize,
    /// The order.
    pub order: BatchOrder,
    /// What becomes of the rest of an epoch.
    pub last: LastBatch,
    /// The seed of the order, where it is random.
    pub seed: u64,
}

/// Fifty documents at a time, in sequence: the setting of the LDA experiment.
impl Default for Batching {
    fn default() -> Self {
        Self { size: 50, order: BatchOrder::default(), last: LastBatch::default(), seed: 0 }
    }
}

/// Refuses a batch without documents.
fn check_size(size: usize) -> Result<()> {
    if size == 0 {
        return Err(Error::Setting { name: "batch size", value: "0".into(), expected: "at least 1" });
    }
    Ok(())
}

/// The refusal of a batch that the data cannot fill.
fn too_large(size: usize) -> Error {
    let expected = "at most the number of documents (only drawing with replacement can give more)";
    Error::Setting { name: "batch size", value: size.to_string(), expected }
}

#[cfg(test)]
mod tests;
