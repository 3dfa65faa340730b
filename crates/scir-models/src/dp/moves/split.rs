//! Splits and merges of clusters, with sticks and atoms integrated out.
//!
//! Jain & Neal (2004), for the items S of a minibatch, whose data are at hand; all others stay where they are. Two items i and
//! k of S are chosen. If they are in one cluster C, it is proposed to split it into A, which has i and all that is not in S, and B,
//! which has k; if they are in two, A and B, and B has no item outside S, to merge them into C. A split is accepted with
//! probability min(1, r), and the merge that undoes it with min(1, 1/r), where
//!
//! ```text
//! r = α Γ(|A|) Γ(|B|) / Γ(|C|)  ·  f(x_A) f(x_B) / f(x_C)  ·  (|C ∩ S| − 1) / e  ·  1 / q
//! ```
//!
//! The first factor is the ratio of the Chinese restaurant's laws, the second that of marginal likelihoods. The third is
//! that of choosing i and k: i is any item of S; then, with probability ½ each, k is any other item of the same
//! cluster, or any of the e items in other clusters that have no item outside S. q is the probability of dividing the free
//! items, those of C ∩ S but i and k, as they were divided: one after the other in random order, each going to A or B with
//! probability ∝ size times predictive density (Dahl 2005), and then again, given all others, as often as `scans` says. All
//! but the last time only prepare, so that only the choices of the last time are in q.

use crate::dp::DpMixture;
use crate::dp::atoms::{Atoms, Batch, Sums};
use crate::error::Result;
use crate::model::{At, Items};
use scir_core::rand::RngExt;
use scir_core::rand::seq::SliceRandom;
use scir_core::{Purpose, StreamRng};

const SPLIT: Purpose = Purpose::new("dp: split or merge");

/// The items of the minibatch that each cluster has.
struct Members {
    /// All, each once.
    all: Vec<u32>,
    /// By the number of the cluster.
    of: Vec<Vec<u32>>,
}

/// The two sides of a split.
struct Sides {
    /// A and B.
    sums: [Sums; 2],
    sizes: [f64; 2],
    /// Where each of the free items is.
    sides: Vec<usize>,
}

impl<A: Atoms> DpMixture<A> {
    /// Proposes splits and merges, as many as the settings say. The clusters that have changed.
    pub(super) fn split_and_merge(&mut self, batch: &A::Batch, at: At) -> Result<Vec<u32>> {
        let proposals = self.settings.moves.splits;
        let ready = self.memory.as_ref().is_some_and(|memory| memory.is_complete());
        if proposals == 0 || !ready {
            return Ok(Vec::new());
        }
        let mut members = self.members(batch);
        let mut changed = Vec::new();
        for proposal in 0..proposals as u64 {
            let mut rng = at.rng(SPLIT, proposal);
            let i = members.all[rng.random_range(0..members.all.len())];
            let home = self.clusters[batch.position(i as usize)];
            let found = if rng.random() {
                self.split(batch, &mut members, i, home, &mut rng)?
            } else {
                self.merge(batch, &mut members, i, home, &mut rng)
            };
            changed.extend(found.into_iter().flatten());
        }
        changed.sort_unstable();
        changed.dedup();
        Ok(changed)
    }

    fn members(&self, batch: &A::Batch) -> Members {
        let mut all: Vec<u32> = (0..batch.items() as u32).collect();
        // A minibatch with replacement may have an item twice.
        all.sort_by_key(|&i| batch.position(i as usize));
        all.dedup_by_key(|i| batch.position(*i as usize));
        let mut of = vec![Vec::new(); self.sizes.len()];
        all.iter().for_each(|&i| of[self.clusters[batch.position(i as usize)] as usize].push(i));
        Members { all, of }
    }

    /// Whether a cluster has no item outside the minibatch.
    fn is_inside(&self, members: &Members, cluster: usize) -> bool {
        members.of[cluster].len() == self.sizes[cluster]
    }

    fn split(
        &mut self,
        batch: &A::Batch,
        members: &mut Members,
        i: u32,
        home: u32,
        rng: &mut StreamRng,
    ) -> Result<Option<[u32; 2]>> {
        let inside = &members.of[home as usize];
        if inside.len() < 2 {
            return Ok(None);
        }
        let k = inside[rng.random_range(0..inside.len() - 1)];
        let k = if k == i { inside[inside.len() - 1] } else { k };
        let mut free: Vec<u32> = inside.iter().copied().filter(|&f| f != i && f != k).collect();
        free.shuffle(rng);
        let whole = self.memory_sums()[home as usize].clone();
        let (mut sides, ln_q) = self.divide(batch, &whole, self.sizes[home as usize], k, &free, None, rng);
        self.moves.splits += 1;
        let moved: Vec<u32> = std::iter::once(k)
            .chain(free.iter().zip(&sides.sides).filter(|(_, side)| **side == 1).map(|(f, _)| *f))
            .collect();
        let elsewhere = self.mergeable(members, home) + moved.len();
        let ln_choice = ((inside.len() - 1) as f64 / elsewhere as f64).ln();
        let ln_r = self.ln_ratio(&whole, &sides) + ln_choice - ln_q;
        if rng.random::<f64>().ln() >= ln_r {
            return Ok(None);
        }
        self.moves.splits_accepted += 1;
        // Its atom is drawn when all moves have been made: what is drawn here only has to be some atom.
        let new = self.open_atom(&mut rng.clone())?;
        self.order.push(new);
        self.clusters_of(batch, &moved, new);
        self.sizes[home as usize] -= moved.len();
        self.sizes[new as usize] = moved.len();
        let [a, b] = std::mem::take(&mut sides.sums);
        self.set_sums(home, a);
        self.set_sums(new, b);
        let moved_from: std::collections::HashSet<u32> = moved.iter().copied().collect();
        members.of[home as usize].retain(|f| !moved_from.contains(f));
        members.of.resize(self.sizes.len(), Vec::new());
        members.of[new as usize] = moved;
        Ok(Some([home, new]))
    }

    fn merge(
        &mut self,
        batch: &A::Batch,
        members: &mut Members,
        i: u32,
        home: u32,
        rng: &mut StreamRng,
    ) -> Option<[u32; 2]> {
        let elsewhere = self.mergeable(members, home);
        if elsewhere == 0 {
            return None;
        }
        let mut place = rng.random_range(0..elsewhere);
        let (other, k) = (0..self.sizes.len()).find_map(|cluster| {
            if cluster == home as usize || !self.is_inside(members, cluster) {
                return None;
            }
            let found = members.of[cluster].get(place).map(|&k| (cluster, k));
            place = place.wrapping_sub(members.of[cluster].len());
            found
        })?;
        let mut free: Vec<(u32, usize)> = [home as usize, other]
            .into_iter()
            .enumerate()
            .flat_map(|(side, cluster)| members.of[cluster].iter().map(move |&f| (f, side)))
            .filter(|&(f, _)| f != i && f != k)
            .collect();
        free.shuffle(rng);
        let (free, sides): (Vec<u32>, Vec<usize>) = free.into_iter().unzip();
        let [a, b] = [home as usize, other].map(|cluster| &self.memory_sums()[cluster]);
        let mut whole = a.clone();
        whole.counts.iter_mut().zip(&b.counts).for_each(|(sum, x)| *sum += x);
        whole.totals.iter_mut().zip(&b.totals).for_each(|(sum, x)| *sum += x);
        let size = self.sizes[home as usize] + self.sizes[other];
        let (sides, ln_q) = self.divide(batch, &whole, size, k, &free, Some(&sides), rng);
        self.moves.merges += 1;
        let inside = members.of[home as usize].len() + members.of[other].len();
        let ln_choice = ((inside - 1) as f64 / elsewhere as f64).ln();
        let ln_r = self.ln_ratio(&whole, &sides) + ln_choice - ln_q;
        if rng.random::<f64>().ln() >= -ln_r {
            return None;
        }
        self.moves.merges_accepted += 1;
        let moved = std::mem::take(&mut members.of[other]);
        self.clusters_of(batch, &moved, home);
        self.sizes[home as usize] += moved.len();
        self.sizes[other] = 0;
        let none = self.atoms.no_sums().unwrap_or_default();
        self.set_sums(home, whole);
        self.set_sums(other as u32, none);
        members.of[home as usize].extend(moved);
        Some([home, other as u32])
    }

    /// How many items are in other clusters that have none outside the minibatch.
    fn mergeable(&self, members: &Members, home: u32) -> usize {
        let others = (0..self.sizes.len()).filter(|&cluster| cluster != home as usize);
        others.filter(|&cluster| self.is_inside(members, cluster)).map(|cluster| self.sizes[cluster]).sum()
    }

    /// Divides the free items into two sides, or finds out how probable it is to divide them as `given`.
    #[allow(clippy::too_many_arguments)]
    fn divide(
        &mut self,
        batch: &A::Batch,
        whole: &Sums,
        size: usize,
        k: u32,
        free: &[u32],
        given: Option<&[usize]>,
        rng: &mut StreamRng,
    ) -> (Sides, f64) {
        let (atoms, scans) = (&self.atoms, self.settings.moves.scans);
        let mut first = whole.clone();
        free.iter().chain([&k]).for_each(|&f| atoms.add(batch.item(f as usize), -1.0, &mut first));
        let mut second = atoms.no_sums().unwrap_or_default();
        atoms.add(batch.item(k as usize), 1.0, &mut second);
        let sizes = [(size - free.len() - 1) as f64, 1.0];
        let mut state = Sides { sums: [first, second], sizes, sides: vec![0; free.len()] };
        let mut ln_q = 0.0;
        for scan in 0..=scans {
            ln_q = 0.0;
            for (place, &f) in free.iter().enumerate() {
                let item = batch.item(f as usize);
                if scan > 0 {
                    let side = state.sides[place];
                    atoms.add(item, -1.0, &mut state.sums[side]);
                    state.sizes[side] -= 1.0;
                }
                let [a, b] = [0, 1].map(|side| state.sizes[side].ln() + atoms.ln_given(item, &state.sums[side]));
                let side = match given {
                    Some(given) if scan == scans => given[place],
                    // P(B) = 1/(1 + e^{a−b})
                    _ => usize::from(rng.random::<f64>() * (1.0 + (a - b).exp()) < 1.0),
                };
                // ln of 1/(1 + e^{other − own}), which keeps its digits at both ends.
                let behind = if side == 0 { b - a } else { a - b };
                ln_q -= behind.max(0.0) + (-behind.abs()).exp().ln_1p();
                atoms.add(item, 1.0, &mut state.sums[side]);
                state.sizes[side] += 1.0;
                state.sides[place] = side;
            }
        }
        self.moves.items += ((scans + 1) * (free.len() + 2)) as u64;
        (state, ln_q)
    }

    /// ln of the first two factors of r.
    fn ln_ratio(&self, whole: &Sums, sides: &Sides) -> f64 {
        let ([a, b], [size_a, size_b]) = (&sides.sums, sides.sizes);
        let partition = self.alpha().ln() + libm::lgamma(size_a) + libm::lgamma(size_b)
            - libm::lgamma(size_a + size_b);
        partition + self.atoms.ln_marginal(a) + self.atoms.ln_marginal(b) - self.atoms.ln_marginal(whole)
    }

    fn memory_sums(&self) -> &[Sums] {
        self.memory.as_ref().map_or(&[], |memory| &memory.sums)
    }

    fn set_sums(&mut self, cluster: u32, sums: Sums) {
        if let Some(memory) = &mut self.memory {
            memory.sums[cluster as usize] = sums;
        }
    }

    /// Puts items of the minibatch into a cluster.
    fn clusters_of(&mut self, batch: &A::Batch, items: &[u32], cluster: u32) {
        items.iter().for_each(|&i| self.clusters[batch.position(i as usize)] = cluster);
    }
}
