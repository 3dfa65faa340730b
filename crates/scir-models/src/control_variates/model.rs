//! The wrapper as a model: the latent step item by item, and the estimate from what was remembered.

use super::memory::{Share, shares};
use super::{ControlVariates, Layout};
use crate::error::{Error, Result, check};
use crate::model::{At, Block, Counts, Entry, Items, Known, Model};
use scir_data::{Corpus, Minibatch};
use std::ops::Range;

/// A minibatch of a model, with the positions of its items in the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbered<B> {
    batch: B,
    positions: Vec<usize>,
}

impl<B: Items> Numbered<B> {
    /// A minibatch whose item i is number `positions[i]` of the data, from 0.
    ///
    /// # Errors
    /// If there are not as many positions as items.
    pub fn new(batch: B, positions: Vec<usize>) -> Result<Self> {
        let expected = "as many as the minibatch has items";
        check(positions.len() == batch.items(), "positions", positions.len(), expected)?;
        Ok(Self { batch, positions })
    }
}

impl<B> Numbered<B> {
    /// The minibatch.
    pub fn batch(&self) -> &B {
        &self.batch
    }

    /// The positions of its items.
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }
}

impl From<Minibatch> for Numbered<Corpus> {
    fn from(batch: Minibatch) -> Self {
        Self { batch: batch.documents, positions: batch.positions }
    }
}

impl<B: Items> Items for Numbered<B> {
    fn items(&self) -> usize {
        self.batch.items()
    }

    fn tokens(&self) -> u64 {
        self.batch.tokens()
    }
}

/// What the latent step finds out about one item: what the model inside did, and what the item contributes.
#[derive(Debug)]
pub struct Found<L> {
    latent: L,
    shares: Box<[Share]>,
}

impl<M: Model> Model for ControlVariates<M> {
    type Batch = Numbered<M::Batch>;
    type Prepared = M::Prepared;
    type Latent = Vec<Found<M::Latent>>;

    fn prepare(&mut self, batch: &Self::Batch, at: At) -> Result<M::Prepared> {
        let items = self.memory.items();
        if let Some(&position) = batch.positions.iter().find(|&&position| position >= items) {
            return Err(Error::Position { position, items });
        }
        let prepared = self.inner.prepare(&batch.batch, at)?;
        if Layout::of(&self.inner.blocks())? != self.layout {
            return Err(Error::ShapeChanged { iteration: at.iteration });
        }
        Ok(prepared)
    }

    /// Counts nothing: what is counted goes through the memory, and comes back as the estimate of the blocks.
    fn latent(
        &self,
        prepared: &M::Prepared,
        batch: &Self::Batch,
        part: Range<usize>,
        at: At,
        _counts: &mut Counts,
    ) -> Result<Self::Latent> {
        part.map(|i| {
            let mut counts = Counts::default();
            let latent = self.inner.latent(prepared, &batch.batch, i..i + 1, at, &mut counts)?;
            let entries = counts.entries.iter().map(|entry| self.flat(entry)).collect::<Result<_>>()?;
            Ok(Found { latent, shares: shares(entries) })
        })
        .collect()
    }

    fn keep(&mut self, batch: &Self::Batch, latent: Vec<Self::Latent>, at: At) -> Result<()> {
        let (latent, contributions): (Vec<_>, Vec<_>) =
            latent.into_iter().flatten().map(|found| (found.latent, found.shares)).unzip();
        self.estimate_counts(batch, &contributions);
        for (&position, shares) in batch.positions.iter().zip(contributions) {
            self.memory.put(position, shares, self.settings.most_bytes);
        }
        self.inner.keep(&batch.batch, latent, at)
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        let (layout, estimate) = (&self.layout, &self.estimate);
        let blocks = self.inner.blocks().into_iter().enumerate();
        // A block that has changed its shape since is beyond what is known; the loop says so.
        let known = |b: usize| if b < layout.starts.len() { &estimate[layout.block(b)] } else { &[] };
        blocks.map(|(b, block)| block.knowing(Some(Known { counts: known(b), factor: 1.0 }))).collect()
    }

    fn moved(&mut self, batch: &Self::Batch, at: At) -> Result<()> {
        self.inner.moved(&batch.batch, at)
    }
}

impl<M: Model> ControlVariates<M> {
    /// The estimate by what was remembered before this minibatch, and its contributions.
    fn estimate_counts(&mut self, batch: &Numbered<M::Batch>, contributions: &[Box<[Share]>]) {
        // Σ z − Σ g over the minibatch. All sums here are exact.
        self.estimate.fill(0.0);
        let mut unseen = 0;
        for (&position, shares) in batch.positions.iter().zip(contributions) {
            shares.iter().for_each(|share| self.estimate[share.key as usize] += f64::from(share.count));
            match self.memory.get(position) {
                None => unseen += 1,
                Some(old) => {
                    old.iter().for_each(|share| self.estimate[share.key as usize] -= f64::from(share.count));
                }
            }
        }
        let (population, items) = (self.memory.items() as f64, batch.positions.len() as f64);
        let (remembered, unseen) = (self.memory.remembered() as f64, f64::from(unseen));
        let least = items / (remembered + unseen);
        // Draws with replacement can have the same few items again and again: then the least weight is above 1.
        let weight = self.settings.weight.max(least).min(1.0);
        let totals = self.estimate.iter_mut().zip(self.memory.total());
        if weight == least {
            // In this order what cancels does so to the last bit, and nothing falls below 0.
            let factor = population / (remembered + unseen);
            totals.for_each(|(estimate, total)| *estimate = factor * (total + *estimate));
        } else {
            let of_total = population / remembered * (1.0 - weight * unseen / items);
            let of_difference = population / items * weight;
            totals.for_each(|(estimate, total)| *estimate = of_total * total + of_difference * *estimate);
        }
    }

    /// A count under the number of its coordinate.
    fn flat(&self, entry: &Entry) -> Result<(u32, f64)> {
        let key = self.layout.key(entry.block, entry.simplex, entry.coordinate);
        let key = key.ok_or(Error::NoSuchCoordinate {
            block: entry.block as usize,
            simplex: entry.simplex as usize,
            coordinate: entry.coordinate as usize,
        })?;
        Ok((key, entry.count))
    }
}
