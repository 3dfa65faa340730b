//! The format of Blei's lda-c: a line `M id:count …` for each document, with M distinct ids from 0.

use std::path::Path;

use super::{document_iterator, integer};
use crate::corpus::{Corpus, Document};
use crate::error::{Error, Result};
use crate::source::Source;
use crate::write::AtomicFile;

/// Reads LDA-C, one document a line.
///
/// ```
/// use scir_data::formats::LdaC;
/// use scir_data::{Corpus, Limits, Source};
/// # fn main() -> scir_data::Result<()> {
/// let source = Source::from_reader("<memory>", &b"2 0:1 7:3\n0\n"[..], Limits::default())?;
/// let corpus = Corpus::collect(LdaC::new(source))?;
/// assert_eq!((corpus.len(), corpus.words(), corpus.tokens()), (2, 8, 4));
/// # Ok(())
/// # }
/// ```
pub struct LdaC {
    source: Source,
    words: u64,
    line: Vec<u8>,
    done: bool,
}

impl LdaC {
    /// Reads a file with the default limits.
    ///
    /// # Errors
    /// What [`Source::open`] refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(Source::open(path)?))
    }

    /// Reads a source.
    pub fn new(source: Source) -> Self {
        // The largest number of words with 32-bit ids.
        Self { source, words: 1 << 32, line: Vec::new(), done: false }
    }

    /// Refuses ids that are not below `words`, such as the length of the vocabulary that belongs to the file.
    pub fn with_words(mut self, words: usize) -> Self {
        self.words = words as u64;
        self
    }

    /// Writes a corpus. The file appears whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(path: impl AsRef<Path>, corpus: &Corpus) -> Result<()> {
        let mut file = AtomicFile::create(path.as_ref())?;
        for doc in corpus.docs() {
            file.put(format_args!("{}", doc.ids().len()))?;
            for (id, count) in doc.iter() {
                file.put(format_args!(" {id}:{count}"))?;
            }
            file.line(format_args!(""))?;
        }
        file.commit()
    }

    fn read(&mut self) -> Result<Option<Document>> {
        if !self.source.next_line(&mut self.line)? {
            return Ok(None);
        }
        let place = || self.source.place();
        let mut fields = self.line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let Some(distinct) = fields.next() else {
            return Err(Error::malformed(place(), "the number of distinct words, then id:count …", b""));
        };
        let declared = integer(distinct, "number of distinct words", 0..=u64::from(u32::MAX), place)?;
        let mut pairs = Vec::new();
        for field in fields {
            let Some(colon) = memchr::memchr(b':', field) else {
                return Err(Error::malformed(place(), "id:count", field));
            };
            if self.words == 0 {
                return Err(Error::malformed(place(), "no ids, because there are no words", field));
            }
            let id = integer(&field[..colon], "word id", 0..=self.words - 1, place)?;
            let count = integer(&field[colon + 1..], "count", 1..=u64::from(u32::MAX), place)?;
            pairs.push((id as u32, count as u32));
        }
        let document = Document::from_counts(pairs)?;
        let found = document.view().ids().len() as u64;
        if found != declared {
            return Err(Error::WrongTotal { place: place(), name: "distinct words", declared, found });
        }
        Ok(Some(document))
    }
}

document_iterator!(LdaC);
