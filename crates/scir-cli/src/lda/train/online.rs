//! Training on minibatches.

use super::options::Order;
use super::run::{Run, Saving, Start, catch_interrupts};
use anyhow::{Context, Result};
use scir_data::{BatchOrder, Batching, Minibatch, Prefetch, StreamBatching};
use scir_models::checkpoint::Snapshot;
use scir_models::{Error, Lda, Sampler};

type Batches = Box<dyn Iterator<Item = scir_data::Result<Minibatch>> + Send>;

pub(super) fn run(run: &Run, start: Start) -> Result<()> {
    let settings = run.settings.online.as_ref().context("online training has step sizes")?;
    let method = run.settings.method.transition().context("online training has a transition")?;
    let mut watch = run.watch(&start.documents, start.total)?;
    let Start { documents, snapshot, folder, about, total } = start;
    let mut lda = match &snapshot {
        Some(snapshot) => snapshot.get("model")?,
        None => Lda::new(run.settings.lda.clone(), documents.words.len()?, run.settings.seed)?,
    };
    let score = watch.score.clone();
    let saving = Saving { folder, about, documents: &documents, snapshot: snapshot.as_ref() };
    let mut checkpoints = run.checkpoints(saving, &mut watch)?.keeping_best(score);
    let done = snapshot.as_ref().map_or(0, Snapshot::iteration);
    let mut sampler =
        Sampler::new(method, settings.step, documents.population(), run.settings.seed)?.starting_at(done);

    let size = settings.batch_size;
    let batches: Batches = match settings.order {
        Order::Shuffled => {
            let corpus = documents.corpus()?;
            let (size, seed) = (size.min(corpus.len()), run.settings.seed);
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
    catch_interrupts()?;
    let left = batches.take(total.saturating_sub(done) as usize);
    let batches =
        Prefetch::new(1, left)?.map(|batch| batch.map(|batch| batch.documents).map_err(Error::from));
    let ended = sampler.run(&mut lda, batches, &mut [&mut checkpoints])?;

    run.save_last(&mut checkpoints, &lda, sampler.iteration());
    let model = checkpoints.snapshot(&lda, sampler.iteration())?;
    let folder = checkpoints.into_folder();
    watch.progress.finish();
    run.end(ended, model, folder, &watch.score)
}
