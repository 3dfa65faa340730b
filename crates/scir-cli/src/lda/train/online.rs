//! Training on minibatches, which may remember what each document contributed.

use super::options::Order;
use super::settings::{Online, Settings};
use crate::interrupt;
use crate::output::usage;
use crate::training::{Documents, Session, Start};
use anyhow::{Context, Result};
use scir_data::{BatchOrder, Batching, Minibatch, Prefetch, StreamBatching};
use scir_models::checkpoint::{Checkpointing, Snapshot};
use scir_models::lda::HeldOutPerplexity;
use scir_models::observe::Measure;
use scir_models::{ControlVariates, Error, Lda, Model, Sampler};
use serde::Serialize;
use serde::de::DeserializeOwned;

type Batches = Box<dyn Iterator<Item = scir_data::Result<Minibatch>> + Send>;

pub(super) fn run(session: &Session, settings: &Settings, start: Start) -> Result<()> {
    let online = settings.online.as_ref().context("online training has step sizes")?;
    let documents = start.documents.clone();
    let lda = Lda::new(settings.lda.clone(), documents.words.len()?, settings.seed)?;
    let learning = Learning { session, settings, online };
    let Some(remembering) = online.remembering else {
        let ended = |model: &Lda, checkpoints: &mut Checkpointing<'_, Lda>, done| {
            Ok(checkpoints.snapshot(model, done)?)
        };
        return learning.run(start, lda, |batch| batch.documents, ended);
    };
    let model = ControlVariates::new(lda, documents.population(), remembering)
        .map_err(|error| usage(format!("--remember-mb: {error}")))?;
    learning.run(start, model, Minibatch::into, |model, _, done| {
        let mb = model.bytes().div_ceil(1 << 20);
        eprintln!("{} of {} documents are remembered, in {mb} MB", model.remembered(), model.items());
        session.finished(&documents, model.inner(), done)
    })
}

struct Learning<'a> {
    session: &'a Session,
    settings: &'a Settings,
    online: &'a Online,
}

impl Learning<'_> {
    /// Trains `new`, or what was saved of it, on minibatches as it wants them; `ended` makes the file of it.
    fn run<M>(
        &self,
        start: Start,
        new: M,
        batch: impl Fn(Minibatch) -> M::Batch,
        ended: impl FnOnce(&M, &mut Checkpointing<'_, M>, u64) -> Result<Snapshot>,
    ) -> Result<()>
    where
        M: Model + Serialize + DeserializeOwned,
        HeldOutPerplexity: Measure<M>,
    {
        let Self { session, settings, online } = *self;
        let (documents, total, done) = (start.documents.clone(), start.total, start.done());
        let mut watch = session.watch(super::perplexity(settings, &documents)?, total)?;
        let mut model = match &start.snapshot {
            Some(snapshot) => snapshot.get("model")?,
            None => new,
        };
        let mut checkpoints = session.checkpoints(start, &mut watch)?;
        let method = settings.method.transition().context("online training has a transition")?;
        let mut sampler =
            Sampler::new(method, online.step, documents.population(), settings.seed)?.starting_at(done);
        let batches = batches(online, &documents, settings.seed, done)?;
        interrupt::end_after_iteration()?;
        let left = batches.take(total.saturating_sub(done) as usize);
        let batches = Prefetch::new(1, left)?.map(|next| next.map(&batch).map_err(Error::from));
        let how = sampler.run(&mut model, batches, &mut [&mut checkpoints])?;

        session.save_last(&mut checkpoints, &model, sampler.iteration());
        let file = ended(&model, &mut checkpoints, sampler.iteration())?;
        session.end(how, file, checkpoints.into_folder(), &watch)
    }
}

/// The minibatches, from number `done` on.
fn batches(online: &Online, documents: &Documents, seed: u64, done: u64) -> Result<Batches> {
    let size = online.batch_size;
    Ok(match online.order {
        Order::Shuffled => {
            let corpus = documents.corpus()?;
            let size = size.min(corpus.len());
            let batching = Batching { size, order: BatchOrder::Shuffled, seed, ..Batching::default() };
            Box::new(batching.over(&corpus)?.starting_at(done).map(Ok))
        }
        Order::Sequential => {
            let batching = StreamBatching { size, passes: None, ..StreamBatching::default() };
            let (ids, documents) = (documents.ids()?, documents.clone());
            let mut batches = batching.over(ids, move || Ok(documents.training()))?;
            batches.skip_to(done)?;
            Box::new(batches)
        }
    })
}
