//! Corpora of latent Dirichlet allocation with sparse, Zipf-like topics.

use std::sync::Arc;

use scir_core::{Purpose, Streams};
use serde::{Deserialize, Serialize};

use super::draw::{Weights, dirichlet, omega};
use super::{Generator, Length, Provenance, check_number, check_positive};
use crate::corpus::Document;
use crate::error::Result;

const TOPIC: Purpose = Purpose::new("generate topic");
const PROPORTIONS: Purpose = Purpose::new("generate topic proportions");
const TOKENS: Purpose = Purpose::new("generate tokens");

/// The parameters of a corpus of latent Dirichlet allocation.
///
/// With the Zipf law p_w ∝ (w+1)^{−s} over the words:
///
/// - topics φ_k ~ Dir(c p), k = 1 … K, so that E φ_kw = p_w: frequent words are frequent in many topics, and with a
///   concentration c far below the number of words each topic has its own few of the others;
/// - proportions θ_d ~ Dir(α, …, α);
/// - for each token, a topic z ~ θ_d and a word w ~ φ_z.
///
/// Plain data; [`generator`](Self::generator) checks it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LdaSettings {
    /// The number K of topics.
    pub topics: usize,
    /// The number W of words.
    pub words: usize,
    /// The number of documents.
    pub documents: u64,
    /// The parameter α of the proportions.
    pub alpha: f64,
    /// The concentration c of the topics.
    pub concentration: f64,
    /// The exponent s of the Zipf law; 0 makes all words alike.
    pub exponent: f64,
    /// How long documents are.
    pub length: Length,
    /// The seed.
    pub seed: u64,
}

/// A thousand documents of about a hundred tokens, ten topics over a thousand words.
impl Default for LdaSettings {
    fn default() -> Self {
        Self {
            topics: 10,
            words: 1000,
            documents: 1000,
            alpha: 0.1,
            concentration: 50.0,
            exponent: 1.0,
            length: Length::Poisson(100.0),
            seed: 0,
        }
    }
}

impl LdaSettings {
    /// Checks the parameters and draws the topics.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) with the parameter that is out of range.
    pub fn generator(self) -> Result<Lda> {
        check_number("topics", self.topics)?;
        check_number("words", self.words)?;
        check_positive("alpha", self.alpha)?;
        check_positive("concentration", self.concentration)?;
        if self.exponent != 0.0 {
            check_positive("exponent", self.exponent)?;
        }
        self.length.check()?;
        let base = self.zipf();
        // Far down the law a parameter may underflow; the smallest number that is positive stands in for it.
        let prior: Vec<f64> = base.iter().map(|p| (self.concentration * p).max(f64::MIN_POSITIVE)).collect();
        let streams = Streams::new(self.seed);
        let topics: Vec<Vec<f64>> = (0..self.topics as u64)
            .map(|k| omega(&dirichlet((&prior[..]).into(), self.words, &mut streams.rng(TOPIC, 0, k))))
            .collect();
        let weights = topics.iter().map(|topic| Weights::new(topic)).collect();
        Ok(Lda { settings: self, truth: Arc::new(Truth { topics, weights }) })
    }

    /// The Zipf law p over the words: the mean of every topic.
    pub fn zipf(&self) -> Vec<f64> {
        let weight = |w: usize| (-self.exponent * ((w + 1) as f64).ln()).exp();
        let sum: f64 = (0..self.words).map(weight).sum();
        (0..self.words).map(|w| weight(w) / sum).collect()
    }
}

/// Documents of latent Dirichlet allocation; made by [`LdaSettings::generator`]. A copy shares the topics.
#[derive(Debug, Clone)]
pub struct Lda {
    settings: LdaSettings,
    truth: Arc<Truth>,
}

#[derive(Debug)]
struct Truth {
    topics: Vec<Vec<f64>>,
    weights: Vec<Weights>,
}

impl Lda {
    /// The settings.
    pub fn settings(&self) -> &LdaSettings {
        &self.settings
    }

    /// The true topics: φ_k of K rows, each over the W words.
    pub fn topics(&self) -> &[Vec<f64>] {
        &self.truth.topics
    }

    /// The true proportions θ of document `index`.
    pub fn proportions(&self, index: u64) -> Vec<f64> {
        let mut rng = Streams::new(self.settings.seed).rng(PROPORTIONS, 0, index);
        omega(&dirichlet(self.settings.alpha.into(), self.settings.topics, &mut rng))
    }
}

impl Generator for Lda {
    fn document(&self, index: u64) -> Document {
        let proportions = Weights::new(&self.proportions(index));
        let mut rng = Streams::new(self.settings.seed).rng(TOKENS, 0, index);
        let length = self.settings.length.draw(&mut rng);
        let token = |_| {
            let topic = proportions.draw(&mut rng);
            self.truth.weights[topic].draw(&mut rng) as u32
        };
        Document::from_tokens((0..length).map(token).collect())
    }

    fn documents(&self) -> u64 {
        self.settings.documents
    }

    fn words(&self) -> usize {
        self.settings.words
    }

    fn provenance(&self) -> Provenance {
        let LdaSettings { topics, words, documents, alpha, concentration, exponent, length, seed } =
            self.settings;
        Provenance::Generated(format!(
            "LDA with {topics} topics over {words} words, {documents} documents, {length}, alpha {alpha}, \
             concentration {concentration}, Zipf exponent {exponent}, seed {seed}"
        ))
    }
}
