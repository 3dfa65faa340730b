//! Training on minibatches.

use super::options::Order;
use super::settings::Settings;
use crate::interrupt;
use crate::training::{Session, Start};
use anyhow::{Context, Result};
use scir_data::{BatchOrder, Batching, Minibatch, Prefetch, StreamBatching};
use scir_models::{Error, Lda, Sampler};

type Batches = Box<dyn Iterator<Item = scir_data::Result<Minibatch>> + Send>;

pub(super) fn run(session: &Session, settings: &Settings, start: Start) -> Result<()> {
    let seed = settings.seed;
    let online = settings.online.as_ref().context("online training has step sizes")?;
    let method = settings.method.transition().context("online training has a transition")?;
    let (documents, total, done) = (start.documents.clone(), start.total, start.done());
    let mut watch = session.watch(super::perplexity(settings, &documents)?, total)?;
    let mut lda = match &start.snapshot {
        Some(snapshot) => snapshot.get("model")?,
        None => Lda::new(settings.lda.clone(), documents.words.len()?, seed)?,
    };
    let mut checkpoints = session.checkpoints(start, &mut watch)?;
    let mut sampler = Sampler::new(method, online.step, documents.population(), seed)?.starting_at(done);

    let size = online.batch_size;
    let batches: Batches = match online.order {
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
    };
    interrupt::end_after_iteration()?;
    let left = batches.take(total.saturating_sub(done) as usize);
    let batches =
        Prefetch::new(1, left)?.map(|batch| batch.map(|batch| batch.documents).map_err(Error::from));
    let ended = sampler.run(&mut lda, batches, &mut [&mut checkpoints])?;

    session.save_last(&mut checkpoints, &lda, sampler.iteration());
    let model = checkpoints.snapshot(&lda, sampler.iteration())?;
    session.end(ended, model, checkpoints.into_folder(), &watch)
}
