//! Fold-in: the topics of documents that the model has not seen.

use super::Lda;
use super::document::Document;
use super::gibbs::Chain;
use super::words::WordTable;
use crate::error::Result;
use crate::parallel;
use scir_core::{Purpose, Streams};
use scir_data::DocView;

const INFER: Purpose = Purpose::new("lda: topics of a new document");

impl Lda {
    /// The topic proportions of each document, E[θ_dk | document, φ], by the Gibbs sampler of the settings with φ fixed.
    ///
    /// ```text
    /// θ̂_dk = (α_k + E[n_dk]) / Σ_j (α_j + E[n_dj])
    /// ```
    ///
    /// The answer for a document depends on the model, the seed and the words of the document, and on nothing else:
    /// neither on the documents beside it nor on their order. A document without words gets the prior mean.
    ///
    /// # Errors
    /// [`Error::Words`](crate::Error::Words) if a document has a word that the model has not.
    pub fn infer<'a>(
        &self,
        documents: impl IntoIterator<Item = DocView<'a>>,
        seed: u64,
    ) -> Result<Vec<Vec<f64>>> {
        let documents: Vec<DocView<'a>> = documents.into_iter().collect();
        let words = WordTable::new(self, documents.iter().copied())?;
        let streams = Streams::new(seed);
        parallel::map(documents, |view| {
            let document = Document::new(view, &words);
            let mut chain = Chain::new(&document, &words, &self.settings);
            chain.run(&mut streams.rng(INFER, 0, fingerprint(view)));
            Ok(chain.proportions())
        })
    }
}

/// A number that stands for the words of a document, whatever their order (64-bit FNV-1a over ids and counts).
fn fingerprint(document: DocView<'_>) -> u64 {
    document.iter().fold(0xcbf2_9ce4_8422_2325, |hash, (word, count)| {
        let mix = |hash: u64, number: u32| {
            number
                .to_le_bytes()
                .iter()
                .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        };
        mix(mix(hash, word), count)
    })
}
