//! The counts of a whole minibatch, one number for each coordinate of each simplex.

use crate::error::{Error, Result};
use crate::model::{Block, Counts, Entry};
use scir_core::{Simplex, scale_counts};

/// Counts in the shape of the blocks. The memory is used again in the next iteration.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    blocks: Vec<Total>,
}

#[derive(Debug, Clone, Default)]
struct Total {
    counts: Vec<f64>,
    /// Where each simplex starts, and the end.
    starts: Vec<usize>,
}

impl Total {
    /// All zero, in the shape of `simplexes`.
    fn reset(&mut self, simplexes: &[Simplex]) {
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        self.starts.extend(simplexes.iter().map(|simplex| {
            end += simplex.len();
            end
        }));
        self.counts.clear();
        self.counts.resize(end, 0.0);
    }

    fn position(&self, entry: &Entry) -> Option<usize> {
        let simplex = entry.simplex as usize;
        let position = self.starts.get(simplex)? + entry.coordinate as usize;
        (position < *self.starts.get(simplex + 1)?).then_some(position)
    }
}

impl Totals {
    /// Adds up the counts of the parts, in order.
    pub(super) fn add_up(&mut self, blocks: &[Block<'_>], parts: &[Counts]) -> Result<()> {
        self.blocks.resize_with(blocks.len(), Total::default);
        self.blocks.iter_mut().zip(blocks).for_each(|(total, block)| total.reset(block.simplexes));
        for entry in parts.iter().flat_map(|part| &part.entries) {
            let total = self.blocks.get_mut(entry.block as usize);
            let place = total.and_then(|total| {
                let position = total.position(entry)?;
                Some(&mut total.counts[position])
            });
            *place.ok_or(Error::NoSuchCoordinate {
                block: entry.block as usize,
                simplex: entry.simplex as usize,
                coordinate: entry.coordinate as usize,
            })? += entry.count;
        }
        Ok(())
    }

    /// From the minibatch to the population, with what the model knows. Tells how many estimates were below 0.
    pub(super) fn scale(&mut self, batch: usize, population: usize, blocks: &[Block<'_>]) -> Result<usize> {
        let mut clamped = 0;
        for (b, (total, block)) in self.blocks.iter_mut().zip(blocks).enumerate() {
            scale_counts(&mut total.counts, batch, population)?;
            if let Some(known) = block.known {
                if known.counts.len() != total.counts.len() {
                    return Err(Error::KnownCounts {
                        block: b,
                        given: known.counts.len(),
                        expected: total.counts.len(),
                    });
                }
                for (total, count) in total.counts.iter_mut().zip(known.counts) {
                    *total += known.factor * count;
                    if *total < 0.0 {
                        *total = 0.0;
                        clamped += 1;
                    }
                }
            }
        }
        Ok(clamped)
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The counts of simplex `k` of block `b`.
    pub(super) fn of(&self, b: usize, k: usize) -> &[f64] {
        let total = &self.blocks[b];
        &total.counts[total.starts[k]..total.starts[k + 1]]
    }
}
