//! What the clusters of a mixture are made of: a trait, so that another likelihood is one implementation.

use crate::error::Result;
use crate::model::{At, Block, Counts, Items};
use scir_core::StreamRng;
use scir_data::{DocView, Minibatch};

/// A minibatch whose items are known by their positions in the data.
pub trait Batch: Items + Sync {
    /// How an item is seen.
    type Item<'a>: Copy + Send + Sync
    where
        Self: 'a;

    /// Item `i` of the minibatch.
    fn item(&self, i: usize) -> Self::Item<'_>;

    /// Where item `i` stands in the data, from 0.
    fn position(&self, i: usize) -> usize;
}

impl Batch for Minibatch {
    type Item<'a> = DocView<'a>;

    fn item(&self, i: usize) -> DocView<'_> {
        self.documents.doc(i)
    }

    fn position(&self, i: usize) -> usize {
        self.positions[i]
    }
}

/// Items as (position in the data, value).
impl<T: Copy + Send + Sync> Batch for Vec<(usize, T)> {
    type Item<'a>
        = T
    where
        T: 'a;

    fn item(&self, i: usize) -> T {
        self[i].1
    }

    fn position(&self, i: usize) -> usize {
        self[i].0
    }
}

/// The atoms θ_0, θ_1, … of a mixture, all of one kind: the parameters of every cluster that is instantiated, their base
/// measure, and the density of an item given them.
///
/// Parameters that are simplexes are moved by the loop, from the counts of [`count`](Self::count); others are drawn by
/// [`settle`](Self::settle). Both may be there. [`Multinomials`](super::Multinomials) has simplexes only; a Gaussian has
/// none, and draws its mean and variance itself.
pub trait Atoms: Sync {
    /// What a minibatch is.
    type Batch: Batch;
    /// What densities need, worked out once for many items.
    type Table: Sync;

    /// How many clusters there are.
    fn clusters(&self) -> usize;

    /// One more cluster, drawn from the base measure.
    ///
    /// # Errors
    /// Whatever the base measure refuses.
    fn open(&mut self, rng: &mut StreamRng) -> Result<()>;

    /// Forgets the clusters from number `clusters` on.
    fn truncate(&mut self, clusters: usize);

    /// Exchanges two clusters, with everything that is kept for them.
    fn swap(&mut self, a: usize, b: usize);

    /// Refuses items that are not of this kind.
    ///
    /// # Errors
    /// If they are not.
    fn check(&self, _item: <Self::Batch as Batch>::Item<'_>) -> Result<()> {
        Ok(())
    }

    /// Gets ready for densities under the clusters `order`, each once, in that order.
    ///
    /// # Errors
    /// Whatever may go wrong.
    fn table(&self, order: &[u32]) -> Result<Self::Table>;

    /// Writes the density of an item under each of the first `densities.len()` clusters of the table's order, all
    /// divided by the same number, and returns the logarithm of that number. The number is such that the largest of
    /// what is written neither underflows nor overflows.
    fn densities(
        &self,
        table: &Self::Table,
        item: <Self::Batch as Batch>::Item<'_>,
        densities: &mut [f64],
    ) -> f64;

    /// Counts what the items number `members` of the minibatch contribute to the simplexes of their `cluster`.
    fn count(&self, _batch: &Self::Batch, _members: &[u32], _cluster: u32, _counts: &mut AtomCounts<'_>) {}

    /// The simplexes of all clusters, for the loop to move; none unless this is implemented.
    fn block(&mut self) -> Option<Block<'_>> {
        None
    }

    /// Draws what is no simplex, given that item `i` of the minibatch is in cluster `clusters[i]`; each of them stands
    /// for `scale` items of the data.
    ///
    /// # Errors
    /// Whatever may go wrong.
    fn settle(&mut self, _batch: &Self::Batch, _clusters: &[u32], _scale: f64, _at: At) -> Result<()> {
        Ok(())
    }

    /// The sums of no items: their shape, for atoms whose likelihood is known by sums. Atoms that have sums implement the
    /// methods below too; those that have not (`None`, unless this is implemented) refuse control variates and splits.
    fn no_sums(&self) -> Option<Sums> {
        None
    }

    /// Adds an item to sums, `times` times: 1, −1, or its share in them.
    fn add(&self, _item: <Self::Batch as Batch>::Item<'_>, _times: f64, _sums: &mut Sums) {}

    /// ln ∫ Π_i f(x_i | θ) G₀(dθ) over the items that the sums are of.
    fn ln_marginal(&self, _sums: &Sums) -> f64 {
        0.0
    }

    /// Atoms of the same kind, one cluster for each of the sums, at the means of their laws given these.
    ///
    /// # Errors
    /// If there are no sums.
    fn means(&self, _sums: &[&Sums]) -> Result<Self>
    where
        Self: Sized,
    {
        Err(crate::Error::NoSums)
    }

    /// Draws the parameters of a cluster anew from their law given its sums.
    ///
    /// # Errors
    /// Whatever may go wrong.
    fn redraw(&mut self, _cluster: usize, _sums: &Sums, _rng: &mut StreamRng) -> Result<()> {
        Ok(())
    }
}

/// What the items of a cluster add up to: the counts of its simplexes, which are whole numbers and therefore exact.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sums {
    /// For every coordinate of the simplexes of the cluster, one simplex after the other.
    pub counts: Vec<f64>,
    /// For every simplex, the sum over its coordinates.
    pub totals: Vec<f64>,
}

impl Sums {
    /// Those of no items, for simplexes of the given lengths.
    pub fn none(lengths: &[usize]) -> Self {
        Self { counts: vec![0.0; lengths.iter().sum()], totals: vec![0.0; lengths.len()] }
    }

    /// Adds those of other items.
    pub fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, x)| *sum += x);
        self.totals.iter_mut().zip(&other.totals).for_each(|(sum, x)| *sum += x);
    }

    pub(super) fn clear(&mut self) {
        self.counts.fill(0.0);
        self.totals.fill(0.0);
    }
}

/// Where atoms count: the block of their simplexes.
#[derive(Debug)]
pub struct AtomCounts<'a>(pub(super) &'a mut Counts);

impl AtomCounts<'_> {
    /// Adds `count` for a coordinate of simplex number `simplex` of the [block](Atoms::block).
    #[inline]
    pub fn add(&mut self, simplex: u32, coordinate: u32, count: f64) {
        self.0.add(super::ATOMS, simplex, coordinate, count);
    }
}
