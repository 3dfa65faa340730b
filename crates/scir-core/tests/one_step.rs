//! One step of each process against its analytic law, a million draws at every setting, and a wrong sampler that fails.
mod common;

use common::{KS_LIMIT, MILLION, assert_ks, assert_moments, ks, rng};
use rand_distr::{Distribution, StandardNormal};
use scir_core::{Cir, CirLaw, ExpOu, Scir, Simplex, Target};

const SHAPES: [f64; 9] = [1e-4, 1e-3, 0.1, 0.5, 0.8, 1.0, 3.7, 800.1, 1e9];
const STEPS: [f64; 6] = [1e-8, 1e-6, 1e-2, 0.3, 2.0, f64::INFINITY];
const STARTS: [f64; 7] = [0.0, 1e-30, 0.01, 0.6, 7.0, 2e4, 1e12];

/// Compared through logarithms: for small shapes most of the law lies below the smallest positive f64.
fn check(what: &str, law: CirLaw, draws: usize, index: u64) {
    let mut rng = rng(index);
    let sample: Vec<f64> = (0..draws).map(|_| law.sample_ln(&mut rng)).collect();
    assert!(sample.iter().all(|x| x.is_finite()), "{what}: a logarithm is not finite");
    assert_ks(what, sample, |ln_x| law.cdf_at_ln(ln_x));
}

/// The settings that matter most, at a million draws each.
#[test]
fn transition_law_at_a_million_draws() {
    let settings = [
        (0.1, 0.3, 0.0),
        (0.1, 0.3, 0.05),
        (0.1, 0.01, 3.0),
        (0.1, 1e-6, 0.2),
        (1e-3, 0.3, 0.0),
        (1e-3, 0.1, 1e-6),
        (1e-3, 1e-6, 1e-4),
        (0.5, 0.3, 0.4),
        (0.5, 1e-6, 1.0),
        (0.7, 0.5, 0.2),
        (0.7, 0.01, 2.0),
        (1.2, 0.01, 0.3),
        (800.1, 0.5, 700.0),
        (100.1, f64::INFINITY, 3.0),
        (0.1, f64::INFINITY, 3.0),
    ];
    for (index, (a, h, theta)) in settings.into_iter().enumerate() {
        let law = Cir::standard(a).unwrap().transition(theta, h).unwrap();
        check(&format!("a = {a}, h = {h}, theta = {theta}"), law, MILLION, index as u64);
    }
}

/// The whole promised range of parameters: 378 settings.
#[test]
fn transition_law_over_the_whole_range() {
    let mut index = 1000;
    for a in SHAPES {
        for h in STEPS {
            for theta in STARTS {
                let law = Cir::standard(a).unwrap().transition(theta, h).unwrap();
                check(&format!("a = {a}, h = {h}, theta = {theta}"), law, 20_000, index);
                index += 1;
            }
        }
    }
}

/// A row of a million coordinates without counts, which are moved together and not one by one: the same law.
#[test]
fn a_long_row_has_the_law() {
    let settings = [
        (0.1, 0.3, 0.0),
        (0.1, 0.3, 0.05),
        (0.1, 0.3, 0.9),
        (0.1, 0.01, 3.0),
        (0.1, f64::INFINITY, 3.0),
        (0.13, 0.3, 0.4),
        (1e-3, 0.3, 0.2),
        (1e-4, 1e-8, 1e4),
        (0.37, 1e-6, 1.0),
        (0.5, 0.3, 0.2),
        (0.6, 0.2, 0.1),
        (0.7, 0.3, 0.4),
        (1.0, 0.3, 1.1),
        (1.2, 0.3, 0.4),
        (1.49, f64::INFINITY, 1.0),
        (1.5, 0.3, 1.0),
        (4.0, 0.3, 2.0),
    ];
    let counts = vec![0.0; MILLION];
    for (index, (a, h, theta)) in settings.into_iter().enumerate() {
        let mut row = Simplex::new(vec![theta; MILLION]).unwrap();
        row.step(&Scir, Target::new(a, &counts).unwrap(), h, &mut rng(300 + index as u64)).unwrap();
        let draws: Vec<f64> = (0..MILLION).map(|j| row.ln_theta(j)).collect();
        let neighbours =
            draws.iter().zip(&draws[1..]).map(|(x, y)| (x - draws[0]).signum() * (y - draws[0]).signum());
        let law = Cir::standard(a).unwrap().transition(theta, h).unwrap();
        // Independent neighbours: with p = F(first), the expected product of the signs is (1 − 2p)².
        let p = law.cdf_at_ln(draws[0]);
        let excess = neighbours.sum::<f64>() / MILLION as f64 - (1.0 - 2.0 * p).powi(2);
        assert!(
            excess.abs() < 0.007,
            "a = {a}, h = {h}, theta = {theta}: neighbours are dependent ({excess})"
        );
        assert_ks(&format!("row: a = {a}, h = {h}, theta = {theta}"), draws, |ln_x| law.cdf_at_ln(ln_x));
    }
}

/// A row in which coordinates with and without counts alternate: each kind has its own law, whichever kind is in the
/// majority and decides how the batch is drawn.
#[test]
fn a_mixed_row_has_the_laws() {
    let few_with_counts = [0.0, 0.0, 300.0, 0.0, 0.0, 0.3, 0.0];
    let many_with_counts = [500.0, 1.4, 0.0, 1.2, 40.0, 1e9, 0.01, 3.0];
    let settings = [
        (0.1, 0.3, few_with_counts.as_slice()),
        (0.3, 0.01, &few_with_counts),
        (0.8, 0.3, &few_with_counts),
        (1e-3, 0.3, &[0.0, 0.0, 1e-3, 0.0, 40.0]),
        (1e-3, 0.3, &[1e-3, 2e-3, 0.0, 40.0]),
        (0.1, 0.3, &many_with_counts),
        (1.2, 1e-3, &many_with_counts),
        (0.1, f64::INFINITY, &many_with_counts),
    ];
    for (index, (alpha, h, kinds)) in settings.into_iter().enumerate() {
        let start = |count: f64| 0.9 * count + 0.05;
        let counts: Vec<f64> = kinds.iter().copied().cycle().take(MILLION).collect();
        let mut row = Simplex::new(counts.iter().map(|&count| start(count)).collect()).unwrap();
        let target = Target::new(alpha, &counts).unwrap();
        let report = row.step(&Scir, target, h, &mut rng(350 + index as u64)).unwrap();
        assert_eq!(report.zeros, row.theta().iter().filter(|&&theta| theta == 0.0).count());
        for (k, &count) in kinds.iter().enumerate() {
            let draws = (k..MILLION).step_by(kinds.len()).map(|j| row.ln_theta(j)).collect();
            let law = Cir::standard(alpha + count).unwrap().transition(start(count), h).unwrap();
            let what = format!("mixed row {index}: alpha = {alpha}, h = {h}, count = {count}");
            assert_ks(&what, draws, |ln_x| law.cdf_at_ln(ln_x));
        }
    }
}

#[test]
fn sample_and_logarithm_are_the_same_draw() {
    for (index, a) in SHAPES.into_iter().enumerate() {
        let law = Cir::standard(a).unwrap().transition(0.3, 0.2).unwrap();
        let (mut one, mut two) = (rng(index as u64), rng(index as u64));
        for _ in 0..1000 {
            let (x, ln_x) = (law.sample(&mut one), law.sample_ln(&mut two));
            assert!(
                (x.ln() - ln_x).abs() < 1e-9 * ln_x.abs().max(1.0)
                    || (x < f64::MIN_POSITIVE && ln_x < -700.0)
            );
        }
    }
}

#[test]
fn general_parameters() {
    for (index, (a, b, sigma)) in [(0.4, 2.0, 0.7), (3.0, 0.1, 1.9), (0.02, 5.0, 3.0)].into_iter().enumerate()
    {
        let cir = Cir::new(a, b, sigma).unwrap();
        let law = cir.transition(0.9, 0.25).unwrap();
        let decay = f64::exp(-b * 0.25);
        approx::assert_relative_eq!(law.mean(), 0.9 * decay + a * (1.0 - decay), max_relative = 1e-12);
        let variance = 0.9 * sigma * sigma / b * (decay - decay * decay)
            + a * sigma * sigma / (2.0 * b) * (1.0 - decay) * (1.0 - decay);
        approx::assert_relative_eq!(law.variance(), variance, max_relative = 1e-12);
        check("general", law, MILLION / 4, 50 + index as u64);
        check("general, stationary", cir.stationary(), MILLION / 4, 60 + index as u64);
        approx::assert_relative_eq!(cir.stationary().mean(), a, max_relative = 1e-12);
    }
    let gamma = Cir::targeting(2.5, 40.0).unwrap().stationary();
    approx::assert_relative_eq!(gamma.mean(), 2.5 / 40.0, max_relative = 1e-12);
    approx::assert_relative_eq!(gamma.variance(), 2.5 / 1600.0, max_relative = 1e-12);
}

#[test]
fn moments_of_the_law() {
    for (index, (a, h, theta)) in
        [(0.1, 0.3, 2.0), (3.0, 1e-3, 5.0), (1e9, 1e-8, 1e12)].into_iter().enumerate()
    {
        let law = Cir::standard(a).unwrap().transition(theta, h).unwrap();
        let mut rng = rng(70 + index as u64);
        let draws: Vec<f64> = (0..MILLION / 2).map(|_| law.sample(&mut rng)).collect();
        assert_moments(&format!("a = {a}"), &draws, law.mean(), law.variance());
    }
}

#[test]
fn lognormal_transition_and_stationary_law() {
    let process = ExpOu::new(-1.3, 0.8).unwrap();
    for (index, (theta, h)) in [(5.0, 0.01), (1e-9, 0.7), (2.0, f64::INFINITY)].into_iter().enumerate() {
        let law = process.transition(theta, h).unwrap();
        let mut rng = rng(80 + index as u64);
        let draws: Vec<f64> = (0..MILLION).map(|_| law.sample(&mut rng)).collect();
        assert_moments("lognormal", &draws, law.mean(), law.variance());
        assert_ks("lognormal", draws, |x| law.cdf(x));
    }
}

/// The Euler–Maruyama step of the same equation, full truncation: right to first order in h, and wrong.
fn euler(a: f64, h: f64, theta: f64, draws: usize) -> Vec<f64> {
    let mut rng = rng(90);
    let mut step = || {
        let xi: f64 = StandardNormal.sample(&mut rng);
        (theta + h * (a - theta) + (2.0 * h * theta).sqrt() * xi).abs()
    };
    (0..draws).map(|_| step()).collect()
}

#[test]
fn the_euler_step_is_rejected() {
    for (a, h, theta) in [(0.1, 0.3, 0.05), (0.5, 0.01, 1.0), (3.7, 0.05, 2.0)] {
        let law = Cir::standard(a).unwrap().transition(theta, h).unwrap();
        let statistic = ks(euler(a, h, theta, MILLION), |x| law.cdf(x));
        assert!(
            statistic > 2.0 * KS_LIMIT,
            "a = {a}, h = {h}: the test does not see the Euler error ({statistic})"
        );
    }
}

/// A shape that is off by two per cent is seen too.
#[test]
fn a_slightly_wrong_shape_is_rejected() {
    let (right, wrong) = (Cir::standard(0.1).unwrap(), Cir::standard(0.102).unwrap());
    let mut rng = rng(91);
    let law = wrong.transition(0.0, 0.3).unwrap();
    let draws: Vec<f64> = (0..MILLION).map(|_| law.sample_ln(&mut rng)).collect();
    let truth = right.transition(0.0, 0.3).unwrap();
    assert!(ks(draws, |ln_x| truth.cdf_at_ln(ln_x)) > KS_LIMIT);
}
