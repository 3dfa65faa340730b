//! Targets on [0, 1] and (0, ∞) that are made of CIR processes: beta and generalised gamma, against laws that have formulas
//! of their own, with noisy estimates, and with wrong parameters that must fail.
mod common;

use common::{KS_LIMIT, MILLION, assert_ks, assert_moments, ks, rng};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use scir_core::theory::variance_inflation;
use scir_core::{BetaProcess, BetaState, Cir, GenGamma, StreamRng};
use std::f64::consts::PI;

/// The state of a beta chain of 40 time units that began at the wrong end.
fn beta_chain(process: &BetaProcess, h: f64, rng: &mut StreamRng) -> BetaState {
    let mut state = process.state(0.999).unwrap();
    (0..(40.0 / h) as usize).for_each(|_| process.step(&mut state, h, rng).unwrap());
    state
}

fn beta_states(a: f64, b: f64, h: f64, index: u64) -> Vec<BetaState> {
    let (process, mut rng) = (BetaProcess::new(a, b).unwrap(), rng(index));
    (0..40_000).map(|_| beta_chain(&process, h, &mut rng)).collect()
}

/// Beta(½, ½) is the arcsine law; Beta(a, 1) has the distribution function x^a; Beta(1, b) mirrors it.
#[test]
fn beta_chains_reach_their_law() {
    let arcsine = |x: f64| 2.0 / PI * x.sqrt().asin();
    let draws = |states: Vec<BetaState>, f: fn(&BetaState) -> f64| states.iter().map(f).collect::<Vec<_>>();
    for (index, h) in [0.1, 1.0, f64::INFINITY].into_iter().enumerate() {
        // One step is enough at +∞.
        let states = if h.is_finite() {
            beta_states(0.5, 0.5, h, 400 + index as u64)
        } else {
            let law = BetaProcess::new(0.5, 0.5).unwrap().stationary();
            let mut rng = rng(409);
            (0..MILLION).map(|_| law.sample_state(&mut rng).unwrap()).collect()
        };
        assert_ks(&format!("arcsine, h = {h}"), draws(states, BetaState::x), arcsine);
    }
    // Most of Beta(0.001, 1) is below the smallest positive f64, and nearly all of Beta(1, 0.001) is 1 to rounding.
    let low = draws(beta_states(1e-3, 1.0, 0.5, 410), BetaState::ln_x);
    assert!(low.iter().all(|x| x.is_finite()) && low.iter().filter(|&&x| x < -800.0).count() > 10_000);
    assert_ks("Beta(0.001, 1)", low, |ln_x| (1e-3 * ln_x).exp());
    let high = draws(beta_states(1.0, 1e-3, 0.5, 411), BetaState::ln_one_minus_x);
    assert_ks("Beta(1, 0.001)", high, |ln| (1e-3 * ln).exp());
    let wrong = draws(beta_states(0.52, 0.5, 1.0, 412), BetaState::x);
    assert!(ks(wrong, arcsine) > KS_LIMIT, "a shape 4 % too large goes unnoticed");
}

/// Noisy estimates: both gammas keep their means, and their variances grow as the theory says.
#[test]
fn stochastic_beta_has_the_predicted_moments() {
    let (process, h, width) = (BetaProcess::new(9.0, 5.0).unwrap(), 0.4, 4.0);
    let mut rng = rng(420);
    let noise = |rng: &mut StreamRng| width * (rng.random::<f64>() - 0.5);
    let states: Vec<BetaState> = (0..60_000)
        .map(|_| {
            let mut state = process.state(0.5).unwrap();
            for _ in 0..40 {
                let (a_hat, b_hat) = (9.0 + noise(&mut rng), 5.0 + noise(&mut rng));
                process.with_estimates(a_hat, b_hat).unwrap().step(&mut state, h, &mut rng).unwrap();
            }
            state
        })
        .collect();
    // θ₁ and θ₂ themselves, through the simplex that they are.
    let theta = |j: usize| -> Vec<f64> {
        states.iter().map(|state| scir_core::Simplex::from(state.clone()).theta()[j]).collect()
    };
    let inflation = variance_inflation(h, width * width / 12.0);
    assert_moments("theta 1", &theta(0), 9.0, 9.0 + inflation);
    assert_moments("theta 2", &theta(1), 5.0, 5.0 + inflation);
    // x is wider than Beta(9, 5), and its mean right only nearly.
    let x: Vec<f64> = states.iter().map(BetaState::x).collect();
    let ((mean, variance), law) = (common::moments(&x), process.stationary());
    assert!(variance > 1.02 * law.variance(), "{variance} against {}", law.variance());
    assert!((mean - law.mean()).abs() < 0.005, "{mean} against {}", law.mean());
}

/// One step, compared through logarithms with the law of the CIR process behind it.
#[test]
fn generalised_gamma_steps_have_their_law() {
    let settings = [
        (1.0, 1.0, 2.0, 0.3, 0.5),
        (2.0, 1e-3, 0.5, 0.0, 0.1),
        (0.3, 4.0, 7.0, 0.2, 0.01),
        (5.0, 2.0, 2.0, 40.0, 1e-4),
        (1.0, 1e-3, 60.0, 0.5, f64::INFINITY),
    ];
    for (index, (scale, d, p, x, h)) in settings.into_iter().enumerate() {
        let law = GenGamma::new(scale, d, p).unwrap().transition(x, h).unwrap();
        let mut rng = rng(430 + index as u64);
        let draws: Vec<f64> = (0..200_000).map(|_| law.sample_ln(&mut rng)).collect();
        let theta = Cir::standard(d / p).unwrap().transition((x / scale).powf(p), h).unwrap();
        let what = format!("scale = {scale}, d = {d}, p = {p}, x = {x}, h = {h}");
        assert!(draws.iter().all(|x| x.is_finite()), "{what}");
        assert_ks(&what, draws.clone(), |ln_x| theta.cdf_at_ln(p * (ln_x - scale.ln())));
        let wrong = |ln_x: f64| theta.cdf_at_ln(p * 1.03 * (ln_x - scale.ln()));
        // At d/p = 2e-3 and below the law is so wide that 3 % of the exponent are hardly anything.
        assert!(d < 0.1 || ks(draws, wrong) > KS_LIMIT, "{what}: an exponent 3 % too large goes unnoticed");
    }
}

/// Long chains of the laws that have names, against these names' own formulas.
#[test]
fn named_laws_are_reached() {
    let chain = |process: &GenGamma, h: f64, rng: &mut StreamRng| {
        (0..(40.0 / h) as usize).fold(30.0, |x, _| process.transition(x, h).unwrap().sample(rng))
    };
    let draws = |process: GenGamma, h: f64, index: u64| -> Vec<f64> {
        let mut rng = rng(index);
        (0..40_000).map(|_| chain(&process, h, &mut rng)).collect()
    };
    let weibull = |x: f64| -(-(x / 2.0).powf(1.5)).exp_m1();
    assert_ks("Weibull", draws(GenGamma::weibull(2.0, 1.5).unwrap(), 0.5, 440), weibull);
    let wrong = draws(GenGamma::weibull(2.0, 1.68).unwrap(), 0.5, 441);
    assert!(ks(wrong, weibull) > KS_LIMIT, "a Weibull shape 12 % too large goes unnoticed");
    // A half-normal: as many draws below |σZ| as there should be, for another sample of Z.
    let half_normal = GenGamma::half_normal(3.0).unwrap();
    let law = half_normal.stationary();
    let mut normals = rng(442);
    let direct: Vec<f64> =
        (0..MILLION).map(|_| 3.0 * f64::abs(StandardNormal.sample(&mut normals))).collect();
    assert_ks("|3Z|", direct, |x| law.cdf(x));
    assert_ks("half-normal", draws(half_normal, 1.0, 443), |x| law.cdf(x));
    // Rayleigh, χ with two degrees of freedom.
    let rayleigh = |x: f64| -(-0.5 * x * x).exp_m1();
    assert_ks("Rayleigh", draws(GenGamma::chi(2.0).unwrap(), 0.2, 444), rayleigh);
}

/// Theorem 3.1: U = 2√θ is the Langevin diffusion of u^{2a−1} e^{−u²/4}, dU = ((2a − 1)/U − U/2) dt + √2 dW, with a = α + Σz.
/// The exact transition over a short time has that drift and that variance; twice the a, as in the paper's proof, has not.
#[test]
fn twice_the_root_is_the_langevin_diffusion_of_the_paper() {
    let (a, h) = (3.7, 1e-7);
    for u in [0.8, 2.0, 5.0, 9.0] {
        let law = |d: f64| GenGamma::new(2.0, d, 2.0).unwrap().transition(u, h).unwrap();
        let langevin = (2.0 * a - 1.0) / u - 0.5 * u;
        let drift = |d: f64| (law(d).mean() - u) / h;
        assert!((drift(2.0 * a) - langevin).abs() < 1e-3, "u = {u}: {} against {langevin}", drift(2.0 * a));
        assert!((law(2.0 * a).variance() / h - 2.0).abs() < 1e-3, "u = {u}");
        assert!((drift(4.0 * a) - langevin).abs() > 0.5, "u = {u}: the slip goes unnoticed");
    }
    let density = GenGamma::new(2.0, 2.0 * a, 2.0).unwrap().stationary();
    let shape = |u: f64| (2.0 * a - 1.0) * u.ln() - 0.25 * u * u;
    let constant = density.ln_pdf(1.0) - shape(1.0);
    assert!([0.1, 3.0, 8.0].iter().all(|&u| (density.ln_pdf(u) - shape(u) - constant).abs() < 1e-12));
}

/// Noise in d leaves the mean of X^p alone, and not that of X.
#[test]
fn stochastic_generalised_gamma_keeps_the_mean_of_the_power() {
    let (scale, d, p, h, width) = (2.0, 6.0, 2.0, 0.8, 10.0);
    let process = GenGamma::new(scale, d, p).unwrap();
    let mut rng = rng(450);
    let draws: Vec<f64> = (0..60_000)
        .map(|_| {
            (0..30).fold(1.0, |x, _| {
                let d_hat = d + width * (rng.random::<f64>() - 0.5);
                process.with_estimate(d_hat).unwrap().transition(x, h).unwrap().sample(&mut rng)
            })
        })
        .collect();
    let theta: Vec<f64> = draws.iter().map(|x| (x / scale).powf(p)).collect();
    let inflation = variance_inflation(h, width * width / 12.0) / (p * p);
    assert_moments("theta", &theta, d / p, d / p + inflation);
    let (mean, variance) = common::moments(&draws);
    let error = 4.9 * (variance / draws.len() as f64).sqrt();
    let truth = process.stationary().mean();
    assert!(mean < truth - error, "the mean of X should be too small: {mean} against {truth} ± {error}");
}
