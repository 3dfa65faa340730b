//! One document a line of plain text.

use std::path::Path;
use std::sync::Arc;

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::source::{Source, utf8_string};
use crate::stream::{TextDocument, TextSource};
use crate::vocabulary::Vocabulary;
use crate::write::AtomicFile;

/// Reads one document a line; an empty line is a document without words.
pub struct Lines {
    source: Source,
}

impl Lines {
    /// Reads a file with the default limits.
    ///
    /// # Errors
    /// What [`Source::open`] refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(Source::open(path)?))
    }

    /// Reads a source.
    pub fn new(source: Source) -> Self {
        Self { source }
    }

    /// Writes one text a line; line breaks within a text become spaces, titles are not kept. The file appears
    /// whole or not at all.
    ///
    /// # Errors
    /// Those of `texts`, and what the file system says.
    pub fn write(path: impl AsRef<Path>, mut texts: impl TextSource) -> Result<()> {
        let mut file = AtomicFile::create(path.as_ref())?;
        let mut document = TextDocument::default();
        while texts.read_text(&mut document)? {
            for (i, line) in document.text.split(['\n', '\r']).enumerate() {
                let space = if i == 0 { "" } else { " " };
                file.put(format_args!("{space}{line}"))?;
            }
            file.line(format_args!(""))?;
        }
        file.commit()
    }
}

impl TextSource for Lines {
    fn read_text(&mut self, document: &mut TextDocument) -> Result<bool> {
        document.clear();
        let mut line = std::mem::take(&mut document.text).into_bytes();
        let more = self.source.next_line(&mut line)?;
        document.text = utf8_string(line, self.source.place().byte, || self.source.place())?;
        Ok(more)
    }
}

/// A corpus as text again: its words in token order, separated by spaces.
///
/// Made by [`Corpus::texts`].
#[derive(Debug)]
pub struct CorpusTexts<'a> {
    corpus: &'a Corpus,
    vocabulary: Arc<Vocabulary>,
    next: usize,
}

impl Corpus {
    /// The documents as text, for the writers that take texts.
    ///
    /// # Errors
    /// [`Error::Setting`] if the corpus has no vocabulary.
    pub fn texts(&self) -> Result<CorpusTexts<'_>> {
        let Some(vocabulary) = self.vocabulary() else {
            let expected = "a corpus with a vocabulary";
            return Err(Error::Setting { name: "vocabulary", value: "none".into(), expected });
        };
        Ok(CorpusTexts { corpus: self, vocabulary: Arc::clone(vocabulary), next: 0 })
    }
}

impl TextSource for CorpusTexts<'_> {
    fn read_text(&mut self, document: &mut TextDocument) -> Result<bool> {
        document.clear();
        if self.next == self.corpus.len() {
            return Ok(false);
        }
        let doc = self.corpus.doc(self.next);
        document.title.push_str(doc.name().unwrap_or_default());
        for (id, count) in doc.runs() {
            for _ in 0..count {
                if !document.text.is_empty() {
                    document.text.push(' ');
                }
                document.text.push_str(self.vocabulary.word(id));
            }
        }
        self.next += 1;
        Ok(true)
    }
}
