//! The bag-of-words format of the UCI repository: three totals, then `document word count`, from 1.

use std::path::Path;

use super::triples::{Totals, Triples, Value};
use super::{document_iterator, integer};
use crate::corpus::{Corpus, Document};
use crate::error::{Error, Result};
use crate::source::Source;
use crate::write::AtomicFile;

/// Reads a UCI `docword` file. The words are in a file of their own: see
/// [`Vocabulary::open`](crate::Vocabulary::open).
///
/// The entries must be ordered by document, as those of the repository are.
///
/// ```
/// use scir_data::formats::Uci;
/// use scir_data::{CorpusBuilder, Corpus, Limits, Source};
/// # fn main() -> scir_data::Result<()> {
/// let source = Source::from_reader("<memory>", &b"2\n5\n1\n2 3 4\n"[..], Limits::default())?;
/// let uci = Uci::new(source)?;
/// let corpus = Corpus::collect_into(CorpusBuilder::with_words(uci.words()), uci)?;
/// assert_eq!(corpus.doc(1).ids(), [2]);
/// # Ok(())
/// # }
/// ```
pub struct Uci {
    triples: Triples,
    done: bool,
}

impl Uci {
    /// Reads a file with the default limits.
    ///
    /// # Errors
    /// What [`Source::open`] refuses, and a header that is not one.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::new(Source::open(path)?)
    }

    /// Reads a source.
    ///
    /// # Errors
    /// A header that is not one.
    pub fn new(mut source: Source) -> Result<Self> {
        let mut line = Vec::new();
        let mut total = |name, last| {
            if !source.next_line(&mut line)? {
                let expected = format!("three header lines, here the {name}");
                return Err(Error::Truncated { place: source.place(), expected: expected.into() });
            }
            integer(line.trim_ascii(), name, 0..=last, || source.place())
        };
        let documents = total("number of documents", u64::MAX)?;
        let words = total("number of words", 1 << 32)?;
        let entries = total("number of entries", u64::MAX)?;
        let totals = Totals { documents, words, entries };
        Ok(Self { triples: Triples::new(source, totals, Value::Count), done: false })
    }

    /// The number of documents that the header declares.
    pub fn documents(&self) -> u64 {
        self.triples.totals.documents
    }

    /// The number of words that the header declares.
    pub fn words(&self) -> usize {
        self.triples.totals.words as usize
    }

    /// Writes a corpus as a `docword` file; its vocabulary is written with
    /// [`Vocabulary::write`](crate::Vocabulary::write). The file appears whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(path: impl AsRef<Path>, corpus: &Corpus) -> Result<()> {
        let mut file = AtomicFile::create(path.as_ref())?;
        file.line(format_args!("{}\n{}\n{}", corpus.len(), corpus.words(), corpus.entries()))?;
        for (d, doc) in corpus.docs().enumerate() {
            for (id, count) in doc.iter() {
                file.line(format_args!("{} {} {count}", d + 1, u64::from(id) + 1))?;
            }
        }
        file.commit()
    }

    fn read(&mut self) -> Result<Option<Document>> {
        self.triples.document()
    }
}

document_iterator!(Uci);
