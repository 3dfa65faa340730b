//! Collecting documents into a corpus, one at a time.

use std::sync::Arc;

use super::{Corpus, DocView, Names, Rows, Store};
use crate::error::{Error, Result};
use crate::vocabulary::Vocabulary;

/// Collects documents into a [`Corpus`].
///
/// ```
/// use scir_data::{CorpusBuilder, Document};
/// # fn main() -> scir_data::Result<()> {
/// let mut builder = CorpusBuilder::with_words(10);
/// builder.push(Document::from_counts([(3, 2), (9, 1)])?.view())?;
/// assert!(builder.push(Document::from_counts([(10, 1)])?.view()).is_err());
/// assert_eq!(builder.finish().tokens(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CorpusBuilder {
    store: Store,
    /// The number of words; grows with the ids unless it is fixed.
    words: usize,
    fixed: bool,
    vocabulary: Option<Arc<Vocabulary>>,
}

impl Default for CorpusBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl CorpusBuilder {
    /// The number of words is one more than the largest id that comes.
    pub fn new() -> Self {
        let store = Store { order: Some(Vec::new()), ..Store::default() };
        Self { store, words: 0, fixed: false, vocabulary: None }
    }

    /// Ids must be below `words`.
    pub fn with_words(words: usize) -> Self {
        Self { words, fixed: true, ..Self::new() }
    }

    /// Ids are those of `vocabulary`, which the corpus keeps.
    pub fn with_vocabulary(vocabulary: Arc<Vocabulary>) -> Self {
        Self { vocabulary: Some(Arc::clone(&vocabulary)), ..Self::with_words(vocabulary.len()) }
    }

    /// Keeps counts only, which takes about half the memory.
    pub fn without_order(mut self) -> Self {
        self.store.order = None;
        self
    }

    /// Adds a document at the end.
    ///
    /// The corpus keeps token order only if every document has it.
    ///
    /// # Errors
    /// [`Error::IdOutOfRange`]; the corpus is then as it was before.
    pub fn push(&mut self, document: DocView<'_>) -> Result<()> {
        let store = &mut self.store;
        if let Some(&id) = document.ids.last() {
            // Ids ascend, so the last one decides.
            if id as usize >= self.words {
                if self.fixed {
                    return Err(Error::IdOutOfRange { document: store.len(), id, words: self.words });
                }
                self.words = id as usize + 1;
            }
        }
        store.ids.extend_from_slice(document.ids);
        store.counts.extend_from_slice(document.counts);
        store.offsets.push(store.ids.len());
        let tokens = document.tokens();
        store.token_offsets.push(store.token_offsets.last().copied().unwrap_or(0) + tokens);
        match (&mut store.order, document.order) {
            (Some(all), Some(order)) => all.extend_from_slice(order),
            (all, None) => *all = None,
            (None, Some(_)) => {}
        }
        store.names.push(document.name);
        Ok(())
    }

    /// The corpus.
    pub fn finish(mut self) -> Corpus {
        self.store.names.shrink_if_unused();
        let rows = Rows::Range(0..self.store.len());
        Corpus { store: Arc::new(self.store), rows, words: self.words, vocabulary: self.vocabulary }
    }
}

impl Names {
    fn push(&mut self, name: Option<&str>) {
        self.text.push_str(name.unwrap_or_default());
        self.ends.push(self.text.len());
    }

    fn shrink_if_unused(&mut self) {
        if self.text.is_empty() {
            self.ends = Vec::new();
        }
    }
}
