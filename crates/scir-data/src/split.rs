//! Held-out parts, as types of their own, so that what is for testing cannot be trained on.
//!
//! Training takes a [`Corpus`]. What is held out is a [`TestSet`], an [`Observed`] or a [`HeldOut`]: these
//! can be looked at document by document, but neither is a corpus nor turns into one by accident.
//!
//! ```
//! use scir_data::{Completion, Corpus, Document, TestDocuments};
//! # fn main() -> scir_data::Result<()> {
//! # let corpus = Corpus::collect((0..100).map(|_| Ok(Document::from_tokens((0..40).collect()))))?;
//! let split = corpus.split(TestDocuments::Random { count: 20, seed: 1 })?;
//! let parts = split.test.complete(Completion::default())?; // every 10th token is held out
//! assert_eq!(split.train.len(), 80);
//! assert_eq!(parts.observed.doc(0).tokens(), 36);
//! assert_eq!(parts.held_out.doc(0).ids(), [9, 19, 29, 39]);
//! # Ok(())
//! # }
//! ```
//!
//! What does not compile:
//!
//! ```compile_fail,E0308
//! # use scir_data::{Corpus, HeldOut};
//! fn train(corpus: &Corpus) {}
//! fn leak(held_out: &HeldOut) {
//!     train(held_out);
//! }
//! ```

use std::sync::Arc;

use scir_core::rand::RngExt;
use scir_core::rand::seq::index;
use scir_core::{Purpose, Streams};

use crate::corpus::{Corpus, CorpusBuilder, DocView, Document};
use crate::error::{Error, Result};
use crate::vocabulary::Vocabulary;

const TEST_DOCUMENTS: Purpose = Purpose::new("choose test documents");
const HELD_OUT_TOKENS: Purpose = Purpose::new("choose held-out tokens");

/// Which documents are for testing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestDocuments {
    /// The first so many.
    First(usize),
    /// The last so many.
    Last(usize),
    /// So many at random, without replacement; the rest stays in order, and so does the choice.
    Random {
        /// How many.
        count: usize,
        /// The seed of the choice.
        seed: u64,
    },
}

/// Which tokens of a test document are held out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Completion {
    /// The tokens number k, 2k, 3k … of each document, counted from 1 in the order of the text. A
    /// document without an order is taken as its ids ascending, each as often as its count says.
    EveryNth(u32),
    /// Each token with this probability, independently.
    Fraction {
        /// The probability, in (0, 1).
        fraction: f64,
        /// The seed of the choice.
        seed: u64,
    },
}

/// Every 10th token.
impl Default for Completion {
    fn default() -> Self {
        Self::EveryNth(10)
    }
}

/// A corpus cut into documents to train on and documents to test on.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DocumentSplit {
    /// For training.
    pub train: Corpus,
    /// For testing.
    pub test: TestSet,
}

/// Test documents cut into what a model may look at and what it must predict.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CompletionSplit {
    /// What the model may look at.
    pub observed: Observed,
    /// What it must predict; document `i` continues document `i` of the observed part.
    pub held_out: HeldOut,
}

/// A corpus under a name that says what it may be used for.
macro_rules! part {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name(Corpus);

        impl $name {
            /// The number of documents.
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether there are no documents.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }

            /// The number of words: ids are below it.
            pub fn words(&self) -> usize {
                self.0.words()
            }

            /// The words, where they are known.
            pub fn vocabulary(&self) -> Option<&Arc<Vocabulary>> {
                self.0.vocabulary()
            }

            /// The number of tokens.
            pub fn tokens(&self) -> u64 {
                self.0.tokens()
            }

            /// Document `i`.
            ///
            /// # Panics
            /// If `i` is not below [`len`](Self::len).
            pub fn doc(&self, i: usize) -> DocView<'_> {
                self.0.doc(i)
            }

            /// The documents in order.
            pub fn docs(&self) -> impl ExactSizeIterator<Item = DocView<'_>> {
                self.0.docs()
            }
        }
    };
}

part! {
    /// Documents to test on as a whole, or to [`complete`](Self::complete).
    TestSet
}
part! {
    /// The part of test documents that a model may look at to find out what they are about.
    Observed
}
part! {
    /// The part of test documents that a model must predict.
    HeldOut
}

impl TestSet {
    /// Declares that a corpus is for testing, such as one that comes in a file of its own.
    pub fn new(corpus: Corpus) -> Self {
        Self(corpus)
    }

    /// Cuts each document in two. The parts of a document add up to it.
    ///
    /// # Errors
    /// [`Error::Setting`] if k is below 2, or the fraction is not in (0, 1).
    pub fn complete(&self, rule: Completion) -> Result<CompletionSplit> {
        match rule {
            Completion::EveryNth(k) if k < 2 => {
                return Err(Error::Setting { name: "k", value: k.to_string(), expected: "at least 2" });
            }
            Completion::Fraction { fraction, .. } if !(fraction > 0.0 && fraction < 1.0) => {
                let value = fraction.to_string();
                return Err(Error::Setting { name: "fraction", value, expected: "a number in (0, 1)" });
            }
            _ => {}
        }
        let (mut observed, mut held_out) = (self.builder(), self.builder());
        for (i, doc) in self.docs().enumerate() {
            let (seen, held) = cut(doc, rule, i);
            observed.push(seen.view())?;
            held_out.push(held.view())?;
        }
        Ok(CompletionSplit { observed: Observed(observed.finish()), held_out: HeldOut(held_out.finish()) })
    }

    fn builder(&self) -> CorpusBuilder {
        match self.vocabulary() {
            Some(vocabulary) => CorpusBuilder::with_vocabulary(Arc::clone(vocabulary)),
            None => CorpusBuilder::with_words(self.words()),
        }
    }
}

impl Corpus {
    /// Cuts into documents to train on and documents to test on; no counts are copied.
    ///
    /// # Errors
    /// [`Error::Setting`] if more documents are asked for than there are.
    pub fn split(&self, test: TestDocuments) -> Result<DocumentSplit> {
        let len = self.len();
        let count = match test {
            TestDocuments::First(count) | TestDocuments::Last(count) => count,
            TestDocuments::Random { count, .. } => count,
        };
        if count > len {
            let expected = "at most the number of documents";
            return Err(Error::Setting { name: "test documents", value: count.to_string(), expected });
        }
        let (train, test) = match test {
            TestDocuments::First(_) => (self.slice(count..len), self.slice(0..count)),
            TestDocuments::Last(_) => (self.slice(0..len - count), self.slice(len - count..len)),
            TestDocuments::Random { seed, .. } => {
                let mut rng = Streams::new(seed).rng(TEST_DOCUMENTS, 0, 0);
                let mut is_test = vec![false; len];
                for position in index::sample(&mut rng, len, count) {
                    is_test[position] = true;
                }
                let (test, train): (Vec<usize>, Vec<usize>) = (0..len).partition(|&i| is_test[i]);
                (self.select(&train), self.select(&test))
            }
        };
        Ok(DocumentSplit { train, test: TestSet(test) })
    }
}

/// The observed and the held-out part of document number `index`.
fn cut(doc: DocView<'_>, rule: Completion, index: usize) -> (Document, Document) {
    let mut parts = [Vec::new(), Vec::new()];
    match rule {
        Completion::EveryNth(k) => {
            let k = u64::from(k);
            let mut position = 0u64;
            for (id, count) in doc.runs() {
                let end = position + u64::from(count);
                let held = (end / k - position / k) as u32;
                parts[0].push((id, count - held));
                parts[1].push((id, held));
                position = end;
            }
        }
        Completion::Fraction { fraction, seed } => {
            let mut rng = Streams::new(seed).rng(HELD_OUT_TOKENS, 0, index as u64);
            for (id, count) in doc.runs() {
                let held = (0..count).filter(|_| rng.random_bool(fraction)).count() as u32;
                parts[0].push((id, count - held));
                parts[1].push((id, held));
            }
        }
    }
    let [observed, held_out] = parts.map(|runs| {
        let part = match doc.order() {
            Some(_) => {
                Document::from_tokens(runs.into_iter().filter(|&(_, n)| n > 0).map(|(id, _)| id).collect())
            }
            None => Document::from_counts(runs).expect("a part of a count fits where the count did"),
        };
        part.with_name(doc.name().unwrap_or_default())
    });
    (observed, held_out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_tenth_token_as_written_is_held_out() {
        let tokens: Vec<u32> = (0..25).rev().collect();
        let corpus = Corpus::collect([Ok(Document::from_tokens(tokens))].into_iter()).unwrap();
        let parts = TestSet::new(corpus).complete(Completion::default()).unwrap();
        assert_eq!(parts.held_out.doc(0).order(), Some(&[15, 5][..]));
        assert_eq!(parts.observed.doc(0).tokens(), 23);
    }

    #[test]
    fn settings_that_hold_out_all_or_nothing_are_refused() {
        let test = TestSet::new(CorpusBuilder::new().finish());
        let refused = test.complete(Completion::EveryNth(1)).unwrap_err();
        assert_eq!(refused.to_string(), "k = 1: expected at least 2");
        let refused = test.complete(Completion::Fraction { fraction: f64::NAN, seed: 0 }).unwrap_err();
        assert_eq!(refused.to_string(), "fraction = NaN: expected a number in (0, 1)");
        let refused = CorpusBuilder::new().finish().split(TestDocuments::First(1)).unwrap_err();
        assert_eq!(refused.to_string(), "test documents = 1: expected at most the number of documents");
    }

    #[test]
    fn a_random_fraction_is_near_what_was_asked_for() {
        let corpus =
            Corpus::collect((0..100).map(|_| Ok(Document::from_tokens((0..1000).collect())))).unwrap();
        let rule = Completion::Fraction { fraction: 0.2, seed: 7 };
        let parts = TestSet::new(corpus).complete(rule).unwrap();
        // Binomial(100000, 0.2): four standard deviations are 506.
        assert!(parts.held_out.tokens().abs_diff(20_000) < 506, "{}", parts.held_out.tokens());
    }

    fn rules() -> impl Strategy<Value = Completion> {
        prop_oneof![
            (2u32..12).prop_map(Completion::EveryNth),
            (0.05..0.95, any::<u64>()).prop_map(|(fraction, seed)| Completion::Fraction { fraction, seed }),
        ]
    }

    proptest! {
        #[test]
        fn completion_adds_up_to_the_whole(
            documents in prop::collection::vec(prop::collection::vec(0u32..9, 0..40), 1..10),
            ordered in any::<bool>(),
            rule in rules(),
        ) {
            let documents = documents.into_iter().map(|tokens| {
                let document = Document::from_tokens(tokens).with_name("d");
                Ok(if ordered { document } else { document.without_order() })
            });
            let test = TestSet::new(Corpus::collect(documents).unwrap());
            let parts = test.complete(rule).unwrap();
            prop_assert_eq!(parts.observed.words(), test.words());
            for (i, doc) in test.docs().enumerate() {
                let (seen, held) = (parts.observed.doc(i), parts.held_out.doc(i));
                let sum = Document::from_counts(seen.iter().chain(held.iter())).unwrap();
                prop_assert_eq!(sum.view().ids(), doc.ids());
                prop_assert_eq!(sum.view().counts(), doc.counts());
                prop_assert_eq!(seen.order().is_some(), doc.order().is_some());
                if let Completion::EveryNth(k) = rule {
                    prop_assert_eq!(held.tokens(), doc.tokens() / u64::from(k));
                }
            }
            prop_assert_eq!(parts.observed.docs().zip(test.docs()).filter(|(a, b)| a.name() != b.name()).count(), 0);
        }

        #[test]
        fn documents_of_a_split_add_up_to_the_whole(
            len in 0usize..40, share in 0.0..1.0, kind in 0..3, seed in any::<u64>(),
        ) {
            let corpus = Corpus::collect((0..len).map(|i| Ok(Document::from_tokens(vec![i as u32])))).unwrap();
            let count = (len as f64 * share) as usize;
            let rule = match kind {
                0 => TestDocuments::First(count),
                1 => TestDocuments::Last(count),
                _ => TestDocuments::Random { count, seed },
            };
            let split = corpus.split(rule).unwrap();
            prop_assert_eq!(split.test.len(), count);
            let mut all: Vec<u32> = split.train.docs().chain(split.test.docs()).map(|d| d.ids()[0]).collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..len as u32));
            prop_assert_eq!(&corpus.split(rule).unwrap().test, &split.test);
        }
    }
}
