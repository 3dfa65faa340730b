//! One chain: a method, a minibatch size, a step size and a seed.

use super::Plan;
use super::posterior::{ALPHA, CATEGORIES, ITEMS, Posterior};
use super::tables::Best;
use anyhow::Result;
use rand::{Rng, RngExt};
use scir_core::theory::{ScirChain, minibatch_variance};
use scir_core::{Exact, Purpose, Report, Scir, ScirVm, Sgrld, Simplex, Streams, Target, estimate_counts};
use scir_eval::{DirichletKs, effective_sample_size};

const CHAINS: Purpose = Purpose::new("synthetic chains");
const MINIBATCH: Purpose = Purpose::new("synthetic minibatch");
const MOVE: Purpose = Purpose::new("synthetic move");

/// The methods that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sampler {
    Scir,
    Sgrld,
    /// SGRLD started where its scale belongs, and with smaller steps to choose from: the fair comparison.
    SgrldPriorScale,
    /// Variance-matched, all estimates pooled: the posterior stays the same. No step size.
    ScirVm,
    /// Variance-matched, each step with the estimate of its own minibatch alone, as long as noise allows. No step size.
    ScirVmNoiseLimited,
    Exact,
}

impl Sampler {
    pub(crate) const ALL: [Self; 6] =
        [Self::Scir, Self::Sgrld, Self::SgrldPriorScale, Self::ScirVm, Self::ScirVmNoiseLimited, Self::Exact];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scir => "scir",
            Self::Sgrld => "sgrld",
            Self::SgrldPriorScale => "sgrld-prior-scale",
            Self::ScirVm => "scir-vm",
            Self::ScirVmNoiseLimited => "scir-vm-noise-limited",
            Self::Exact => "exact",
        }
    }

    /// Table 1 of the paper. For SGRLD these are Patterson & Teh's ε.
    pub(crate) fn step_sizes(self) -> &'static [f64] {
        match self {
            Self::Scir => &[1.0, 0.5, 0.1, 0.05, 0.01, 0.005, 0.001],
            Self::Sgrld => &[0.5, 0.1, 0.05, 0.01, 0.005, 0.001, 5e-4, 1e-4],
            Self::SgrldPriorScale => {
                &[0.5, 0.1, 0.05, 0.01, 0.005, 0.001, 5e-4, 1e-4, 5e-5, 1e-5, 5e-6, 1e-6]
            }
            Self::ScirVm | Self::ScirVmNoiseLimited | Self::Exact => &[f64::INFINITY],
        }
    }

    /// One step, from estimates of minibatches of `n`. The h of SGRLD's table is ε, of which half is applied.
    fn step<R: Rng + ?Sized>(
        self,
        simplex: &mut Simplex,
        target: Target<'_>,
        (n, h): (usize, f64),
        rng: &mut R,
    ) -> scir_core::Result<Report> {
        match self {
            Self::Scir => simplex.step(&Scir, target, h, rng),
            Self::Sgrld | Self::SgrldPriorScale => simplex.step(&Sgrld, target, 0.5 * h, rng),
            Self::ScirVm => simplex.step(&ScirVm::pooled(), target, h, rng),
            Self::ScirVmNoiseLimited => {
                let vm = ScirVm::noise_limited().with_memory(f64::INFINITY)?;
                simplex.step(&vm.with_categorical_noise(ITEMS, n)?, target, h, rng)
            }
            Self::Exact => simplex.step(&Exact, target, h, rng),
        }
    }
}

/// One chain to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Job {
    pub(crate) posterior: Posterior,
    pub(crate) sampler: Sampler,
    /// The minibatch size; 0 for exact draws, which use none.
    pub(crate) n: usize,
    /// The step size as in Table 1.
    pub(crate) h: f64,
    pub(crate) seed: u64,
}

impl Job {
    pub(crate) fn describe(&self) -> String {
        let Self { posterior, sampler, n, h, seed } = self;
        format!("{} posterior, {}, n = {n}, h = {h}, seed {seed}", posterior.name, sampler.name())
    }

    /// d_KS of the kept draws.
    pub(crate) fn distance(&self, plan: &Plan) -> Result<f64> {
        let mut ks = DirichletKs::new(&self.posterior.parameters())?;
        let mut ln_omega = [0.0; CATEGORIES];
        self.run(plan.burn_in, plan.kept, |simplex| {
            simplex.ln_omega(&mut ln_omega)?;
            Ok(ks.push_ln(&ln_omega)?)
        })?;
        Ok(ks.distance()?)
    }

    /// Runs the chain and shows every kept state. Chains of one seed share their minibatches across methods and step
    /// sizes, so that what differs between them is the method.
    fn run(&self, burn_in: u64, kept: u64, mut see: impl FnMut(&Simplex) -> Result<()>) -> Result<()> {
        let streams = Streams::new(self.seed).child(CHAINS, self.posterior.id());
        let items = self.posterior.items();
        let mut simplex = self.posterior.simplex(self.sampler == Sampler::SgrldPriorScale, streams)?;
        let (mut minibatch, mut counts) = (vec![0; self.n], self.posterior.counts());
        // One stream for each of the chains: the bits of h tell the step sizes apart.
        let chain = streams.child(Purpose::new(self.sampler.name()), self.h.to_bits() ^ self.n as u64);
        for iteration in 0..burn_in + kept {
            if self.sampler != Sampler::Exact {
                let mut rng = streams.rng(MINIBATCH, iteration, self.n as u64);
                minibatch.iter_mut().for_each(|item| *item = items[rng.random_range(0..ITEMS)]);
                estimate_counts(&minibatch, ITEMS, &mut counts)?;
            }
            let mut rng = chain.rng(MOVE, iteration, 0);
            let target = Target::new(ALPHA, &counts)?;
            let report = self.sampler.step(&mut simplex, target, (self.n, self.h), &mut rng)?;
            anyhow::ensure!(report.non_finite == 0, "a coordinate is not finite after iteration {iteration}");
            if iteration >= burn_in {
                see(&simplex)?;
            }
        }
        Ok(())
    }
}

/// The draws behind one box of Figure 1: log10 ω₅ in the sparse posterior.
pub(crate) struct BoxSample {
    pub(crate) sampler: Sampler,
    pub(crate) n: usize,
    pub(crate) h: f64,
    pub(crate) log10_omega: Vec<f64>,
}

/// Figure 1: minibatches of 10 at the best step size, the first seed.
pub(crate) fn boxes(plan: &Plan, best: &[Best]) -> Result<Vec<BoxSample>> {
    let mut boxes = Vec::new();
    for sampler in [Sampler::Sgrld, Sampler::Scir, Sampler::Exact] {
        let chosen = best.iter().find(|best| {
            best.posterior.name == "sparse"
                && best.sampler == sampler
                && (best.n == 10 || sampler == Sampler::Exact)
        });
        let Some(chosen) = chosen else { continue };
        let job = Job { posterior: chosen.posterior, sampler, n: chosen.n, h: chosen.h, seed: 1 };
        let mut log10_omega = Vec::new();
        let mut ln_omega = [0.0; CATEGORIES];
        job.run(plan.burn_in, plan.kept, |simplex| {
            simplex.ln_omega(&mut ln_omega)?;
            log10_omega.push(ln_omega[4] / std::f64::consts::LN_10);
            Ok(())
        })?;
        boxes.push(BoxSample { sampler, n: chosen.n, h: chosen.h, log10_omega });
    }
    Ok(boxes)
}

/// Mean and variance of θ₁ in long SCIR chains, beside what Corollary 4.2 predicts.
pub(crate) struct Bias {
    pub(crate) mean: f64,
    pub(crate) standard_error: f64,
    pub(crate) variance: f64,
    pub(crate) predicted_mean: f64,
    pub(crate) predicted_variance: f64,
    pub(crate) exact_variance: f64,
    pub(crate) iterations: u64,
}

/// SCIR with n = 10 and h = 0.1 on the sparse posterior.
pub(crate) fn bias(plan: &Plan) -> Result<Bias> {
    let (n, h, iterations) = (10, 0.1, 100 * plan.kept);
    let job = Job { posterior: Posterior::sparse(), sampler: Sampler::Scir, n, h, seed: 1 };
    let mut theta = Vec::new();
    job.run(plan.burn_in, iterations, |simplex| {
        theta.push(simplex.theta()[0]);
        Ok(())
    })?;
    let count = theta.len() as f64;
    let mean = theta.iter().sum::<f64>() / count;
    let variance = theta.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let a = job.posterior.parameters()[0];
    let chain = ScirChain::new(a, a, h)?;
    Ok(Bias {
        mean,
        standard_error: (variance / effective_sample_size(&theta)?).sqrt(),
        variance,
        predicted_mean: a,
        predicted_variance: chain.variance(iterations, minibatch_variance(800, ITEMS as u64, n as u64)?),
        exact_variance: a,
        iterations,
    })
}
