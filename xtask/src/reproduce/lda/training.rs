//! One run of one method from one seed: updates or sweeps, and the perplexity on the way.

use super::Plan;
use super::corpus::Documents;
use super::describe::{self, Topic};
use crate::interrupt::interrupted;
use crate::reproduce::finished::Saved;
use anyhow::{Context, Result, anyhow, bail};
use scir_core::{Method, StepSize};
use scir_data::{BatchOrder, Batching, Completion, Minibatches};
use scir_models::checkpoint::Snapshot;
use scir_models::lda::{CollapsedState, HeldOutPerplexity};
use scir_models::observe::Measure;
use scir_models::{CollapsedLda, ControlVariates, CvSettings, Lda, LdaSettings, Sampler, Step};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, Instant};

/// A method with its settings: a row of Table 2, or what was found by searching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// The name in tables.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
    /// With control variates, the weight of what a minibatch changes.
    pub(crate) remembering: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Stochastic gradients, h_m = h (1 + m/τ)^{−κ}.
    Online { method: Method, h: f64, tau: f64, kappa: f64 },
    /// Collapsed Gibbs on all documents, evaluated at the mean of φ given the topics of all tokens, or at draws of φ.
    Collapsed { drawn: bool },
}

impl Row {
    const SCIR: Self = Self::online(Method::Scir, 0.5, 10.0, 0.33, 0.1, 0.5);

    /// Table 2 of the paper.
    pub(crate) const TABLE: [Self; 3] = [
        Self::SCIR,
        Self::online(Method::Sgrld, 0.01, 1000.0, 0.6, 0.01, 0.0001),
        Self {
            name: "gibbs",
            kind: Kind::Collapsed { drawn: false },
            alpha: 0.1,
            beta: 0.5,
            remembering: None,
        },
    ];

    /// Not in the paper: variance-matched SCIR at the settings of Table 2, and both with steps that get shorter faster.
    pub(crate) const MATCHED: [Self; 3] = [
        Self { name: "scir-vm", ..Self::online(Method::ScirVmScheduled, 0.5, 10.0, 0.33, 0.1, 0.5) },
        Self { name: "scir-fast", ..Self::online(Method::Scir, 0.5, 10.0, 0.6, 0.1, 0.5) },
        Self { name: "scir-vm-fast", ..Self::online(Method::ScirVmScheduled, 0.5, 10.0, 0.6, 0.1, 0.5) },
    ];

    /// Ten times the step.
    const LONG: Self = Self::online(Method::Scir, 5.0, 10.0, 0.33, 0.1, 0.5);

    /// Not in the paper: many passes over few documents, with control variates and without.
    pub(crate) const PASSES: [Self; 9] = [
        Self::SCIR,
        Self { name: "scir-cv", remembering: Some(0.5), ..Self::SCIR },
        Self { name: "scir-cv-unbiased", remembering: Some(1.0), ..Self::SCIR },
        Self { name: "scir-cv-smooth", remembering: Some(0.0), ..Self::SCIR },
        Self { name: "scir-vm-cv", remembering: Some(0.5), ..Self::MATCHED[0] },
        Self { name: "scir-long-steps", ..Self::LONG },
        Self { name: "scir-cv-long-steps", remembering: Some(0.5), ..Self::LONG },
        Self { name: "gibbs-drawn", kind: Kind::Collapsed { drawn: true }, ..Self::TABLE[2] },
        Self::TABLE[2],
    ];

    /// A row that has the name of its method.
    pub(crate) const fn online(method: Method, h: f64, tau: f64, kappa: f64, alpha: f64, beta: f64) -> Self {
        Self {
            name: method.name(),
            kind: Kind::Online { method, h, tau, kappa },
            alpha,
            beta,
            remembering: None,
        }
    }

    pub(crate) fn is_online(&self) -> bool {
        matches!(self.kind, Kind::Online { .. })
    }

    /// h, τ, κ, α, β; without step sizes the first three are 0.
    pub(crate) fn numbers(&self) -> [f64; 5] {
        let (h, tau, kappa) = match self.kind {
            Kind::Online { h, tau, kappa, .. } => (h, tau, kappa),
            Kind::Collapsed { .. } => (0.0, 0.0, 0.0),
        };
        [h, tau, kappa, self.alpha, self.beta]
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Kind::Online { h, tau, kappa, .. } = self.kind {
            write!(f, "h = {h}, τ = {tau}, κ = {kappa}, ")?;
        }
        write!(f, "α = {}, β = {}", self.alpha, self.beta)?;
        if self.kind == (Kind::Collapsed { drawn: true }) {
            write!(f, ", at draws of φ")?;
        }
        self.remembering.map_or(Ok(()), |weight| write!(f, ", weight {weight} of what changes"))
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
    /// What is remembered of documents, in bytes.
    pub(crate) bytes: u64,
    /// Which share of the counts of the last update was below 0, and taken as 0.
    pub(crate) below_zero: f64,
}

/// A finished run.
pub(crate) struct Trained {
    pub(crate) row: Row,
    pub(crate) seed: u64,
    pub(crate) points: Vec<Point>,
    /// What it found; only of the first seed.
    pub(crate) topics: Option<Vec<Topic>>,
}

/// Runs `row` from `seed`, calling `each` after every evaluation. What is in `saved` from an earlier start is gone on with.
pub(crate) fn train(
    plan: &Plan,
    documents: &Documents,
    row: Row,
    seed: u64,
    saved: &Saved,
    each: &dyn Fn(&Point),
) -> Result<Trained> {
    let run = || {
        let parts = documents.test.complete(Completion::default())?;
        let evaluator = HeldOutPerplexity::new(parts, seed)?.with_gibbs(plan.evaluation)?;
        run(plan, documents, row, seed, evaluator, saved, each)
    };
    let (points, model) = run().with_context(|| format!("{} with seed {seed}, {row}", row.name))?;
    let topics = (seed == 1).then(|| describe::topics(documents, &model, seed)).transpose()?;
    Ok(Trained { row, seed, points, topics })
}

pub(crate) fn settings(plan: &Plan, row: &Row) -> LdaSettings {
    LdaSettings { topics: plan.topics, alpha: row.alpha.into(), beta: row.beta.into(), gibbs: plan.gibbs }
}

/// A sampler, its model, and the batches in an order of the seed's own.
pub(crate) struct Online {
    pub(crate) sampler: Sampler<Method>,
    learner: Learner,
    batches: Minibatches,
}

/// LDA, or LDA that remembers what each document contributed last.
#[derive(Serialize, Deserialize)]
enum Learner {
    Plain(Lda),
    Remembering(ControlVariates<Lda>),
}

impl Online {
    pub(crate) fn new(plan: &Plan, documents: &Documents, row: Row, seed: u64) -> Result<Self> {
        let Kind::Online { method, h, tau, kappa } = row.kind else {
            unreachable!("collapsed Gibbs has no step sizes")
        };
        let steps = StepSize::decreasing(h, tau, kappa)?;
        let batching =
            Batching { size: plan.batch, order: BatchOrder::Shuffled, seed, ..Batching::default() };
        let lda = Lda::new(settings(plan, &row), documents.train.words(), seed)?;
        let learner = match row.remembering {
            None => Learner::Plain(lda),
            Some(weight) => {
                let settings = CvSettings { weight, ..CvSettings::default() };
                Learner::Remembering(ControlVariates::new(lda, documents.train.len(), settings)?)
            }
        };
        Ok(Self {
            sampler: Sampler::new(method, steps, documents.train.len(), seed)?,
            learner,
            batches: batching.over(&documents.train)?,
        })
    }

    pub(crate) fn model(&self) -> &Lda {
        match &self.learner {
            Learner::Plain(lda) => lda,
            Learner::Remembering(model) => model.inner(),
        }
    }

    /// One update.
    pub(crate) fn update(&mut self) -> Result<Step> {
        let batch = self.batches.batch(self.sampler.iteration());
        Ok(match &mut self.learner {
            Learner::Plain(lda) => self.sampler.step(lda, &batch.documents)?,
            Learner::Remembering(model) => self.sampler.step(model, &batch.into())?,
        })
    }

    /// What is remembered, in bytes.
    fn bytes(&self) -> u64 {
        match &self.learner {
            Learner::Plain(_) => 0,
            Learner::Remembering(model) => model.bytes() as u64,
        }
    }
}

/// Either kind of run, under way.
enum Chain {
    Online(Box<Online>),
    Collapsed { sampler: Box<CollapsedLda>, documents: usize, drawn: bool },
}

/// What an update or a sweep took, and what became of it.
struct Advanced {
    documents: usize,
    bytes: u64,
    below_zero: f64,
}

impl Chain {
    fn new(plan: &Plan, documents: &Documents, row: Row, seed: u64) -> Result<Self> {
        let Kind::Collapsed { drawn } = row.kind else {
            return Ok(Self::Online(Box::new(Online::new(plan, documents, row, seed)?)));
        };
        let sampler = CollapsedLda::new(settings(plan, &row), &documents.train, plan.parts, seed)?;
        Ok(Self::Collapsed { sampler: Box::new(sampler), documents: documents.train.len(), drawn })
    }

    /// The same from what was saved of it.
    fn resumed(self, snapshot: &Snapshot, documents: &Documents) -> Result<Self> {
        Ok(match self {
            Self::Online(mut online) => {
                online.learner = snapshot.get(MODEL)?;
                online.sampler = online.sampler.starting_at(snapshot.iteration());
                Self::Online(online)
            }
            Self::Collapsed { documents: number, drawn, .. } => {
                let sampler = snapshot.get::<CollapsedState>(MODEL)?.resume(&documents.train)?;
                Self::Collapsed { sampler: Box::new(sampler), documents: number, drawn }
            }
        })
    }

    /// Updates, or sweeps, so far.
    fn done(&self) -> u64 {
        match self {
            Self::Online(online) => online.sampler.iteration(),
            Self::Collapsed { sampler, .. } => sampler.sweeps(),
        }
    }

    /// One update or sweep.
    fn advance(&mut self) -> Result<Advanced> {
        Ok(match self {
            Self::Online(online) => {
                let step = online.update()?;
                let lda = online.model();
                let all = (lda.topics().len() * lda.words()) as f64;
                let below_zero = step.clamped as f64 / all;
                Advanced { documents: step.items, bytes: online.bytes(), below_zero }
            }
            Self::Collapsed { sampler, documents, .. } => {
                sampler.sweep()?;
                Advanced { documents: *documents, bytes: 0, below_zero: 0.0 }
            }
        })
    }

    fn model(&self) -> Result<Cow<'_, Lda>> {
        Ok(match self {
            Self::Online(online) => Cow::Borrowed(online.model()),
            Self::Collapsed { sampler, drawn: true, .. } => Cow::Owned(sampler.draw()?),
            Self::Collapsed { sampler, drawn: false, .. } => Cow::Owned(sampler.model()?),
        })
    }

    fn save(&self, snapshot: Snapshot) -> Result<Snapshot> {
        Ok(match self {
            Self::Online(online) => snapshot.with(MODEL, &online.learner)?,
            Self::Collapsed { sampler, .. } => snapshot.with(MODEL, &**sampler)?,
        })
    }
}

const MODEL: &str = "model";
const EVALUATOR: &str = "evaluator";
const POINTS: &str = "points";
/// How often a run is saved.
const PAUSE: Duration = Duration::from_secs(20);

fn run(
    plan: &Plan,
    documents: &Documents,
    row: Row,
    seed: u64,
    mut evaluator: HeldOutPerplexity,
    saved: &Saved,
    each: &dyn Fn(&Point),
) -> Result<(Vec<Point>, Lda)> {
    let (mut points, mut clock) = (Vec::new(), Clock::default());
    let mut chain = clock.timed(|| Chain::new(plan, documents, row, seed))?;
    // One that is damaged, or of other settings, is as good as none.
    if let Ok(snapshot) = Snapshot::read_for(&saved.path, &saved.about) {
        chain = chain.resumed(&snapshot, documents)?;
        restore(&mut evaluator, &snapshot.get::<Vec<u8>>(EVALUATOR)?)?;
        (points, clock.seconds, clock.documents) = snapshot.get(POINTS)?;
        points.iter().for_each(each);
    }
    let (total, mut last_saved) = (plan.length(&row), Instant::now());
    while chain.done() < total {
        let advanced = clock.timed(|| chain.advance())?;
        clock.documents += advanced.documents as u64;
        if chain.done().is_multiple_of(plan.every) {
            let model = chain.model()?;
            points.push(clock.point(chain.done(), &advanced, &mut evaluator, &model)?);
            points.last().into_iter().for_each(each);
        }
        if interrupted() || last_saved.elapsed() > PAUSE {
            let evaluator = save(&evaluator)?;
            let snapshot = chain.save(Snapshot::new(saved.about.clone(), chain.done()))?;
            let snapshot = snapshot.with(EVALUATOR, &evaluator)?;
            snapshot.with(POINTS, &(&points, clock.seconds, clock.documents))?.write(&saved.path)?;
            last_saved = Instant::now();
        }
        if interrupted() {
            bail!("interrupted after {} of {total}; the same command goes on from here", chain.done());
        }
    }
    let model = chain.model()?.into_owned();
    Ok((points, model))
}

/// The average over evaluations, as bytes.
fn save(evaluator: &HeldOutPerplexity) -> Result<Vec<u8>> {
    Measure::<Lda>::save(evaluator).map_err(|error| anyhow!("{error}"))
}

fn restore(evaluator: &mut HeldOutPerplexity, saved: &[u8]) -> Result<()> {
    Measure::<Lda>::restore(evaluator, saved).map_err(|error| anyhow!("{error}"))
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

    fn point(
        &self,
        update: u64,
        advanced: &Advanced,
        evaluator: &mut HeldOutPerplexity,
        model: &Lda,
    ) -> Result<Point> {
        let value = evaluator.evaluate(model)?;
        Ok(Point {
            update,
            documents: self.documents,
            seconds: self.seconds,
            averaged: value.averaged,
            draw: value.draw,
            bytes: advanced.bytes,
            below_zero: advanced.below_zero,
        })
    }
}
