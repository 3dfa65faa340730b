//! The cost of SCIR transitions, beside the same step written with `rand_distr` alone.
//!
//! `cargo bench --bench transitions`. Throughput is in transitions: the inverse is nanoseconds per transition.
//! `cargo bench --bench transitions -- --ratios` takes ten seconds, and prints how many times faster the crate is.
//!
//! - *sparse*: 770,200 coordinates (100 topics of 7,702 words), prior β, 3 % of them with counts in the hundreds;
//! - *dense*: all of them with counts in the hundreds;
//! - *block*: the same numbers as 100 simplexes, on one and on two threads.

use criterion::{Criterion, Throughput, criterion_group};
use rand::RngExt;
use rand_distr::{Distribution, Gamma, Poisson};
use scir::core::StreamRng;
use scir::prelude::*;
use std::time::{Duration, Instant};

const TOPICS: usize = 100;
const WORDS: usize = 7_702;
const H: f64 = 0.3;
const PLACE: Purpose = Purpose::new("bench");

fn rng() -> StreamRng {
    Streams::new(1).rng(PLACE, 0, 0)
}

/// Counts in the hundreds in a share of the coordinates, zero in the others.
fn counts(share: f64) -> Vec<f64> {
    let mut rng = rng();
    let mut count = || if rng.random::<f64>() < share { f64::from(rng.random_range(100..1000)) } else { 0.0 };
    (0..TOPICS * WORDS).map(|_| count()).collect()
}

/// A draw from the target, so that the benches run in the stationary state.
fn stationary(beta: f64, counts: &[f64]) -> Vec<f64> {
    let mut simplex = Simplex::uniform(counts.len()).unwrap();
    simplex.step(&Exact, Target::new(beta, counts).unwrap(), 1.0, &mut rng()).unwrap();
    simplex.theta().to_vec()
}

/// The same transition as one would write it first.
fn naive(theta: &mut [f64], beta: f64, counts: &[f64], h: f64, rng: &mut StreamRng) {
    let scale = -(-h).exp_m1();
    for (theta, count) in theta.iter_mut().zip(counts) {
        let lambda = *theta * (-h).exp() / scale;
        let n: f64 = if lambda > 0.0 { Poisson::new(lambda).unwrap().sample(rng) } else { 0.0 };
        *theta = scale * Gamma::new(beta + count + n, 1.0).unwrap().sample(rng);
    }
}

/// Name, β, and the share of the coordinates with counts.
const ROWS: [(&str, f64, f64); 3] =
    [("sparse, beta 0.5", 0.5, 0.03), ("sparse, beta 0.1", 0.1, 0.03), ("dense", 0.1, 1.0)];

fn one_row(criterion: &mut Criterion) {
    for (name, beta, share) in ROWS {
        let counts = counts(share);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(counts.len() as u64)).sample_size(10);
        let (mut theta, mut generator) = (stationary(beta, &counts), rng());
        group.bench_function("naive", |bencher| {
            bencher.iter(|| naive(&mut theta, beta, &counts, H, &mut generator));
        });
        let mut simplex = Simplex::new(stationary(beta, &counts)).unwrap();
        group.bench_function("scir", |bencher| {
            bencher.iter(|| {
                simplex.step(&Scir, Target::new(beta, &counts).unwrap(), H, &mut generator).unwrap()
            });
        });
        group.finish();
    }
}

/// Prints the shortest times of both ways, measured in turn: what else runs on the machine disturbs both, and the
/// minimum the least.
fn ratios() {
    for (name, beta, share) in ROWS {
        let counts = counts(share);
        let (mut theta, mut generator) = (stationary(beta, &counts), rng());
        let mut simplex = Simplex::new(theta.clone()).unwrap();
        let (mut naive_time, mut scir_time) = (Duration::MAX, Duration::MAX);
        for _ in 0..40 {
            let start = Instant::now();
            naive(&mut theta, beta, &counts, H, &mut generator);
            naive_time = naive_time.min(start.elapsed());
            let start = Instant::now();
            simplex.step(&Scir, Target::new(beta, &counts).unwrap(), H, &mut generator).unwrap();
            scir_time = scir_time.min(start.elapsed());
        }
        let nanoseconds = |time: Duration| time.as_secs_f64() * 1e9 / counts.len() as f64;
        let (naive, scir) = (nanoseconds(naive_time), nanoseconds(scir_time));
        println!("{name}: naive {naive:.1} ns, scir {scir:.1} ns, ratio {:.2}", naive / scir);
    }
    let (mut block, pools) = (Block::new(), [pool(1), pool(2)]);
    let mut times = [Duration::MAX; 2];
    for _ in 0..40 {
        for (time, pool) in times.iter_mut().zip(&pools) {
            let start = Instant::now();
            block.step(pool);
            *time = (*time).min(start.elapsed());
        }
    }
    let [one, two] = times.map(|time| time.as_secs_f64() * 1e9 / block.counts.len() as f64);
    println!("block of 100, beta 0.1: 1 thread {one:.1} ns, 2 threads {two:.1} ns, ratio {:.2}", one / two);
}

/// The numbers of the sparse row as 100 simplexes.
struct Block {
    simplexes: Vec<Simplex>,
    counts: Vec<f64>,
    iteration: u64,
}

impl Block {
    fn new() -> Self {
        let counts = counts(0.03);
        let rows = stationary(0.1, &counts);
        let simplexes = rows.chunks(WORDS).map(|row| Simplex::new(row.to_vec()).unwrap()).collect();
        Self { simplexes, counts, iteration: 0 }
    }

    fn step(&mut self, pool: &rayon::ThreadPool) {
        self.iteration += 1;
        let place = Place { streams: Streams::new(1), purpose: PLACE, iteration: self.iteration };
        let target = |k: usize| Target::new(0.1, &self.counts[k * WORDS..(k + 1) * WORDS]);
        pool.install(|| step_block(&mut self.simplexes, &Scir, target, H, place)).unwrap();
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn block(criterion: &mut Criterion) {
    let mut block = Block::new();
    let mut group = criterion.benchmark_group("block of 100, beta 0.1");
    group.throughput(Throughput::Elements(block.counts.len() as u64)).sample_size(20);
    for threads in [1, 2] {
        let pool = pool(threads);
        group.bench_function(format!("{threads} threads"), |bencher| bencher.iter(|| block.step(&pool)));
    }
    group.finish();
}

criterion_group!(benches, one_row, block);

fn main() {
    if std::env::args().any(|argument| argument == "--ratios") {
        return ratios();
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
