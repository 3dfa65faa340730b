//! The documents of the experiment: Wikipedia where it is there, else a generated stand-in of the same shape.

use crate::data::{EXTRACTED, VOCABULARY};
use anyhow::{Context, Result, bail};
use indicatif::{HumanCount, ProgressBar};
use scir_data::generate::{Generator, LdaSettings, Length};
use scir_data::wikipedia::{MediaWiki, WikiExtractor};
use scir_data::{
    Corpus, CorpusBuilder, DocumentStream, Encoder, TestDocuments, TestSet, TextSource, Tokenizer, Vocabulary,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The split is always the same one.
const SPLIT_SEED: u64 = 1;

/// How many documents there are to be.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    /// At most so many for training.
    pub(crate) train: usize,
    pub(crate) validation: usize,
    pub(crate) test: usize,
}

impl Sizes {
    fn held_out(&self) -> usize {
        self.validation + self.test
    }
}

/// Documents in three parts.
pub(crate) struct Documents {
    /// What they are; says so where they are generated.
    pub(crate) label: String,
    pub(crate) generated: bool,
    pub(crate) train: Corpus,
    pub(crate) validation: TestSet,
    pub(crate) test: TestSet,
}

impl Documents {
    /// Wikipedia if it is in the folder `data`, else `stand_in`.
    pub(crate) fn load(data: Option<&Path>, sizes: Sizes, mut stand_in: LdaSettings) -> Result<Self> {
        if let Some(folder) = data {
            match articles(folder) {
                Some(articles) => return Self::read(&articles, sizes),
                None => println!(
                    "there is no Wikipedia in {} (cargo xtask data fetch vocabulary, … wikipedia): generated documents \
                     stand in for it",
                    folder.display()
                ),
            }
        }
        stand_in.documents = (sizes.train + sizes.held_out()) as u64;
        let generator = stand_in.generator()?;
        let label = format!("a stand-in for Wikipedia, {}", generator.provenance());
        Self::split(&generator.corpus()?, sizes, &label, true)
    }

    fn read(articles: &Articles, sizes: Sizes) -> Result<Self> {
        let vocabulary = Arc::new(Vocabulary::open(&articles.vocabulary)?);
        let encoder = || Encoder::new(Tokenizer::a_to_z(), Arc::clone(&vocabulary));
        let mut corpus = Reading::new(Arc::clone(&vocabulary), sizes.train + sizes.held_out());
        match &articles.from {
            From::Extracted(folder) => corpus.take(WikiExtractor::open(folder)?.documents(encoder()))?,
            From::Dumps(files) => {
                for file in files {
                    corpus.take(MediaWiki::open(file)?.documents(encoder()))?;
                }
            }
        }
        let corpus = corpus.finish();
        if corpus.len() <= 2 * sizes.held_out() {
            bail!(
                "{} holds {} articles: too few to hold out {}; fetch a larger dump (cargo xtask data fetch wikipedia)",
                articles.from.name(),
                corpus.len(),
                sizes.held_out()
            );
        }
        Self::split(&corpus, sizes, &format!("Wikipedia, {}", articles.from.name()), false)
    }

    fn split(corpus: &Corpus, sizes: Sizes, label: &str, generated: bool) -> Result<Self> {
        let test = corpus.split(TestDocuments::Random { count: sizes.test, seed: SPLIT_SEED })?;
        let validation =
            test.train.split(TestDocuments::Random { count: sizes.validation, seed: SPLIT_SEED })?;
        let train = validation.train.compact();
        let label = format!(
            "{label}: {} documents for training with {} tokens of {} words, {} for testing",
            HumanCount(train.len() as u64),
            HumanCount(train.tokens()),
            HumanCount(train.words() as u64),
            HumanCount(test.test.len() as u64)
        );
        Ok(Self { label, generated, train, validation: validation.test, test: test.test })
    }

    /// A word, or its number where words have no names.
    pub(crate) fn word(&self, id: u32) -> String {
        self.train.vocabulary().map_or_else(|| format!("w{id}"), |words| words.word(id).to_owned())
    }
}

/// Generated documents in the shape of Wikipedia: many short ones and a few that are very long.
pub(crate) fn stand_in() -> LdaSettings {
    LdaSettings {
        topics: 100,
        words: 7_702,
        concentration: 200.0,
        length: Length::LogNormal { median: 35.0, sigma: 1.7 },
        seed: 1,
        ..LdaSettings::default()
    }
}

/// Where articles are, and their vocabulary.
struct Articles {
    vocabulary: PathBuf,
    from: From,
}

enum From {
    Extracted(PathBuf),
    Dumps(Vec<PathBuf>),
}

impl From {
    fn name(&self) -> String {
        match self {
            Self::Extracted(_) => "extracted articles".to_owned(),
            Self::Dumps(files) => {
                let names: Vec<_> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
                names.join(", ")
            }
        }
    }
}

/// The vocabulary with extracted articles or, without these, with dumps.
fn articles(data: &Path) -> Option<Articles> {
    let vocabulary = data.join(VOCABULARY.path);
    let extracted = data.join(EXTRACTED);
    if !vocabulary.is_file() {
        return None;
    }
    if extracted.exists() {
        return Some(Articles { vocabulary, from: From::Extracted(extracted) });
    }
    let entries = fs::read_dir(data.join("wikipedia")).ok()?;
    let mut dumps: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    dumps.retain(|path| path.to_string_lossy().ends_with(".xml.bz2"));
    dumps.sort_unstable();
    (!dumps.is_empty()).then_some(Articles { vocabulary, from: From::Dumps(dumps) })
}

/// A corpus that is being read, with progress.
struct Reading {
    builder: CorpusBuilder,
    bar: ProgressBar,
    left: usize,
}

impl Reading {
    fn new(vocabulary: Arc<Vocabulary>, documents: usize) -> Self {
        let bar = ProgressBar::new_spinner().with_message("reading articles");
        Self { builder: CorpusBuilder::with_vocabulary(vocabulary), bar, left: documents }
    }

    fn take(&mut self, stream: impl DocumentStream) -> Result<()> {
        for document in stream.take(self.left) {
            let document = document.context("the articles cannot be read: cargo xtask data --check")?;
            self.builder.push(document.view())?;
            self.left -= 1;
            if self.left.is_multiple_of(256) {
                self.bar.tick();
            }
        }
        Ok(())
    }

    fn finish(self) -> Corpus {
        self.bar.finish_and_clear();
        self.builder.finish()
    }
}
