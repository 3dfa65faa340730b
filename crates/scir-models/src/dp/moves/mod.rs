//! Moves of many items at a time, at the end of an iteration: splits and merges, swaps, and clusters dealt to sticks anew.

mod labels;
mod proposal;
mod scan;
mod split;

pub(super) use proposal::Phase;

use super::DpMixture;
use super::atoms::Atoms;
use crate::error::Result;
use crate::model::At;

/// How many moves were tried, and how many of them succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MoveCounts {
    /// Splits that were proposed; those that turned out to be impossible on the way do not count.
    pub splits: u64,
    /// Those that were accepted.
    pub splits_accepted: u64,
    /// Merges that were proposed.
    pub merges: u64,
    /// Those that were accepted.
    pub merges_accepted: u64,
    /// Items that came into a part of a split or merge, each as often as it did, where they would otherwise have been
    /// allocated to a cluster.
    pub items: u64,
    /// Swaps that were proposed.
    pub swaps: u64,
    /// Those that were accepted.
    pub swaps_accepted: u64,
    /// How often clusters were dealt to sticks anew.
    pub relabels: u64,
}

impl<A: Atoms> DpMixture<A> {
    /// The moves that the settings ask for.
    pub(super) fn move_many(&mut self, batch: &A::Batch, at: At) -> Result<()> {
        let moves = self.settings.moves;
        let changed = self.split_and_merge(batch, at)?;
        if moves.relabel || !changed.is_empty() {
            self.relabel(at)?;
        }
        for &cluster in &changed {
            self.redraw_atom(cluster, at)?;
        }
        self.swap(moves.swaps, at);
        Ok(())
    }
}
