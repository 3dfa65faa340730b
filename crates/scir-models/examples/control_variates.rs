//! Shows: LDA that remembers what each document contributed last, beside LDA that does not.
//!
//! A minibatch stands for all documents, and is a noisy picture of them. What is remembered of the others takes most of that
//! noise away from the second pass on. The noise is measured here as the distance between the counts that a minibatch leads to and
//! those of all documents at the same topics, and checked to be less than half of what it is without a memory.
//!
//! cargo run --release -p scir-models --example control_variates

use scir_core::{Exact, Scir, StepSize};
use scir_data::{BatchOrder, Batching, Corpus, Minibatch};
use scir_models::{ControlVariates, CvSettings, Lda, LdaSettings, Numbered, Result, Sampler};

const DOCUMENTS: usize = 600;
const PASSES: u64 = 4;

fn main() -> Result<()> {
    let settings = LdaSettings { topics: 8, ..LdaSettings::default() };
    let truth = Lda::new(LdaSettings { beta: 0.05.into(), ..settings.clone() }, 300, 7)?;
    let corpus = truth.generate((0..DOCUMENTS).map(|d| 30 + d % 30), 7)?;
    let order = BatchOrder::Shuffled;
    let batches = Batching { size: 50, order, ..Batching::default() }.over(&corpus)?;

    println!(
        "weight   remembered       bytes   error of the counts: plain minibatch, with what is remembered"
    );
    for weight in [1.0, 0.5, 0.0] {
        let lda = Lda::new(settings.clone(), corpus.words(), 1)?;
        let mut model = ControlVariates::new(lda, DOCUMENTS, CvSettings { weight, ..CvSettings::default() })?;
        let mut sampler = Sampler::new(Scir, StepSize::decreasing(0.5, 10.0, 0.33)?, DOCUMENTS, 1)?;
        let total = PASSES * batches.per_epoch();
        for batch in batches.starting_at(0).take(total as usize) {
            sampler.step(&mut model, &batch.into())?;
        }
        let [plain, remembering] = errors(&model, &corpus, &batches.batch(total))?;
        println!(
            "{weight:>6} {:>12} {:>11} {plain:>22.3} {remembering:>18.3}",
            model.remembered(),
            model.bytes()
        );
        assert!(remembering < 0.5 * plain, "what is remembered should help");
    }
    Ok(())
}

/// How far the counts from `batch` are from those of all documents at the same topics, as a part of the latter: without a
/// memory, and with it.
fn errors(model: &ControlVariates<Lda>, corpus: &Corpus, batch: &Minibatch) -> Result<[f64; 2]> {
    let counts = |mut model: ControlVariates<Lda>, batch: Numbered<Corpus>| -> Result<Vec<f64>> {
        Sampler::new(Exact, StepSize::constant(1.0)?, DOCUMENTS, 77)?.step(&mut model, &batch)?;
        Ok(model.estimate(0).iter().map(|count| count.max(0.0)).collect())
    };
    let forgetful = || ControlVariates::new(model.inner().clone(), DOCUMENTS, *model.settings());
    // With all documents in the minibatch there is nothing to estimate.
    let all = Numbered::new(corpus.clone(), (0..DOCUMENTS).collect())?;
    let truth = counts(forgetful()?, all)?;
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let error = |estimate: Vec<f64>| {
        let difference: Vec<f64> = estimate.iter().zip(&truth).map(|(x, y)| x - y).collect();
        norm(&difference) / norm(&truth)
    };
    let (plain, remembering) = (forgetful()?, model.clone());
    Ok([error(counts(plain, batch.clone().into())?), error(counts(remembering, batch.clone().into())?)])
}
