//! Control variates: what the items of each cluster add up to, kept up to date as they change their clusters.

use super::atoms::{Atoms, Batch, Sums};
#[cfg(feature = "serde")]
use crate::error::check;
use crate::error::{Error, Result};
use crate::model::{Items, Known};

/// The sums of every cluster over the items that have been in a minibatch.
///
/// An item adds to the sums from its first minibatch on. Until all have been seen, one that has not is taken to be like the
/// mean of those that have: sums count N/seen times, an unbiased estimate if minibatches are random. After that they are exact.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Memory {
    /// One for each cluster.
    pub(super) sums: Vec<Sums>,
    /// The sums of no items.
    none: Sums,
    /// How many items the sums are of.
    seen: usize,
    /// Which; empty when it is all of them.
    is_seen: Vec<bool>,
    /// The sums of all clusters and of all sticks, for the loop; empty but while it moves them.
    #[cfg_attr(feature = "serde", serde(skip))]
    flat: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    flat_sticks: Vec<f64>,
}

impl Memory {
    /// For `items` items, none of which has been seen.
    pub(super) fn new<A: Atoms>(atoms: &A, items: usize) -> Result<Self> {
        let none = atoms.no_sums().ok_or(Error::NoSums)?;
        let (flat, flat_sticks) = (Vec::new(), Vec::new());
        let sums = vec![none.clone(); atoms.clusters()];
        Ok(Self { sums, none, seen: 0, is_seen: vec![false; items], flat, flat_sticks })
    }

    /// Refuses one that was written down for something else.
    #[cfg(feature = "serde")]
    pub(super) fn check<A: Atoms>(&self, atoms: &A, items: usize) -> Result<()> {
        let none = atoms.no_sums().ok_or(Error::NoSums)?;
        let like = |sums: &Sums| {
            (sums.counts.len(), sums.totals.len()) == (none.counts.len(), none.totals.len())
                && sums.counts.iter().chain(&sums.totals).all(|&x| x >= 0.0 && x < f64::INFINITY)
        };
        let fine = self.none == none && self.sums.len() == atoms.clusters() && self.sums.iter().all(like);
        check(fine, "sums", "a state", "those of the atoms, none below 0")?;
        let seen = self.is_seen.iter().filter(|&&seen| seen).count();
        let fine = if self.is_seen.is_empty() {
            self.seen == items
        } else {
            self.is_seen.len() == items && seen == self.seen
        };
        check(fine, "seen", self.seen, "the number of items that are marked as seen")
    }

    /// Whether every item has been in a minibatch.
    pub(super) fn is_complete(&self) -> bool {
        self.is_seen.is_empty()
    }

    /// Adds the items of a minibatch that have not been in one before.
    pub(super) fn see<A: Atoms>(&mut self, atoms: &A, batch: &A::Batch, clusters: &[u32]) {
        if self.is_complete() {
            return;
        }
        for i in 0..batch.items() {
            let position = batch.position(i);
            if !std::mem::replace(&mut self.is_seen[position], true) {
                atoms.add(batch.item(i), 1.0, &mut self.sums[clusters[position] as usize]);
                self.seen += 1;
            }
        }
        if self.seen == self.is_seen.len() {
            self.is_seen = Vec::new();
        }
    }

    /// An item goes from one cluster to another.
    pub(super) fn change<A: Atoms>(
        &mut self,
        atoms: &A,
        item: <A::Batch as Batch>::Item<'_>,
        from: u32,
        to: u32,
    ) {
        if from != to {
            atoms.add(item, -1.0, &mut self.sums[from as usize]);
            atoms.add(item, 1.0, &mut self.sums[to as usize]);
        }
    }

    /// As many clusters as there are atoms: those that are new have no items, and those that go had none.
    pub(super) fn resize(&mut self, clusters: usize) {
        self.sums.resize_with(clusters, || self.none.clone());
    }

    /// Lays the sums out as the loop wants them, sticks in their order.
    pub(super) fn lay_out(&mut self, order: &[u32], sizes: &[usize]) {
        self.flat.clear();
        self.sums.iter().for_each(|sums| self.flat.extend_from_slice(&sums.counts));
        self.flat_sticks.clear();
        self.flat_sticks.extend(stick_counts(order, sizes).flatten());
    }

    /// They have been used.
    pub(super) fn clear(&mut self) {
        self.flat.clear();
        self.flat_sticks.clear();
    }

    /// What is known of sticks and of atoms, for data of `items` items of which `allocated` have a cluster.
    pub(super) fn known(&self, items: usize, allocated: usize) -> [Known<'_>; 2] {
        let factor = |of: usize| items as f64 / of.max(1) as f64;
        [
            Known { counts: &self.flat_sticks, factor: factor(allocated) },
            Known { counts: &self.flat, factor: factor(self.seen) },
        ]
    }
}

/// For each stick the items at it, and those after it.
pub(super) fn stick_counts(order: &[u32], sizes: &[usize]) -> impl Iterator<Item = [f64; 2]> {
    let mut after: usize = order.iter().map(|&cluster| sizes[cluster as usize]).sum();
    order.iter().map(move |&cluster| {
        let size = sizes[cluster as usize];
        after -= size;
        [size as f64, after as f64]
    })
}
