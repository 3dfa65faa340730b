//! Shows: sampling a sparse Dirichlet posterior from minibatches with SCIR, in ten lines.
//!
//! 1000 items, 800 in one category, 100 in each of two, none in the other seven. The posterior is Dir(0.1 + counts);
//! the sampler sees 50 random items at a time. Checks the posterior means it finds.
//!
//! cargo run --release --example sparse_dirichlet

use rand::RngExt;
use scir::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let items: Vec<usize> = (0..1000).map(|i| if i < 800 { 0 } else { 1 + (i - 800) / 100 }).collect();
    let (streams, draws) = (Streams::new(1), 20_000);
    let (mut simplex, mut counts, mut mean) = (Simplex::uniform(10)?, [0.0; 10], [0.0; 10]);
    for iteration in 0..draws {
        let mut rng = streams.rng(Purpose::new("sparse_dirichlet"), iteration, 0);
        let minibatch: Vec<usize> = (0..50).map(|_| items[rng.random_range(0..1000)]).collect();
        estimate_counts(&minibatch, items.len(), &mut counts)?;
        simplex.step(&Scir, Target::new(0.1, &counts)?, 0.1, &mut rng)?;
        let total: f64 = simplex.theta().iter().sum();
        mean.iter_mut().zip(simplex.theta()).for_each(|(mean, theta)| *mean += theta / total / draws as f64);
    }

    println!("category   posterior mean   estimate");
    for (j, estimate) in mean.iter().enumerate() {
        let count = items.iter().filter(|&&z| z == j).count() as f64;
        let truth = (0.1 + count) / 1001.0;
        println!("{j:>8}   {truth:>14.6}   {estimate:.6}");
        assert!((estimate - truth).abs() < 0.01 * truth + 2e-5, "category {j} is off");
    }
    Ok(())
}
