//! LDA: token sampling beside its dense reference, one and two threads, the parts of an update, collapsed Gibbs.
//!
//! `SCIR_DATA=… cargo bench -p scir-models --bench lda` runs on Wikipedia; without `SCIR_DATA` the documents are generated, and
//! the names say so. Throughput is in tokens (times sweeps); compare within one run.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use scir_core::{Scir, StepSize, Streams};
use scir_data::wikipedia::WikiExtractor;
use scir_data::{Corpus, Encoder, TextSource, Tokenizer, Vocabulary};
use scir_models::lda::{Gibbs, TokenSampler};
use scir_models::{At, CollapsedLda, Counts, Lda, LdaSettings, Model, Sampler};
use std::path::PathBuf;
use std::sync::Arc;

const BATCH: usize = 50;

fn corpus() -> (&'static str, Corpus) {
    let Some(folder) = std::env::var_os("SCIR_DATA") else {
        let settings = LdaSettings { beta: 0.02.into(), ..LdaSettings::default() };
        let lda = Lda::new(settings, 7_702, 1).expect("good settings");
        // Many short documents and a few long ones, like articles.
        let lengths = (0..10_000).map(|d| 20 + 20_000 / (1 + d * 7919 % 200));
        return ("generated", lda.generate(lengths, 1).expect("documents"));
    };
    let folder = PathBuf::from(folder).join("wikipedia");
    let vocabulary = Arc::new(Vocabulary::open(folder.join("wiki.vocab")).expect("the vocabulary"));
    let articles = WikiExtractor::open(folder.join("extracted/AA/wiki_00.bz2")).expect("the articles");
    let encoder = Encoder::new(Tokenizer::a_to_z(), Arc::clone(&vocabulary));
    ("wikipedia", Corpus::collect_with(vocabulary, articles.documents(encoder)).expect("whole articles"))
}

fn settings(topics: usize, sampler: TokenSampler, sweeps: u32) -> LdaSettings {
    let gibbs = Gibbs { sweeps, burn_in: sweeps / 2, sampler };
    LdaSettings { topics, gibbs, ..LdaSettings::default() }
}

/// A model that has seen the corpus a few times: token sampling depends on how sparse the topics are.
fn trained(corpus: &Corpus, topics: usize) -> Lda {
    let mut sampler =
        CollapsedLda::new(settings(topics, TokenSampler::Sparse, 1), corpus, 2, 1).expect("good settings");
    (0..30).for_each(|_| sampler.sweep().expect("a sweep"));
    sampler.model().expect("a model")
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// Minibatch Gibbs at fixed φ, single-threaded: sparse and dense.
fn token_sampling(criterion: &mut Criterion) {
    let (label, corpus) = corpus();
    for (topics, sweeps) in [(100, 50), (1000, 20)] {
        let lda = trained(&corpus, topics);
        let batch = corpus.slice(0..BATCH);
        let at = At { streams: Streams::new(1), iteration: 0 };
        let mut group = criterion.benchmark_group(format!("{label}/tokens, K = {topics}"));
        group.throughput(Throughput::Elements(batch.tokens() * u64::from(sweeps))).sample_size(10);
        for sampler in [TokenSampler::Sparse, TokenSampler::Dense] {
            let topics = lda.topics().to_vec();
            let mut lda = Lda::with_topics(settings(topics.len(), sampler, sweeps), topics).expect("a model");
            let prepared = lda.prepare(&batch, at).expect("known words");
            group.bench_function(format!("{sampler:?}"), |bencher| {
                bencher.iter(|| {
                    let mut counts = Counts::default();
                    lda.latent(&prepared, &batch, 0..BATCH, at, &mut counts).expect("counts");
                    counts
                });
            });
        }
        group.finish();
    }
}

/// One update as in the paper: 50 documents, 200 sweeps, 100 topics; and how it splits.
fn update(criterion: &mut Criterion) {
    let (label, corpus) = corpus();
    let topics = trained(&corpus, 100).topics().to_vec();
    let mut group = criterion.benchmark_group(format!("{label}/update, K = 100, 200 sweeps"));
    group.sample_size(10);
    for threads in [1, 2] {
        let mut lda =
            Lda::with_topics(settings(100, TokenSampler::Sparse, 200), topics.clone()).expect("a model");
        let step_size = StepSize::decreasing(0.5, 10.0, 0.33).expect("a step size");
        let mut sampler = Sampler::new(Scir, step_size, corpus.len(), 1).expect("a population");
        let (pool, mut i) = (pool(threads), 0);
        let (mut latent, mut moving) = (0.0, 0.0);
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
            bencher.iter(|| {
                let batch = corpus.slice(i * BATCH % 5000..i * BATCH % 5000 + BATCH);
                i += 1;
                let step = pool.install(|| sampler.step(&mut lda, &batch)).expect("a step");
                latent += step.latent.as_secs_f64();
                moving += step.moving.as_secs_f64();
            });
        });
        println!(
            "{threads} threads: {:.1} ms token sampling, {:.1} ms transitions ({:.0} %)",
            1e3 * latent / i as f64,
            1e3 * moving / i as f64,
            100.0 * moving / (latent + moving)
        );
    }
    group.finish();
}

/// Sweeps of the collapsed sampler over 10,000 documents, after 20 sweeps.
fn collapsed(criterion: &mut Criterion) {
    let (label, corpus) = corpus();
    for topics in [100, 1000] {
        let mut group = criterion.benchmark_group(format!("{label}/collapsed Gibbs, K = {topics}"));
        group.throughput(Throughput::Elements(corpus.tokens())).sample_size(10);
        for threads in [1, 2] {
            let settings = settings(topics, TokenSampler::Sparse, 1);
            let mut sampler = CollapsedLda::new(settings, &corpus, threads, 1).expect("good settings");
            let pool = pool(threads);
            pool.install(|| (0..20).for_each(|_| sampler.sweep().expect("a sweep")));
            group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
                bencher.iter(|| pool.install(|| sampler.sweep().expect("a sweep")));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, token_sampling, update, collapsed);
criterion_main!(benches);
