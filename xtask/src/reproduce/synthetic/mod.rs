//! The synthetic experiment: Figures 1, 2a and 2b, and Table 1.
//!
//! Two Dirichlet posteriors of N = 1000 items in d = 10 categories with α = 0.1, sampled from minibatches drawn with
//! replacement: 1000 iterations of burn-in and 1000 kept, the distance d_KS of the kept draws from the true
//! posterior, and the best step size for each method and minibatch size by the mean over the seeds.

mod claims;
mod figures;
mod posterior;
mod sampling;
mod tables;

use super::summary::Outcome;
use super::{Run, Scale};
use anyhow::{Context, Result};
use indicatif::{ParallelProgressIterator, ProgressBar, ProgressStyle};
use posterior::Posterior;
use rayon::prelude::*;
use sampling::{Job, Sampler};
use tables::{Best, Distance};

/// How long the chains are, and over what is searched.
pub(crate) struct Plan {
    burn_in: u64,
    kept: u64,
    minibatches: &'static [usize],
    seeds: u64,
    /// Whether only every other step size is tried.
    thin: bool,
}

impl Plan {
    fn new(run: &Run<'_>) -> Self {
        let smoke = run.scale == Scale::Smoke;
        let (burn_in, kept) = if smoke { (300, 300) } else { (1000, 1000) };
        let minibatches: &[usize] = if smoke { &[10, 100] } else { &[1, 10, 50, 100, 500] };
        Self { burn_in, kept, minibatches, seeds: run.seeds, thin: smoke }
    }

    /// Every chain that has to be run: posterior × method × minibatch size × step size × seed.
    fn jobs(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for posterior in [Posterior::sparse(), Posterior::dense()] {
            for sampler in Sampler::ALL {
                let minibatches = if sampler == Sampler::Exact { &[0][..] } else { self.minibatches };
                for &n in minibatches {
                    for (index, &h) in sampler.step_sizes().iter().enumerate() {
                        if self.thin && index % 2 == 1 {
                            continue;
                        }
                        jobs.extend((1..=self.seeds).map(|seed| Job { posterior, sampler, n, h, seed }));
                    }
                }
            }
        }
        jobs
    }

    /// Runs every chain, in parallel, in the order of the jobs.
    fn distances(&self) -> Result<Vec<Distance>> {
        let jobs = self.jobs();
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} chains, {eta} left")?;
        // Drawn on the terminal only if there is one.
        let bar = ProgressBar::new(jobs.len() as u64).with_style(style).with_prefix("synthetic");
        let distances = jobs.into_par_iter().progress_with(bar.clone()).map(|job| {
            crate::interrupt::check()?;
            let dks = job.distance(self).with_context(|| job.describe())?;
            Ok(Distance { job, dks })
        });
        let distances = distances.collect();
        bar.finish_and_clear();
        distances
    }
}

/// Runs the experiment and writes its files.
pub(crate) fn run(run: &Run<'_>) -> Result<Outcome> {
    let plan = Plan::new(run);
    println!(
        "synthetic: {} chains of {} iterations, {} seeds, scale {}",
        plan.jobs().len(),
        plan.burn_in + plan.kept,
        plan.seeds,
        run.scale.name()
    );
    let distances = plan.distances()?;
    let best = Best::choose(Best::of_steps(&distances));
    let boxes = sampling::boxes(&plan, &best)?;
    let bias = sampling::bias(&plan)?;
    tables::write(run.out, &distances, &best, &boxes)?;
    figures::write(run.out, &distances, &best, &boxes)?;
    tables::print(&best);
    Ok(Outcome {
        data: "the two posteriors of the paper, given in full there (no data set is involved)".to_owned(),
        stand_in: false,
        data_sum: None,
        claims: claims::judge(&best, &boxes, &bias),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same numbers, to the bit, on 1, 2 and 3 threads.
    #[test]
    fn threads_do_not_change_the_numbers() {
        let plan = Plan { burn_in: 20, kept: 30, minibatches: &[10], seeds: 2, thin: true };
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let distances = pool.install(|| plan.distances().unwrap());
            distances.into_iter().map(|distance| distance.dks.to_bits()).collect::<Vec<_>>()
        };
        let reference = run(1);
        assert!(reference.len() > 50);
        assert_eq!(run(2), reference);
        assert_eq!(run(3), reference);
    }
}
