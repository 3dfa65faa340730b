//! One run of one method from one seed: updates or sweeps, and the perplexity on the way.

use super::Plan;
use super::corpus::Documents;
use super::describe::{self, Topic};
use anyhow::{Context, Result};
use scir_core::{Method, StepSize};
use scir_data::{BatchOrder, Batching, Completion, Minibatches};
use scir_models::lda::HeldOutPerplexity;
use scir_models::{CollapsedLda, Lda, LdaSettings, Sampler};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Instant;

/// A method with its settings: a row of Table 2, or what was found by searching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) kind: Kind,
    /// Whether the settings were searched for, and are not those of the paper.
    pub(crate) tuned: bool,
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Stochastic gradients, h_m = h (1 + m/τ)^{−κ}.
    Online { method: Method, h: f64, tau: f64, kappa: f64 },
    /// Collapsed Gibbs on all documents.
    Collapsed,
}

impl Row {
    /// Table 2 of the paper.
    pub(crate) const TABLE: [Self; 3] = [
        Self::online(Method::Scir, 0.5, 10.0, 0.33, 0.1, 0.5),
        Self::online(Method::Sgrld, 0.01, 1000.0, 0.6, 0.01, 0.0001),
        Self { kind: Kind::Collapsed, tuned: false, alpha: 0.1, beta: 0.5 },
    ];

    pub(crate) const fn online(method: Method, h: f64, tau: f64, kappa: f64, alpha: f64, beta: f64) -> Self {
        Self { kind: Kind::Online { method, h, tau, kappa }, tuned: false, alpha, beta }
    }

    /// h, τ, κ, α, β; without step sizes the first three are 0.
    pub(crate) fn numbers(&self) -> [f64; 5] {
        let (h, tau, kappa) = match self.kind {
            Kind::Online { h, tau, kappa, .. } => (h, tau, kappa),
            Kind::Collapsed => (0.0, 0.0, 0.0),
        };
        [h, tau, kappa, self.alpha, self.beta]
    }

    /// The name in tables.
    pub(crate) fn name(&self) -> &'static str {
        match (self.kind, self.tuned) {
            (Kind::Online { method, .. }, false) => method.name(),
            (Kind::Online { method: Method::Sgrld, .. }, true) => "sgrld-tuned",
            (Kind::Online { .. }, true) => "scir-tuned",
            (Kind::Collapsed, false) => "gibbs",
            (Kind::Collapsed, true) => "gibbs-tuned",
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Kind::Online { h, tau, kappa, .. } = self.kind {
            write!(f, "h = {h}, τ = {tau}, κ = {kappa}, ")?;
        }
        write!(f, "α = {}, β = {}", self.alpha, self.beta)
    }
}

/// One line of `perplexity.csv`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Updates, or sweeps of collapsed Gibbs.
    pub(crate) update: u64,
    /// Documents that have been worked on; each as often as it was.
    pub(crate) documents: u64,
    /// Sampling time.
    pub(crate) seconds: f64,
    pub(crate) averaged: f64,
    pub(crate) draw: f64,
}

/// A finished run.
pub(crate) struct Trained {
    pub(crate) row: Row,
    pub(crate) seed: u64,
    pub(crate) points: Vec<Point>,
    /// What it found; only of the first seed.
    pub(crate) topics: Option<Vec<Topic>>,
}

/// Runs `row` from `seed`, calling `each` after every evaluation.
pub(crate) fn train(
    plan: &Plan,
    documents: &Documents,
    row: Row,
    seed: u64,
    each: &dyn Fn(&Point),
) -> Result<Trained> {
    let run = || {
        let parts = documents.test.complete(Completion::default())?;
        let evaluator = HeldOutPerplexity::new(parts, seed)?.with_gibbs(plan.evaluation)?;
        match row.kind {
            Kind::Online { .. } => online(plan, documents, row, seed, evaluator, each),
            Kind::Collapsed => collapsed(plan, documents, row, seed, evaluator, each),
        }
    };
    let (points, model) = run().with_context(|| format!("{} with seed {seed}, {row}", row.name()))?;
    let topics = (seed == 1).then(|| describe::topics(documents, &model, seed)).transpose()?;
    Ok(Trained { row, seed, points, topics })
}

pub(crate) fn settings(plan: &Plan, row: &Row) -> LdaSettings {
    LdaSettings { topics: plan.topics, alpha: row.alpha.into(), beta: row.beta.into(), gibbs: plan.gibbs }
}

/// A sampler, its model, and the batches in an order of the seed's own.
pub(crate) struct Online {
    pub(crate) sampler: Sampler<Method>,
    pub(crate) model: Lda,
    batches: Minibatches,
}

impl Online {
    pub(crate) fn new(plan: &Plan, documents: &Documents, row: Row, seed: u64) -> Result<Self> {
        let Kind::Online { method, h, tau, kappa } = row.kind else {
            unreachable!("collapsed Gibbs has no step sizes")
        };
        let steps = StepSize::decreasing(h, tau, kappa)?;
        let batching =
            Batching { size: plan.batch, order: BatchOrder::Shuffled, seed, ..Batching::default() };
        Ok(Self {
            sampler: Sampler::new(method, steps, documents.train.len(), seed)?,
            model: Lda::new(settings(plan, &row), documents.train.words(), seed)?,
            batches: batching.over(&documents.train)?,
        })
    }

    /// One update; how many documents it took.
    pub(crate) fn update(&mut self) -> Result<usize> {
        let batch = self.batches.batch(self.sampler.iteration());
        let step = self.sampler.step(&mut self.model, &batch.documents)?;
        Ok(step.items)
    }
}

fn online(
    plan: &Plan,
    documents: &Documents,
    row: Row,
    seed: u64,
    mut evaluator: HeldOutPerplexity,
    each: &dyn Fn(&Point),
) -> Result<(Vec<Point>, Lda)> {
    let mut online = Online::new(plan, documents, row, seed)?;
    let (mut points, mut clock) = (Vec::new(), Clock::default());
    for update in 1..=plan.updates {
        clock.documents += clock.timed(|| online.update())? as u64;
        if update.is_multiple_of(plan.every) {
            points.push(clock.point(update, &mut evaluator, &online.model)?);
            points.last().into_iter().for_each(each);
        }
    }
    Ok((points, online.model))
}

fn collapsed(
    plan: &Plan,
    documents: &Documents,
    row: Row,
    seed: u64,
    mut evaluator: HeldOutPerplexity,
    each: &dyn Fn(&Point),
) -> Result<(Vec<Point>, Lda)> {
    let mut clock = Clock::default();
    let mut sampler =
        clock.timed(|| CollapsedLda::new(settings(plan, &row), &documents.train, plan.parts, seed))?;
    let mut points = Vec::new();
    for sweep in 1..=plan.collapsed_sweeps {
        clock.timed(|| sampler.sweep())?;
        clock.documents += documents.train.len() as u64;
        if sweep.is_multiple_of(plan.every) {
            points.push(clock.point(sweep, &mut evaluator, &sampler.model()?)?);
            points.last().into_iter().for_each(each);
        }
    }
    Ok((points, sampler.model()?))
}

/// Sampling time, and the documents worked on in it.
#[derive(Default)]
struct Clock {
    seconds: f64,
    documents: u64,
}

impl Clock {
    fn timed<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = work();
        self.seconds += started.elapsed().as_secs_f64();
        done
    }

    fn point(&self, update: u64, evaluator: &mut HeldOutPerplexity, model: &Lda) -> Result<Point> {
        let value = evaluator.evaluate(model)?;
        let (documents, seconds) = (self.documents, self.seconds);
        Ok(Point { update, documents, seconds, averaged: value.averaged, draw: value.draw })
    }
}
