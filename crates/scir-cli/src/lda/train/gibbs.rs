//! Training by collapsed Gibbs sampling on all documents in memory.

use super::super::model_file::KIND;
use super::run::{Run, Saving, Start, catch_interrupts};
use anyhow::Result;
use scir_models::CollapsedLda;
use scir_models::checkpoint::{About, Snapshot};
use scir_models::lda::CollapsedState;

pub(super) fn run(run: &Run, start: Start) -> Result<()> {
    let Start { documents, snapshot, folder, about, total } = start;
    let mut watch = run.watch(&documents, total)?;
    let corpus = documents.corpus()?;
    let mut sampler = match &snapshot {
        Some(snapshot) => snapshot.get::<CollapsedState>("model")?.resume(&corpus)?,
        None => {
            let parts = run.settings.parts.unwrap_or(1);
            CollapsedLda::new(run.settings.lda.clone(), &corpus, parts, run.settings.seed)?
        }
    };
    let model_about = About { kind: KIND.to_owned(), ..about.clone() };
    let saving = Saving { folder, about, documents: &documents, snapshot: snapshot.as_ref() };
    let mut checkpoints = run.checkpoints(saving, &mut watch)?;
    catch_interrupts()?;
    let ended = sampler.run(total, &mut [&mut checkpoints])?;

    run.save_last(&mut checkpoints, &sampler, sampler.sweeps());
    let folder = checkpoints.into_folder();
    watch.progress.finish();
    let model = Snapshot::new(model_about, sampler.sweeps())
        .with("model", &sampler.model()?)?
        .with("vocabulary", &documents.words.list())?
        .with_notes(run.notes(&documents)?);
    run.end(ended, model, folder, &watch.score)
}
