//! Training by collapsed Gibbs sampling on all documents in memory.

use super::super::model_file::KIND;
use super::run::{Run, Start, catch_interrupts, stop_when_interrupted};
use anyhow::Result;
use scir_models::CollapsedLda;
use scir_models::checkpoint::{About, Checkpointing, Snapshot};
use scir_models::lda::CollapsedState;

pub(super) fn run(run: &Run, start: Start) -> Result<()> {
    let Start { documents, snapshot, folder, about, total } = start;
    let mut watch = run.watch(&documents, total)?;
    let corpus = documents.corpus()?;
    let words: Option<Vec<&str>> = documents.words.vocabulary.as_ref().map(|words| words.words().collect());
    let mut sampler = match &snapshot {
        Some(snapshot) => snapshot.get::<CollapsedState>("model")?.resume(&corpus)?,
        None => {
            let parts = run.settings.parts.unwrap_or(1);
            CollapsedLda::new(run.settings.lda.clone(), &corpus, parts, run.settings.seed)?
        }
    };
    let mut stop = stop_when_interrupted;
    let mut checkpoints = Checkpointing::new(folder, about.clone(), run.every)
        .with("vocabulary", &words)?
        .with_notes(run.notes(&documents)?)
        .tolerating(|error| eprintln!("scir: a checkpoint could not be written: {error}; training goes on"))
        .around(vec![
            &mut watch.evaluate,
            &mut watch.log,
            &mut watch.stopping,
            &mut watch.progress,
            &mut stop,
        ]);
    if let Some(snapshot) = &snapshot {
        checkpoints.resume_from(snapshot)?;
    }
    catch_interrupts()?;
    let ended = sampler.run(total, &mut [&mut checkpoints])?;

    let folder = checkpoints.into_folder();
    watch.progress.finish();
    let about = About { kind: KIND.to_owned(), ..about };
    let model = Snapshot::new(about, sampler.sweeps())
        .with("model", &sampler.model()?)?
        .with("vocabulary", &words)?
        .with_notes(run.notes(&documents)?);
    run.end(ended, model, folder, &watch.score)
}
