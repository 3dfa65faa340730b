//! Texts and documents one after the other, for what does not fit in memory.

use crate::corpus::Document;
use crate::error::Result;
use crate::text::Encoder;

/// A stream of documents that may fail; after an error it ends.
///
/// Every iterator of `Result<Document>` is one.
pub trait DocumentStream: Iterator<Item = Result<Document>> {}

impl<I: Iterator<Item = Result<Document>>> DocumentStream for I {}

/// One document as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextDocument {
    /// The identifier that the source gives it; empty where it gives none.
    pub id: String,
    /// Its title; empty where it has none.
    pub title: String,
    /// The text, as the source has it.
    pub text: String,
}

impl TextDocument {
    /// The title, or the identifier where there is no title.
    pub fn name(&self) -> &str {
        if self.title.is_empty() { &self.id } else { &self.title }
    }

    pub(crate) fn clear(&mut self) {
        self.id.clear();
        self.title.clear();
        self.text.clear();
    }
}

/// A stream of texts. What reads articles, pages or lines implements it.
///
/// ```
/// use std::sync::Arc;
/// use scir_data::formats::Lines;
/// use scir_data::{Encoder, Limits, Source, TextSource, Tokenizer, Vocabulary};
/// # fn main() -> scir_data::Result<()> {
/// let source = Source::from_reader("<memory>", &b"a river\nA rivers' river"[..], Limits::default())?;
/// let vocabulary = Arc::new(Vocabulary::from_words(["river", "rivers"])?);
/// for document in Lines::new(source).documents(Encoder::new(Tokenizer::unicode(), vocabulary)) {
///     println!("{:?}", document?.view().order());
/// }
/// # Ok(())
/// # }
/// ```
pub trait TextSource {
    /// Puts the next text into `document`, whose buffers are used again. False at the end.
    ///
    /// # Errors
    /// Whatever is wrong with the input. Then `document` holds nothing of use, and the source is not to be read
    /// further (the iterators below close it).
    fn read_text(&mut self, document: &mut TextDocument) -> Result<bool>;

    /// The texts as an iterator.
    fn texts(self) -> Texts<Self>
    where
        Self: Sized,
    {
        Texts { source: Some(self) }
    }

    /// The texts as word ids, in order.
    fn documents(self, encoder: Encoder) -> Documents<Self>
    where
        Self: Sized,
    {
        Documents { source: Some(self), encoder, text: TextDocument::default() }
    }
}

impl<T: TextSource + ?Sized> TextSource for Box<T> {
    fn read_text(&mut self, document: &mut TextDocument) -> Result<bool> {
        (**self).read_text(document)
    }
}

/// Reads the next text; the source is closed at the end and after an error.
fn next_text<T: TextSource>(source: &mut Option<T>, document: &mut TextDocument) -> Option<Result<()>> {
    let read = source.as_mut()?.read_text(document);
    if !matches!(read, Ok(true)) {
        *source = None;
    }
    read.map(|more| more.then_some(())).transpose()
}

/// The iterator of [`TextSource::texts`].
#[derive(Debug)]
pub struct Texts<T> {
    source: Option<T>,
}

impl<T: TextSource> Iterator for Texts<T> {
    type Item = Result<TextDocument>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut document = TextDocument::default();
        Some(next_text(&mut self.source, &mut document)?.map(|()| document))
    }
}

/// The iterator of [`TextSource::documents`].
#[derive(Debug)]
pub struct Documents<T> {
    source: Option<T>,
    encoder: Encoder,
    text: TextDocument,
}

impl<T: TextSource> Iterator for Documents<T> {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = next_text(&mut self.source, &mut self.text)?;
        Some(read.map(|()| self.encoder.encode(&self.text.text).with_name(self.text.name())))
    }
}
