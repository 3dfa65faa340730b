//! The Dirichlet-process mixture: an iteration on minibatches, a Gibbs sweep on one and two threads, scoring, and that an
//! iteration does not cost more if there are more users.
//!
//! `SCIR_DATA=… cargo bench -p scir-models --bench dp` runs on MS-web; without `SCIR_DATA` the users are generated, and the
//! names say so. Throughput is in users; compare within one run.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use scir_core::{Method, StepSize};
use scir_data::generate::DpSettings as Generate;
use scir_data::{BatchOrder, Batching, Corpus, DocumentSplit, Generator, Minibatches, TestDocuments, msweb};
use scir_models::Sampler;
use scir_models::dp::{DpMixture, DpSettings, Estimator, Moves, Multinomials, Start};
use std::path::PathBuf;

const BATCH: usize = 1000;

fn generated(users: u64) -> Corpus {
    let settings = Generate { records: users, alpha: 3.0, seed: 1, ..Generate::default() };
    settings.generator().expect("good settings").corpus().expect("users")
}

fn users() -> (&'static str, DocumentSplit) {
    match std::env::var_os("SCIR_DATA").map(|folder| PathBuf::from(folder).join("msweb")) {
        None => ("generated", generated(37_711).split(TestDocuments::Last(5_000)).expect("enough users")),
        Some(folder) => {
            let split = msweb::load(folder.join("anonymous-msweb.data"), folder.join("anonymous-msweb.test"));
            ("msweb", split.expect("MS-web"))
        }
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

struct Chain {
    mixture: DpMixture,
    sampler: Sampler<Method>,
    batches: Minibatches,
}

impl Chain {
    fn new(method: Method, base: f64, start: Start, train: &Corpus, size: usize) -> Self {
        Self::with(DpSettings { start, ..DpSettings::default() }, method, base, train, size)
    }

    fn with(settings: DpSettings, method: Method, base: f64, train: &Corpus, size: usize) -> Self {
        let atoms = Multinomials::new(train.words(), base).expect("a base measure");
        let h = StepSize::constant(match method {
            Method::Sgrld => 0.001,
            Method::ScirVm => f64::INFINITY,
            _ => 0.1,
        });
        let h = h.expect("a step");
        let order = if size == train.len() { BatchOrder::Sequential } else { BatchOrder::WithoutReplacement };
        Self {
            mixture: DpMixture::new(settings, atoms, train.len(), 1).expect("a mixture"),
            sampler: Sampler::new(method, h, train.len(), 1).expect("a sampler"),
            batches: Batching { size, order, ..Batching::default() }.over(train).expect("enough users"),
        }
    }

    fn step(&mut self) {
        let batch = self.batches.batch(self.sampler.iteration());
        self.sampler.step(&mut self.mixture, &batch).expect("a step");
    }
}

/// One iteration at the paper's settings, and without a step size, single-threaded, after 300 of them.
fn iteration(criterion: &mut Criterion) {
    let (label, split) = users();
    let mut group = criterion.benchmark_group(format!("{label}/iteration of {BATCH} users, 1 thread"));
    group.throughput(Throughput::Elements(BATCH as u64)).sample_size(20);
    for (method, base) in [(Method::Scir, 0.5), (Method::ScirVm, 0.5), (Method::Sgrld, 0.001)] {
        let mut chain = Chain::new(method, base, Start::Dealt, &split.train, BATCH);
        let pool = pool(1);
        pool.install(|| (0..300).for_each(|_| chain.step()));
        group.bench_function(method.name(), |bencher| bencher.iter(|| pool.install(|| chain.step())));
    }
    group.finish();
}

/// What exact counts cost, and splits with them, next to the plain iteration; minibatches go through the users.
fn exact(criterion: &mut Criterion) {
    let (label, split) = users();
    let mut group = criterion.benchmark_group(format!("{label}/a pass in minibatches of 8000 users"));
    group.throughput(Throughput::Elements(split.train.len() as u64)).sample_size(20);
    let counts = Estimator::ControlVariates;
    let plain = DpSettings::default();
    let moves = Moves { splits: 20, rest: 0, ..Moves::NONE };
    for (name, settings) in [
        ("plain", plain),
        ("exact counts", DpSettings { counts, ..plain }),
        ("exact counts, always splitting", DpSettings { counts, moves, ..plain }),
    ] {
        let mut chain = Chain::with(settings, Method::Scir, 0.5, &split.train, 8000);
        let order = BatchOrder::Shuffled;
        chain.batches =
            Batching { size: 8000, order, ..Batching::default() }.over(&split.train).expect("users");
        let mut pass = || (0..split.train.len().div_ceil(8000)).for_each(|_| chain.step());
        (0..40).for_each(|_| pass());
        group.bench_function(name, |bencher| bencher.iter(&mut pass));
    }
    group.finish();
}

/// A sweep over all users, after 60 of them; and scoring the test users.
fn gibbs(criterion: &mut Criterion) {
    let (label, split) = users();
    let mut chain = Chain::new(Method::Exact, 0.5, Start::Dealt, &split.train, split.train.len());
    (0..60).for_each(|_| chain.step());
    let mut group = criterion.benchmark_group(format!("{label}/Gibbs sweep"));
    group.throughput(Throughput::Elements(split.train.len() as u64)).sample_size(20);
    for threads in [1, 2] {
        let pool = pool(threads);
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
            bencher.iter(|| pool.install(|| chain.step()));
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group(format!("{label}/score of {} users", split.test.len()));
    group.throughput(Throughput::Elements(split.test.len() as u64)).sample_size(20);
    for threads in [1, 2] {
        let pool = pool(threads);
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
            bencher.iter(|| pool.install(|| chain.mixture.ln_predictive(split.test.docs())).expect("scores"));
        });
    }
    group.finish();
}

/// The same iteration for ever more users.
fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("generated/iteration of {BATCH} users out of"));
    group.throughput(Throughput::Elements(BATCH as u64)).sample_size(20);
    for users in [10_000, 100_000, 1_000_000] {
        let train = generated(users);
        let mut chain = Chain::new(Method::Scir, 0.5, Start::OnSight, &train, BATCH);
        (0..300).for_each(|_| chain.step());
        group.bench_function(users.to_string(), |bencher| bencher.iter(|| chain.step()));
    }
    group.finish();
}

criterion_group!(benches, iteration, exact, gibbs, growth);
criterion_main!(benches);
