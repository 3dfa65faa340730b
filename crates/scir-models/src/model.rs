//! What a model is: blocks of simplexes, and a latent step that turns a minibatch into counts.

use crate::error::Result;
use scir_core::{Prior, Purpose, Simplex, StreamRng, Streams};
use std::ops::Range;

/// A model whose parameters are blocks of simplexes.
///
/// The model knows its **latent step**: given the parameters, how the items of a minibatch turn into counts for the
/// coordinates of its simplexes. The loop, [`Sampler`](crate::Sampler), does the rest: minibatches, scaling by N/n,
/// step sizes, moving every simplex by a transition, checks and observers. One iteration is
///
/// 1. [`prepare`](Model::prepare): once for the minibatch, alone (tables; opening sticks);
/// 2. [`latent`](Model::latent): for each part of the minibatch, in parallel; counts are added up in order;
/// 3. [`keep`](Model::keep): what the latent step found out about the items, alone (allocations);
/// 4. every simplex of every [block](Model::blocks) moves towards Dir(prior + N/n · counts);
/// 5. [`moved`](Model::moved): what is drawn given the moved simplexes (a concentration α, allocations).
///
/// The state holds parameters, never data and never a random generator: all numbers are drawn from [`At`].
pub trait Model: Sync {
    /// What a minibatch is.
    type Batch: Items + Sync;
    /// What is worked out once for a minibatch and shared by its parts.
    type Prepared: Sync;
    /// What the latent step finds out about a part of the minibatch, besides counts.
    type Latent: Send;

    /// Gets ready for a minibatch. May change the number of simplexes.
    fn prepare(&mut self, batch: &Self::Batch, at: At) -> Result<Self::Prepared>;

    /// The latent step for the items `part` of the minibatch: adds their expected counts, unscaled.
    ///
    /// Random numbers for item i come from `at.rng(…, i)`, so that they do not depend on how the minibatch is cut.
    fn latent(
        &self,
        prepared: &Self::Prepared,
        batch: &Self::Batch,
        part: Range<usize>,
        at: At,
        counts: &mut Counts,
    ) -> Result<Self::Latent>;

    /// Takes over what the latent step found out, the parts in order.
    fn keep(&mut self, _batch: &Self::Batch, _latent: Vec<Self::Latent>, _at: At) -> Result<()> {
        Ok(())
    }

    /// The blocks that are to be moved, always in the same order.
    fn blocks(&mut self) -> Vec<Block<'_>>;

    /// Draws what is no simplex, after every block has moved.
    fn moved(&mut self, _batch: &Self::Batch, _at: At) -> Result<()> {
        Ok(())
    }
}

/// Simplexes that are moved alike.
#[derive(Debug)]
pub struct Block<'a> {
    /// A name for messages; it also names the random numbers that move the block.
    pub name: &'static str,
    /// The simplexes.
    pub simplexes: &'a mut [Simplex],
    /// Their Dirichlet priors.
    pub priors: Priors<'a>,
    /// Counts that the model knows besides those of the minibatch.
    pub known: Option<Known<'a>>,
}

impl<'a> Block<'a> {
    /// A block whose counts come from the minibatch alone.
    pub fn new(name: &'static str, simplexes: &'a mut [Simplex], priors: Priors<'a>) -> Self {
        Self { name, simplexes, priors, known: None }
    }

    /// The same block, with counts that are known.
    pub fn knowing(self, known: Option<Known<'a>>) -> Self {
        Self { known, ..self }
    }
}

/// Counts of the whole data that a model remembers: the base of control variates. The estimate of a coordinate is
/// N̂ = `factor` · `counts` + (N/n) · what the minibatch adds, and what it adds may then be negative: the difference between
/// what its items contribute now and what they contributed to `counts`. An estimate below 0 is taken as 0.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// One for each coordinate of each simplex of the block, one simplex after the other.
    pub counts: &'a [f64],
    /// What they are multiplied by: 1, unless only a part of the data is remembered.
    pub factor: f64,
}

/// The priors of a block.
#[derive(Debug, Clone)]
pub enum Priors<'a> {
    /// The same for every simplex.
    Shared(Prior<'a>),
    /// One for each simplex.
    Each(Vec<Prior<'a>>),
}

impl<'a> Priors<'a> {
    /// The prior of simplex `k`.
    pub fn of(&self, k: usize) -> Prior<'a> {
        match self {
            Self::Shared(prior) => *prior,
            Self::Each(priors) => priors[k],
        }
    }
}

/// Something with a number of items: a minibatch.
pub trait Items {
    /// How many.
    fn items(&self) -> usize;

    /// How many tokens they have together, where an item has more than one. Only for showing.
    fn tokens(&self) -> u64 {
        self.items() as u64
    }
}

impl Items for scir_data::Corpus {
    fn items(&self) -> usize {
        self.len()
    }

    fn tokens(&self) -> u64 {
        scir_data::Corpus::tokens(self)
    }
}

impl Items for scir_data::Minibatch {
    fn items(&self) -> usize {
        self.documents.len()
    }

    fn tokens(&self) -> u64 {
        self.documents.tokens()
    }
}

impl<T> Items for Vec<T> {
    fn items(&self) -> usize {
        self.len()
    }
}

/// Where in a run something happens, and the random numbers of that place.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// The streams of the run.
    pub streams: Streams,
    /// The iteration, counted from 0.
    pub iteration: u64,
}

impl At {
    /// The generator for one purpose and one index (an item, a simplex) of this iteration.
    pub fn rng(&self, purpose: Purpose, index: u64) -> StreamRng {
        self.streams.rng(purpose, self.iteration, index)
    }
}

/// Counts for some coordinates of the blocks: what a part of a minibatch contributes.
///
/// Contributions are sparse and additive; the loop adds them up in the order in which they were made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    pub(crate) entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) block: u32,
    pub(crate) simplex: u32,
    pub(crate) coordinate: u32,
    pub(crate) count: f64,
}

impl Counts {
    /// Adds `count` for a coordinate of a simplex of a block.
    #[inline]
    pub fn add(&mut self, block: u32, simplex: u32, coordinate: u32, count: f64) {
        self.entries.push(Entry { block, simplex, coordinate, count });
    }
}
