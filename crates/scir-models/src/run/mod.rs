//! The loop: minibatches in, every block of simplexes moved, observers told.

pub mod observe;
mod steps;
mod totals;

pub use observe::{Ended, Observer, Step};
pub use steps::Steps;

use crate::error::{Error, Result, check};
use crate::model::{At, Block, Counts, Items, Model};
use crate::parallel;
use scir_core::{Place, Purpose, Report, Streams, Target, Transition, step_block};
use std::ops::ControlFlow;
use std::time::Instant;
use totals::Totals;

/// Runs a model: owns step sizes, transition, scaling and the count of iterations.
///
/// Every random number is a function of (seed, purpose, iteration, index). So a run has the same bits at any number of
/// threads, and a run that stops and [resumes](Self::starting_at) with the same model and minibatches has the same bits
/// as one that did not stop.
#[derive(Debug, Clone)]
pub struct Sampler<T> {
    transition: T,
    steps: Steps,
    /// The number N of items in the data.
    population: usize,
    streams: Streams,
    iteration: u64,
    totals: Totals,
}

impl<T: Transition + Sync> Sampler<T> {
    /// A loop that moves by `transition` over the step sizes `steps`, for data of `population` items.
    ///
    /// ```
    /// use scir_core::{Scir, StepSize};
    /// use scir_models::Sampler;
    /// let sampler = Sampler::new(Scir, StepSize::decreasing(0.5, 10.0, 0.33)?, 100_000, 42)?;
    /// assert!(Sampler::new(Scir, StepSize::constant(0.1)?, 0, 42).is_err());
    /// # Ok::<(), scir_models::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no items.
    pub fn new(transition: T, steps: impl Into<Steps>, population: usize, seed: u64) -> Result<Self> {
        check(population > 0, "population", population, "at least 1: the number of items in the data")?;
        let (steps, streams) = (steps.into(), Streams::new(seed));
        Ok(Self { transition, steps, population, streams, iteration: 0, totals: Totals::default() })
    }

    /// The same loop, at a later iteration.
    pub fn starting_at(self, iteration: u64) -> Self {
        Self { iteration, ..self }
    }

    /// The number of the next iteration.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// The same run on data of another size, as when documents have been added.
    ///
    /// # Errors
    /// If there are no items.
    pub fn set_population(&mut self, population: usize) -> Result<()> {
        check(population > 0, "population", population, "at least 1: the number of items in the data")?;
        self.population = population;
        Ok(())
    }

    /// One iteration for each of `batches`, until they end or an observer says so.
    ///
    /// # Errors
    /// The first error of a batch, of the model or of an observer, or a coordinate that is no number any more. The model
    /// is then as the failed iteration left it.
    pub fn run<M, E>(
        &mut self,
        model: &mut M,
        batches: impl IntoIterator<Item = Result<M::Batch, E>>,
        observers: &mut [&mut dyn Observer<M>],
    ) -> Result<Ended>
    where
        M: Model,
        Error: From<E>,
    {
        for batch in batches {
            let step = self.step(model, &batch?)?;
            if tell(observers, model, &step)?.is_break() {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::OutOfBatches)
    }

    /// One iteration on one minibatch.
    ///
    /// # Errors
    /// As [`run`](Self::run); also if the minibatch has no items.
    pub fn step<M: Model>(&mut self, model: &mut M, batch: &M::Batch) -> Result<Step> {
        let at = At { streams: self.streams, iteration: self.iteration };
        let started = Instant::now();
        let counts = latent_step(model, batch, at)?;
        let sampled = Instant::now();
        let (items, tokens) = (batch.items(), batch.tokens());
        let mut step = Step { iteration: self.iteration, items, tokens, ..Step::default() };
        self.move_blocks(model, &counts, &mut step)?;
        let moved = Instant::now();
        model.moved(batch, at)?;
        (step.latent, step.moving) = ((sampled - started) + moved.elapsed(), moved - sampled);
        self.iteration += 1;
        Ok(step)
    }

    /// Moves every simplex towards Dir(prior + N/n · counts).
    fn move_blocks<M: Model>(&mut self, model: &mut M, counts: &[Counts], step: &mut Step) -> Result<()> {
        let mut blocks = model.blocks();
        self.totals.add_up(&blocks, counts)?;
        step.clamped = self.totals.scale(step.items, self.population, &blocks)?;
        for (b, block) in blocks.iter_mut().enumerate() {
            let h = self.steps.at(b, self.totals.blocks(), self.iteration)?;
            let Block { name, simplexes, priors, .. } = block;
            let place =
                Place { streams: self.streams, purpose: Purpose::new(name), iteration: self.iteration };
            let target = |k: usize| Target::new(priors.of(k), self.totals.of(b, k));
            let reports = step_block(simplexes, &self.transition, target, h, place)?;
            for (simplex, report) in reports.iter().enumerate() {
                note(report, step, name, simplex)?;
            }
        }
        Ok(())
    }
}

/// All observers see the iteration, also if one of them ends the run.
pub(crate) fn tell<M: ?Sized>(
    observers: &mut [&mut dyn Observer<M>],
    model: &M,
    step: &Step,
) -> Result<ControlFlow<()>> {
    let mut ends = ControlFlow::Continue(());
    for observer in observers {
        let flow = observer.observe(model, step);
        if flow.map_err(|source| Error::Observer { iteration: step.iteration, source })?.is_break() {
            ends = ControlFlow::Break(());
        }
    }
    Ok(ends)
}

/// The counts of every part of the minibatch, in order.
///
/// This is the reduction that a run on many machines would spread: the counts of parts are additive.
fn latent_step<M: Model>(model: &mut M, batch: &M::Batch, at: At) -> Result<Vec<Counts>> {
    let prepared = model.prepare(batch, at)?;
    let shared = &*model;
    let results = parallel::map(parallel::parts(batch.items()), |part| {
        let mut counts = Counts::default();
        let latent = shared.latent(&prepared, batch, part, at, &mut counts)?;
        Ok((counts, latent))
    })?;
    let (counts, latent) = results.into_iter().unzip();
    model.keep(batch, latent, at)?;
    Ok(counts)
}

fn note(report: &Report, step: &mut Step, block: &'static str, simplex: usize) -> Result<()> {
    if let Some(coordinate) = report.first_non_finite {
        return Err(Error::NonFinite { iteration: step.iteration, block, simplex, coordinate });
    }
    step.zeros += report.zeros;
    step.reflections += report.reflections;
    Ok(())
}
