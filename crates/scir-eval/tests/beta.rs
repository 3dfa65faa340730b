//! The beta sampler of `scir-core` against the regularised incomplete beta function, which lives on this side.

use scir_core::{BetaProcess, Purpose, Streams};
use statrs::function::beta::beta_reg;

/// √n times the Kolmogorov–Smirnov distance of chains of 30 time units to Beta(`a`, `b`).
fn statistic(process: BetaProcess, h: f64, index: u64, a: f64, b: f64) -> f64 {
    let mut rng = Streams::new(2018).rng(Purpose::new("beta tests"), 0, index);
    let mut draws: Vec<f64> = (0..20_000)
        .map(|_| {
            let mut state = process.state(0.01).unwrap();
            (0..(30.0 / h) as usize).for_each(|_| process.step(&mut state, h, &mut rng).unwrap());
            state.x()
        })
        .collect();
    draws.sort_unstable_by(f64::total_cmp);
    let n = draws.len() as f64;
    let distance = |(i, x): (usize, &f64)| {
        let f = beta_reg(a, b, *x);
        (f - i as f64 / n).abs().max((f - (i + 1) as f64 / n).abs())
    };
    draws.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}

#[test]
fn chains_have_the_beta_law() {
    for (index, (a, b, h)) in [(0.1, 0.3, 0.5), (3.0, 0.2, 1.0), (40.0, 70.0, 2.0)].into_iter().enumerate() {
        let process = BetaProcess::new(a, b).unwrap();
        let right = statistic(process, h, index as u64, a, b);
        // Exceeded with probability 1e-6.
        assert!(right < 2.694, "a = {a}, b = {b}: {right}");
        let wrong = statistic(process, h, index as u64, 1.2 * a, b);
        assert!(wrong > 2.694, "a = {a}, b = {b}: a shape 20 % too large goes unnoticed ({wrong})");
    }
}
