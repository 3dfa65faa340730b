//! Splits of a cluster into several and merges of several into one: choosing, dividing, deciding.
//!
//! In the manner of Jain & Neal (2004), with sticks and atoms integrated out; but the clusters need not be in one minibatch. A
//! proposal is worked out over some scans, each of which lasts until every item of the data has come in some minibatch. (Every item,
//! and not only those of its clusters: if it took the longer the more items they have, the state at its end would not be any.)
//! So long no item enters or leaves these clusters: they are *held*. All others go on as usual. A proposal costs no work
//! besides: a held item is put into a part where it would have been allocated to a cluster.
//!
//! Chosen are a leading item i, any of the N, and, with probabilities 1 − μ and μ, a split or a merge.
//!
//! - *Split*: the cluster C of i is to become at most P parts, P = |C|/`part` within bounds. Each has an anchor, which is in
//!   it for certain: i for the first, any other items of C for the others.
//! - *Merge*: of the cluster of i with M − 1 others, M with probability 2^{1−M}; each is that of an item which is any of the N.
//!   Their union C has |C|/`part` parts again. These M items are the anchors of M of them, at places chosen at
//!   random, and any other items of C are the anchors of the rest.
//!
//! From here on both do the same. Scan 0 deals the items of C to the parts at random. The next ones put each item into a part with
//! probability ∝ size · density, by sizes and mean atoms as the scan before left them; the later half of them
//! by shares, which has less noise. Then parts that have become small are dropped. The last scan puts
//! each item into one of the M parts A_j that are left, in the same way, and q is the probability of all its choices; for a
//! merge, that of finding the clusters as they are. A split is accepted with probability min(1, r), a merge with min(1, 1/r):
//!
//! ```text
//!       α^{M−1} Π_j Γ(|A_j|)   Π_j f(x_{A_j})   1     μ           (|C|−1)!/(|C|−M)!
//! r  =  ──────────────────── · ────────────── · ─ · ───── · ──────────────────────────────
//!              Γ(|C|)             f(x_C)        q   1 − μ   2^{M−1} N^{M−1} binom(P−1, M−1)
//! ```
//!
//! The factors are the Chinese restaurant's law, the marginal likelihoods, the last scan, and the choice of anchors. What the
//! scans before the last one did has the same law for a split and for the merge that undoes it, and does not appear.
//!
//! Several proposals are worked out at a time, chosen one after the other. One whose leading item is in a held cluster is
//! dropped, and so is a merge with a held cluster. This is exact because the items that a proposal holds are the same before and
//! after it, whatever is decided: who else may be chosen does not depend on it. For the same reason a proposal that turns out to
//! be impossible holds its clusters to the end.

use super::proposal::{Kind, Phase, Proposal};
use crate::dp::DpMixture;
use crate::dp::atoms::{Atoms, Sums};
use crate::dp::memory::Memory;
use crate::error::Result;
use crate::model::{At, Items};
use scir_core::Purpose;
use scir_core::rand::RngExt;

const CHOOSE: Purpose = Purpose::new("dp: choose a split or merge");
const ANCHORS: Purpose = Purpose::new("dp: anchors of a split or merge");
const ACCEPT: Purpose = Purpose::new("dp: accept a split or merge");
const NEW: Purpose = Purpose::new("dp: atom of a part");

/// The most parts that a cluster is split into.
const MOST_PARTS: usize = 64;

impl<A: Atoms> DpMixture<A> {
    /// Whether no item may leave or enter a cluster, because a proposal is being worked out for it.
    pub(in crate::dp) fn is_held(&self, cluster: u32) -> bool {
        self.phase.as_ref().is_some_and(|phase| phase.of(cluster).is_some())
    }

    /// Goes on with the proposals that are being worked out, or begins some. The clusters that have changed.
    pub(super) fn split_and_merge(&mut self, batch: &A::Batch, at: At) -> Result<Vec<u32>> {
        let moves = self.settings.moves;
        if moves.splits == 0 || !self.memory.as_ref().is_some_and(Memory::is_complete) {
            return Ok(Vec::new());
        }
        let Some(mut phase) = self.phase.take() else {
            self.rest = self.rest.saturating_sub(batch.items() as u64);
            if self.rest == 0 {
                self.phase = Some(self.choose(at));
            }
            return Ok(Vec::new());
        };
        self.scan(&mut phase, batch, at)?;
        if phase.left > 0 {
            self.phase = Some(phase);
            return Ok(Vec::new());
        }
        if phase.scan < moves.scans {
            phase.next_scan(phase.scan + 1 == moves.scans, moves.part);
            self.phase = Some(phase);
            return Ok(Vec::new());
        }
        self.rest = moves.rest as u64 * self.clusters.len() as u64;
        let mut changed = Vec::new();
        for (number, proposal) in (0..).zip(phase.proposals) {
            changed.extend(self.decide(&proposal, number, at)?);
        }
        Ok(changed)
    }

    /// Chooses what is to be split and merged.
    fn choose(&self, at: At) -> Phase {
        let mut phase = Phase::new(self.clusters.len(), self.sizes.len());
        for number in 0..self.settings.moves.splits as u64 {
            if let Some(proposal) = self.choose_one(&phase, number, at) {
                phase.push(proposal);
            }
        }
        // One pass over all items, for the anchors that may be any of a union.
        let mut members = vec![Vec::new(); phase.proposals.len()];
        for (position, &cluster) in self.clusters.iter().enumerate() {
            if let Some(number) = phase.of(cluster) {
                members[number].push(position);
            }
        }
        let none = self.atoms.no_sums().unwrap_or_default();
        for (number, (proposal, members)) in (0..).zip(phase.proposals.iter_mut().zip(members)) {
            if proposal.kind == Kind::Impossible {
                continue;
            }
            let mut rng = at.rng(ANCHORS, number);
            let parts = parts(proposal.size, self.settings.moves.part);
            let mut chosen: Vec<Option<usize>> = vec![None; parts];
            let mut free: Vec<usize> = (1..parts).collect();
            let mut places = Vec::new();
            for (k, &anchor) in proposal.anchors.iter().enumerate() {
                let place = if k == 0 { 0 } else { free.swap_remove(rng.random_range(0..free.len())) };
                chosen[place] = Some(anchor);
                places.push(place as u32);
            }
            for place in 0..parts {
                while chosen[place].is_none() {
                    let anchor = Some(members[rng.random_range(0..members.len())]);
                    if !chosen.contains(&anchor) {
                        chosen[place] = anchor;
                    }
                }
            }
            proposal.anchors = chosen.into_iter().flatten().collect();
            if let Kind::Merge(of) = &mut proposal.kind {
                *of = places;
            }
            proposal.open_parts(&none);
        }
        phase
    }

    /// One proposal, with the anchors that choose its clusters; none if the leading item is held.
    fn choose_one(&self, phase: &Phase, number: u64, at: At) -> Option<Proposal> {
        let (mut rng, items) = (at.rng(CHOOSE, number), self.clusters.len());
        let lead = rng.random_range(0..items);
        let (mut anchors, mut union) = (vec![lead], vec![self.clusters[lead]]);
        if phase.of(union[0]).is_some() {
            return None;
        }
        let mut kind =
            if rng.random_bool(self.settings.moves.merges) { Kind::Merge(Vec::new()) } else { Kind::Split };
        if kind != Kind::Split {
            let others = 1 + std::iter::repeat_with(|| rng.random()).take_while(|&another| another).count();
            for _ in 0..others {
                let anchor = rng.random_range(0..items);
                let cluster = self.clusters[anchor];
                if union.contains(&cluster) || phase.of(cluster).is_some() {
                    kind = Kind::Impossible;
                } else {
                    anchors.push(anchor);
                    union.push(cluster);
                }
            }
        }
        let size = union.iter().map(|&cluster| self.sizes[cluster as usize]).sum();
        let parts = parts(size, self.settings.moves.part);
        if size < parts || anchors.len() > parts {
            kind = Kind::Impossible;
        }
        Some(Proposal::new(kind, union, size, anchors))
    }

    /// Accepts or refuses a proposal. The clusters that have changed.
    fn decide(&mut self, proposal: &Proposal, number: u64, at: At) -> Result<Vec<u32>> {
        let merge = match proposal.kind {
            Kind::Split => false,
            Kind::Merge(_) => true,
            Kind::Impossible => return Ok(Vec::new()),
        };
        let mut whole = self.atoms.no_sums().unwrap_or_default();
        proposal.alive.iter().for_each(|&j| whole.add(&proposal.now.sums[j as usize]));
        let ln_r = self.ln_ratio(proposal, &whole);
        let accepted = at.rng(ACCEPT, number).random::<f64>().ln() < if merge { -ln_r } else { ln_r };
        let counts = &mut self.moves;
        let (tried, done) = if merge {
            (&mut counts.merges, &mut counts.merges_accepted)
        } else {
            (&mut counts.splits, &mut counts.splits_accepted)
        };
        *tried += 1;
        if !accepted {
            return Ok(Vec::new());
        }
        *done += 1;
        let home = proposal.union[0];
        let mut changed = proposal.union.clone();
        if merge {
            let none = self.atoms.no_sums().unwrap_or_default();
            proposal.union.iter().for_each(|&cluster| self.set_cluster(cluster, 0, none.clone()));
            self.set_cluster(home, proposal.size, whole);
            proposal.found.iter().for_each(|&(position, _)| self.clusters[position as usize] = home);
            return Ok(changed);
        }
        let mut clusters = vec![home; proposal.anchors.len()];
        for &j in &proposal.alive {
            if j > 0 {
                // An atom from the base measure for now: all that have changed are drawn given their items at the end.
                let stream = number * MOST_PARTS as u64 + u64::from(j);
                clusters[j as usize] = self.open_atom(&mut at.rng(NEW, stream))?;
                self.order.push(clusters[j as usize]);
                changed.push(clusters[j as usize]);
            }
            let (sums, size) = (&proposal.now.sums[j as usize], proposal.now.sizes[j as usize]);
            self.set_cluster(clusters[j as usize], size as usize, sums.clone());
        }
        for &(position, part) in &proposal.found {
            self.clusters[position as usize] = clusters[part as usize];
        }
        Ok(changed)
    }

    /// ln r.
    fn ln_ratio(&self, proposal: &Proposal, whole: &Sums) -> f64 {
        let ln_gamma = libm::lgamma;
        let (size, m) = (proposal.size as f64, proposal.alive.len() as f64 - 1.0);
        let mut ln_r = m * self.alpha().ln() - ln_gamma(size) - self.atoms.ln_marginal(whole) - proposal.ln_q;
        for &j in &proposal.alive {
            ln_r += ln_gamma(proposal.now.sizes[j as usize]);
            ln_r += self.atoms.ln_marginal(&proposal.now.sums[j as usize]);
        }
        let ln_binomial = |n: f64, k: f64| ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
        let (items, merges) = (self.clusters.len() as f64, self.settings.moves.merges);
        ln_r + (merges / (1.0 - merges)).ln() + ln_gamma(size)
            - ln_gamma(size - m)
            - m * (2.0 * items).ln()
            - ln_binomial(proposal.anchors.len() as f64 - 1.0, m)
    }

    fn set_cluster(&mut self, cluster: u32, size: usize, sums: Sums) {
        self.sizes[cluster as usize] = size;
        if let Some(memory) = &mut self.memory {
            memory.sums[cluster as usize] = sums;
        }
    }
}

/// P, into how many parts a cluster of `size` items is dealt.
fn parts(size: usize, part: usize) -> usize {
    size.div_ceil(part).clamp(2, MOST_PARTS)
}
