//! Simulation-based calibration (Talts et al. 2018) of α: the truth has a uniform rank among posterior draws.

use super::{draw_data, run, settings};
use rayon::prelude::*;
use scir_core::rand::RngExt;
use scir_core::{Cir, Exact, Purpose, Simplex, StepSize, Streams, Target};
use scir_models::Sampler;
use scir_models::dp::{Alpha, DpMixture, Multinomials};

const ITEMS: usize = 40;
const REPLICATES: u64 = 160;
const DRAWS: usize = 19;
const PRIOR: Alpha = Alpha::Gamma { shape: 4.0, rate: 3.0 };

/// A mixture drawn from its prior, with α ~ Gamma(4, 3).
fn from_prior(replicate: u64) -> DpMixture {
    let mut rng = Streams::new(replicate).rng(Purpose::new("test: truth"), 0, 0);
    let alpha = Cir::targeting(4.0, 3.0).unwrap().stationary().sample(&mut rng);
    let mut draw = |prior: &[f64]| {
        let (mut simplex, none) = (Simplex::uniform(prior.len()).unwrap(), vec![0.0; prior.len()]);
        simplex.step(&Exact, Target::new(prior, &none).unwrap(), 1.0, &mut rng).unwrap();
        simplex
    };
    // 60 sticks leave less than a billionth at any α that is probable; the rest is given to the last.
    let sticks: Vec<Simplex> = (0..60).map(|_| draw(&[1.0, alpha])).collect();
    let atoms: Vec<Simplex> = (0..60).map(|_| draw(&[0.3; 12])).collect();
    let breaks: Vec<f64> = sticks.iter().map(|stick| super::omega(stick)[0]).collect();
    let cluster = |_| (0..60u32).find(|&j| rng.random::<f64>() < breaks[j as usize]).unwrap_or(59);
    let clusters: Vec<u32> = (0..ITEMS).map(cluster).collect();
    let atoms = Multinomials::new(12, 0.3).unwrap().with_atoms(atoms).unwrap();
    DpMixture::with_state(settings(PRIOR, 1), alpha, sticks, atoms, clusters).unwrap()
}

/// The rank of the true α among thinned draws of its posterior, with `prior` used by the sampler.
fn rank(replicate: u64, prior: Alpha) -> usize {
    let truth = from_prior(replicate);
    let mut rng = Streams::new(replicate).rng(Purpose::new("test: data"), 0, 0);
    let corpus = draw_data(&truth, &[6; ITEMS], &mut rng);
    let mut mixture =
        DpMixture::new(settings(prior, 6), Multinomials::new(12, 0.3).unwrap(), ITEMS, replicate).unwrap();
    run(&mut mixture, Exact, 1.0, &corpus, ITEMS, 150, replicate).unwrap();
    let mut sampler =
        Sampler::new(Exact, StepSize::constant(1.0).unwrap(), ITEMS, replicate).unwrap().starting_at(150);
    let (mut below, batch) = (0, super::whole(&corpus));
    for _ in 0..DRAWS {
        for _ in 0..15 {
            sampler.step(&mut mixture, &batch).unwrap();
        }
        below += usize::from(mixture.alpha() < truth.alpha());
    }
    below
}

/// χ² of the ranks over ten bins, and how often the central 80 % interval covers the truth.
fn calibration(prior: Alpha) -> (f64, f64) {
    let ranks: Vec<usize> = (0..REPLICATES).into_par_iter().map(|r| rank(r, prior)).collect();
    let expected = REPLICATES as f64 / 10.0;
    let bin = |b: usize| ranks.iter().filter(|&&rank| rank / 2 == b).count() as f64;
    let chi2 = (0..10).map(|b| (bin(b) - expected).powi(2) / expected).sum();
    let covered = ranks.iter().filter(|&&rank| (2..18).contains(&rank)).count();
    (chi2, covered as f64 / REPLICATES as f64)
}

#[test]
fn alpha_covers_the_truth_at_the_nominal_rate() {
    // χ² with 9 degrees of freedom exceeds 27.9 once in a thousand; 0.1 is three standard deviations of the rate.
    let (chi2, covered) = calibration(PRIOR);
    assert!(chi2 < 27.9 && (covered - 0.8).abs() < 0.1, "chi2 = {chi2}, covered {covered}");
    let (chi2, covered) = calibration(Alpha::Gamma { shape: 4.0, rate: 1.0 });
    assert!(chi2 > 40.0, "a wrong prior: chi2 = {chi2}, covered {covered}");
}
