//! The minibatched slice sampler: one iteration of a Dirichlet-process mixture.

use super::atoms::{AtomCounts, Atoms, Batch};
use super::memory::stick_counts;
use super::settings::Alpha;
use super::weights::{Weights, ln_parts};
use super::{ALPHA, DpMixture, FIRST, SLICE, STICKS, UNSEEN};
use crate::error::{Error, Result};
use crate::model::{At, Block, Counts, Items, Model, Priors};
use crate::parallel;
use scir_core::rand::RngExt;
use scir_core::{Cir, Prior};
use std::ops::Range;

/// The random numbers of one item: its slice variable, and the uniform that chooses its cluster.
struct Slice {
    ln_u: f64,
    choice: f64,
}

impl Slice {
    /// Of an item that stays where it is.
    const HELD: Self = Self { ln_u: f64::INFINITY, choice: 0.0 };

    /// For item `i` of the minibatch, which is in a cluster of the given weight.
    fn new(at: At, i: usize, ln_weight: f64) -> Self {
        let mut rng = at.rng(SLICE, i as u64);
        // From the open interval (0, 1): a slice of nothing would ask for infinitely many clusters.
        let u = ((rng.random::<u64>() >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64);
        Self { ln_u: ln_weight + u.ln(), choice: rng.random() }
    }
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

    /// The slices of the items of the minibatch, part by part.
    fn slices(&self, batch: &A::Batch, weights: &Weights, at: At) -> Result<Vec<Vec<Slice>>> {
        let slice = |i| {
            let cluster = self.clusters[batch.position(i)];
            if self.is_held(cluster) { Slice::HELD } else { Slice::new(at, i, weights.ln[cluster as usize]) }
        };
        parallel::map(parallel::parts(batch.items()), |part| Ok(part.map(slice).collect()))
    }

    /// Opens clusters from the prior until what is left of the stick is below every slice variable.
    fn open_clusters(&mut self, weights: &mut Weights, slices: &[Vec<Slice>], at: At) -> Result<()> {
        let least = slices.iter().flatten().map(|slice| slice.ln_u).fold(f64::INFINITY, f64::min);
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
            let opened = self.order[self.order.len() - 1] as usize;
            weights.ln.resize(self.sizes.len(), f64::NEG_INFINITY);
            weights.ln[opened] = weights.extend(&self.sticks[self.sticks.len() - 1]);
        }
        Ok(())
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
    fn draw_clusters(
        &self,
        batch: &A::Batch,
        weights: &Weights,
        slices: Vec<Vec<Slice>>,
    ) -> Result<Vec<Vec<u32>>> {
        let mut order: Vec<u32> =
            self.order.iter().copied().filter(|&cluster| !self.is_held(cluster)).collect();
        order.sort_by(|&a, &b| weights.ln[b as usize].total_cmp(&weights.ln[a as usize]));
        let ln_weights: Vec<f64> = order.iter().map(|&j| weights.ln[j as usize]).collect();
        let table = self.atoms.table(&order)?;
        let parts = parallel::parts(batch.items()).into_iter().zip(slices).collect();
        parallel::map(parts, |(part, slices)| {
            let mut densities = vec![0.0; order.len()];
            let draw = |(i, Slice { ln_u, choice })| {
                if ln_u == f64::INFINITY {
                    return self.clusters[batch.position(i)];
                }
                let heavier = ln_weights.partition_point(|&ln| ln >= ln_u);
                let densities = &mut densities[..heavier];
                self.atoms.densities(&table, batch.item(i), densities);
                order[choose(densities, choice)]
            };
            Ok(part.zip(slices).map(draw).collect())
        })
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
        self.allocate_unseen(batch, &unseen, at)?;
        if let Some(memory) = &mut self.memory {
            memory.see(&self.atoms, batch, &self.clusters);
        }
        Ok(())
    }

    /// Counts what the items contribute to the clusters that they are in; with control variates that is known already.
    fn latent(
        &self,
        (): &(),
        batch: &A::Batch,
        part: Range<usize>,
        _at: At,
        counts: &mut Counts,
    ) -> Result<()> {
        if self.memory.is_some() {
            return Ok(());
        }
        let cluster = |i: u32| self.clusters[batch.position(i as usize)];
        // Cluster by cluster, so that atoms can add up what belongs together.
        let mut members: Vec<u32> = (part.start as u32..part.end as u32).collect();
        members.sort_by_key(|&i| cluster(i));
        let mut sizes = vec![0; self.sizes.len()];
        for members in members.chunk_by(|&a, &b| cluster(a) == cluster(b)) {
            let cluster = cluster(members[0]);
            sizes[cluster as usize] = members.len();
            self.atoms.count(batch, members, cluster, &mut AtomCounts(counts));
        }
        for (j, [at, after]) in (0..).zip(stick_counts(&self.order, &sizes)) {
            counts.add(STICKS, j, 0, at);
            counts.add(STICKS, j, 1, after);
        }
        Ok(())
    }

    fn keep(&mut self, batch: &A::Batch, _: Vec<()>, at: At) -> Result<()> {
        if let Some(memory) = &mut self.memory {
            memory.lay_out(&self.order, &self.sizes);
            self.refresh_scales(at)?;
        }
        let clusters: Vec<u32> = (0..batch.items()).map(|i| self.clusters[batch.position(i)]).collect();
        let scale = self.clusters.len() as f64 / batch.items() as f64;
        self.atoms.settle(batch, &clusters, scale, at)
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        let priors = Priors::Shared(Prior::Each(&self.stick_prior));
        let (items, allocated) = (self.clusters.len(), self.sizes.iter().sum());
        let [known_sticks, known_atoms] = match &self.memory {
            Some(memory) => memory.known(items, allocated).map(Some),
            None => [None, None],
        };
        let sticks = Block::new("dp: sticks", &mut self.sticks, priors).knowing(known_sticks);
        let atoms = self.atoms.block().map(|atoms| atoms.knowing(known_atoms));
        std::iter::once(sticks).chain(atoms).collect()
    }

    fn moved(&mut self, batch: &A::Batch, at: At) -> Result<()> {
        self.draw_alpha(at)?;
        let mut weights = self.cluster_weights();
        let slices = self.slices(batch, &weights, at)?;
        self.open_clusters(&mut weights, &slices, at)?;
        let found = self.draw_clusters(batch, &weights, slices)?;
        for (i, cluster) in found.into_iter().flatten().enumerate() {
            let kept = &mut self.clusters[batch.position(i)];
            self.sizes[*kept as usize] -= 1;
            self.sizes[cluster as usize] += 1;
            if let Some(memory) = &mut self.memory {
                memory.change(&self.atoms, batch.item(i), *kept, cluster);
            }
            *kept = cluster;
        }
        if let Some(memory) = &mut self.memory {
            memory.clear();
        }
        self.drop_unused();
        self.move_many(batch, at)
    }
}

/// The place at `u` ∈ [0, 1) of the law ∝ `densities`.
pub(super) fn choose(densities: &[f64], u: f64) -> usize {
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
