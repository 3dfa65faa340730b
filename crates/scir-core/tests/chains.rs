//! Chains of steps: the stationary law, composition, sums, and the moments that the theory gives for noisy estimates.
mod common;

use common::{KS_LIMIT, MILLION, assert_ks, assert_moments, ks, rng};
use rand::RngExt;
use scir_core::theory::{ScirChain, minibatch_ln_mgf, minibatch_variance, variance_inflation};
use scir_core::{Cir, ExpOu, Scir, Simplex, StreamRng, Target, estimate_counts};

/// Chains of 60 time units from a bad start, one draw from each: Gamma(a, 1), whatever the step.
#[test]
fn long_chains_reach_the_gamma_law() {
    for (index, (a, h)) in [(0.1, 0.5), (1e-3, 0.2), (5.0, 1.0), (800.1, 3.0)].into_iter().enumerate() {
        let mut rng = rng(100 + index as u64);
        let cir = Cir::standard(a).unwrap();
        let chain = |rng: &mut StreamRng| {
            let mut simplex = Simplex::new(vec![3.0]).unwrap();
            let counts = [0.0];
            let target = Target::new(a, &counts).unwrap();
            for _ in 0..(60.0 / h) as usize {
                simplex.step(&Scir, target, h, rng).unwrap();
            }
            simplex.ln_theta(0)
        };
        let draws: Vec<f64> = (0..20_000).map(|_| chain(&mut rng)).collect();
        let law = cir.stationary();
        assert_ks(&format!("stationary, a = {a}"), draws, |ln_x| law.cdf_at_ln(ln_x));
    }
}

/// h₁ then h₂ is one step of h₁ + h₂: what makes lazy updates possible.
#[test]
fn steps_compose() {
    for (index, (a, h1, h2)) in [(0.1, 0.05, 0.3), (0.5, 0.4, 0.01), (2.2, 1e-4, 0.2)].into_iter().enumerate()
    {
        let mut rng = rng(110 + index as u64);
        let cir = Cir::standard(a).unwrap();
        let first = cir.transition(0.4, h1).unwrap();
        let draws: Vec<f64> = (0..MILLION)
            .map(|_| {
                let half_way = first.sample(&mut rng);
                cir.transition(half_way, h2).unwrap().sample_ln(&mut rng)
            })
            .collect();
        let both = cir.transition(0.4, h1 + h2).unwrap();
        assert_ks(&format!("composition, a = {a}"), draws.clone(), |ln_x| both.cdf_at_ln(ln_x));
        let wrong = cir.transition(0.4, (h1 + h2) * 1.05).unwrap();
        assert!(
            ks(draws, |ln_x| wrong.cdf_at_ln(ln_x)) > KS_LIMIT,
            "a time 5 % too long goes unnoticed at a = {a}"
        );
    }
}

/// Independent CIR processes add up to one with the sum of the parameters.
#[test]
fn sums_are_cir_again() {
    let (shapes, starts) = ([0.1, 0.5, 1.7, 0.02], [0.0, 0.3, 2.0, 1e-3]);
    let mut rng = rng(120);
    let draws: Vec<f64> = (0..MILLION)
        .map(|_| {
            let mut simplex = Simplex::new(starts.to_vec()).unwrap();
            simplex.step(&Scir, Target::new(&shapes[..], &[0.0; 4]).unwrap(), 0.4, &mut rng).unwrap();
            simplex.theta().iter().sum()
        })
        .collect();
    let law = Cir::standard(shapes.iter().sum()).unwrap().transition(starts.iter().sum(), 0.4).unwrap();
    assert_ks("sum", draws, |x| law.cdf(x));
}

/// One SCIR chain of `steps` steps on the first category of a minibatched population, from θ₀ = 50.
fn scir_chain(steps: u64, h: f64, batch: usize, rng: &mut StreamRng) -> f64 {
    let mut theta = Simplex::new(vec![50.0]).unwrap();
    let mut counts = [0.0; 2];
    let mut minibatch = vec![0; batch];
    for _ in 0..steps {
        minibatch.iter_mut().for_each(|z| *z = usize::from(rng.random_range(0..1000) >= 100));
        estimate_counts(&minibatch, 1000, &mut counts).unwrap();
        theta.step(&Scir, Target::new(0.1, &counts[..1]).unwrap(), h, rng).unwrap();
    }
    theta.theta()[0]
}

/// Corollary 4.2: mean and variance of SCIR after M steps, and that the exact variance would be wrong.
#[test]
fn noisy_estimates_have_the_predicted_moments() {
    for (index, (steps, h, batch)) in
        [(1, 0.5, 10), (5, 0.1, 10), (40, 0.1, 20), (3, 1.0, 2)].into_iter().enumerate()
    {
        let mut rng = rng(130 + index as u64);
        let draws: Vec<f64> = (0..100_000).map(|_| scir_chain(steps, h, batch, &mut rng)).collect();
        let chain = ScirChain::new(100.1, 50.0, h).unwrap();
        let noise = minibatch_variance(100, 1000, batch as u64).unwrap();
        assert_moments(
            &format!("{steps} steps of {h}"),
            &draws,
            chain.mean(steps),
            chain.variance(steps, noise),
        );
        let excess = common::moments(&draws).1 / chain.exact_variance(steps);
        assert!(excess > 1.2, "the inflation should be visible: ratio {excess}");
    }
}

/// Theorem 4.1: E[e^{sθ̂}] by simulation, with given estimates and in expectation.
#[test]
fn the_moment_generating_function_matches_simulation() {
    const DRAWS: usize = 400_000;
    let mean_of_exp = |mut draw: Box<dyn FnMut() -> f64>, s: f64| {
        let values: Vec<f64> = (0..DRAWS).map(|_| (s * draw()).exp()).collect();
        let (mean, variance) = common::moments(&values);
        (mean, 4.9 * (variance / DRAWS as f64).sqrt())
    };
    let estimates = [0.2, 0.5, 1.0, 6.0];
    let chain = ScirChain::new(1.0, 1.5, 0.25).unwrap();
    for (index, s) in [-2.0, -0.3, 0.4].into_iter().enumerate() {
        let mut rng = rng(140 + index as u64);
        let draw = move || {
            estimates.iter().fold(1.5, |theta, &a_hat| {
                Cir::standard(a_hat).unwrap().transition(theta, 0.25).unwrap().sample(&mut rng)
            })
        };
        let (mean, error) = mean_of_exp(Box::new(draw), s);
        let theory = chain.ln_mgf_given(&estimates, s).unwrap().exp();
        assert!((mean - theory).abs() < error, "given, s = {s}: {mean} against {theory} ± {error}");
        let reversed: Vec<f64> = estimates.iter().rev().copied().collect();
        let wrong = chain.ln_mgf_given(&reversed, s).unwrap().exp();
        assert!((mean - wrong).abs() > error, "the order of the estimates goes unnoticed at s = {s}");
    }
    let chain = ScirChain::new(100.1, 50.0, 0.1).unwrap();
    for (index, s) in [-0.02, 0.01].into_iter().enumerate() {
        let mut rng = rng(145 + index as u64);
        let draw = move || scir_chain(4, 0.1, 20, &mut rng);
        let (mean, error) = mean_of_exp(Box::new(draw), s);
        let ln_estimate = |t| minibatch_ln_mgf(t, 0.1, 100, 1000, 20).unwrap();
        let theory = chain.ln_mgf_expected(4, s, ln_estimate).unwrap().exp();
        assert!((mean - theory).abs() < error, "expected, s = {s}: {mean} against {theory} ± {error}");
        let noiseless = chain.ln_mgf_exact(4, s).unwrap().exp();
        assert!((mean - noiseless).abs() > error, "the noise goes unnoticed at s = {s}");
    }
}

/// The lognormal sampler with a noisy mean: stationary mean μ and variance s² + tanh(h/2)·Var[μ̂] of ln θ.
#[test]
fn stochastic_lognormal_has_the_predicted_moments() {
    let process = ExpOu::new(2.0, 0.5).unwrap();
    let (h, width) = (0.4, 3.0);
    let mut rng = rng(150);
    let draws: Vec<f64> = (0..60_000)
        .map(|_| {
            (0..40).fold(0.0, |ln_theta, _| {
                let mu_hat = 2.0 + width * (rng.random::<f64>() - 0.5);
                process.with_estimate(mu_hat).unwrap().transition_ln(ln_theta, h).unwrap().sample_ln(&mut rng)
            })
        })
        .collect();
    let noise = width * width / 12.0;
    assert_moments("stochastic lognormal", &draws, 2.0, 0.25 + variance_inflation(h, noise));
}

/// A long lognormal chain without noise reaches its stationary law.
#[test]
fn lognormal_chains_are_stationary() {
    let process = ExpOu::new(-1.0, 2.0).unwrap();
    let mut rng = rng(151);
    let draws: Vec<f64> = (0..100_000)
        .map(|_| (0..60).fold(50.0, |x, _| process.transition(x, 0.5).unwrap().sample(&mut rng)))
        .collect();
    let law = process.stationary();
    assert_ks("lognormal chain", draws, |x| law.cdf(x));
}
