//! Which cluster is at which stick: dealt anew, or swapped in pairs.

use crate::dp::DpMixture;
use crate::dp::atoms::Atoms;
use crate::dp::memory::stick_counts;
use crate::dp::weights::{Weights, ln_parts};
use crate::error::{Error, Result};
use crate::model::At;
use scir_core::Purpose;
use scir_core::rand::RngExt;

const DEAL: Purpose = Purpose::new("dp: clusters to sticks");
const STICK: Purpose = Purpose::new("dp: stick given items");
const EMPTY: Purpose = Purpose::new("dp: atom of an empty stick");
const REDRAW: Purpose = Purpose::new("dp: atom given items");
const SWAP: Purpose = Purpose::new("dp: swaps");

impl<A: Atoms> DpMixture<A> {
    /// Deals the clusters to the sticks from their law given who is with whom, and draws all sticks given that.
    ///
    /// With the sticks integrated out and S_j = Σ_{l>j} m_l,
    ///
    /// ```text
    /// p(z | α) = Π_{j≤Z*} α Γ(1+m_j) Γ(α+S_j) / Γ(1+α+m_j+S_j)
    /// ```
    ///
    /// A factor with m_j = 0 is α/(α+S_j). Any other is m_j/(α+m_j+S_j) times α Γ(m_j) Γ(α+S_j) / Γ(α+m_j+S_j), and what is
    /// behind 'times' multiplies to the Chinese restaurant's law of the partition, α^K Π Γ(m) Γ(α)/Γ(α+N), in any order. So
    /// given the partition, with n items in the clusters that have no stick yet, the next stick is empty with
    /// probability α/(α+n), and has cluster c with probability m_c/(α+n).
    pub(super) fn relabel(&mut self, at: At) -> Result<()> {
        let mut rng = at.rng(DEAL, 0);
        let mut waiting: Vec<u32> =
            (0..self.sizes.len() as u32).filter(|&cluster| self.sizes[cluster as usize] > 0).collect();
        let mut left: usize = self.sizes.iter().sum();
        let mut dealt = Vec::with_capacity(self.order.len());
        while left > 0 {
            let u: f64 = rng.random::<f64>() * (self.alpha() + left as f64);
            let mut u = u - self.alpha();
            if u < 0.0 {
                dealt.push(None);
                if dealt.len() > self.settings.most {
                    return Err(Error::TooManyClusters {
                        iteration: at.iteration,
                        most: self.settings.most,
                        alpha: self.alpha(),
                        ln_left: 0.0,
                        ln_slice: 0.0,
                    });
                }
                continue;
            }
            let place = waiting.iter().position(|&cluster| {
                u -= self.sizes[cluster as usize] as f64;
                u < 0.0
            });
            let cluster = waiting.swap_remove(place.unwrap_or(waiting.len() - 1));
            left -= self.sizes[cluster as usize];
            dealt.push(Some(cluster));
        }
        self.moves.relabels += 1;
        self.set_order(&dealt, at)
    }

    /// Puts clusters to sticks, empty ones where there is none, and draws all sticks given the items at them.
    fn set_order(&mut self, dealt: &[Option<u32>], at: At) -> Result<()> {
        if dealt.is_empty() {
            return Ok(());
        }
        self.order = dealt.iter().copied().flatten().collect();
        let mut order = Vec::with_capacity(dealt.len());
        for (j, cluster) in (0..).zip(dealt) {
            order.push(match cluster {
                Some(cluster) => *cluster,
                None => {
                    let empty = self.open_atom(&mut at.rng(EMPTY, j))?;
                    self.order.push(empty);
                    empty
                }
            });
        }
        self.order = order;
        let counts: Vec<[f64; 2]> = stick_counts(&self.order, &self.sizes).collect();
        let sticks = (0..).zip(counts).map(|(j, counts)| self.draw_stick(counts, &mut at.rng(STICK, j)));
        self.sticks = sticks.collect::<Result<_>>()?;
        self.drop_unused();
        Ok(())
    }

    /// Draws the atom of a cluster given its items, if it has any.
    pub(super) fn redraw_atom(&mut self, cluster: u32, at: At) -> Result<()> {
        let Some(memory) = &self.memory else { return Ok(()) };
        match memory.sums.get(cluster as usize) {
            Some(sums) if self.sizes[cluster as usize] > 0 => {
                self.atoms.redraw(cluster as usize, sums, &mut at.rng(REDRAW, cluster.into()))
            }
            _ => Ok(()),
        }
    }

    /// The two swaps of Papaspiliopoulos & Roberts (2008), each for `pairs` pairs of sticks:
    ///
    /// - the clusters at sticks j and l, both with items: accepted with probability min(1, (ω_j/ω_l)^{m_l − m_j});
    /// - neighbours j and j+1 together with v_j and v_{j+1}: min(1, (1 − v_{j+1})^{m_j} / (1 − v_j)^{m_{j+1}}).
    ///
    /// The last stick keeps having items: to swap it with an empty one would change how many sticks there are to choose from.
    pub(super) fn swap(&mut self, pairs: usize, at: At) {
        if pairs == 0 || self.order.len() < 2 {
            return;
        }
        let mut rng = at.rng(SWAP, 0);
        for _ in 0..pairs {
            let occupied: Vec<usize> = (0..self.order.len()).filter(|&j| self.items_at(j) > 0.0).collect();
            let pick = |u: f64, of: usize| ((u * of as f64) as usize).min(of - 1);
            let [j, l] = [rng.random(), rng.random()].map(|u| occupied[pick(u, occupied.len())]);
            let Weights { ln, .. } = Weights::new(&self.sticks);
            let ratio = (ln[j] - ln[l]) * (self.items_at(l) - self.items_at(j));
            self.moves.swaps += 2;
            if j != l && rng.random::<f64>().ln() < ratio {
                self.order.swap(j, l);
                self.moves.swaps_accepted += 1;
            }
            let j = pick(rng.random(), self.order.len() - 1);
            let [ln_rest, ln_rest_next] = [j, j + 1].map(|j| ln_parts(&self.sticks[j])[1]);
            let ratio = ln_rest_next * self.items_at(j) - ln_rest * self.items_at(j + 1);
            let keeps_the_last = j + 2 < self.order.len() || self.items_at(j) > 0.0;
            if keeps_the_last && rng.random::<f64>().ln() < ratio {
                self.order.swap(j, j + 1);
                self.sticks.swap(j, j + 1);
                self.moves.swaps_accepted += 1;
            }
        }
    }

    /// How many items are at stick j.
    fn items_at(&self, j: usize) -> f64 {
        self.sizes[self.order[j] as usize] as f64
    }
}
