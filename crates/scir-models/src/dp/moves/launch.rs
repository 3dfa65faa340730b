//! A proposal while it is being worked out.

use crate::dp::atoms::Sums;

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::dp) struct Phase {
    pub(super) proposals: Vec<Proposal>,
    pub(super) scan: usize,
    pub(super) left: usize,
    pub(super) met: Vec<bool>,
    /// The proposal of each cluster.
    pub(super) of: Vec<Option<u32>>,
}

impl Phase {
    pub(super) fn of(&self, cluster: u32) -> Option<usize> {
        self.of.get(cluster as usize).copied().flatten().map(|p| p as usize)
    }
    pub(super) fn start_scan(&mut self) {
        self.left = self.proposals.iter().map(|p| p.size).sum();
        self.met.fill(false);
    }
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::dp) struct Proposal {
    pub(super) merge: bool,
    pub(super) possible: bool,
    /// The clusters that it is about.
    pub(super) union: Vec<u32>,
    /// For a merge, the part of each of them.
    pub(super) places: Vec<usize>,
    /// The item that stands for each part.
    pub(super) anchors: Vec<usize>,
    pub(super) size: usize,
    pub(super) scan: usize,
    pub(super) alive: Vec<u32>,
    pub(super) sums: Vec<Sums>,
    pub(super) sizes: Vec<f64>,
    pub(super) next: Vec<Sums>,
    pub(super) next_sizes: Vec<f64>,
    pub(super) ln_q: f64,
    pub(super) found: Vec<(u32, u32)>,
}

impl Proposal {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(merge: bool, possible: bool, union: Vec<u32>, places: Vec<usize>, anchors: Vec<usize>, size: usize, none: Sums) -> Self {
        let parts = anchors.len();
        Self {
            merge, possible, union, places, size,
            anchors,
            scan: 0,
            alive: (0..parts as u32).collect(),
            sums: vec![none.clone(); parts],
            sizes: vec![1.0; parts],
            next: vec![none; parts],
            next_sizes: vec![0.0; parts],
            ln_q: 0.0,
            found: Vec::new(),
        }
    }

    pub(super) fn anchor_part(&self, position: usize, last: bool) -> Option<u32> {
        let part = self.anchors.iter().position(|&a| a == position)? as u32;
        (!last || self.alive.contains(&part)).then_some(part)
    }

    /// The part of a cluster that is merged.
    pub(super) fn part_of(&self, cluster: u32) -> u32 {
        self.union.iter().position(|&c| c == cluster).map_or(0, |k| self.places[k] as u32)
    }

    pub(super) fn next_scan(&mut self, scans: usize) {
        self.scan += 1;
        std::mem::swap(&mut self.sums, &mut self.next);
        std::mem::swap(&mut self.sizes, &mut self.next_sizes);
        for sums in &mut self.next {
            sums.counts.fill(0.0);
            sums.totals.fill(0.0);
        }
        self.next_sizes.fill(0.0);
        if self.scan == scans {
            let least = std::env::var("LEAST").map_or(20.0, |x| x.parse().unwrap());
            self.alive = (0..self.sizes.len() as u32).filter(|&j| j == 0 || self.sizes[j as usize] >= least).collect();
        }
    }
}
