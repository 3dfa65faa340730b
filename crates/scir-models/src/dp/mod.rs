//! Dirichlet-process mixtures: clusters from items, and how many of them.
//!
//! ```text
//! sticks:   v_j ~ Beta(1, α),  ω_j = v_j Π_{l<j} (1 − v_l)      j = 1, 2, …
//! atoms:    θ_j ~ G₀                                            the base measure, Dir(a) for multinomials
//! item i:   z_i ~ ω,  x_i ~ f(· | θ_{z_i})
//! ```
//!
//! | algorithm | how | data | exact? |
//! |---|---|---|---|
//! | minibatched slice sampler with any [`Transition`](scir_core::Transition) | [`DpMixture`] under a [`Sampler`](crate::Sampler) | minibatches | as the transition and the minibatch are |
//! | the same with control variates | [`Estimator::ControlVariates`] | minibatches | yes with SCIR and [`Exact`](scir_core::Exact), once every item has been seen |
//! | slice sampler (Walker 2007; Papaspiliopoulos & Roberts 2008; Kalli, Griffin & Walker 2011) | [`Exact`](scir_core::Exact), and all items in every minibatch | whole | yes |
//! | any of the last two with splits and merges, swaps and new labels | [`Moves`] | as theirs | yes |
//!
//! There is no truncation: slice variables u_i ~ U(0, ω_{z_i}) leave each item finitely many clusters to choose from, and as
//! many are opened, from the prior, as the smallest slice variable asks for. One iteration, with a minibatch S of n of the N
//! items, is
//!
//! 1. sticks and atoms move, towards Beta(1 + m̂_j, α + Σ_{l>j} m̂_l) and G₀ with the counts of the cluster, where m̂_j and the
//!    counts are those of the items of S that are in cluster j, times N/n;
//! 2. α | v ~ Gamma(b₁ + Z*, b₂ − Σ_{j≤Z*} ln(1 − v_j)) (in the manner of Escobar & West 1995), if it has a prior;
//! 3. u_i for i ∈ S; clusters are opened until 1 − Σω is below all of them;
//! 4. z_i for i ∈ S, with probability ∝ 1(ω_j > u_i) f(x_i | θ_j);
//! 5. clusters after the last one that has an item of the data, Z*, are dropped.
//!
//! The order matters. Allocations are drawn after the counts have been taken, so that the counts are those of a random
//! subset of all allocations, and unbiased for them. Counting what was drawn in the same iteration makes atoms follow
//! their own noise, N/n times enlarged: on MS-web the score is then worse by 0.02.
//!
//! An iteration costs time for its n items and the instantiated clusters, whatever the number of items in the data.
//!
//! At a finite step h with counts from minibatches, also a full minibatch is not exact to the letter: the sum of the gammas that a
//! stick or an atom is made of still has the scale of earlier counts and an earlier α, and catches up within 1/h iterations.
//!
//! # Control variates
//!
//! The cluster of every item is known, so what the items of a cluster add up to can be known too: it is remembered, and an item
//! that changes its cluster takes its own along, in time for the n items of a minibatch. Counts are then exact, whatever the
//! minibatch, as soon as every item has been in one; before, those that have not are taken to be like the mean of those that
//! have. Scales are drawn anew given the counts, and with that a step of SCIR of any size h leaves the law of
//! sticks, atoms and α given z as it is: the sampler is a Gibbs sampler that goes through the items in minibatches, and
//! exact. h = ∞ forgets the most and is the step to take. SGRLD gets the same counts, but stays as inexact as it is.
//!
//! # Moves
//!
//! A sampler that allocates single items does not leave a state in which clusters are missing: a new cluster has an atom
//! from the base measure, and until it has many items it explains none of them better. [`Moves`] change many items at a time:
//!
//! - *splits and merges*, of clusters whose items need not be in one minibatch: they are worked out over some passes over the
//!   data, so that minibatches suffice (acceptance ratio and proof are at the top of `moves/split.rs`);
//! - *swaps* of the clusters at two sticks (Papaspiliopoulos & Roberts 2008), and *new labels* for all clusters, drawn from their
//!   law given who is with whom.
//!
//! Clusters keep their numbers when they change sticks ([`DpMixture::order`]), so that no item is rewritten for it.

mod atoms;
mod clusters;
mod collapsed;
mod held_out;
mod memory;
mod moves;
mod multinomials;
mod order;
mod predict;
mod scale;
mod settings;
mod slice;
mod table;
mod weights;

pub use atoms::{AtomCounts, Atoms, Batch, Sums};
pub use clusters::Cluster;
pub use held_out::HeldOutPredictive;
pub use moves::MoveCounts;
pub use multinomials::Multinomials;
pub use settings::{Alpha, DpSettings, Estimator, Moves, Start};
pub use table::Table;

use crate::error::{Result, check};
use memory::Memory;
use scir_core::rand::RngExt;
use scir_core::{Purpose, Simplex, Streams};
use weights::Weights;

/// The cluster of an item that has not been in a minibatch yet, under [`Start::OnSight`].
pub const UNSEEN: u32 = u32::MAX;

const START: Purpose = Purpose::new("dp: first clusters");
const OPEN_STICK: Purpose = Purpose::new("dp: open stick");
const OPEN_ATOM: Purpose = Purpose::new("dp: open atom");
const FIRST: Purpose = Purpose::new("dp: first cluster of an item");
const SLICE: Purpose = Purpose::new("dp: slice and cluster of an item");
const ALPHA: Purpose = Purpose::new("dp: alpha");
const SCALE: Purpose = Purpose::new("dp: scale");
/// The blocks of this model, and so the order of its step sizes.
const STICKS: u32 = 0;
const ATOMS: u32 = 1;

/// A Dirichlet-process mixture whose sticks and atoms a [`Sampler`](crate::Sampler) moves.
///
/// The state is α, a stick and an atom for each instantiated cluster, and the cluster of each item of the data; never the
/// data. Its blocks are the sticks and then the atoms, so that step sizes of their own are given in that order.
///
/// ```
/// use scir_core::{Scir, StepSize};
/// use scir_data::{BatchOrder, Batching, Corpus, Document};
/// use scir_models::{DpMixture, DpSettings, Sampler, dp::Multinomials};
/// // 300 users, who visit the pages 0 to 4 or the pages 5 to 9.
/// let users = (0..300u32).map(|i| Ok(Document::from_tokens((0..4).map(|k| i % 2 * 5 + (i + k * k) % 5).collect())));
/// let users = Corpus::collect(users)?;
/// let atoms = Multinomials::new(users.words(), 0.5)?;
/// let mut mixture = DpMixture::new(DpSettings::default(), atoms, users.len(), 1)?;
/// let mut sampler = Sampler::new(Scir, StepSize::constant(0.2)?, users.len(), 1)?;
/// let batching = Batching { size: 100, order: BatchOrder::WithoutReplacement, ..Batching::default() };
/// let batches = batching.over(&users)?.starting_at(0).take(300);
/// sampler.run(&mut mixture, batches.map(Ok::<_, scir_models::Error>), &mut [])?;
/// let z = mixture.allocations();
/// assert!((0..300).step_by(2).all(|i| z[i] != z[i + 1]), "no cluster has users of both kinds");
/// # Ok::<(), scir_models::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "State<A>", into = "State<A>"))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "A: Atoms + Clone + serde::Serialize",
        deserialize = "A: Atoms + serde::Deserialize<'de>"
    ))
)]
pub struct DpMixture<A = Multinomials> {
    settings: DpSettings,
    /// 1 and α: the prior of a stick.
    stick_prior: [f64; 2],
    /// Of two gammas each: v and 1 − v, not normalised.
    sticks: Vec<Simplex>,
    /// The cluster at each stick.
    order: Vec<u32>,
    /// Of each cluster by its number; there may be some that are at no stick, and mean nothing.
    atoms: A,
    /// z of every item of the data.
    clusters: Vec<u32>,
    /// How many items each cluster has, kept up to date so that no iteration looks at all items.
    sizes: Vec<usize>,
    /// What they add up to, with control variates.
    memory: Option<Memory>,
    moves: MoveCounts,
    /// Splits and merges that are being worked out.
    phase: Option<moves::Phase>,
    /// How many items are to be worked on before the next ones.
    rest: u64,
}

impl<A: Atoms> DpMixture<A> {
    /// A mixture for data of `items` items, with the `initial` clusters of the settings: all of the same weight, with atoms
    /// from the base measure. Atoms that `atoms` has already are forgotten.
    ///
    /// # Errors
    /// If a setting is refused, or there are no items.
    pub fn new(settings: DpSettings, mut atoms: A, items: usize, seed: u64) -> Result<Self> {
        settings.check()?;
        check(items > 0, "items", items, "at least 1")?;
        let (streams, initial) = (Streams::new(seed), settings.initial as u32);
        let clusters: Vec<u32> = match settings.start {
            Start::Dealt => {
                (0..items as u64).map(|i| streams.rng(START, 0, i).random_range(0..initial)).collect()
            }
            Start::OnSight => vec![UNSEEN; items],
        };
        let alpha = settings.alpha.start();
        // The mean of the sticks given one item in each cluster, at the prior's scale 1 + α: ω_j = 1/(K + α).
        let stick = |j: usize| {
            let v = 1.0 / ((settings.initial - j) as f64 + alpha);
            Simplex::new(vec![(1.0 + alpha) * v, (1.0 + alpha) * (1.0 - v)])
        };
        let sticks = (0..settings.initial).map(stick).collect::<Result<_, _>>()?;
        atoms.truncate(0);
        for j in 0..u64::from(initial) {
            atoms.open(&mut streams.rng(OPEN_ATOM, 0, j))?;
        }
        Self::with_state(settings, alpha, sticks, atoms, clusters)
    }

    /// A mixture in a given state: α, sticks (v and 1 − v, not normalised), atoms, and the cluster of each item
    /// ([`UNSEEN`] if it has none yet).
    ///
    /// # Errors
    /// If a setting is refused, α is not positive, there are no items, or an item is in a cluster that is not there.
    pub fn with_state(
        settings: DpSettings,
        alpha: f64,
        sticks: Vec<Simplex>,
        atoms: A,
        clusters: Vec<u32>,
    ) -> Result<Self> {
        check(sticks.len() == atoms.clusters(), "sticks", sticks.len(), "as many as there are atoms")?;
        let order = (0..sticks.len() as u32).collect();
        let memory = match settings.counts {
            Estimator::Minibatch => None,
            Estimator::ControlVariates => Some(Memory::new(&atoms, clusters.len())?),
        };
        let (moves, phase) = (MoveCounts::default(), None);
        let parts = Parts { alpha, sticks, order, atoms, clusters, memory, moves, phase, rest: 0 };
        parts.mixture(settings)
    }

    /// The settings.
    pub fn settings(&self) -> &DpSettings {
        &self.settings
    }

    /// The concentration α.
    pub fn alpha(&self) -> f64 {
        self.stick_prior[1]
    }

    /// The sticks v_j, as they are broken one after the other: two coordinates each, v_j and 1 − v_j, not normalised.
    pub fn sticks(&self) -> &[Simplex] {
        &self.sticks
    }

    /// The number of the cluster at each stick. It is that of the stick itself unless [`Moves`] have changed it.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// How many moves were proposed and how many accepted, since the mixture was made. Saved with it.
    pub fn moves(&self) -> MoveCounts {
        self.moves
    }

    /// What the items of each cluster add up to, with [`Estimator::ControlVariates`]: those that have been in a minibatch.
    pub fn sums(&self) -> Option<&[Sums]> {
        self.memory.as_ref().map(|memory| &memory.sums[..])
    }

    /// The atoms of the instantiated clusters.
    pub fn atoms(&self) -> &A {
        &self.atoms
    }

    /// The cluster z of each item of the data; [`UNSEEN`] for one that has not been in a minibatch yet.
    pub fn allocations(&self) -> &[u32] {
        &self.clusters
    }

    /// How many items of the data each instantiated cluster has; 0 for a cluster that lost its items before those that
    /// come after it.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// How many clusters have items.
    pub fn occupied(&self) -> usize {
        self.sizes.iter().filter(|&&size| size > 0).count()
    }

    /// The weights ω of the instantiated clusters, divided by their sum (what is left of the stick is not counted).
    pub fn weights(&self) -> Vec<f64> {
        self.ln_weights().into_iter().map(f64::exp).collect()
    }

    /// Their logarithms.
    fn ln_weights(&self) -> Vec<f64> {
        let Weights { mut ln, .. } = self.cluster_weights();
        let ln_sum = predict::ln_sum_exp(&ln);
        ln.iter_mut().for_each(|ln| *ln -= ln_sum);
        ln
    }
}

fn sizes(clusters: &[u32], number: usize) -> Vec<usize> {
    let mut sizes = vec![0; number];
    clusters.iter().filter(|&&cluster| cluster != UNSEEN).for_each(|&cluster| sizes[cluster as usize] += 1);
    sizes
}

/// All of a mixture but its settings, and what follows from the rest.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Parts<A> {
    alpha: f64,
    sticks: Vec<Simplex>,
    order: Vec<u32>,
    atoms: A,
    clusters: Vec<u32>,
    memory: Option<Memory>,
    moves: MoveCounts,
    phase: Option<moves::Phase>,
    rest: u64,
}

impl<A: Atoms> Parts<A> {
    /// The only way to a mixture: nothing that is not checked here.
    fn mixture(self, settings: DpSettings) -> Result<DpMixture<A>> {
        let Self { alpha, sticks, order, atoms, clusters, memory, moves, phase, rest } = self;
        settings.check()?;
        check(alpha > 0.0 && alpha < f64::INFINITY, "alpha", alpha, "finite and greater than 0")?;
        check(!clusters.is_empty(), "items", 0, "at least 1")?;
        check(sticks.iter().all(|stick| stick.len() == 2), "sticks", "a stick", "of two parts each")?;
        check(!sticks.is_empty(), "sticks", 0, "at least 1")?;
        let unknown = |&&cluster: &&u32| cluster as usize >= atoms.clusters() && cluster != UNSEEN;
        if let Some(cluster) = clusters.iter().find(unknown) {
            check(false, "cluster", cluster, "below the number of sticks")?;
        }
        let sizes = sizes(&clusters, atoms.clusters());
        order::check_order(&order, sticks.len(), &sizes)?;
        let stick_prior = [1.0, alpha];
        Ok(DpMixture {
            settings,
            stick_prior,
            sticks,
            order,
            atoms,
            clusters,
            sizes,
            memory,
            moves,
            phase,
            rest,
        })
    }
}

/// How a mixture is written down; checked again when it is read.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct State<A> {
    settings: DpSettings,
    parts: Parts<A>,
}

#[cfg(feature = "serde")]
impl<A: Atoms> TryFrom<State<A>> for DpMixture<A> {
    type Error = crate::Error;
    fn try_from(state: State<A>) -> Result<Self> {
        let State { settings, parts } = state;
        let remembers = settings.counts == Estimator::ControlVariates;
        check(
            parts.memory.is_some() == remembers,
            "counts",
            "a state",
            "with sums if, and only if, they are kept",
        )?;
        if let Some(memory) = &parts.memory {
            memory.check(&parts.atoms, parts.clusters.len())?;
        }
        let mixture = parts.mixture(settings)?;
        if let Some(phase) = &mixture.phase {
            phase.check(&mixture.sizes, mixture.clusters.len())?;
        }
        Ok(mixture)
    }
}

#[cfg(feature = "serde")]
impl<A> From<DpMixture<A>> for State<A> {
    fn from(mixture: DpMixture<A>) -> Self {
        let DpMixture {
            settings,
            stick_prior: [_, alpha],
            sticks,
            order,
            atoms,
            clusters,
            memory,
            moves,
            phase,
            rest,
            ..
        } = mixture;
        let parts = Parts { alpha, sticks, order, atoms, clusters, memory, moves, phase, rest };
        Self { settings, parts }
    }
}
