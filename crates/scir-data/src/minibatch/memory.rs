//! Batches of a corpus in memory, each a function of the settings and its number.

use scir_core::rand::RngExt;
use scir_core::rand::seq::{SliceRandom, index};
use scir_core::{Purpose, Streams};

use super::{BatchOrder, Batching, LastBatch, Minibatch, check_size, too_large};
use crate::corpus::Corpus;
use crate::error::{Error, Result};

const EPOCH_ORDER: Purpose = Purpose::new("order of an epoch");
const BATCH_DRAW: Purpose = Purpose::new("draw of a minibatch");

impl Batching {
    /// The batches of `corpus`; no counts are copied.
    ///
    /// # Errors
    /// [`Error::Setting`] if the size is 0, or above the number of documents in an order that cannot repeat one;
    /// [`Error::NoDocuments`] if the corpus is empty.
    pub fn over(self, corpus: &Corpus) -> Result<Minibatches> {
        check_size(self.size)?;
        if corpus.is_empty() {
            return Err(Error::NoDocuments { what: "the corpus".into() });
        }
        if self.size > corpus.len() && self.order != BatchOrder::WithReplacement {
            return Err(too_large(self.size));
        }
        Ok(Minibatches { corpus: corpus.clone(), settings: self })
    }
}

/// The batches of a corpus, any of them at once; made by [`Batching::over`].
#[derive(Debug, Clone)]
pub struct Minibatches {
    corpus: Corpus,
    settings: Batching,
}

impl Minibatches {
    /// The corpus that is cut.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The settings.
    pub fn settings(&self) -> &Batching {
        &self.settings
    }

    /// The number of batches in an epoch. For batches that are drawn anew each time: the least number that have as
    /// many documents as the corpus.
    pub fn per_epoch(&self) -> u64 {
        let (documents, size) = (self.corpus.len(), self.settings.size);
        let dropped = self.settings.last == LastBatch::Dropped && !self.draws();
        (if dropped { documents / size } else { documents.div_ceil(size) }) as u64
    }

    /// Batch number `iteration`. In shuffled order this costs a shuffle of all positions;
    /// [`starting_at`](Self::starting_at) shuffles once for each epoch.
    pub fn batch(&self, iteration: u64) -> Minibatch {
        self.batch_with(iteration, &mut None)
    }

    /// The batches from number `iteration` on, without end.
    pub fn starting_at(&self, iteration: u64) -> Batches {
        Batches { batches: self.clone(), next: iteration, shuffled: None }
    }

    /// Whether each batch is drawn anew.
    fn draws(&self) -> bool {
        matches!(self.settings.order, BatchOrder::WithReplacement | BatchOrder::WithoutReplacement)
    }

    fn batch_with(&self, iteration: u64, shuffled: &mut Option<ShuffledEpoch>) -> Minibatch {
        let (documents, size) = (self.corpus.len(), self.settings.size);
        let streams = Streams::new(self.settings.seed);
        let mut rng = streams.rng(BATCH_DRAW, iteration, 0);
        let positions: Vec<usize> = match self.settings.order {
            BatchOrder::WithReplacement => (0..size).map(|_| rng.random_range(0..documents)).collect(),
            BatchOrder::WithoutReplacement => index::sample(&mut rng, documents, size).into_vec(),
            order => {
                let epoch = iteration / self.per_epoch();
                let start = (iteration % self.per_epoch()) as usize * size;
                let range = start..documents.min(start + size);
                if order == BatchOrder::Sequential {
                    let documents = self.corpus.slice(range.clone());
                    return Minibatch { iteration, epoch, documents, positions: range.collect() };
                }
                if shuffled.as_ref().is_none_or(|shuffled| shuffled.epoch != epoch) {
                    *shuffled = Some(ShuffledEpoch::new(streams, epoch, documents));
                }
                shuffled.as_ref().map(|shuffled| shuffled.order[range].to_vec()).unwrap_or_default()
            }
        };
        let epoch = if self.draws() {
            // In 128 bits, because the number of documents drawn so far may not fit into 64.
            (u128::from(iteration) * size as u128 / documents as u128) as u64
        } else {
            iteration / self.per_epoch()
        };
        Minibatch { iteration, epoch, documents: self.corpus.select(&positions), positions }
    }
}

/// The order of the documents in one epoch.
#[derive(Debug, Clone)]
struct ShuffledEpoch {
    epoch: u64,
    order: Vec<usize>,
}

impl ShuffledEpoch {
    fn new(streams: Streams, epoch: u64, documents: usize) -> Self {
        let mut order: Vec<usize> = (0..documents).collect();
        order.shuffle(&mut streams.rng(EPOCH_ORDER, epoch, 0));
        Self { epoch, order }
    }
}

/// The iterator of [`Minibatches::starting_at`]; it does not end.
#[derive(Debug, Clone)]
pub struct Batches {
    batches: Minibatches,
    next: u64,
    /// The order of the epoch at hand, so that it is made once and not for every batch.
    shuffled: Option<ShuffledEpoch>,
}

impl Iterator for Batches {
    type Item = Minibatch;

    fn next(&mut self) -> Option<Minibatch> {
        let batch = self.batches.batch_with(self.next, &mut self.shuffled);
        self.next += 1;
        Some(batch)
    }
}
