//! Variance-matched SCIR: the law of one step, stationary moments, and that wrong corrections are seen.
mod common;

use common::{KS_LIMIT, MILLION, assert_ks, assert_moments, ks, moments, rng};
use rand::RngExt;
use rand_distr::{Binomial, Distribution};
use scir_core::theory::{ScirChain, minibatch_variance, noise_limited_step};
use scir_core::{
    Cir, Coordinates, Error, Scir, ScirVm, Simplex, StreamRng, Target, Transition, estimate_counts,
};

const ITEMS: usize = 1000;
const ALPHA: f64 = 0.1;

/// Independent chains side by side, as coordinates of simplexes of length `row`: `next` is asked for the estimate of each.
/// What is measured is shared by the coordinates of long simplexes, and not by those of short ones.
fn chains<T: Transition>(
    transition: &T,
    h: f64,
    (rows, row, steps): (usize, usize, u64),
    rng: &mut StreamRng,
    next: impl Fn(&mut StreamRng) -> f64,
) -> Vec<f64> {
    let mut counts = vec![0.0; row];
    let mut chain = |rng: &mut StreamRng| {
        let mut simplex = Simplex::new(vec![50.0; row]).unwrap();
        for _ in 0..steps {
            counts.iter_mut().for_each(|count| *count = next(rng));
            simplex.step(transition, Target::new(ALPHA, &counts).unwrap(), h, rng).unwrap();
        }
        simplex.theta().to_vec()
    };
    (0..rows).flat_map(|_| chain(rng)).collect()
}

/// The estimate of a category that has `share` of 1000 items, from `batch` of them.
fn categorical(share: f64, batch: usize) -> impl Fn(&mut StreamRng) -> f64 {
    let binomial = Binomial::new(batch as u64, share).unwrap();
    move |rng| binomial.sample(rng) as f64 * ITEMS as f64 / batch as f64
}

/// With estimates that are all the same, the moments are known: one step is s times a CIR step of θ/s with â/s.
#[test]
fn one_step_has_the_law_of_the_formula() {
    for (index, (count, batch, h)) in
        [(100.0, 50, 0.02), (2.0, 100, 0.05), (100.0, 10, 0.01)].into_iter().enumerate()
    {
        let mut rng = rng(400 + index as u64);
        let vm = ScirVm::scheduled().with_categorical_noise(ITEMS, batch).unwrap();
        let (start, counts) = (0.7 * count, vec![count; MILLION / 4]);
        let mut simplex = Simplex::new(vec![start; counts.len()]).unwrap();
        simplex.step(&vm, Target::new(ALPHA, &counts).unwrap(), h, &mut rng).unwrap();
        let a = ALPHA + count;
        let noise = minibatch_variance(count as u64, ITEMS as u64, batch as u64).unwrap();
        let s = ScirChain::new(a, start, h).unwrap().matching_share(noise);
        let law = Cir::standard(a / s).unwrap().transition(start / s, h).unwrap();
        assert_ks(&format!("count {count}, h = {h}"), simplex.theta().to_vec(), |x| law.cdf(x / s));
        let plain = Cir::standard(a).unwrap().transition(start, h).unwrap();
        assert!(ks(simplex.theta().to_vec(), |x| plain.cdf(x)) > KS_LIMIT, "no different from SCIR");
    }
}

/// s · (CIR step of θ/s with â/s), M times, has the moments of the theory; without the matching share, or with a half or the
/// double of what it takes out, the variance is wrong.
#[test]
fn the_matching_share_and_no_other_gives_the_variance() {
    let (share, batch, steps) = (0.1, 20, 200);
    let a = ALPHA + share * ITEMS as f64;
    let noise = minibatch_variance(100, ITEMS as u64, batch as u64).unwrap();
    let h = noise_limited_step(a, noise, 0.4).unwrap();
    let theory = ScirChain::new(a, 50.0, h).unwrap();
    let matching = theory.matching_share(noise);
    let estimate = categorical(share, batch);
    for (index, (s, right)) in
        [(matching, true), (1.0, false), (0.5 + 0.5 * matching, false), (2.0 * matching - 1.0, false)]
            .into_iter()
            .enumerate()
    {
        let mut rng = rng(410 + index as u64);
        let chain = |rng: &mut StreamRng| {
            (0..steps).fold(50.0, |theta, _| {
                let cir = Cir::standard((ALPHA + estimate(rng)) / s).unwrap();
                s * cir.transition(theta / s, h).unwrap().sample(rng)
            })
        };
        let draws: Vec<f64> = (0..20_000).map(|_| chain(&mut rng)).collect();
        assert_moments("share", &draws, theory.mean(steps), theory.variance_with_share(steps, noise, s));
        let ratio = moments(&draws).1 / a;
        assert_eq!((ratio - 1.0).abs() < 0.07, right, "share {s}: variance {ratio} of the target's");
    }
}

/// The transition itself, with nothing known beforehand: noise-limited, with closed-form and with measured noise.
#[test]
fn noise_limited_chains_have_mean_and_variance_of_the_target() {
    for (index, (share, batch)) in [(0.1, 50), (0.1, 200), (0.8, 10)].into_iter().enumerate() {
        let a = ALPHA + share * ITEMS as f64;
        let all = ScirVm::noise_limited().with_memory(f64::INFINITY).unwrap();
        let known = all.with_categorical_noise(ITEMS, batch).unwrap();
        for (kind, vm, rows) in [("known", known, 1), ("measured", all, 1), ("measured for each", all, 200)] {
            let mut rng = rng(420 + index as u64);
            let run = (rows, 8000 / rows, 400);
            let draws = chains(&vm, f64::INFINITY, run, &mut rng, categorical(share, batch));
            let (mean, variance) = moments(&draws);
            let error = (a / draws.len() as f64).sqrt();
            assert!(
                (mean - a).abs() < 5.0 * error,
                "{kind} {share} {batch}: mean {mean}, expected {a} ± {error}"
            );
            // A standard error of 1.6 %, and some for moments that are themselves estimates.
            assert!(
                (variance / a - 1.0).abs() < 0.08,
                "{kind} {share} {batch}: variance {variance}, not {a}"
            );
        }
        // The same steps without the correction.
        let noise = minibatch_variance((share * ITEMS as f64) as u64, ITEMS as u64, batch as u64).unwrap();
        let h = noise_limited_step(a, noise, 0.9).unwrap().min(3.0);
        let draws = chains(&Scir, h, (1, 2000, 400), &mut rng(425 + index as u64), categorical(share, batch));
        let excess = moments(&draws).1 / a;
        assert!(excess > 1.2, "without a correction the variance is {excess} times that of the target");
    }
}

/// Near-normal targets: also the law is near. A small target with noise of a few large jumps is matched in moments only.
#[test]
fn the_law_is_near_for_large_targets() {
    let run = (1, 8000, 400);
    let distance = |share: f64, batch: usize, seed: u64| {
        let vm = ScirVm::noise_limited().with_memory(f64::INFINITY).unwrap();
        let vm = vm.with_categorical_noise(ITEMS, batch).unwrap();
        let draws = chains(&vm, f64::INFINITY, run, &mut rng(seed), categorical(share, batch));
        let law = Cir::standard(ALPHA + share * ITEMS as f64).unwrap().stationary();
        ks(draws, |x| law.cdf(x)) / (run.1 as f64).sqrt()
    };
    let (large, small) = (distance(0.4, 100, 430), distance(0.0005, 20, 431));
    assert!(large < 0.03, "large a: {large}");
    assert!(small > 0.06, "half an item in a thousand, 50 at a time: {small} is too good to be true");
}

/// A category that never receives counts is drawn afresh in every step: exact, and independent of the step before.
#[test]
fn without_noise_draws_are_exact_and_independent() {
    let mut rng = rng(440);
    let counts = vec![0.0; 100_000];
    let mut simplex = Simplex::uniform(counts.len()).unwrap();
    let target = Target::new(ALPHA, &counts).unwrap();
    let mut step = || {
        simplex.step(&ScirVm::noise_limited(), target, f64::INFINITY, &mut rng).unwrap();
        (0..counts.len()).map(|j| simplex.ln_theta(j)).collect::<Vec<f64>>()
    };
    let (before, after) = (step(), step());
    let law = Cir::standard(ALPHA).unwrap().stationary();
    let uniform = |draws: &[f64]| draws.iter().map(|&ln_x| law.cdf_at_ln(ln_x) - 0.5).collect::<Vec<f64>>();
    let (u, v) = (uniform(&before), uniform(&after));
    let correlation = 12.0 * u.iter().zip(&v).map(|(u, v)| u * v).sum::<f64>() / counts.len() as f64;
    assert!(correlation.abs() < 4.9 / (counts.len() as f64).sqrt(), "{correlation}");
    assert_ks("no counts", after, |ln_x| law.cdf_at_ln(ln_x));
}

/// Pooled: after m estimates a draw has the variance a of the target, and V/m for what the mean is off.
#[test]
fn pooled_estimates_are_off_by_the_error_of_their_mean() {
    let (share, batch) = (0.1, 20);
    let a = ALPHA + share * ITEMS as f64;
    let noise = minibatch_variance(100, ITEMS as u64, batch as u64).unwrap();
    for (index, steps) in [1, 7, 100].into_iter().enumerate() {
        let run = (1, 20_000, steps);
        let draws = chains(
            &ScirVm::pooled(),
            f64::INFINITY,
            run,
            &mut rng(450 + index as u64),
            categorical(share, batch),
        );
        assert_moments(&format!("{steps} estimates"), &draws, a, a + noise / steps as f64);
    }
}

/// What is scheduled keeps its pace: the mean moves as with SCIR, and the excess of variance is what cannot be taken out.
#[test]
fn scheduled_steps_take_out_what_they_can() {
    let (share, batch, h, steps) = (0.1, 10, 0.1, 150);
    let a = ALPHA + share * ITEMS as f64;
    let theory = ScirChain::new(a, 50.0, h).unwrap();
    let noise = minibatch_variance(100, ITEMS as u64, batch as u64).unwrap();
    assert!(theory.matching_share(noise) < 0.0);
    let vm =
        ScirVm::scheduled().with_memory(f64::INFINITY).unwrap().with_categorical_noise(ITEMS, batch).unwrap();
    let draws = chains(&vm, h, (1, 20_000, steps), &mut rng(460), categorical(share, batch));
    let (mean, variance) = moments(&draws);
    let expected = theory.variance_with_share(steps, noise, 0.0);
    assert!((mean - a).abs() < 5.0 * (expected / 20_000.0).sqrt(), "mean {mean}");
    assert!((variance / expected - 1.0).abs() < 0.06, "variance {variance}, expected {expected}");
    assert!(variance < theory.variance(steps, noise) - 0.8 * a, "no better than SCIR");
}

/// Where noise alone is too much, nothing is diffused: θ goes straight to the estimate, as far as the step takes it.
#[test]
fn too_much_noise_leaves_no_diffusion() {
    let vm = ScirVm::scheduled().with_categorical_noise(ITEMS, 10).unwrap();
    for len in [3, 200] {
        let counts = vec![100.0; len];
        let mut simplex = Simplex::new(vec![30.0; len]).unwrap();
        simplex.step(&vm, Target::new(ALPHA, &counts).unwrap(), 0.5, &mut rng(465)).unwrap();
        let expected = 30.0 * (-0.5f64).exp() - 100.1 * (-0.5f64).exp_m1();
        simplex.theta().iter().for_each(|&x| approx::assert_relative_eq!(x, expected, max_relative = 1e-12));
    }
}

/// The first step goes to the first estimate, wherever the chain was.
#[test]
fn the_first_step_goes_all_the_way() {
    let mut simplex = Simplex::new(vec![1e-3, 1e6]).unwrap();
    let mut rng = rng(470);
    simplex.step(&ScirVm::noise_limited(), Target::new(ALPHA, &[1e6, 1e4]).unwrap(), 1e9, &mut rng).unwrap();
    assert!((simplex.theta()[0] / 1e6 - 1.0).abs() < 0.01 && (simplex.theta()[1] / 1e4 - 1.0).abs() < 0.1);
    let moments = simplex.moments().unwrap();
    assert_eq!((moments.seen(), moments.mean(), moments.variance(0)), (1, &[1e6, 1e4][..], 0.0));
    simplex.forget_moments();
    assert_eq!(simplex.moments(), None);
}

#[test]
fn nonsense_is_refused_by_name() {
    let mut state = [1.0, 2.0];
    let mut plain = Coordinates::plain(&mut state).unwrap();
    let target = Target::new(0.1, &[1.0, 2.0]).unwrap();
    let refused = ScirVm::pooled().step(&mut plain, target, 1.0, &mut rng(0)).unwrap_err();
    assert_eq!(refused, Error::NoMoments);
    assert!(refused.to_string().contains("move a Simplex"), "{refused}");
    let vm = ScirVm::noise_limited();
    for rho in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(matches!(vm.with_rho(rho), Err(Error::OutOfRange { name: "rho", .. })));
    }
    assert!(vm.with_memory(1.0).is_err() && vm.with_memory(f64::NAN).is_err());
    assert!(vm.with_categorical_noise(0, 5).is_err() && vm.with_categorical_noise(5, 0).is_err());
}

/// A simplex that is written down and read goes on with the same bits: the moments go with it.
#[cfg(feature = "serde")]
#[test]
fn moments_survive_being_written_down() {
    let vm = ScirVm::noise_limited();
    let mut rng = rng(480);
    let (mut whole, mut counts) = (Simplex::uniform(4).unwrap(), [0.0; 4]);
    let mut step = |simplex: &mut Simplex, rng: &mut StreamRng| {
        let minibatch: Vec<usize> = (0..9).map(|_| rng.random_range(0..3)).collect();
        estimate_counts(&minibatch, ITEMS, &mut counts).unwrap();
        simplex.step(&vm, Target::new(ALPHA, &counts).unwrap(), 3.0, rng).unwrap();
    };
    (0..20).for_each(|_| step(&mut whole, &mut rng));
    let text = serde_json::to_string(&whole).unwrap();
    let mut read: Simplex = serde_json::from_str(&text).unwrap();
    assert_eq!(read, whole);
    let mut again = rng.clone();
    (0..5).for_each(|_| step(&mut whole, &mut rng));
    (0..5).for_each(|_| step(&mut read, &mut again));
    assert_eq!(read, whole);
    read.forget_moments();
    assert_ne!(read, whole);
    let short = text.replacen("\"mean\":[", "\"mean\":[1.0,", 1);
    assert!(serde_json::from_str::<Simplex>(&short).is_err());
}
