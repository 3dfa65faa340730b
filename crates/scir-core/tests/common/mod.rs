//! One-sample Kolmogorov–Smirnov and moment checks, with thresholds that a correct sampler passes for the pinned seeds
//! and a wrong one does not.
#![allow(dead_code, unreachable_pub)]

use scir_core::{Purpose, StreamRng, Streams};

pub const MILLION: usize = 1_000_000;

/// A stream for test number `index`.
pub fn rng(index: u64) -> StreamRng {
    Streams::new(20_180_618).rng(Purpose::new("statistical tests"), 0, index)
}

/// √n times the KS distance between the draws and `cdf`, taken at up to 4,000 order statistics.
///
/// Between two of them the distance can be larger by no more than their spacing; at a million draws that is a quarter
/// of the statistic's unit, a small price for 250 times fewer evaluations.
pub fn ks(mut draws: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    assert!(draws.iter().all(|x| !x.is_nan()), "NaN among the draws");
    draws.sort_unstable_by(f64::total_cmp);
    let n = draws.len();
    let mut distance: f64 = 0.0;
    for i in (0..n).step_by((n / 4000).max(20)) {
        let f = cdf(draws[i]);
        distance = distance.max((f - i as f64 / n as f64).abs()).max((f - (i + 1) as f64 / n as f64).abs());
    }
    distance * (n as f64).sqrt()
}

/// The statistic exceeds this with probability 1e-6 under the null hypothesis (2 exp(−2k²) = 1e-6).
pub const KS_LIMIT: f64 = 2.694;

pub fn assert_ks(what: &str, draws: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    let statistic = ks(draws, cdf);
    assert!(statistic < KS_LIMIT, "{what}: KS statistic {statistic:.3} (limit {KS_LIMIT})");
}

/// Mean and variance of a sample.
pub fn moments(draws: &[f64]) -> (f64, f64) {
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    (mean, draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// Checks mean and variance of independent draws against the truth, to 4.9 standard errors (1e-6, two-sided).
pub fn assert_moments(what: &str, draws: &[f64], mean: f64, variance: f64) {
    let n = draws.len() as f64;
    let (m, v) = moments(draws);
    let fourth = draws.iter().map(|x| (x - m).powi(4)).sum::<f64>() / n;
    let mean_error = (variance / n).sqrt();
    let variance_error = ((fourth - v * v) / n).sqrt();
    assert!((m - mean).abs() < 4.9 * mean_error, "{what}: mean {m}, expected {mean} ± {mean_error}");
    assert!(
        (v - variance).abs() < 4.9 * variance_error,
        "{what}: variance {v}, expected {variance} ± {variance_error}"
    );
}
