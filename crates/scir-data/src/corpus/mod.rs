//! A corpus of sparse counts that is cheap to slice into minibatches.

mod builder;
mod document;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use builder::CorpusBuilder;
pub use document::{DocView, Document};

use crate::error::Result;
use crate::stream::DocumentStream;
use crate::vocabulary::Vocabulary;

/// Documents as sparse counts in memory: for each, the distinct word ids and how often they occur.
///
/// The counts of all documents lie in three shared arrays (compressed sparse rows). A corpus is a list of
/// rows of these, so [`slice`](Self::slice) costs nothing and [`select`](Self::select) costs one number for
/// each document taken, however long the documents are; neither copies counts. The parts keep the whole
/// alive: [`compact`](Self::compact) makes a copy of its own.
///
/// Categorical records (the pages that a user visited) are the same thing: a record is a document, a
/// category is a word.
///
/// ```
/// use scir_data::{Corpus, Document};
/// # fn main() -> scir_data::Result<()> {
/// let stream = [vec![0, 1, 1], vec![2], vec![]].into_iter().map(|tokens| Ok(Document::from_tokens(tokens)));
/// let corpus = Corpus::collect(stream)?;
/// assert_eq!((corpus.len(), corpus.words(), corpus.tokens()), (3, 3, 4));
/// assert_eq!(corpus.doc(0).counts(), [1, 2]);
/// let batch = corpus.select(&[1, 0, 1]);
/// assert_eq!(batch.doc(2).ids(), [2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Corpus {
    store: Arc<Store>,
    rows: Rows,
    words: usize,
    vocabulary: Option<Arc<Vocabulary>>,
}

/// The arrays that all parts of a corpus share. Document `d` has the entries `offsets[d - 1]..offsets[d]`.
#[derive(Debug, Default)]
struct Store {
    offsets: Vec<usize>,
    ids: Vec<u32>,
    counts: Vec<u32>,
    /// The running number of tokens; also where the order of a document lies in `order`.
    token_offsets: Vec<u64>,
    order: Option<Vec<u32>>,
    names: Names,
}

/// Names in one string, so that a name costs no allocation. Empty where no document has one.
#[derive(Debug, Default)]
struct Names {
    text: String,
    ends: Vec<usize>,
}

/// Which documents of the store a corpus is made of.
#[derive(Debug, Clone)]
enum Rows {
    Range(Range<usize>),
    Picked(Arc<[usize]>),
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::Picked(rows) => rows.len(),
        }
    }

    fn get(&self, i: usize) -> usize {
        let len = self.len();
        assert!(i < len, "document {i} of a corpus of {len}");
        match self {
            Self::Range(range) => range.start + i,
            Self::Picked(rows) => rows[i],
        }
    }
}

impl Store {
    fn len(&self) -> usize {
        self.offsets.len()
    }

    fn token_range(&self, row: usize) -> Range<u64> {
        let start = if row == 0 { 0 } else { self.token_offsets[row - 1] };
        start..self.token_offsets[row]
    }

    fn doc(&self, row: usize) -> DocView<'_> {
        let before = |ends: &[usize]| if row == 0 { 0 } else { ends[row - 1] };
        let entries = before(&self.offsets)..self.offsets[row];
        let order = self.order.as_ref().map(|order| {
            let tokens = self.token_range(row);
            &order[tokens.start as usize..tokens.end as usize]
        });
        let name = self.names.ends.get(row).map(|&end| &self.names.text[before(&self.names.ends)..end]);
        DocView {
            name: name.filter(|name| !name.is_empty()),
            ids: &self.ids[entries.clone()],
            counts: &self.counts[entries],
            order,
        }
    }
}

impl Corpus {
    /// Everything that a stream yields, with as many words as the largest id asks for.
    ///
    /// For a fixed number of words, or a vocabulary, fill a [`CorpusBuilder`].
    ///
    /// # Errors
    /// The first error of the stream; nothing is kept then.
    pub fn collect(stream: impl DocumentStream) -> Result<Self> {
        Self::collect_into(CorpusBuilder::new(), stream)
    }

    /// Everything that a stream of documents over `vocabulary` yields.
    ///
    /// # Errors
    /// The first error of the stream, or an id that is not in the vocabulary.
    pub fn collect_with(vocabulary: Arc<Vocabulary>, stream: impl DocumentStream) -> Result<Self> {
        Self::collect_into(CorpusBuilder::with_vocabulary(vocabulary), stream)
    }

    /// Everything that a stream yields, added to what `builder` has.
    ///
    /// # Errors
    /// The first error of the stream, or an id that the builder refuses.
    pub fn collect_into(mut builder: CorpusBuilder, stream: impl DocumentStream) -> Result<Self> {
        for document in stream {
            builder.push(document?.view())?;
        }
        Ok(builder.finish())
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of words W: ids are below it. The same for the whole and its parts.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The words, where they are known.
    pub fn vocabulary(&self) -> Option<&Arc<Vocabulary>> {
        self.vocabulary.as_ref()
    }

    /// The same documents over a vocabulary that is known now.
    ///
    /// # Errors
    /// [`Error::IdOutOfRange`](crate::Error::IdOutOfRange) if a document has an id that the vocabulary has not.
    pub fn with_vocabulary(self, vocabulary: Arc<Vocabulary>) -> Result<Self> {
        let words = vocabulary.len();
        for (document, view) in self.docs().enumerate() {
            if let Some(&id) = view.ids.last().filter(|&&id| id as usize >= words) {
                return Err(crate::Error::IdOutOfRange { document, id, words });
            }
        }
        Ok(Self { words, vocabulary: Some(vocabulary), ..self })
    }

    /// The number of tokens.
    pub fn tokens(&self) -> u64 {
        self.store_rows().map(|row| self.doc_tokens_of_row(row)).sum()
    }

    /// The number of tokens of document `i`, without a look at its counts.
    pub fn doc_tokens(&self, i: usize) -> u64 {
        self.doc_tokens_of_row(self.rows.get(i))
    }

    /// The number of (document, word) pairs with a count.
    pub fn entries(&self) -> u64 {
        self.docs().map(|doc| doc.ids.len() as u64).sum()
    }

    /// Document `i`.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Self::len).
    pub fn doc(&self, i: usize) -> DocView<'_> {
        self.store.doc(self.rows.get(i))
    }

    /// The documents in order.
    pub fn docs(&self) -> impl ExactSizeIterator<Item = DocView<'_>> {
        self.store_rows().map(|row| self.store.doc(row))
    }

    /// The documents of `range`, in constant time.
    ///
    /// # Panics
    /// If the range is not within `0..len`.
    pub fn slice(&self, range: Range<usize>) -> Self {
        let len = self.len();
        assert!(range.start <= range.end && range.end <= len, "documents {range:?} of a corpus of {len}");
        let rows = match &self.rows {
            Rows::Range(whole) => Rows::Range(whole.start + range.start..whole.start + range.end),
            Rows::Picked(rows) => Rows::Picked(rows[range].into()),
        };
        Self { rows, ..self.clone() }
    }

    /// The documents at `positions`, in that order; a position may come more than once.
    ///
    /// # Panics
    /// If a position is not below [`len`](Self::len).
    pub fn select(&self, positions: &[usize]) -> Self {
        let rows = positions.iter().map(|&i| self.rows.get(i)).collect();
        Self { rows: Rows::Picked(rows), ..self.clone() }
    }

    /// A copy that holds these documents and nothing else.
    pub fn compact(&self) -> Self {
        let mut builder = match &self.vocabulary {
            Some(vocabulary) => CorpusBuilder::with_vocabulary(Arc::clone(vocabulary)),
            None => CorpusBuilder::with_words(self.words),
        };
        for doc in self.docs() {
            builder.push(doc).expect("the ids of a corpus are below its number of words");
        }
        builder.finish()
    }

    /// The documents as a stream, for what takes one.
    pub fn stream(&self) -> impl DocumentStream + '_ {
        self.docs().map(|doc| Ok(doc.to_document()))
    }

    fn store_rows(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        (0..self.len()).map(|i| self.rows.get(i))
    }

    fn doc_tokens_of_row(&self, row: usize) -> u64 {
        let tokens = self.store.token_range(row);
        tokens.end - tokens.start
    }
}

impl fmt::Debug for Corpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Corpus")
            .field("documents", &self.len())
            .field("words", &self.words)
            .field("tokens", &self.tokens())
            .finish_non_exhaustive()
    }
}

/// Equal documents (names and order included) over equally many words.
impl PartialEq for Corpus {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words && self.len() == other.len() && self.docs().eq(other.docs())
    }
}

#[cfg(test)]
mod tests;
