//! Shows: topics of a hundred thousand articles that are never in memory together.
//!
//! What is resident is the model, two minibatches (one being worked on, one being read) and the held-out documents.
//! The peak of the process's memory is printed and checked, where the system tells it (Linux).
//!
//! cargo run --release -p scir-models --example stream_articles -- [ARTICLES VOCABULARY]
//!
//! ARTICLES is what wikiextractor wrote, a file or a folder. Without it, documents of the same shape are generated as
//! they are needed.

use scir_core::{Scir, StepSize};
use scir_data::generate::{Generator, LdaSettings as Generated, Length};
use scir_data::wikipedia::WikiExtractor;
use scir_data::{
    Completion, CorpusBuilder, Document, Encoder, Prefetch, StreamBatching, TestSet, TextSource, Tokenizer,
    Vocabulary, WordIds,
};
use scir_models::lda::{Gibbs, HeldOutPerplexity};
use scir_models::{Error, Lda, LdaSettings, Sampler};
use std::sync::Arc;

/// How many documents are generated; of real articles, all are read.
const GENERATED: usize = 10_000;
const HELD_OUT: usize = 1000;
/// Megabytes.
const LIMIT: u64 = 300;

type Stream = Box<dyn Iterator<Item = scir_data::Result<Document>> + Send>;
type Opener = Box<dyn FnMut() -> scir_data::Result<Stream> + Send>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (ids, words, mut open): (WordIds, usize, Opener) = match (arguments.next(), arguments.next()) {
        (Some(articles), Some(vocabulary)) => {
            let vocabulary = Arc::new(Vocabulary::open(vocabulary)?);
            let encoder = Encoder::new(Tokenizer::a_to_z(), Arc::clone(&vocabulary));
            let open =
                move || Ok(Box::new(WikiExtractor::open(&articles)?.documents(encoder.clone())) as Stream);
            (Arc::clone(&vocabulary).into(), vocabulary.len(), Box::new(open))
        }
        (None, _) => {
            let length = Length::LogNormal { median: 35.0, sigma: 1.7 };
            let documents = GENERATED as u64;
            let settings = Generated { topics: 100, words: 7702, documents, length, ..Generated::default() };
            let generator = settings.generator()?;
            println!("{}", generator.provenance());
            (7702.into(), 7702, Box::new(move || Ok(Box::new(generator.stream()) as Stream)))
        }
        (Some(_), None) => return Err("give the articles and the vocabulary".into()),
    };

    // The first articles are held out; training begins after them.
    let mut held_out = CorpusBuilder::with_words(words);
    for document in open()?.take(HELD_OUT) {
        held_out.push(document?.view())?;
    }
    let parts = TestSet::new(held_out.finish()).complete(Completion::default())?;
    let gibbs = Gibbs { sweeps: 20, burn_in: 10, ..Gibbs::default() };
    let mut perplexity = HeldOutPerplexity::new(parts, 1)?;

    let mut lda = Lda::new(LdaSettings { gibbs, ..LdaSettings::default() }, words, 1)?;
    let steps = StepSize::decreasing(0.5, 10.0, 0.33)?;
    let population = open()?.skip(HELD_OUT).count();
    let mut sampler = Sampler::new(Scir, steps, population, 1)?;
    let after = move || Ok(open()?.skip(HELD_OUT));
    let batches = Prefetch::new(1, StreamBatching::default().over(ids, after)?)?;
    let mut documents = 0;
    for batch in batches {
        let batch = batch.map_err(Error::from)?.documents;
        sampler.step(&mut lda, &batch)?;
        documents += batch.len();
        if sampler.iteration().is_multiple_of(100) {
            let now = perplexity.evaluate(&lda)?.draw;
            println!("{documents:>7} articles: perplexity {now:.0}, peak memory {}", shown(peak_memory()));
        }
    }
    println!("{documents} articles in {} updates", sampler.iteration());
    if let Some(peak) = peak_memory() {
        assert!(peak < LIMIT, "{peak} MB: more than the model, minibatches and held-out documents need");
    }
    Ok(())
}

/// The most memory that this process has had, in megabytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1000)
}

fn shown(megabytes: Option<u64>) -> String {
    megabytes.map_or_else(|| "unknown".to_owned(), |megabytes| format!("{megabytes} MB"))
}
