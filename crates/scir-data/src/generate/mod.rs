//! Data that is made up, with the truth beside it: for tests, and for when there is no data.
//!
//! | generator | law | truth |
//! |---|---|---|
//! | [`Lda`] | latent Dirichlet allocation with sparse, Zipf-like topics | topics, proportions of each document |
//! | [`DpMixture`] | a Dirichlet-process mixture of multinomials, like MS-web | weights, atoms, cluster of each record |
//! | [`Categories`] | independent draws of one category | probabilities |
//!
//! **Document i is a function of the settings and i.** It is the same whether it is drawn alone, in a corpus, in a stream
//! of ten million or on another thread; nothing that was drawn is kept. Whatever is computed from such data has to
//! be reported as generated: [`Generator::provenance`] says so, with the settings that make the data again.
//!
//! ```
//! use scir_data::generate::{Generator, LdaSettings};
//! # fn main() -> scir_data::Result<()> {
//! let lda = LdaSettings { topics: 5, words: 200, documents: 100, ..LdaSettings::default() }.generator()?;
//! let corpus = lda.corpus()?;
//! assert_eq!((corpus.len(), corpus.words()), (100, 200));
//! assert_eq!(corpus.doc(17), lda.document(17).view());
//! assert_eq!(lda.proportions(17).len(), 5);
//! assert!(lda.provenance().to_string().starts_with("generated: LDA with 5 topics over 200 words"));
//! # Ok(())
//! # }
//! ```

mod categories;
mod dp;
mod draw;
mod lda;
mod length;
mod provenance;

use std::ops::Range;

pub use categories::{Categories, CategoriesSettings, Probabilities};
pub use dp::{DpMixture, DpSettings};
pub use lda::{Lda, LdaSettings};
pub use length::Length;
pub use provenance::Provenance;

use crate::corpus::{Corpus, CorpusBuilder, Document};
use crate::error::{Error, Result};

/// What makes documents, each a function of its number.
pub trait Generator {
    /// Document number `index`. It exists for every index; a stream and a corpus have those below
    /// [`documents`](Self::documents).
    fn document(&self, index: u64) -> Document;

    /// The number of documents that were asked for.
    fn documents(&self) -> u64;

    /// The number of words: ids are below it.
    fn words(&self) -> usize;

    /// That the data is generated, and how to make it again.
    fn provenance(&self) -> Provenance;

    /// The documents one after the other, for sizes that do not fit in memory.
    fn stream(&self) -> Generated<Self>
    where
        Self: Clone,
    {
        Generated { generator: self.clone(), left: 0..self.documents() }
    }

    /// All documents in memory.
    ///
    /// # Errors
    /// None that a generator of this crate causes; one of your own may make ids that are too large.
    fn corpus(&self) -> Result<Corpus> {
        let documents = (0..self.documents()).map(|index| Ok(self.document(index)));
        Corpus::collect_into(CorpusBuilder::with_words(self.words()), documents)
    }
}

/// The stream of [`Generator::stream`].
#[derive(Debug, Clone)]
pub struct Generated<G> {
    generator: G,
    left: Range<u64>,
}

impl<G: Generator> Iterator for Generated<G> {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left.next().map(|index| Ok(self.generator.document(index)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    /// In constant time: no document is made on the way.
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.left.nth(n).map(|index| Ok(self.generator.document(index)))
    }
}

/// A number of things that must be there, and fit 32-bit ids.
fn check_number(name: &'static str, value: usize) -> Result<()> {
    if value == 0 || value > u32::MAX as usize {
        return Err(Error::Setting { name, value: value.to_string(), expected: "1 to 4294967295" });
    }
    Ok(())
}

/// A parameter that must be positive and finite.
fn check_positive(name: &'static str, value: f64) -> Result<()> {
    if !(value > 0.0 && value < f64::INFINITY) {
        let expected = "finite and greater than 0";
        return Err(Error::Setting { name, value: value.to_string(), expected });
    }
    Ok(())
}
