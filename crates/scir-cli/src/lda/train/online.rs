//! Training on minibatches.

use super::options::Order;
use super::run::{Run, Start, catch_interrupts, model, stop_when_interrupted};
use anyhow::{Context, Result};
use scir_data::{BatchOrder, Batching, Minibatch, Prefetch, StreamBatching};
use scir_models::checkpoint::Checkpointing;
use scir_models::{Error, Sampler};

type Batches = Box<dyn Iterator<Item = scir_data::Result<Minibatch>> + Send>;

pub(super) fn run(run: &Run, start: Start) -> Result<()> {
    let settings = run.settings.online.as_ref().context("online training has step sizes")?;
    let method = run.settings.method.transition().context("online training has a transition")?;
    let mut watch = run.watch(&start.documents, start.total)?;
    let mut lda = model(run, &start)?;
    let Start { documents, snapshot, folder, about, total } = start;
    let words: Option<Vec<&str>> = documents.words.vocabulary.as_ref().map(|words| words.words().collect());
    let mut stop = stop_when_interrupted;
    let mut checkpoints = Checkpointing::new(folder, about, run.every)
        .with("vocabulary", &words)?
        .with_notes(run.notes(&documents)?)
        .keeping_best(watch.score.clone())
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
    let done = snapshot.map_or(0, |snapshot| snapshot.iteration());
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

    let model = checkpoints.snapshot(&lda, sampler.iteration())?;
    let folder = checkpoints.into_folder();
    watch.progress.finish();
    run.end(ended, model, folder, &watch.score)
}
