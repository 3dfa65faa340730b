//! One run of one method from one seed: iterations, and the score on the way.

use super::Plan;
use super::released::ReleasedIndexing;
use super::users::Users;
use anyhow::{Context, Result};
use scir_core::{Method, StepSize};
use scir_data::{BatchOrder, Batching, Minibatch, Minibatches};
use scir_eval::LogPredictive;
use scir_models::dp::{Atoms, Estimator, MoveCounts, Moves, Multinomials};
use scir_models::{DpMixture, DpSettings, Sampler};
use std::fmt;
use std::time::Instant;

/// A method with its settings: a row of Table 3, or a variant of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// The name in tables.
    pub(crate) name: &'static str,
    pub(crate) method: Method,
    pub(crate) h_theta: f64,
    pub(crate) h_dp: f64,
    /// The parameter a of the base measure.
    pub(crate) base: f64,
    /// The initial number of clusters.
    pub(crate) initial: usize,
    pub(crate) kind: Kind,
}

/// What is special about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing: minibatches, parameters started at the prior's scale.
    Plain,
    /// The same, with the variance of minibatches taken out.
    Matched,
    /// Parameters are drawn given all users once before the run begins, so that their scale is that of the counts.
    CountScale,
    /// All users in every minibatch: with exact draws, Gibbs.
    AllUsers,
    /// With the mistake of the released code.
    Released,
    /// Exact counts by control variates: minibatches that go through the users, or all of them at a time.
    Exact {
        /// How many users in a minibatch: one of so many parts of the data.
        part_of_users: usize,
        /// With splits and merges.
        splits: bool,
    },
}

impl Row {
    pub(crate) const SCIR: Self = Self {
        name: "scir",
        method: Method::Scir,
        h_theta: 0.1,
        h_dp: 0.1,
        base: 0.5,
        initial: 20,
        kind: Kind::Plain,
    };
    pub(crate) const SGRLD: Self = Self {
        name: "sgrld",
        method: Method::Sgrld,
        h_theta: 0.001,
        h_dp: 0.005,
        base: 0.001,
        initial: 30,
        kind: Kind::Plain,
    };
    pub(crate) const GIBBS: Self = Self {
        name: "gibbs",
        method: Method::Exact,
        h_theta: f64::INFINITY,
        h_dp: f64::INFINITY,
        kind: Kind::AllUsers,
        ..Self::SCIR
    };

    /// SCIR with exact counts. Any step is exact then, and an infinite one forgets the most.
    const CV: Self = Self {
        name: "scir-cv",
        h_theta: f64::INFINITY,
        h_dp: f64::INFINITY,
        kind: Kind::Exact { part_of_users: 4, splits: false },
        ..Self::SCIR
    };
    const CV_MOVES: Self = Self { kind: Kind::Exact { part_of_users: 4, splits: true }, ..Self::CV };
    const GIBBS_MOVES: Self =
        Self { kind: Kind::Exact { part_of_users: 1, splits: true }, method: Method::Exact, ..Self::CV };

    /// From few clusters and from many, with and without moves: not in the paper.
    pub(crate) const STARTS: [Self; 11] = [
        Self { name: "gibbs-from-1", initial: 1, ..Self::GIBBS },
        Self { name: "gibbs-from-5", initial: 5, ..Self::GIBBS },
        Self { name: "gibbs-moves-from-1", initial: 1, ..Self::GIBBS_MOVES },
        Self { name: "gibbs-moves-from-5", initial: 5, ..Self::GIBBS_MOVES },
        Self { name: "gibbs-moves-from-20", initial: 20, ..Self::GIBBS_MOVES },
        Self { name: "gibbs-moves-from-60", initial: 60, ..Self::GIBBS_MOVES },
        Self { name: "scir-cv-from-20", ..Self::CV },
        Self { name: "scir-cv-moves-from-1", initial: 1, ..Self::CV_MOVES },
        Self { name: "scir-cv-moves-from-5", initial: 5, ..Self::CV_MOVES },
        Self { name: "scir-cv-moves-from-20", initial: 20, ..Self::CV_MOVES },
        Self { name: "scir-cv-moves-from-60", initial: 60, ..Self::CV_MOVES },
    ];

    /// Variance-matched SCIR, with steps as long as noise allows and with the step of Table 3: not in the paper.
    pub(crate) const MATCHED: [Self; 2] = [
        Self {
            name: "scir-vm",
            method: Method::ScirVm,
            h_theta: f64::INFINITY,
            h_dp: f64::INFINITY,
            kind: Kind::Matched,
            ..Self::SCIR
        },
        Self {
            name: "scir-vm-scheduled",
            method: Method::ScirVmScheduled,
            kind: Kind::Matched,
            ..Self::SCIR
        },
    ];

    /// Table 3, what it becomes if SGRLD and SCIR start elsewhere, and what the released code makes of it.
    pub(crate) const TABLE: [Self; 7] = [
        Self::SCIR,
        Self::SGRLD,
        Self::GIBBS,
        Self { name: "scir-count-scale", kind: Kind::CountScale, ..Self::SCIR },
        Self { name: "sgrld-count-scale", kind: Kind::CountScale, ..Self::SGRLD },
        Self { name: "scir-released-indexing", kind: Kind::Released, ..Self::SCIR },
        Self { name: "sgrld-released-indexing", kind: Kind::Released, ..Self::SGRLD },
    ];
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { h_theta, h_dp, base, initial, .. } = self;
        if self.kind != Kind::AllUsers {
            write!(f, "h_θ = {h_theta}, h_DP = {h_dp}, ")?;
        }
        write!(f, "a = {base}, {initial} initial clusters")
    }
}

/// One line of `score.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) iteration: u64,
    /// Users that have been worked on; each as often as it was.
    pub(crate) users: u64,
    /// Sampling time.
    pub(crate) seconds: f64,
    pub(crate) score: f64,
    pub(crate) averaged: f64,
    pub(crate) clusters: usize,
    pub(crate) alpha: f64,
    /// Splits and merges so far.
    pub(crate) moves: MoveCounts,
}

/// A finished run.
pub(crate) struct Trained {
    pub(crate) row: Row,
    pub(crate) seed: u64,
    pub(crate) points: Vec<Point>,
    /// Where it ended; not kept of the mistaken ones.
    pub(crate) mixture: Option<DpMixture>,
}

/// Runs `row` from `seed`. `each` sees the mixture at every evaluation.
pub(crate) fn train(
    plan: &Plan,
    users: &Users,
    row: Row,
    seed: u64,
    each: &mut dyn FnMut(&DpMixture) -> Result<()>,
) -> Result<Trained> {
    let mut run = || -> Result<(Vec<Point>, Option<DpMixture>)> {
        let atoms = Multinomials::new(users.train.words(), row.base)?;
        if row.kind == Kind::Released {
            let atoms = ReleasedIndexing { atoms, data: users.train.clone() };
            let mut chain = Chain::new(plan, users, row, atoms, seed)?;
            return Ok((chain.run(plan.iterations(&row), users, &mut |_| Ok(()))?, None));
        }
        let mut chain = Chain::new(plan, users, row, atoms, seed)?;
        let points = chain.run(plan.iterations(&row), users, each)?;
        Ok((points, Some(chain.mixture)))
    };
    let (points, mixture) = run().with_context(|| format!("{} with seed {seed}, {row}", row.name))?;
    Ok(Trained { row, seed, points, mixture })
}

/// A mixture, and what moves it.
pub(crate) struct Chain<A> {
    pub(crate) mixture: DpMixture<A>,
    sampler: Sampler<Method>,
    batches: Minibatches,
    seconds: f64,
    users: u64,
}

impl<A: Atoms<Batch = Minibatch>> Chain<A> {
    pub(crate) fn new(plan: &Plan, users: &Users, row: Row, atoms: A, seed: u64) -> Result<Self> {
        let train = &users.train;
        let mut settings = DpSettings { initial: row.initial, ..DpSettings::default() };
        if let Kind::Exact { splits, .. } = row.kind {
            settings.counts = Estimator::ControlVariates;
            let moves = Moves { splits: 20, part: plan.part, relabel: true, ..Moves::NONE };
            settings.moves = if splits { moves } else { Moves::NONE };
        }
        let mut mixture = DpMixture::new(settings, atoms, train.len(), seed)?;
        let all = Batching { size: train.len(), order: BatchOrder::Sequential, seed, ..Batching::default() };
        if row.kind == Kind::CountScale {
            let mut once = Sampler::new(Method::Exact, StepSize::constant(1.0)?, train.len(), !seed)?;
            once.step(&mut mixture, &all.over(train)?.batch(0))?;
        }
        let steps = vec![StepSize::constant(row.h_dp)?, StepSize::constant(row.h_theta)?];
        let batching = match row.kind {
            Kind::AllUsers | Kind::Exact { part_of_users: 1, .. } => all,
            Kind::Exact { part_of_users, .. } => {
                Batching { size: train.len().div_ceil(part_of_users), order: BatchOrder::Shuffled, ..all }
            }
            _ => Batching { size: plan.batch, order: BatchOrder::WithoutReplacement, ..all },
        };
        Ok(Self {
            mixture,
            sampler: Sampler::new(row.method, steps, train.len(), seed)?,
            batches: batching.over(train)?,
            seconds: 0.0,
            users: 0,
        })
    }

    /// Runs for `iterations`, and evaluates after `every` of them.
    ///
    /// Densities are averaged over the draws since the last of an eighth, a quarter and a half of the run: draws from
    /// before the chain settled would count as much as good ones.
    pub(crate) fn run(
        &mut self,
        (iterations, every): (u64, u64),
        users: &Users,
        each: &mut dyn FnMut(&DpMixture<A>) -> Result<()>,
    ) -> Result<Vec<Point>> {
        let mut predictive = LogPredictive::new(users.test.len())?;
        let mut points = Vec::new();
        for iteration in 1..=iterations {
            crate::interrupt::check()?;
            let started = Instant::now();
            let batch = self.batches.batch(self.sampler.iteration());
            self.users += self.sampler.step(&mut self.mixture, &batch)?.items as u64;
            self.seconds += started.elapsed().as_secs_f64();
            if !iteration.is_multiple_of(every) {
                continue;
            }
            let settled = |part: u64| iteration > iterations / part && iteration - every <= iterations / part;
            if [8, 4, 2].into_iter().any(settled) {
                predictive = LogPredictive::new(users.test.len())?;
            }
            predictive.push(&self.mixture.ln_predictive(users.test.docs())?)?;
            each(&self.mixture)?;
            points.push(Point {
                iteration,
                users: self.users,
                seconds: self.seconds,
                score: predictive.last(),
                averaged: predictive.averaged(),
                clusters: self.mixture.occupied(),
                alpha: self.mixture.alpha(),
                moves: self.mixture.moves(),
            });
        }
        Ok(points)
    }
}
