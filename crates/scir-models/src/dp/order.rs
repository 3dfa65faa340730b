//! Which cluster is at which stick: clusters keep their numbers, so that no item is rewritten when they change places.

use super::atoms::Atoms;
use super::weights::Weights;
use super::{DpMixture, OPEN_ATOM, OPEN_STICK};
use crate::error::{Result, check};
use scir_core::{Exact, Simplex, StreamRng, Streams, Target};

/// Refuses an order that does not have a cluster of its own for each stick, or leaves out one that has items.
pub(super) fn check_order(order: &[u32], sticks: usize, sizes: &[usize]) -> Result<()> {
    check(order.len() == sticks, "order", order.len(), "as long as there are sticks")?;
    let mut at_a_stick = vec![false; sizes.len()];
    for &cluster in order {
        let fine = at_a_stick.get_mut(cluster as usize).is_some_and(|seen| !std::mem::replace(seen, true));
        check(fine, "order", cluster, "a cluster, each at one stick")?;
    }
    let lost = at_a_stick.iter().zip(sizes).position(|(&at_a_stick, &size)| size > 0 && !at_a_stick);
    check(lost.is_none(), "order", "without a cluster that has items", "one with all of them")
}

impl<A: Atoms> DpMixture<A> {
    /// One more cluster: a stick and an atom from the prior.
    pub(super) fn open_cluster(&mut self, streams: Streams, iteration: u64) -> Result<()> {
        let j = self.sticks.len() as u64;
        let stick = self.draw_stick([0.0; 2], &mut streams.rng(OPEN_STICK, iteration, j))?;
        let cluster = self.open_atom(&mut streams.rng(OPEN_ATOM, iteration, j))?;
        self.sticks.push(stick);
        self.order.push(cluster);
        Ok(())
    }

    /// A stick from its law given the items at it and after it.
    pub(super) fn draw_stick(&self, counts: [f64; 2], rng: &mut StreamRng) -> Result<Simplex> {
        let mut stick = Simplex::uniform(2)?;
        stick.step(&Exact, Target::new(&self.stick_prior[..], &counts)?, 1.0, rng)?;
        Ok(stick)
    }

    /// An atom from the base measure, in place of a cluster that is at no stick if there is one. Its number.
    pub(super) fn open_atom(&mut self, rng: &mut StreamRng) -> Result<u32> {
        let last = self.atoms.clusters();
        self.atoms.open(rng)?;
        let free = if self.order.len() == last { last } else { self.free().unwrap_or(last) };
        if free < last {
            self.atoms.swap(free, last);
            self.atoms.truncate(last);
        }
        self.fit();
        Ok(free as u32)
    }

    /// The first cluster that is at no stick.
    fn free(&self) -> Option<usize> {
        let mut at_a_stick = vec![false; self.sizes.len()];
        self.order.iter().for_each(|&cluster| at_a_stick[cluster as usize] = true);
        at_a_stick.iter().position(|&at_a_stick| !at_a_stick)
    }

    /// What is kept for each cluster becomes as long as the atoms.
    fn fit(&mut self) {
        let clusters = self.atoms.clusters();
        self.sizes.resize(clusters, 0);
        if let Some(memory) = &mut self.memory {
            memory.resize(clusters);
        }
    }

    /// Drops the sticks after the last one that has items, and the clusters that are at none as far as they are the last.
    pub(super) fn drop_unused(&mut self) {
        let has_items = |&cluster: &u32| self.sizes[cluster as usize] > 0;
        let used = self.order.iter().rposition(has_items).map_or(1, |last| last + 1);
        self.sticks.truncate(used);
        self.order.truncate(used);
        let clusters = self.order.iter().max().map_or(0, |&cluster| cluster as usize + 1);
        self.atoms.truncate(clusters);
        self.fit();
    }

    /// ln ω of each cluster by its number, −∞ for one that is at no stick; and of what is left of the stick.
    pub(super) fn cluster_weights(&self) -> Weights {
        let Weights { ln, ln_left } = Weights::new(&self.sticks);
        let mut by_number = vec![f64::NEG_INFINITY; self.sizes.len()];
        self.order.iter().zip(ln).for_each(|(&cluster, ln)| by_number[cluster as usize] = ln);
        Weights { ln: by_number, ln_left }
    }
}
