//! One document: how often each word occurs, and in which order where that is known.

use crate::error::{Error, Result};

/// One document, or one categorical record.
///
/// The counts are always there: distinct word ids in ascending order, each with a count of at least one.
/// A document made from text also keeps its **token order**, because document completion holds out every
/// k-th token *as written*. A document made from counts has no order of its own; where one is needed,
/// the ids in ascending order, each repeated `count` times, stand in for it.
///
/// ```
/// use scir_data::Document;
/// let document = Document::from_tokens(vec![7, 2, 7]);
/// assert_eq!(document.view().iter().collect::<Vec<_>>(), [(2, 1), (7, 2)]);
/// assert_eq!(document.view().order(), Some(&[7, 2, 7][..]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    name: Option<Box<str>>,
    ids: Vec<u32>,
    counts: Vec<u32>,
    order: Option<Vec<u32>>,
}

impl Document {
    /// From token ids in the order of the text.
    pub fn from_tokens(tokens: Vec<u32>) -> Self {
        let mut sorted = tokens.clone();
        sorted.sort_unstable();
        let mut document = Self { order: Some(tokens), ..Self::default() };
        for run in sorted.chunk_by(|a, b| a == b) {
            document.ids.push(run[0]);
            document.counts.push(u32::try_from(run.len()).expect("a document has fewer than 2^32 tokens"));
        }
        document
    }

    /// From word ids and their counts, in any order. The counts of an id that comes more than once are
    /// added; an id with the count zero is left out.
    ///
    /// # Errors
    /// [`Error::CountOverflow`] if a sum does not fit into 32 bits.
    pub fn from_counts(pairs: impl IntoIterator<Item = (u32, u32)>) -> Result<Self> {
        let mut pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|&(_, count)| count > 0).collect();
        if !pairs.is_sorted_by_key(|&(id, _)| id) {
            pairs.sort_unstable_by_key(|&(id, _)| id);
        }
        let mut document = Self::default();
        for (id, count) in pairs {
            match document.counts.last_mut() {
                Some(last) if document.ids.last() == Some(&id) => {
                    *last = last.checked_add(count).ok_or(Error::CountOverflow { id })?;
                }
                _ => {
                    document.ids.push(id);
                    document.counts.push(count);
                }
            }
        }
        Ok(document)
    }

    /// The same document under a name; an empty name is none.
    pub fn with_name(mut self, name: impl Into<Box<str>>) -> Self {
        self.name = Some(name.into()).filter(|name| !name.is_empty());
        self
    }

    /// The same document as counts only.
    pub fn without_order(mut self) -> Self {
        self.order = None;
        self
    }

    /// A view of it, of the same type that a corpus gives.
    pub fn view(&self) -> DocView<'_> {
        DocView {
            name: self.name.as_deref(),
            ids: &self.ids,
            counts: &self.counts,
            order: self.order.as_deref(),
        }
    }

    /// Its name, where the source has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// A document that lies in a [`Corpus`](crate::Corpus) or in a [`Document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocView<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) ids: &'a [u32],
    pub(super) counts: &'a [u32],
    pub(super) order: Option<&'a [u32]>,
}

impl<'a> DocView<'a> {
    /// The distinct word ids, ascending.
    pub fn ids(&self) -> &'a [u32] {
        self.ids
    }

    /// The count of each of [`ids`](Self::ids), at least one.
    pub fn counts(&self) -> &'a [u32] {
        self.counts
    }

    /// Its name, where the source has one.
    pub fn name(&self) -> Option<&'a str> {
        self.name
    }

    /// The token ids as written, where the source has an order.
    pub fn order(&self) -> Option<&'a [u32]> {
        self.order
    }

    /// The number of tokens.
    pub fn tokens(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The pairs (word id, count), ascending in the id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + use<'a> {
        self.ids.iter().copied().zip(self.counts.iter().copied())
    }

    /// The tokens as runs (word id, length): single tokens as written where the order is known, else
    /// one run for each distinct word.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        let ordered = self.order.map(|order| order.iter().map(|&id| (id, 1)));
        let counted = if ordered.is_none() { Some(self.iter()) } else { None };
        ordered.into_iter().flatten().chain(counted.into_iter().flatten())
    }

    /// A copy that stands alone.
    pub fn to_document(&self) -> Document {
        Document {
            name: self.name.map(Into::into),
            ids: self.ids.to_vec(),
            counts: self.counts.to_vec(),
            order: self.order.map(<[u32]>::to_vec),
        }
    }
}
