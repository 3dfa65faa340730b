//! One step of a scan: the items of a minibatch that proposals are about come into parts.

use super::proposal::{Kind, Phase, Proposal};
use crate::dp::DpMixture;
use crate::dp::atoms::{Atoms, Batch, Sums};
use crate::dp::slice::choose;
use crate::error::Result;
use crate::model::{At, Items};
use crate::parallel;
use scir_core::Purpose;
use scir_core::rand::RngExt;

const PART: Purpose = Purpose::new("dp: part of an item");

/// What becomes of the items of a piece of work.
#[derive(Default)]
struct Found {
    /// The part of each.
    parts: Vec<u32>,
    /// Or its shares in all that are there.
    shares: Vec<f64>,
    ln_q: f64,
}

impl<A: Atoms> DpMixture<A> {
    /// Goes on with the scan of a phase.
    pub(super) fn scan(&mut self, phase: &mut Phase, batch: &A::Batch, at: At) -> Result<()> {
        let mut members = vec![Vec::new(); phase.proposals.len()];
        for i in 0..batch.items() {
            let position = batch.position(i);
            // Once in each scan, also if minibatches have it more often.
            if std::mem::replace(&mut phase.met[position], true) {
                continue;
            }
            phase.left -= 1;
            if let Some(number) = phase.of(self.clusters[position]) {
                members[number].push(i);
            }
        }
        for (proposal, members) in phase.proposals.iter_mut().zip(members) {
            self.moves.items += members.len() as u64;
            if proposal.kind != Kind::Impossible && !members.is_empty() {
                self.scan_one(proposal, phase.scan, &members, batch, at)?;
            }
        }
        Ok(())
    }

    fn scan_one(
        &self,
        proposal: &mut Proposal,
        scan: usize,
        members: &[usize],
        batch: &A::Batch,
        at: At,
    ) -> Result<()> {
        let scans = self.settings.moves.scans;
        let (is_last, by_shares) = (scan == scans, scan < scans && scan > scans / 2);
        let alive = proposal.alive.clone();
        let sizes: Vec<f64> = alive.iter().map(|&j| proposal.last.sizes[j as usize]).collect();
        let sums: Vec<&Sums> = alive.iter().map(|&j| &proposal.last.sums[j as usize]).collect();
        let means = self.atoms.means(&sums)?;
        let table = means.table(&(0..alive.len() as u32).collect::<Vec<u32>>())?;
        let shared = &*proposal;
        let found = parallel::map(parallel::parts(members.len()), |range| {
            let (mut found, mut joint) = (Found::default(), vec![0.0; alive.len()]);
            for &i in &members[range] {
                let position = batch.position(i);
                let anchored = shared.part_of_anchor(position);
                let mut rng = at.rng(PART, i as u64);
                if scan == 0 {
                    found.parts.push(anchored.unwrap_or_else(|| alive[rng.random_range(0..alive.len())]));
                    continue;
                }
                if let Some(part) = anchored {
                    joint.iter_mut().zip(&alive).for_each(|(x, &j)| *x = if j == part { 1.0 } else { 0.0 });
                } else {
                    means.densities(&table, batch.item(i), &mut joint);
                    joint.iter_mut().zip(&sizes).for_each(|(x, size)| *x *= size);
                }
                let total: f64 = joint.iter().sum();
                if by_shares {
                    found.shares.extend(joint.iter().map(|x| x / total));
                    continue;
                }
                let given = if is_last { shared.place_of(self.clusters[position]) } else { None };
                let place = given.unwrap_or_else(|| choose(&joint, rng.random()));
                found.parts.push(alive[place]);
                found.ln_q += (joint[place] / total).ln();
            }
            Ok(found)
        })?;
        let mut items = members.iter();
        for found in found {
            proposal.ln_q += if is_last { found.ln_q } else { 0.0 };
            for (shares, &i) in found.shares.chunks_exact(alive.len()).zip(&mut items) {
                for (&share, &j) in shares.iter().zip(&alive).filter(|(share, _)| **share > 0.0) {
                    self.atoms.add(batch.item(i), share, &mut proposal.now.sums[j as usize]);
                    proposal.now.sizes[j as usize] += share;
                }
            }
            for (&part, &i) in found.parts.iter().zip(&mut items) {
                self.atoms.add(batch.item(i), 1.0, &mut proposal.now.sums[part as usize]);
                proposal.now.sizes[part as usize] += 1.0;
                if is_last {
                    proposal.found.push((batch.position(i) as u32, part));
                }
            }
        }
        Ok(())
    }
}
