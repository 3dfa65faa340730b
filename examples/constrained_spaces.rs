//! Shows: the same machinery on [0, 1] and on (0, ∞), with estimates from minibatches.
//!
//! A click rate with a beta posterior, and the inverse scale of Weibull lifetimes, some of them censored, with a generalised
//! gamma posterior. Both posteriors are known; checks the means, and that logarithms survive next to 0.
//!
//! cargo run --release --example constrained_spaces

use scir::prelude::*;
use scir::rand::RngExt;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    click_rate()?;
    lifetimes()
}

/// 40 clicks on 20,000 page views; 200 views at a time.
fn click_rate() -> Result<(), Box<dyn std::error::Error>> {
    const VIEWS: usize = 20_000;
    const BATCH: usize = 200;
    let clicked = |view: usize| view.is_multiple_of(VIEWS / 40);
    let posterior = BetaProcess::new(0.5 + 40.0, 0.5 + (VIEWS - 40) as f64)?;
    let mut state = posterior.state(0.5)?;
    let (streams, mut sum, mut least) = (Streams::new(1), 0.0, 0f64);
    const STEPS: u64 = 100_000;
    for step in 0..STEPS + 2000 {
        let mut rng = streams.rng(Purpose::new("clicks"), step, 0);
        let clicks = (0..BATCH).filter(|_| clicked(rng.random_range(0..VIEWS))).count();
        let scale = VIEWS as f64 / BATCH as f64;
        let estimate =
            posterior.with_estimates(0.5 + scale * clicks as f64, 0.5 + scale * (BATCH - clicks) as f64)?;
        estimate.step(&mut state, 0.02, &mut rng)?;
        if step >= 2000 {
            sum += state.x();
            least = least.min(state.ln_x());
        }
    }
    let (mean, truth) = (sum / STEPS as f64, posterior.stationary().mean());
    println!("click rate: mean {mean:.3e}, of the posterior {truth:.3e}; the smallest draw was e^{least:.1}");
    assert!((mean / truth - 1.0).abs() < 0.05 && least.is_finite());
    Ok(())
}

/// Lifetimes t ~ Weibull(scale 3, shape k = 1.5), observed for 2 years. With D the number that ended and T = Σ t^k, and a
/// prior Gamma(1, 1) for r = scale^{−k}, the posterior of r is Gamma(1 + D, 1 + T): that of x = 1/scale = r^{1/k} is the
/// generalised gamma law with d = k(1 + D), p = k. T is known; D is estimated from minibatches.
fn lifetimes() -> Result<(), Box<dyn std::error::Error>> {
    const UNITS: usize = 4000;
    const BATCH: usize = 100;
    let k = 1.5;
    let streams = Streams::new(2);
    let law = GenGamma::weibull(3.0, k)?.stationary();
    let times: Vec<f64> = (0..UNITS as u64)
        .map(|i| law.sample(&mut streams.rng(Purpose::new("lifetimes"), 0, i)).min(2.0))
        .collect();
    let ended = times.iter().filter(|&&t| t < 2.0).count() as f64;
    let rate = 1.0 + times.iter().map(|t| t.powf(k)).sum::<f64>();
    let posterior = GenGamma::new(rate.powf(-1.0 / k), k * (1.0 + ended), k)?;

    let (mut x, mut sum, mut powers) = (1.0, 0.0, 0.0);
    const STEPS: u64 = 100_000;
    for step in 0..STEPS + 1000 {
        let mut rng = streams.rng(Purpose::new("units"), step, 0);
        let in_batch = (0..BATCH).filter(|_| times[rng.random_range(0..UNITS)] < 2.0).count() as f64;
        let d_hat = k * (1.0 + UNITS as f64 / BATCH as f64 * in_batch);
        x = posterior.with_estimate(d_hat)?.transition(x, 0.05)?.sample(&mut rng);
        if step >= 1000 {
            sum += x;
            powers += x.powf(k);
        }
    }
    let (mean, power) = (sum / STEPS as f64, powers / STEPS as f64);
    let (truth, true_power) = (posterior.stationary().mean(), (1.0 + ended) / rate);
    println!(
        "1/scale: mean {mean:.4}, of the posterior {truth:.4}; of its power {power:.4} and {true_power:.4}"
    );
    // The mean of the power is right at any noise; that of x itself nearly, because the noise is small.
    assert!((power / true_power - 1.0).abs() < 0.005 && (mean / truth - 1.0).abs() < 0.005);
    assert!((1.0 / mean - 3.0).abs() < 0.2, "and the scale is found: {}", 1.0 / mean);
    Ok(())
}
