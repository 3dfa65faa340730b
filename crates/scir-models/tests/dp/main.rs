//! The Dirichlet-process mixture: exactness, recovery, calibration, edge cases, and the real data.

mod calibration;
mod edges;
mod exact;
mod geweke;
mod kinds;
mod moves;
mod real;
mod recovery;
mod wrong;

use scir_core::rand::{Rng, RngExt};
use scir_core::{Simplex, StepSize, Transition};
use scir_data::{BatchOrder, Batching, Corpus, CorpusBuilder, Document, Minibatch};
use scir_models::dp::{Alpha, Atoms, DpMixture, DpSettings, Multinomials};
use scir_models::{Result, Sampler};

fn settings(alpha: Alpha, initial: usize) -> DpSettings {
    DpSettings { alpha, initial, ..DpSettings::default() }
}

fn omega(simplex: &Simplex) -> Vec<f64> {
    let mut omega = vec![0.0; simplex.len()];
    simplex.omega(&mut omega).unwrap();
    omega
}

/// All documents as one minibatch.
fn whole(corpus: &Corpus) -> Minibatch {
    Batching { size: corpus.len(), ..Batching::default() }.over(corpus).unwrap().batch(0)
}

/// Draws data from the mixture as it is: item i has `lengths[i]` entries from the atom of its cluster.
fn draw_data<R: Rng>(mixture: &DpMixture, lengths: &[usize], rng: &mut R) -> Corpus {
    let laws: Vec<Vec<f64>> =
        (0..mixture.sticks().len()).map(|j| omega(&mixture.atoms().atom(j)[0])).collect();
    let mut corpus = CorpusBuilder::with_words(mixture.atoms().categories());
    for (&z, &length) in mixture.allocations().iter().zip(lengths) {
        let mut token = || {
            let mut u: f64 = rng.random();
            laws[z as usize].iter().position(|p| {
                u -= p;
                u < 0.0
            })
        };
        let last = mixture.atoms().categories() - 1;
        let tokens = (0..length).map(|_| token().unwrap_or(last) as u32).collect();
        corpus.push(Document::from_tokens(tokens).view()).unwrap();
    }
    corpus.finish()
}

/// Runs `iterations` on minibatches of `size`, drawn without replacement, at one step size for all blocks.
fn run<A: Atoms<Batch = Minibatch>, T: Transition + Sync>(
    mixture: &mut DpMixture<A>,
    transition: T,
    h: f64,
    corpus: &Corpus,
    size: usize,
    iterations: usize,
    seed: u64,
) -> Result<()> {
    let mut sampler = Sampler::new(transition, StepSize::constant(h)?, corpus.len(), seed)?;
    let order =
        if size > corpus.len() { BatchOrder::WithReplacement } else { BatchOrder::WithoutReplacement };
    let batches = Batching { size, order, seed, ..Batching::default() }.over(corpus)?;
    sampler.run(
        mixture,
        batches.starting_at(0).take(iterations).map(Ok::<_, scir_models::Error>),
        &mut [],
    )?;
    Ok(())
}

fn mixture(settings: DpSettings, corpus: &Corpus, base: f64, seed: u64) -> DpMixture {
    let atoms = Multinomials::new(corpus.words(), base).unwrap();
    DpMixture::new(settings, atoms, corpus.len(), seed).unwrap()
}
