//! Control variates: a model that remembers what each item contributed last, and so estimates counts with less noise.
//!
//! # The estimate
//!
//! The minibatch estimate of the counts of the data, (N/n) Σ_{i∈S} z_i, has variance (N²/n) Var_i(z_i): it is noisy because
//! items differ. If g_i is what item i contributed when it was last seen, and G = Σ_i g_i, then
//!
//! ```text
//! N̂ = G + (N/n) Σ_{i∈S} (z_i − g_i)
//! ```
//!
//! has the same mean, for any g, and the variance (N²/n) Var_i(z_i − g_i): what is left is how much contributions *change*
//! between two visits ([`theory::control_variate_variance`](scir_core::theory::control_variate_variance)). Where nothing is
//! latent, as in [`Categorical`](crate::Categorical), z_i never changes, and after one pass the estimate is exact.
//!
//! **Unseen items.** An item that is not remembered is taken to contribute the mean G/R of the R that are. Then Σ_i g_i is
//! (N/R) G, and the u items of S that are not remembered take u G/R off the difference:
//!
//! ```text
//! N̂ = (N/R) G (1 − u/n) + (N/n) (Σ_{i∈S} z_i − Σ_{i∈S remembered} g_i).
//! ```
//!
//! With u = n, as in all of a first pass, this is the plain minibatch estimate; with R = N it is the one above. It is
//! unbiased in between, because the g_i are fixed before S is drawn.
//!
//! **Weight.** The difference may be given less weight than N/n:
//!
//! ```text
//! N̂ = (N/R) G (1 − w u/n) + w (N/n) (Σ_{i∈S} z_i − Σ_{i∈S remembered} g_i),      n/(R + u) ≤ w ≤ 1.
//! ```
//!
//! w = 1 is the unbiased estimate (SAGA, in the words of stochastic optimisation). It may fall below 0, and is then taken as 0:
//! a bias upwards, most of all for words that are in few documents. At the other end, w = n/(R + u), it is
//!
//! ```text
//! N̂ = N/(R + u) · ( G + Σ_{i∈S} z_i − Σ_{i∈S remembered} g_i ),
//! ```
//!
//! the contributions of all items as they were last seen (SAG). It is never negative. It is not unbiased for the counts
//! *given the parameters as they are now*, for other items are from some time ago; but it need not be: if the latent step gives
//! one draw of the latent variables of an item (for LDA, `burn_in = sweeps − 1`), then after the first pass G is simply the
//! counts of the current latent variables of all the data, and moving the parameters by an exact transition given these is
//! **Gibbs sampling**, a few items at a time, at any step size and with no minibatch noise at all. With expected counts
//! in the place of draws, the parameters vary a little less than they should.
//!
//! [`CvSettings::weight`] is the weight w, raised to its least value where that is larger: 0 asks for the smooth end, 1 for the
//! unbiased one. Smooth estimates are the nearest to the truth once topics have settled, and the slowest until then, because
//! it takes a pass to forget what was remembered of a worse model. On articles of Wikipedia weight 1
//! was the best averaged over draws, weights below 1 in single draws, and the default is ½.
//!
//! # What it costs
//!
//! Memory for each item: eight bytes for each coordinate that it contributes to, and sixteen. It is bounded by
//! [`CvSettings::most_bytes`]: when there is no room, items are not remembered, and count as unseen. Two numbers more for each
//! coordinate of the model. Time: little beside a latent step that samples; but estimates are no longer 0 for most coordinates,
//! and those that are not 0 take longer to move.
//!
//! Contributions are remembered, and used, as multiples of 2⁻¹⁶, in f32. All sums of them are then exact in f64 (below 10¹¹), so
//! that G is always the sum of what is remembered, to the last bit: nothing drifts, and the order of adding does not matter.

mod memory;
mod model;
#[cfg(feature = "serde")]
mod written;

pub use model::Numbered;

use crate::error::{Error, Result, check};
use crate::model::{Block, Model};
use memory::Memory;
use std::ops::Range;

/// How contributions are remembered. Plain data, checked when a model is made.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct CvSettings {
    /// The weight w of the difference that a minibatch makes, in [0, 1]: 1 is unbiased, 0 the smoothest.
    pub weight: f64,
    /// The most memory, in bytes, for what is remembered of items.
    pub most_bytes: usize,
}

/// Half of the way, in a gigabyte.
impl Default for CvSettings {
    fn default() -> Self {
        Self { weight: 0.5, most_bytes: 1 << 30 }
    }
}

/// A model with control variates: the same model, with estimates of counts that remember what each item contributed last.
///
/// It goes around any [`Model`] whose blocks keep their shape. Minibatches say which items of the data they have
/// ([`Numbered`]); those of `scir_data` are turned into it by `into()`.
///
/// ```
/// use scir_core::{Scir, StepSize};
/// use scir_data::{BatchOrder, Batching, Corpus, Document};
/// use scir_models::{ControlVariates, CvSettings, Error, Lda, LdaSettings, Sampler};
/// # fn main() -> Result<(), Error> {
/// let documents = (0..200u32).map(|d| Ok(Document::from_tokens((0..20).map(|i| (d % 2) * 5 + (d + i * i) % 5).collect())));
/// let corpus = Corpus::collect(documents)?;
/// let lda = Lda::new(LdaSettings { topics: 2, ..LdaSettings::default() }, corpus.words(), 1)?;
/// let mut model = ControlVariates::new(lda, corpus.len(), CvSettings::default())?;
///
/// let mut sampler = Sampler::new(Scir, StepSize::constant(0.5)?, corpus.len(), 1)?;
/// let batches = Batching { size: 20, order: BatchOrder::Shuffled, ..Batching::default() }.over(&corpus)?;
/// let batches = batches.starting_at(0).take(30).map(|batch| Ok::<_, Error>(batch.into()));
/// sampler.run(&mut model, batches, &mut [])?;
/// assert_eq!(model.remembered(), 200);
/// println!("{:?} in {} bytes", model.inner().top_words(5)?, model.bytes());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ControlVariates<M> {
    inner: M,
    settings: CvSettings,
    layout: Layout,
    memory: Memory,
    /// N̂ of the iteration at hand, for each coordinate of each block.
    estimate: Vec<f64>,
}

impl<M: Model> ControlVariates<M> {
    /// A model that remembers nothing yet, for data of `items` items.
    ///
    /// # Errors
    /// If a setting is refused, there are no items, or the model knows counts of the whole data already.
    pub fn new(mut inner: M, items: usize, settings: CvSettings) -> Result<Self> {
        check(items > 0, "items", items, "at least 1: the number of items in the data")?;
        let weight = settings.weight;
        check((0.0..=1.0).contains(&weight), "weight", weight, "in [0, 1]")?;
        let least = Memory::least_bytes(items);
        let expected = "at least 16 for each item of the data, and room for contributions";
        check(settings.most_bytes > least, "most_bytes", settings.most_bytes, expected)?;
        let layout = Layout::of(&inner.blocks())?;
        let (memory, estimate) = (Memory::new(items, layout.coordinates()), vec![0.0; layout.coordinates()]);
        Ok(Self { inner, settings, layout, memory, estimate })
    }

    /// The model inside.
    pub fn inner(&self) -> &M {
        &self.inner
    }

    /// The model inside, without the memory.
    pub fn into_inner(self) -> M {
        self.inner
    }

    /// The settings.
    pub fn settings(&self) -> &CvSettings {
        &self.settings
    }

    /// The number N of items of the data.
    pub fn items(&self) -> usize {
        self.memory.items()
    }

    /// How many of them are remembered.
    pub fn remembered(&self) -> usize {
        self.memory.remembered()
    }

    /// The memory, in bytes, that is used for them.
    pub fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// The estimate N̂ of the last iteration for each coordinate of block `block`, one simplex after the other. It is the
    /// estimate as it came out: what is below 0 is taken as 0 by the loop.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn estimate(&self, block: usize) -> &[f64] {
        &self.estimate[self.layout.block(block)]
    }
}

/// Equal in model, settings and memory: the last estimate belongs to an iteration that is over.
impl<M: PartialEq> PartialEq for ControlVariates<M> {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner && self.settings == other.settings && self.memory == other.memory
    }
}

/// Where the coordinates of the blocks lie in one row of numbers.
#[derive(Debug, Clone, PartialEq)]
struct Layout {
    /// Where each simplex starts, and the end of the last, for each block.
    starts: Vec<Vec<usize>>,
}

impl Layout {
    fn of(blocks: &[Block<'_>]) -> Result<Self> {
        let mut end = 0;
        let mut starts = Vec::with_capacity(blocks.len());
        for block in blocks {
            if block.known.is_some() {
                return Err(Error::KnowsAlready { block: block.name });
            }
            let mut ends = vec![end];
            for simplex in block.simplexes.iter() {
                end += simplex.len();
                ends.push(end);
            }
            starts.push(ends);
        }
        check(end < u32::MAX as usize, "coordinates", end, "fewer than 2^32 - 1 in all blocks together")?;
        Ok(Self { starts })
    }

    /// The number of coordinates of all blocks.
    fn coordinates(&self) -> usize {
        self.starts.last().map_or(0, |starts| starts[starts.len() - 1])
    }

    fn block(&self, block: usize) -> Range<usize> {
        let starts = &self.starts[block];
        starts[0]..starts[starts.len() - 1]
    }

    /// The number of a coordinate, if there is one.
    fn key(&self, block: u32, simplex: u32, coordinate: u32) -> Option<u32> {
        let starts = self.starts.get(block as usize)?;
        let (start, end) = (starts.get(simplex as usize)?, starts.get(simplex as usize + 1)?);
        let key = start + coordinate as usize;
        // Below u32::MAX, because all of them are.
        (key < *end).then_some(key as u32)
    }
}
