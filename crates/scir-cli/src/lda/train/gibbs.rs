//! Training by collapsed Gibbs sampling on all documents in memory.

use super::settings::Settings;
use crate::interrupt;
use crate::training::{Session, Start};
use anyhow::Result;
use scir_models::CollapsedLda;
use scir_models::lda::CollapsedState;

pub(super) fn run(session: &Session, settings: &Settings, start: Start) -> Result<()> {
    let (documents, total) = (start.documents.clone(), start.total);
    let mut watch = session.watch(super::perplexity(settings, &documents)?, total)?;
    let corpus = documents.corpus()?;
    let mut sampler = match &start.snapshot {
        Some(snapshot) => snapshot.get::<CollapsedState>("model")?.resume(&corpus)?,
        None => CollapsedLda::new(settings.lda.clone(), &corpus, settings.parts.unwrap_or(1), settings.seed)?,
    };
    let mut checkpoints = session.checkpoints(start, &mut watch)?;
    interrupt::end_after_iteration()?;
    let ended = sampler.run(total, &mut [&mut checkpoints])?;

    session.save_last(&mut checkpoints, &sampler, sampler.sweeps());
    let folder = checkpoints.into_folder();
    // The topics instead of those of the tokens: that is what a model is used by.
    let model = session.finished(&documents, &sampler.model()?, sampler.sweeps())?;
    session.end(ended, model, folder, &watch)
}
