//! Splits and merges while they are being worked out, scan by scan.

use crate::dp::atoms::Sums;
#[cfg(feature = "serde")]
use crate::error::{Result, check};

/// A part of a split goes on only if it has kept at least this share of the items that a part begins with, and more than
/// its anchor.
const LEAST: f64 = 0.02;

/// The proposals that are being worked out at a time, each about clusters of its own.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::dp) struct Phase {
    pub(super) proposals: Vec<Proposal>,
    /// The proposal that each cluster belongs to.
    pub(super) of: Vec<Option<u32>>,
    /// From 0, in which items are dealt, to the last, which makes the proposals.
    pub(super) scan: usize,
    /// Which items of the data this scan has met, and how many it has yet to meet: held or not, so that how long it takes does
    /// not depend on the state.
    pub(super) met: Vec<bool>,
    pub(super) left: usize,
}

/// A split of a cluster, or a merge of some.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::dp) struct Proposal {
    pub(super) kind: Kind,
    /// The clusters that it is about; that of the leading item first.
    pub(super) union: Vec<u32>,
    /// How many items they have.
    pub(super) size: usize,
    /// The item that each part has for certain, by its position in the data; that of the first part leads. Only that one, until
    /// the others are chosen.
    pub(super) anchors: Vec<usize>,
    /// The parts that are still there.
    pub(super) alive: Vec<u32>,
    /// What the last scan put into each part, and what this one does.
    pub(super) last: Parts,
    pub(super) now: Parts,
    /// What the last scan found: the part of each item, and the logarithm of the probability of it all.
    pub(super) found: Vec<(u32, u32)>,
    pub(super) ln_q: f64,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Kind {
    Split,
    /// With the part that each cluster of the union is.
    Merge(Vec<u32>),
    /// Was chosen, and cannot be: nothing happens, but the clusters are held as long as if it could.
    Impossible,
}

/// Items of parts.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Parts {
    pub(super) sums: Vec<Sums>,
    pub(super) sizes: Vec<f64>,
}

impl Parts {
    fn none(parts: usize, none: &Sums) -> Self {
        Self { sums: vec![none.clone(); parts], sizes: vec![0.0; parts] }
    }

    fn clear(&mut self) {
        self.sums.iter_mut().for_each(Sums::clear);
        self.sizes.fill(0.0);
    }
}

impl Phase {
    /// Without any proposals yet, for `items` items in `clusters` clusters.
    pub(super) fn new(items: usize, clusters: usize) -> Self {
        Self {
            proposals: Vec::new(),
            of: vec![None; clusters],
            scan: 0,
            met: vec![false; items],
            left: items,
        }
    }

    /// The proposal that a cluster belongs to.
    pub(super) fn of(&self, cluster: u32) -> Option<usize> {
        self.of.get(cluster as usize).copied().flatten().map(|proposal| proposal as usize)
    }

    pub(super) fn push(&mut self, proposal: Proposal) {
        let number = self.proposals.len() as u32;
        proposal.union.iter().for_each(|&cluster| self.of[cluster as usize] = Some(number));
        self.proposals.push(proposal);
    }

    /// Begins the next scan; `is_last` says that it makes the proposals, and `part` how many items parts began with.
    pub(super) fn next_scan(&mut self, is_last: bool, part: usize) {
        self.scan += 1;
        self.met.fill(false);
        self.left = self.met.len();
        for proposal in &mut self.proposals {
            std::mem::swap(&mut proposal.last, &mut proposal.now);
            proposal.now.clear();
            if is_last {
                proposal.drop_small_parts(part);
            }
        }
    }

    /// Refuses one that was written down for something else.
    #[cfg(feature = "serde")]
    pub(in crate::dp) fn check(&self, sizes: &[usize], items: usize) -> Result<()> {
        let like = |proposal: &Proposal| {
            let parts = proposal.last.sums.len();
            let counted = [&proposal.last, &proposal.now];
            let size: usize = proposal.union.iter().filter_map(|&c| sizes.get(c as usize)).sum();
            size == proposal.size
                && counted.iter().all(|of| of.sums.len() == parts && of.sizes.len() == parts)
                && (proposal.anchors.len() == parts || proposal.kind == Kind::Impossible)
                && proposal.alive.iter().all(|&part| (part as usize) < parts.max(1))
        };
        let of = |&proposal: &u32| (proposal as usize) < self.proposals.len();
        let met = self.met.iter().filter(|&&met| met).count();
        let fine = self.met.len() == items
            && self.of.iter().flatten().all(of)
            && self.proposals.iter().all(like)
            && met + self.left == items;
        check(fine, "phase", "a state", "that of splits of these clusters")
    }
}

impl Proposal {
    pub(super) fn new(kind: Kind, union: Vec<u32>, size: usize, anchors: Vec<usize>) -> Self {
        let (last, now) = (Parts::default(), Parts::default());
        Self { kind, union, size, anchors, alive: Vec::new(), last, now, found: Vec::new(), ln_q: 0.0 }
    }

    /// Makes room for as many parts as there are anchors.
    pub(super) fn open_parts(&mut self, none: &Sums) {
        let parts = self.anchors.len();
        self.alive = (0..parts as u32).collect();
        (self.last, self.now) = (Parts::none(parts, none), Parts::none(parts, none));
    }

    /// The part that an item has to be in: that which it is the anchor of, if it is still there.
    pub(super) fn part_of_anchor(&self, position: usize) -> Option<u32> {
        let part = self.anchors.iter().position(|&anchor| anchor == position)? as u32;
        self.alive.contains(&part).then_some(part)
    }

    /// The part that a cluster is, in a merge: its place among those that are there.
    pub(super) fn place_of(&self, cluster: u32) -> Option<usize> {
        let Kind::Merge(parts) = &self.kind else { return None };
        let part = parts[self.union.iter().position(|&c| c == cluster)?];
        self.alive.iter().position(|&alive| alive == part)
    }

    /// Before the last scan. A merge is possible only if what is left are the parts that its clusters are: otherwise the split
    /// that would undo it could not have been proposed.
    fn drop_small_parts(&mut self, part: usize) {
        let sizes = &self.last.sizes;
        let least = (LEAST * part as f64).max(1.5);
        self.alive.retain(|&j| j == 0 || sizes[j as usize] >= least);
        let undone = match &self.kind {
            Kind::Merge(parts) => {
                parts.len() == self.alive.len() && parts.iter().all(|j| self.alive.contains(j))
            }
            _ => self.alive.len() > 1,
        };
        if !undone {
            self.kind = Kind::Impossible;
        }
    }
}
