//! Splits of a cluster into several and merges of several into one, worked out over some passes through the data.

use super::launch::{Phase, Proposal};
use crate::dp::DpMixture;
use crate::dp::atoms::{Atoms, Batch, Sums};
use crate::dp::memory::Memory;
use crate::error::Result;
use crate::model::{At, Items};
use crate::parallel;
use scir_core::Purpose;
use scir_core::rand::RngExt;

const SPLIT_SHARE: f64 = 0.9;
const BEGIN: Purpose = Purpose::new("dp: begin a split or merge");
const NEW: Purpose = Purpose::new("dp: atom of a new cluster");
const PART: Purpose = Purpose::new("dp: part of an item");
const ACCEPT: Purpose = Purpose::new("dp: accept a split or merge");

impl<A: Atoms> DpMixture<A> {
    /// Whether no item may leave or enter a cluster, because a proposal is being worked out for it.
    pub(in crate::dp) fn is_held(&self, cluster: u32) -> bool {
        self.phase.as_ref().is_some_and(|phase| phase.of(cluster).is_some())
    }

    /// Goes on with the proposals that are being worked out, or begins some. The clusters that have changed.
    pub(super) fn split_and_merge(&mut self, batch: &A::Batch, at: At) -> Result<Vec<u32>> {
        let moves = self.settings.moves;
        if moves.scans == 0 || !self.memory.as_ref().is_some_and(Memory::is_complete) {
            return Ok(Vec::new());
        }
        let Some(mut phase) = self.phase.take() else {
            self.rested += batch.items() as u64;
            if self.rested >= moves.rest as u64 * self.clusters.len() as u64 {
                self.rested = 0;
                let mut phase = Phase { proposals: Vec::new(), scan: 0, left: 0, met: vec![false; self.clusters.len()], of: vec![None; self.sizes.len()] };
                for number in 0..moves.splits as u64 {
                    self.begin(&mut phase, number, at);
                }
                phase.start_scan();
                self.phase = Some(phase);
            }
            return Ok(Vec::new());
        };
        self.visit(&mut phase, batch, at)?;
        if phase.left > 0 {
            self.phase = Some(phase);
            return Ok(Vec::new());
        }
        if phase.scan < moves.scans {
            phase.scan += 1;
            phase.start_scan();
            phase.proposals.iter_mut().for_each(|p| p.next_scan(moves.scans));
            self.phase = Some(phase);
            return Ok(Vec::new());
        }
        let mut changed = Vec::new();
        for (number, proposal) in (0..).zip(phase.proposals) {
            changed.extend(self.decide(proposal, number, at)?);
        }
        Ok(changed)
    }

    fn begin(&mut self, phase: &mut Phase, number: u64, at: At) {
        let (mut rng, items) = (at.rng(BEGIN, number), self.clusters.len());
        let moves = self.settings.moves;
        let lead = rng.random_range(0..items);
        let home = self.clusters[lead];
        if phase.of(home).is_some() {
            return;
        }
        let merge = !rng.random_bool(SPLIT_SHARE);
        let mut anchors = vec![lead];
        let mut union = vec![home];
        let mut possible = true;
        if merge {
            // the number of clusters
            let mut others = 1;
            while rng.random() {
                others += 1;
            }
            for _ in 0..others {
                let k = rng.random_range(0..items);
                anchors.push(k);
                let cluster = self.clusters[k];
                if union.contains(&cluster) || phase.of(cluster).is_some() {
                    possible = false;
                } else {
                    union.push(cluster);
                }
            }
        }
        let size: usize = union.iter().map(|&cluster| self.sizes[cluster as usize]).sum();
        let wide: usize = std::env::var("WIDE").map_or(60, |x| x.parse().unwrap());
        let parts = (size / moves.part).clamp(2, wide);
        if size < 2 || anchors.len() > parts || size < 2 * parts {
            possible = false;
        }
        let mut places: Vec<usize> = vec![0];
        if possible {
            if merge {
                // positions of the survivors among the parts
                let mut rest: Vec<usize> = (1..parts).collect();
                for _ in 1..anchors.len() {
                    places.push(rest.swap_remove(rng.random_range(0..rest.len())));
                }
                let survivors = anchors.clone();
                let mut all = vec![usize::MAX; parts];
                places.iter().zip(&survivors).for_each(|(&place, &anchor)| all[place] = anchor);
                anchors = all;
            } else {
                anchors.resize(parts, usize::MAX);
            }
            // The others: any items of the union.
            let members: Vec<usize> = (0..items).filter(|&p| union.contains(&self.clusters[p])).collect();
            for j in 0..parts {
                while anchors[j] == usize::MAX {
                    let k = members[rng.random_range(0..members.len())];
                    if !anchors.contains(&k) {
                        anchors[j] = k;
                    }
                }
            }
        }
        let none = self.atoms.no_sums().unwrap_or_default();
        union.iter().for_each(|&c| phase.of[c as usize] = Some(phase.proposals.len() as u32));
        phase.proposals.push(Proposal::new(merge, possible, union, places, anchors, size, none));
    }

    /// Puts the items of the minibatch that proposals are about, and that this scan has not met, into parts.
    fn visit(&mut self, phase: &mut Phase, batch: &A::Batch, at: At) -> Result<()> {
        let mut todo = vec![Vec::new(); phase.proposals.len()];
        for i in 0..batch.items() {
            let position = batch.position(i);
            if let Some(p) = phase.of(self.clusters[position]) {
                if !std::mem::replace(&mut phase.met[position], true) {
                    todo[p].push(i);
                    phase.left -= 1;
                }
            }
        }
        for (proposal, todo) in phase.proposals.iter_mut().zip(todo) {
            self.moves.items += todo.len() as u64;
            if proposal.possible && !todo.is_empty() {
                self.visit_one(proposal, &todo, batch, at)?;
            }
        }
        Ok(())
    }

    fn visit_one(&mut self, proposal: &mut Proposal, todo: &[usize], batch: &A::Batch, at: At) -> Result<()> {
        let scans = self.settings.moves.scans;
        let last = proposal.scan == scans;
        let hard: usize = std::env::var("HARD").map_or(scans / 2, |x| x.parse().unwrap());
        let soft = !last && proposal.scan >= hard;
        let parts: Vec<u32> = proposal.alive.clone();
        let weights: Vec<f64> = parts.iter().map(|&j| proposal.sizes[j as usize]).collect();
        let means = self.atoms.means(&parts.iter().map(|&j| &proposal.sums[j as usize]).collect::<Vec<&Sums>>())?;
        let order: Vec<u32> = (0..parts.len() as u32).collect();
        let table = means.table(&order)?;
        let shared = &*proposal;
        let ranges = parallel::parts(todo.len());
        let found = parallel::map(ranges, |range| {
            let mut densities = vec![0.0; parts.len()];
            let choose = |&i: &usize| {
                let position = batch.position(i);
                let anchor = shared.anchor_part(position, last);
                let mut rng = at.rng(PART, i as u64);
                if shared.scan == 0 {
                    let dealt = parts[rng.random_range(0..parts.len())];
                    return (anchor.unwrap_or(dealt), 0.0, Vec::new());
                }
                if let Some(part) = anchor {
                    return (part, 0.0, Vec::new());
                }
                means.densities(&table, batch.item(i), &mut densities);
                densities.iter_mut().zip(&weights).for_each(|(d, w)| *d *= w);
                let total: f64 = densities.iter().sum();
                if soft {
                    return (0, 0.0, densities.iter().map(|d| d / total).collect());
                }
                let place = if last && shared.merge {
                    let part = shared.part_of(self.clusters[position]);
                    parts.iter().position(|&p| p == part).unwrap_or(0)
                } else {
                    crate::dp::slice::choose(&densities, rng.random())
                };
                (parts[place], (densities[place] / total).ln(), Vec::new())
            };
            Ok(todo[range].iter().map(choose).collect::<Vec<(u32, f64, Vec<f64>)>>())
        })?;
        for (&i, (part, ln_q, shares)) in todo.iter().zip(found.into_iter().flatten()) {
            if !shares.is_empty() {
                for (j, r) in shares.into_iter().enumerate() {
                    if r > 1e-4 {
                        self.atoms.add(batch.item(i), r, &mut proposal.next[parts[j] as usize]);
                        proposal.next_sizes[parts[j] as usize] += r;
                    }
                }
                continue;
            }
            self.atoms.add(batch.item(i), 1.0, &mut proposal.next[part as usize]);
            proposal.next_sizes[part as usize] += 1.0;
            if last {
                proposal.ln_q += ln_q;
                proposal.found.push((batch.position(i) as u32, part));
            }
        }
        Ok(())
    }

    fn decide(&mut self, proposal: Proposal, number: u64, at: At) -> Result<Vec<u32>> {
        let merge = proposal.merge;
        if merge { self.moves.merges += 1 } else { self.moves.splits += 1 };
        if !proposal.possible {
            return Ok(Vec::new());
        }
        // In a merge, the parts that were dropped must be those that are not clusters.
        if merge {
            let mut places: Vec<u32> = proposal.places.iter().map(|&p| p as u32).collect();
            places.sort_unstable();
            if places != proposal.alive {
                return Ok(Vec::new());
            }
        }
        let survivors = proposal.alive.len();
        if survivors < 2 {
            return Ok(Vec::new());
        }
        let (size, parts) = (proposal.size as f64, proposal.anchors.len());
        let mut whole = self.atoms.no_sums().unwrap_or_default();
        let mut ln_r = (survivors as f64 - 1.0) * self.alpha().ln() - libm::lgamma(size);
        for &j in &proposal.alive {
            let sums = &proposal.next[j as usize];
            whole.counts.iter_mut().zip(&sums.counts).for_each(|(sum, x)| *sum += x);
            whole.totals.iter_mut().zip(&sums.totals).for_each(|(sum, x)| *sum += x);
            ln_r += libm::lgamma(proposal.next_sizes[j as usize]) + self.atoms.ln_marginal(sums);
        }
        ln_r -= self.atoms.ln_marginal(&whole) + proposal.ln_q;
        // Choosing: p_merge/p_split 2^{-(M-1)} (|C|-1)_{M-1} / (N^{M-1} binom(M0-1, M-1))
        let ln_choose = |n: f64, k: f64| libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
        let m = survivors as f64 - 1.0;
        ln_r += ((1.0 - SPLIT_SHARE) / SPLIT_SHARE).ln() - m * 2f64.ln() + libm::lgamma(size) - libm::lgamma(size - m)
            - m * (self.clusters.len() as f64).ln()
            - ln_choose(parts as f64 - 1.0, m);
        let accepted = at.rng(ACCEPT, number).random::<f64>().ln() < if merge { -ln_r } else { ln_r };
        if std::env::var("DBG").is_ok() { eprintln!("{} {size} parts {parts} -> {survivors} {:?} ln_r {ln_r:.1} {accepted}", if merge {"merge"} else {"split"}, proposal.alive.iter().map(|&j| proposal.next_sizes[j as usize]).collect::<Vec<_>>()); }
        if !accepted {
            return Ok(Vec::new());
        }
        let none = self.atoms.no_sums().unwrap_or_default();
        let home = proposal.union[0];
        if merge {
            self.moves.merges_accepted += 1;
            for &(position, _) in &proposal.found {
                self.clusters[position as usize] = home;
            }
            for &cluster in &proposal.union {
                self.sizes[cluster as usize] = 0;
                self.set_sums(cluster, none.clone());
            }
            self.sizes[home as usize] = proposal.size;
            self.set_sums(home, whole);
            return Ok(proposal.union);
        }
        self.moves.splits_accepted += 1;
        let mut numbers = vec![home; parts];
        let mut changed = Vec::new();
        for (k, &j) in proposal.alive.iter().enumerate() {
            let cluster = if k == 0 { home } else {
                let new = self.open_atom(&mut at.rng(NEW, number * 1000 + k as u64))?;
                self.order.push(new);
                new
            };
            numbers[j as usize] = cluster;
            changed.push(cluster);
            self.sizes[cluster as usize] = proposal.next_sizes[j as usize] as usize;
            self.set_sums(cluster, proposal.next[j as usize].clone());
        }
        for &(position, part) in &proposal.found {
            self.clusters[position as usize] = numbers[part as usize];
        }
        Ok(changed)
    }

    fn set_sums(&mut self, cluster: u32, sums: Sums) {
        if let Some(memory) = &mut self.memory {
            memory.sums[cluster as usize] = sums;
        }
    }
}
