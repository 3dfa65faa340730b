//! The cost of variance-matched SCIR beside plain SCIR, on the same estimates.
//!
//! `cargo bench --bench matched`; `cargo bench --bench matched -- --ratios` takes half a minute, and prints how much more
//! the corrections cost.
//!
//! One thread. Estimates are those of minibatches, new in every step:
//!
//! - *topics*: 7,702 words of all frequencies, of which a minibatch has a few per cent, with counts in the hundreds; β = 0.5;
//! - *clusters*: 294 pages, as in the mixture of the paper, of which a minibatch has a seventh; a = 0.5;
//! - *sparse*: 3 % of 7,702 coordinates have counts, always the same ones; α = 0.1;
//! - *dense*: all of them have.

use criterion::{Criterion, Throughput, criterion_group};
use rand::RngExt;
use scir::core::StreamRng;
use scir::prelude::*;
use std::time::{Duration, Instant};

/// Different minibatches, after which the same ones come again.
const MINIBATCHES: usize = 200;
const PLACE: Purpose = Purpose::new("bench");

fn rng(index: u64) -> StreamRng {
    Streams::new(1).rng(PLACE, 0, index)
}

/// A kind of simplexes.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    len: usize,
    prior: f64,
    /// The chance that coordinate j has counts in a minibatch.
    chance: fn(usize) -> f64,
}

const ROWS: [Row; 4] = [
    Row { name: "topics", len: 7_702, prior: 0.5, chance: |j| (100.0 / (j + 1) as f64).min(0.5) },
    Row { name: "clusters", len: 294, prior: 0.5, chance: |j| (10.0 / (j + 1) as f64).min(0.9) },
    Row { name: "sparse", len: 7_702, prior: 0.1, chance: |j| if j % 33 == 0 { 0.9 } else { 0.0 } },
    Row { name: "dense", len: 7_702, prior: 0.1, chance: |_| 1.0 },
];

fn transitions() -> [(&'static str, ScirVm, f64); 3] {
    [
        ("scheduled", ScirVm::scheduled(), 0.15),
        ("noise-limited", ScirVm::noise_limited(), f64::INFINITY),
        ("pooled", ScirVm::pooled(), f64::INFINITY),
    ]
}

/// One row, and the estimates that come in turn.
struct Chain {
    simplex: Simplex,
    estimates: Vec<Vec<f64>>,
    prior: f64,
    step: usize,
    rng: StreamRng,
}

impl Chain {
    /// After as many steps as there are minibatches, so that the moments are known.
    fn new<T: Transition>(row: Row, transition: &T, h: f64) -> Self {
        let mut rng = rng(1);
        let mut estimate =
            |j| if rng.random::<f64>() < (row.chance)(j) { rng.random_range(100.0..800.0) } else { 0.0 };
        let estimates = (0..MINIBATCHES).map(|_| (0..row.len).map(&mut estimate).collect()).collect();
        let mut chain =
            Self { simplex: Simplex::uniform(row.len).unwrap(), estimates, prior: row.prior, step: 0, rng };
        for _ in 0..MINIBATCHES {
            chain.advance(transition, h);
        }
        chain
    }

    /// One step, and how long it took.
    fn advance<T: Transition>(&mut self, transition: &T, h: f64) -> Duration {
        let estimate = &self.estimates[self.step % MINIBATCHES];
        self.step += 1;
        let start = Instant::now();
        self.simplex.step(transition, Target::new(self.prior, estimate).unwrap(), h, &mut self.rng).unwrap();
        start.elapsed()
    }
}

/// Sums of the shortest times of each minibatch, measured in turn: what else runs on the machine disturbs both, and the
/// minimum the least.
fn ratios() {
    const ROUNDS: usize = 15;
    for row in ROWS {
        let mut plain = Chain::new(row, &Scir, 0.15);
        let others = transitions().map(|(name, vm, h)| (name, vm, h, Chain::new(row, &vm, h)));
        for (name, vm, h, mut chain) in others {
            let mut times = vec![[Duration::MAX; 2]; MINIBATCHES];
            for step in 0..ROUNDS * MINIBATCHES {
                let best = &mut times[step % MINIBATCHES];
                best[0] = best[0].min(plain.advance(&Scir, 0.15));
                best[1] = best[1].min(chain.advance(&vm, h));
            }
            let total = |which: usize| times.iter().map(|times| times[which].as_secs_f64()).sum::<f64>();
            let [plain, matched] = [0, 1].map(|which| total(which) * 1e9 / (MINIBATCHES * row.len) as f64);
            println!(
                "{}: scir {plain:.1} ns, {name} {matched:.1} ns, ratio {:.2}",
                row.name,
                matched / plain
            );
        }
    }
}

fn benches(criterion: &mut Criterion) {
    for row in ROWS {
        let mut group = criterion.benchmark_group(row.name);
        group.throughput(Throughput::Elements(row.len as u64));
        let mut chain = Chain::new(row, &Scir, 0.15);
        group.bench_function("scir", |bencher| bencher.iter(|| chain.advance(&Scir, 0.15)));
        for (name, vm, h) in transitions() {
            let mut chain = Chain::new(row, &vm, h);
            group.bench_function(name, |bencher| bencher.iter(|| chain.advance(&vm, h)));
        }
        group.finish();
    }
}

criterion_group!(all, benches);

fn main() {
    if std::env::args().any(|argument| argument == "--ratios") {
        return ratios();
    }
    all();
    Criterion::default().configure_from_args().final_summary();
}
