//! What has to be kept of a collapsed sampler to go on with it: the topics of the tokens, and not the corpus.

use super::{CollapsedLda, LdaSettings, Tokens};
use crate::error::{Result, check};
use scir_data::Corpus;
use serde::{Deserialize, Serialize, Serializer};

/// A collapsed sampler without its corpus, as it is written down: [`resume`](Self::resume) gives the sampler again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CollapsedState {
    settings: LdaSettings,
    parts: usize,
    seed: u64,
    sweeps: u64,
    chunks: Vec<Chunk>,
}

/// The topics of the tokens of some documents and, where it matters, the order of the topics of each document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Chunk {
    /// Stands for the words of these documents.
    words: u64,
    z: Vec<u32>,
    orders: Vec<Vec<u32>>,
}

impl CollapsedState {
    /// The sampler as it was, with the corpus that it was made for.
    ///
    /// # Errors
    /// If the corpus is not that one, as far as its tokens tell, or a setting is refused.
    pub fn resume(self, corpus: &Corpus) -> Result<CollapsedLda> {
        let mut sampler = CollapsedLda::without_topics(self.settings, corpus, self.parts, self.seed)?;
        let chunks: Vec<&mut Tokens> = sampler.tokens.iter_mut().flatten().collect();
        let expected = "those of the corpus that the sampler was made for";
        check(chunks.len() == self.chunks.len(), "tokens", "other chunks", expected)?;
        for (tokens, chunk) in chunks.into_iter().zip(self.chunks) {
            check(tokens.fingerprint() == chunk.words, "tokens", "other words", expected)?;
            let fits = tokens.resume(chunk.z, &chunk.orders, &mut sampler.words, &mut sampler.totals);
            check(fits, "tokens", "others", expected)?;
        }
        sampler.sweeps = self.sweeps;
        Ok(sampler)
    }
}

impl CollapsedLda {
    /// What has to be kept to go on.
    pub fn state(&self) -> CollapsedState {
        let chunk = |tokens: &Tokens| Chunk {
            words: tokens.fingerprint(),
            z: tokens.z().to_vec(),
            orders: tokens.orders(),
        };
        CollapsedState {
            settings: self.settings.clone(),
            parts: self.tokens.len(),
            seed: self.streams.seed(),
            sweeps: self.sweeps,
            chunks: self.tokens.iter().flatten().map(chunk).collect(),
        }
    }
}

/// As its [`CollapsedState`]; to read it again takes the corpus.
impl Serialize for CollapsedLda {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.state().serialize(serializer)
    }
}
