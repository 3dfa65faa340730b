//! Reads text, chooses a vocabulary, prints the most frequent words, and makes minibatches.
//!
//! ```text
//! cargo run --release --example read_corpus                             a small generated corpus
//! cargo run --release --example read_corpus -- articles.txt             one document a line, plain or .gz or .bz2
//! cargo run --release --example read_corpus -- articles.jsonl           JSON lines with a "text" field
//! cargo run --release --example read_corpus -- extracted/               what wikiextractor wrote
//! cargo run --release --example read_corpus -- simplewiki-….xml.bz2     a MediaWiki dump
//! ```
//!
//! It reads the input twice and holds the ids, not the text; and it checks that the minibatches of an epoch add up to the
//! corpus, that a stream from the file gives the same ones, and that prefetching changes nothing.

use std::collections::HashSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use scir::data::formats::{JsonLines, Lines};
use scir::data::generate::LdaSettings;
use scir::data::wikipedia::{MediaWiki, WikiExtractor};
use scir::data::{Limits, Provenance, Source};
use scir::prelude::*;

/// Words that say little about what a text is about.
const STOP_WORDS: [&str; 24] = [
    "the", "of", "and", "in", "to", "a", "is", "was", "for", "as", "on", "by", "with", "that", "it", "from",
    "at", "his", "an", "are", "were", "which", "be", "or",
];

/// What can be opened again for another pass.
enum Input {
    Path(PathBuf),
    /// Lines of text in memory.
    Generated(Arc<str>, Provenance),
}

type Texts = Box<dyn TextSource + Send>;

impl Input {
    fn open(&self) -> scir::data::Result<Texts> {
        let path = match self {
            Self::Path(path) => path,
            Self::Generated(text, _) => {
                let bytes = std::io::Cursor::new(Arc::clone(text).as_bytes().to_vec());
                return Ok(Box::new(Lines::new(Source::from_reader(
                    "<generated>",
                    bytes,
                    Limits::default(),
                )?)));
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(match name.as_str() {
            _ if path.is_dir() => Box::new(WikiExtractor::open(path)?),
            name if name.contains(".xml") => Box::new(MediaWiki::open(path)?),
            name if name.contains(".json") => Box::new(JsonLines::open(path)?),
            // Files of wikiextractor have no extension but .bz2 or .gz.
            name if name.starts_with("wiki_") => Box::new(WikiExtractor::open(path)?),
            _ => Box::new(Lines::open(path)?),
        })
    }

    fn provenance(&self) -> Provenance {
        match self {
            Self::Path(path) => Provenance::Observed(path.display().to_string()),
            Self::Generated(_, provenance) => provenance.clone(),
        }
    }
}

/// Three hundred documents of made-up words, with topics.
fn generated() -> scir::data::Result<Input> {
    let settings = LdaSettings { documents: 300, topics: 5, words: 400, seed: 1, ..LdaSettings::default() };
    let lda = settings.generator()?;
    let mut text = String::new();
    for document in lda.stream() {
        let document = document?;
        let words = document.view().order().unwrap_or_default().iter().map(|id| format!("word{id}"));
        text += &(words.collect::<Vec<_>>().join(" ") + "\n");
    }
    Ok(Input::Generated(text.into(), lda.provenance()))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let input = match std::env::args_os().nth(1) {
        Some(path) => Input::Path(Path::new(&path).to_owned()),
        None => generated()?,
    };
    println!("data: {}", input.provenance());

    // First pass: the words that occur in at least two documents.
    let rules = VocabularyRules {
        min_documents: 2,
        max_words: 10_000,
        stop_words: HashSet::from(STOP_WORDS.map(String::from)),
        ..VocabularyRules::default()
    };
    let tokenizer = rules.tokenizer;
    let vocabulary = Arc::new(rules.build(input.open()?)?);

    // Second pass: the texts as ids.
    let encoder = Encoder::new(tokenizer, Arc::clone(&vocabulary));
    let corpus = Corpus::collect_with(Arc::clone(&vocabulary), input.open()?.documents(encoder.clone()))?;
    println!("{} documents, {} words, {} tokens", corpus.len(), corpus.words(), corpus.tokens());
    let mut counts = vec![0u64; corpus.words()];
    for doc in corpus.docs() {
        doc.iter().for_each(|(id, count)| counts[id as usize] += u64::from(count));
    }
    let mut ids: Vec<u32> = (0..corpus.words() as u32).collect();
    ids.sort_by_key(|&id| (std::cmp::Reverse(counts[id as usize]), id));
    for &id in ids.iter().take(10) {
        println!("{:>9}  {}", counts[id as usize], vocabulary.word(id));
    }

    // One epoch of shuffled minibatches: every document once.
    let size = corpus.len().min(50);
    let shuffled =
        Batching { size, order: BatchOrder::Shuffled, seed: 42, ..Batching::default() }.over(&corpus)?;
    let mut tokens = 0;
    let mut seen = vec![false; corpus.len()];
    for batch in shuffled.starting_at(0).take(shuffled.per_epoch() as usize) {
        tokens += batch.documents.tokens();
        batch.positions.iter().for_each(|&i| seen[i] = true);
    }
    assert!(tokens == corpus.tokens() && seen.iter().all(|&seen| seen), "an epoch is the whole corpus");
    println!("{} minibatches of up to {size} documents in an epoch", shuffled.per_epoch());

    // The same in sequence, once more from the input and without holding it, read ahead on another thread.
    let in_memory = Batching { size, ..Batching::default() }.over(&corpus)?;
    let streamed = StreamBatching { size, ..StreamBatching::default() }
        .over(Arc::clone(&vocabulary), move || Ok(input.open()?.documents(encoder.clone())))?;
    let mut batches = 0;
    for (streamed, expected) in Prefetch::new(4, streamed)?.zip(in_memory.starting_at(0)) {
        assert_eq!(streamed?, expected, "a stream gives the batches of the corpus");
        batches += 1;
    }
    assert_eq!(batches, in_memory.per_epoch());
    println!(
        "checked: an epoch is the whole corpus, and reading ahead from the input gives the same batches"
    );
    Ok(())
}
