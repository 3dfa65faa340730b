//! Shows: LDA as a library, with an observer that measures held-out perplexity and ends the run when it stops falling.
//!
//! cargo run --release -p scir-models --example stop_early

use scir_core::{Scir, StepSize};
use scir_data::{Completion, TestDocuments};
use scir_models::lda::{Gibbs, HeldOutPerplexity};
use scir_models::{Ended, Error, Lda, LdaSettings, Sampler, Step};
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Documents from ten topics over 500 words; 100 of them for testing, every 10th of their tokens held out.
    let gibbs = Gibbs { sweeps: 50, burn_in: 25, ..Gibbs::default() };
    let settings = LdaSettings { topics: 10, beta: 0.05.into(), gibbs, ..LdaSettings::default() };
    let truth = Lda::new(settings.clone(), 500, 7)?;
    let split = truth.generate((0..2000).map(|d| 40 + d % 40), 7)?.split(TestDocuments::First(100))?;
    let mut perplexity = HeldOutPerplexity::new(split.test.complete(Completion::default())?, 1)?;

    let mut lda = Lda::new(settings, 500, 1)?;
    let mut sampler = Sampler::new(Scir, StepSize::decreasing(0.5, 10.0, 0.33)?, split.train.len(), 1)?;
    let batches = (0..2000).map(|i| i * 50 % 1900);
    let batches = batches.map(|start| Ok::<_, Error>(split.train.slice(start..start + 50)));

    let mut curve: Vec<f64> = Vec::new();
    let mut stop_when_flat = |lda: &Lda, step: &Step| {
        if !(step.iteration + 1).is_multiple_of(10) {
            return Ok(ControlFlow::Continue(()));
        }
        let now = perplexity.evaluate(lda)?.averaged;
        println!("after {:>4} updates: perplexity {now:.1}", step.iteration + 1);
        curve.push(now);
        let flat = curve.len() > 3 && now > 0.998 * curve[curve.len() - 4];
        Ok(if flat { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let ended = sampler.run(&mut lda, batches, &mut [&mut stop_when_flat])?;
    assert_eq!(ended, Ended::Stopped, "the curve flattens long before the documents end");
    assert!(curve[curve.len() - 1] < curve[0], "and lower than it began");
    Ok(())
}
