//! The minibatched slice sampler: one iteration of a Dirichlet-process mixture.

use super::atoms::{AtomCounts, Atoms, Batch};
use super::settings::Alpha;
use super::weights::{Weights, ln_parts};
use super::{ALPHA, DpMixture, FIRST, SLICE, STICKS, UNSEEN};
use crate::error::{Error, Result};
use crate::model::{At, Block, Counts, Items, Model, Priors};
use crate::parallel;
use scir_core::rand::RngExt;
use scir_core::{Cir, Prior, StreamRng};
use std::ops::Range;

/// The random numbers of item `i` of the minibatch. The first makes the slice variable, which is drawn twice from the
/// same numbers rather than kept: a huge minibatch then needs no memory for them.
fn ln_slice(at: At, i: usize, ln_weight: f64) -> (f64, StreamRng) {
    let mut rng = at.rng(SLICE, i as u64);
    // From the open interval (0, 1): a slice of nothing would ask for infinitely many clusters.
    let u = ((rng.random::<u64>() >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64);
    (ln_weight + u.ln(), rng)
}

impl<A: Atoms> DpMixture<A> {
    /// α given the sticks, with a gamma prior: Gamma(b₁ + Z*, b₂ − Σ_{j<Z*} ln(1 − v_j)).
    fn draw_alpha(&mut self, at: At) -> Result<()> {
        if let Alpha::Gamma { shape, rate } = self.settings.alpha {
            let ln_left: f64 = self.sticks.iter().map(|stick| ln_parts(stick)[1]).sum();
            let law = Cir::targeting(shape + self.sticks.len() as f64, rate - ln_left)?.stationary();
            // A draw of exactly 0 is a rounding, and no concentration.
            self.stick_prior[1] = law.sample(&mut at.rng(ALPHA, 0)).max(f64::MIN_POSITIVE);
        }
        Ok(())
    }

    /// Opens clusters from the prior until what is left of the stick is below every slice variable.
    fn open_clusters(&mut self, batch: &A::Batch, at: At) -> Result<Weights> {
        let mut weights = Weights::new(&self.sticks);
        let least = parallel::map(parallel::parts(batch.items()), |part| {
            let ln_u = |i| ln_slice(at, i, weights.ln[self.clusters[batch.position(i)] as usize]).0;
            Ok(part.map(ln_u).fold(f64::INFINITY, f64::min))
        })?;
        let least = least.into_iter().fold(f64::INFINITY, f64::min);
        while weights.ln_left >= least {
            if self.sticks.len() >= self.settings.most {
                return Err(Error::TooManyClusters {
                    iteration: at.iteration,
                    most: self.settings.most,
                    alpha: self.alpha(),
                    ln_left: weights.ln_left,
                    ln_slice: least,
                });
            }
            self.open_cluster(at.streams, at.iteration)?;
            weights.push(&self.sticks[self.sticks.len() - 1]);
        }
        Ok(weights)
    }

    /// The first clusters of items, given the instantiated ones: P(z = j | x) ∝ ω_j f(x | θ_j).
    fn allocate_unseen(&mut self, batch: &A::Batch, unseen: &[usize], at: At) -> Result<()> {
        if unseen.is_empty() {
            return Ok(());
        }
        let draw = |k: usize, joint: &[f64], _| choose(joint, at.rng(FIRST, unseen[k] as u64).random());
        let found = self.joint(unseen.len(), |k| batch.item(unseen[k]), draw)?;
        for (&i, cluster) in unseen.iter().zip(found) {
            let kept = &mut self.clusters[batch.position(i)];
            // A minibatch with replacement may have it twice.
            if *kept == UNSEEN {
                *kept = cluster as u32;
                self.sizes[cluster] += 1;
            }
        }
        Ok(())
    }

    /// The clusters of the items of the minibatch, each among those heavier than its slice variable.
    fn draw_clusters(&self, batch: &A::Batch, weights: &Weights, at: At) -> Result<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.sticks.len() as u32).collect();
        order.sort_by(|&a, &b| weights.ln[b as usize].total_cmp(&weights.ln[a as usize]));
        let ln_weights: Vec<f64> = order.iter().map(|&j| weights.ln[j as usize]).collect();
        let table = self.atoms.table(&order)?;
        let found = parallel::map(parallel::parts(batch.items()), |part| {
            let mut densities = vec![0.0; order.len()];
            let draw = |i| {
                let own = self.clusters[batch.position(i)] as usize;
                let (ln_u, mut rng) = ln_slice(at, i, weights.ln[own]);
                let heavier = ln_weights.partition_point(|&ln| ln >= ln_u);
                let densities = &mut densities[..heavier];
                self.atoms.densities(&table, batch.item(i), densities);
                order[choose(densities, rng.random())]
            };
            Ok(part.map(draw).collect::<Vec<u32>>())
        })?;
        Ok(found.concat())
    }
}

impl<A: Atoms> Model for DpMixture<A> {
    type Batch = A::Batch;
    type Prepared = ();
    type Latent = ();

    fn prepare(&mut self, batch: &A::Batch, at: At) -> Result<()> {
        let mut unseen = Vec::new();
        for i in 0..batch.items() {
            let (position, items) = (batch.position(i), self.clusters.len());
            if position >= items {
                return Err(Error::Position { position, items });
            }
            self.atoms.check(batch.item(i))?;
            if self.clusters[position] == UNSEEN {
                unseen.push(i);
            }
        }
        self.allocate_unseen(batch, &unseen, at)
    }

    /// Counts what the items contribute to the clusters that they are in.
    fn latent(
        &self,
        (): &(),
        batch: &A::Batch,
        part: Range<usize>,
        _at: At,
        counts: &mut Counts,
    ) -> Result<()> {
        let cluster = |i: u32| self.clusters[batch.position(i as usize)];
        // Cluster by cluster, so that atoms can add up what belongs together.
        let mut members: Vec<u32> = (part.start as u32..part.end as u32).collect();
        members.sort_by_key(|&i| cluster(i));
        let mut sizes = vec![0u32; members.last().map_or(0, |&i| cluster(i) as usize + 1)];
        for members in members.chunk_by(|&a, &b| cluster(a) == cluster(b)) {
            let cluster = cluster(members[0]);
            sizes[cluster as usize] = members.len() as u32;
            self.atoms.count(batch, members, cluster, &mut AtomCounts(counts));
        }
        count_sticks(&sizes, counts);
        Ok(())
    }

    fn keep(&mut self, batch: &A::Batch, _: Vec<()>, at: At) -> Result<()> {
        let clusters: Vec<u32> = (0..batch.items()).map(|i| self.clusters[batch.position(i)]).collect();
        let scale = self.clusters.len() as f64 / batch.items() as f64;
        self.atoms.settle(batch, &clusters, scale, at)
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        let priors = Priors::Shared(Prior::Each(&self.stick_prior));
        let sticks = Block { name: "dp: sticks", simplexes: &mut self.sticks, priors };
        std::iter::once(sticks).chain(self.atoms.block()).collect()
    }

    fn moved(&mut self, batch: &A::Batch, at: At) -> Result<()> {
        self.draw_alpha(at)?;
        let weights = self.open_clusters(batch, at)?;
        let found = self.draw_clusters(batch, &weights, at)?;
        self.sizes.resize(self.sticks.len(), 0);
        for (i, cluster) in found.into_iter().enumerate() {
            let kept = &mut self.clusters[batch.position(i)];
            self.sizes[*kept as usize] -= 1;
            self.sizes[cluster as usize] += 1;
            *kept = cluster;
        }
        self.drop_unused();
        Ok(())
    }
}

/// The place at `u` ∈ [0, 1) of the law ∝ `densities`.
fn choose(densities: &[f64], u: f64) -> usize {
    let mut left = u * densities.iter().sum::<f64>();
    for (place, density) in densities.iter().enumerate() {
        left -= density;
        if left < 0.0 {
            return place;
        }
    }
    // Rounding has taken the draw to the very end, where the last density that is not 0 is meant.
    densities.iter().rposition(|&density| density > 0.0).unwrap_or(0)
}

/// For stick j the items in cluster j on the one side, and those in clusters after it on the other.
fn count_sticks(sizes: &[u32], counts: &mut Counts) {
    let mut after = 0;
    for (j, &size) in sizes.iter().enumerate().rev() {
        counts.add(STICKS, j as u32, 0, f64::from(size));
        counts.add(STICKS, j as u32, 1, f64::from(after));
        after += size;
    }
}
