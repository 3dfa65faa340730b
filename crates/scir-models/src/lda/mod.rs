//! Latent Dirichlet allocation (Blei, Ng & Jordan 2003): topics from documents.
//!
//! ```text
//! topic k:     φ_k ~ Dir(β)          a law over the W words
//! document d:  θ_d ~ Dir(α)          a law over the K topics
//! token:       z ~ θ_d,  w ~ φ_z
//! ```
//!
//! | algorithm | type | data | exact? | cost of a token |
//! |---|---|---|---|---|
//! | stochastic-gradient MCMC (any [`Transition`](scir_core::Transition)) | [`Lda`] under a [`Sampler`](crate::Sampler) | minibatches of a stream | as the transition is | topics in the document |
//! | collapsed Gibbs (Griffiths & Steyvers 2004) | [`CollapsedLda`] | whole corpus in memory | yes, or see there | topics in the document |
//!
//! What is trained is used alike: [`Lda::infer`] gives the topics of new documents, [`Lda::top_words`] the words of
//! topics, [`HeldOutPerplexity`] the perplexity by document completion.

mod collapsed;
mod document;
mod generate;
mod gibbs;
mod infer;
mod perplexity;
mod settings;
mod sums;
mod topics;
mod words;

pub use collapsed::CollapsedLda;
#[cfg(feature = "serde")]
pub use collapsed::CollapsedState;
pub use perplexity::{Evaluation, HeldOutPerplexity};
pub use settings::{Gibbs, LdaSettings, TokenSampler};

use crate::error::{Error, Result, check};
use crate::model::{At, Block, Counts, Model, Priors};
use document::Document;
use gibbs::Chain;
use scir_core::{Exact, Place, Purpose, Simplex, Streams, Target, step_block};
use scir_data::Corpus;
use std::ops::Range;
use words::WordTable;

const START: Purpose = Purpose::new("lda: first topics");
const TOKENS: Purpose = Purpose::new("lda: topics of tokens");
/// The one block of this model.
const TOPICS: u32 = 0;

/// Latent Dirichlet allocation with topics φ that a [`Sampler`](crate::Sampler) moves.
///
/// Each topic is one simplex over the words. The latent step runs Gibbs sweeps over the topics z of the tokens of each
/// document with φ fixed, p(z = k | …) ∝ (α_k + n_dk) φ_kw, and counts how many tokens of each word belong to each topic,
/// on average over the sweeps that are kept.
///
/// The state is the topics; it is the same whatever was trained on, so training goes on with new documents by running
/// on, or from [`with_topics`](Self::with_topics).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "State", into = "State"))]
pub struct Lda {
    settings: LdaSettings,
    topics: Vec<Simplex>,
}

impl Lda {
    /// A model of `words` words with topics drawn from Dir(1): θ_kw ~ Gamma(1, 1), independently.
    ///
    /// # Errors
    /// If a setting is refused, or there are no words.
    pub fn new(settings: LdaSettings, words: usize, seed: u64) -> Result<Self> {
        check(words > 0, "words", words, "at least 1")?;
        settings.check(words)?;
        let mut topics = vec![Simplex::uniform(words)?; settings.topics];
        let (place, none) =
            (Place { streams: Streams::new(seed), purpose: START, iteration: 0 }, vec![0.0; words]);
        step_block(&mut topics, &Exact, |_| Target::new(1.0, &none), 1.0, place)?;
        Ok(Self { settings, topics })
    }

    /// A model with given topics, each a simplex over the words: a warm start.
    ///
    /// # Errors
    /// If a setting is refused, or the topics are not as many as the settings say or not all over the same words.
    pub fn with_topics(settings: LdaSettings, topics: Vec<Simplex>) -> Result<Self> {
        let words = topics.first().map_or(0, Simplex::len);
        settings.check(words)?;
        check(topics.len() == settings.topics, "topics", topics.len(), "as many as the settings say")?;
        if let Some(other) = topics.iter().find(|topic| topic.len() != words) {
            return Err(Error::Words { found: other.len(), expected: words });
        }
        Ok(Self { settings, topics })
    }

    /// The settings.
    pub fn settings(&self) -> &LdaSettings {
        &self.settings
    }

    /// The topics: simplex k holds φ_k, not normalised.
    pub fn topics(&self) -> &[Simplex] {
        &self.topics
    }

    /// The number W of words.
    pub fn words(&self) -> usize {
        self.topics[0].len()
    }

    fn check_words(&self, found: usize) -> Result<()> {
        let expected = self.words();
        if found == expected { Ok(()) } else { Err(Error::Words { found, expected }) }
    }
}

/// What is worked out once for a minibatch: φ of its words, in the form that sampling needs.
#[derive(Debug)]
pub struct Prepared(WordTable);

impl Model for Lda {
    type Batch = Corpus;
    type Prepared = Prepared;
    type Latent = ();

    fn prepare(&mut self, batch: &Corpus, _at: At) -> Result<Prepared> {
        self.check_words(batch.words())?;
        Ok(Prepared(WordTable::new(self, batch.docs())?))
    }

    fn latent(
        &self,
        words: &Prepared,
        batch: &Corpus,
        part: Range<usize>,
        at: At,
        counts: &mut Counts,
    ) -> Result<()> {
        for d in part {
            let document = Document::new(batch.doc(d), &words.0);
            let mut chain = Chain::new(&document, &words.0, &self.settings);
            chain.run(&mut at.rng(TOKENS, d as u64));
            chain.expected_counts(|word, topic, count| counts.add(TOPICS, topic, word, count));
        }
        Ok(())
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        let priors = Priors::Shared(self.settings.beta.prior());
        vec![Block::new("lda: topics", &mut self.topics, priors)]
    }
}

/// How a model is written down; checked again when it is read.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct State {
    settings: LdaSettings,
    topics: Vec<Simplex>,
}

#[cfg(feature = "serde")]
impl TryFrom<State> for Lda {
    type Error = Error;
    fn try_from(state: State) -> Result<Self> {
        Self::with_topics(state.settings, state.topics)
    }
}

#[cfg(feature = "serde")]
impl From<Lda> for State {
    fn from(lda: Lda) -> Self {
        Self { settings: lda.settings, topics: lda.topics }
    }
}
