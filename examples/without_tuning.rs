//! Shows: posterior draws from minibatches without a step size to choose, by variance-matched SCIR.
//!
//! Twenty thousand visitors chose one of six pages; the data comes by 200 visitors at a time. Plain SCIR has a step size, and for
//! every one of them the spread of the draws is too large by what the minibatches put in, or the chain is slow. Variance-
//! matched SCIR finds its own steps. Checks mean and spread of the share of the third page against the exact posterior.
//!
//! cargo run --release --example without_tuning

use scir::core::estimate_counts;
use scir::prelude::*;
use scir::rand::RngExt;

const VISITORS: usize = 20_000;
const BATCH: usize = 200;
const SHARES: [f64; 6] = [0.5, 0.3, 0.15, 0.04, 0.01, 0.0];
const PRIOR: f64 = 0.1;

/// Mean and standard deviation of θ₃ over the second half of a run, from the same minibatches for all.
fn run<T: Transition>(transition: &T, h: f64) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    const ITERATIONS: u64 = 60_000;
    let streams = Streams::new(1);
    let mut simplex = Simplex::uniform(SHARES.len())?;
    let (mut minibatch, mut counts) = ([0; BATCH], [0.0; SHARES.len()]);
    let mut kept = Vec::new();
    for iteration in 0..ITERATIONS {
        let mut rng = streams.rng(Purpose::new("visitors"), iteration, 0);
        for page in &mut minibatch {
            let mut left = rng.random::<f64>();
            let passed = |share: &f64| {
                left -= share;
                left < 0.0
            };
            *page = SHARES.iter().position(passed).unwrap_or(0);
        }
        estimate_counts(&minibatch, VISITORS, &mut counts)?;
        let mut rng = streams.rng(Purpose::new("steps"), iteration, 0);
        simplex.step(transition, Target::new(PRIOR, &counts)?, h, &mut rng)?;
        if iteration >= ITERATIONS / 2 {
            kept.push(simplex.theta()[2]);
        }
    }
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    let variance = kept.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / kept.len() as f64;
    Ok((mean, variance.sqrt()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a = PRIOR + VISITORS as f64 * SHARES[2];
    println!("visitors of the third page: posterior mean {a:.0}, standard deviation {:.0}\n", a.sqrt());
    println!("{:<24} {:>9} {:>9} {:>9}", "sampler", "mean", "spread", "too wide");
    let show = |name: &str, (mean, spread): (f64, f64)| {
        println!("{name:<24} {mean:>9.0} {spread:>9.0} {:>8.1}×", spread / a.sqrt());
        spread / a.sqrt()
    };
    for h in [1.0, 0.1, 0.02] {
        let width = show(&format!("SCIR, h = {h}"), run(&Scir, h)?);
        assert!(width > 1.2, "minibatches add to the spread of plain SCIR");
    }
    let limited =
        ScirVm::noise_limited().with_memory(f64::INFINITY)?.with_categorical_noise(VISITORS, BATCH)?;
    for (name, matched) in [("matched, noise-limited", limited), ("matched, pooled", ScirVm::pooled())] {
        let (mean, spread) = run(&matched, f64::INFINITY)?;
        let width = show(name, (mean, spread));
        assert!((width - 1.0).abs() < 0.1 && (mean - a).abs() < 0.3 * a.sqrt(), "right in mean and spread");
    }
    Ok(())
}
