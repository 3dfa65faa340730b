//! What the tests share: a corpus with known topics, and how far topics are from the truth.

use scir_core::Simplex;
use scir_data::Corpus;
use scir_models::lda::{Gibbs, TokenSampler};
use scir_models::{Lda, LdaSettings, Result};

pub(crate) fn settings(topics: usize, alpha: f64, beta: f64, sweeps: u32) -> LdaSettings {
    let gibbs = Gibbs { sweeps, burn_in: sweeps / 2, sampler: TokenSampler::Sparse };
    LdaSettings { topics, alpha: alpha.into(), beta: beta.into(), gibbs }
}

/// Five topics over fifty words, and documents drawn from them.
pub(crate) fn truth(documents: usize, length: usize) -> (Lda, Corpus) {
    let topic =
        |k: usize| Simplex::new((0..50).map(|w| if w / 10 == k { 1.0 } else { 0.02 }).collect()).unwrap();
    let lda = Lda::with_topics(settings(5, 0.1, 0.1, 20), (0..5).map(topic).collect()).unwrap();
    let corpus = lda.generate((0..documents).map(|_| length), 3).unwrap();
    (lda, corpus)
}

/// Minibatches of `size` documents, again and again.
pub(crate) fn batches(
    corpus: &Corpus,
    size: usize,
    count: usize,
) -> impl Iterator<Item = Result<Corpus>> + use<'_> {
    let per_epoch = corpus.len() / size;
    (0..count).map(move |i| Ok(corpus.slice(i % per_epoch * size..(i % per_epoch + 1) * size)))
}

/// The mean total variation between topics, matched so that it is smallest.
pub(crate) fn distance(a: &[Simplex], b: &[Simplex]) -> f64 {
    let omega = |topic: &Simplex| {
        let mut omega = vec![0.0; topic.len()];
        topic.omega(&mut omega).unwrap();
        omega
    };
    let variation = |a: &Simplex, b: &Simplex| {
        omega(a).iter().zip(omega(b)).map(|(x, y)| (x - y).abs()).sum::<f64>() / 2.0
    };
    let costs: Vec<Vec<f64>> = a.iter().map(|a| b.iter().map(|b| variation(a, b)).collect()).collect();
    best_assignment(&costs, 0, &mut vec![false; b.len()]) / a.len() as f64
}

fn best_assignment(costs: &[Vec<f64>], row: usize, taken: &mut Vec<bool>) -> f64 {
    if row == costs.len() {
        return 0.0;
    }
    let mut best = f64::INFINITY;
    for column in 0..taken.len() {
        if !taken[column] {
            taken[column] = true;
            best = best.min(costs[row][column] + best_assignment(costs, row + 1, taken));
            taken[column] = false;
        }
    }
    best
}
