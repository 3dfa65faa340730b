//! Collapsed Gibbs sampling of LDA on a whole corpus (Griffiths & Steyvers 2004).

mod documents;
mod lists;
mod partition;
#[cfg(feature = "serde")]
mod state;
mod tokens;
mod word;

#[cfg(feature = "serde")]
pub use state::CollapsedState;

use super::Lda;
use super::settings::LdaSettings;
use crate::error::{Result, check};
use crate::parallel;
use crate::run::{Ended, Observer, Step, tell};
use partition::Partition;
use scir_core::{Exact, Place, Purpose, Simplex, Streams, Target, step_block};
use scir_data::Corpus;
use std::time::Instant;
use tokens::{Tokens, WordCounts};
use word::Word;

const START: Purpose = Purpose::new("lda: collapsed first topics");
const TOKENS: Purpose = Purpose::new("lda: collapsed topics of tokens");
const PHI: Purpose = Purpose::new("lda: collapsed draw of phi");

/// Collapsed Gibbs sampling: φ and θ are integrated out, and each token is drawn from
///
/// ```text
/// p(z = k | all others) ∝ (n_dk + α_k) (n_kw + β_w) / (n_k + Σβ).
/// ```
///
/// The corpus and the topic of each token are in memory. The first topics are drawn at random, all alike.
///
/// # Speed
///
/// Tokens are drawn word by word, as in F+LDA (Yu et al. 2015). For one word q_k = (n_kw + β_w) / (n_k + Σβ) changes in two
/// places for each token, and the probabilities are n_dk q_k + α_k q_k. Most draws need no sum over topics: another token
/// of the document is taken at random, and its topic k accepted with probability q_k / max q. If that fails a few times, the
/// first part is added up, over all topics if they are few and over those that the document has if they are many; the
/// sum of the second part is kept up to date. Documents are taken in chunks that fit into the cache.
///
/// # Exactness, and threads
///
/// With one part this is the exact Gibbs sampler, up to the rounding of probabilities to f32 (relative error about 1e-6). With
/// P parts, documents and words are cut into P groups each, and P threads work at a time on pairs that share neither a
/// document nor a word (Yan, Xu & Qi 2009). Then n_dk and n_kw are exact, and only the totals n_k of the topics are
/// those of the start of the round, changed by the thread's own moves: **an approximation**, of sums over all words that
/// hardly move in a round. The result depends on the number of parts and never on the number of threads.
///
/// ```
/// use scir_data::{Corpus, Document};
/// use scir_models::{CollapsedLda, LdaSettings};
/// let documents = (0..20u32).map(|d| Ok(Document::from_tokens(vec![d % 2; 10])));
/// let corpus = Corpus::collect(documents)?;
/// let settings = LdaSettings { topics: 2, ..LdaSettings::default() };
/// let mut sampler = CollapsedLda::new(settings, &corpus, 1, 42)?;
/// for _ in 0..20 {
///     sampler.sweep()?;
/// }
/// let top = sampler.model()?.top_words(1)?;
/// assert_ne!(top[0][0].0, top[1][0].0); // each word has become a topic
/// # Ok::<(), scir_models::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CollapsedLda {
    settings: LdaSettings,
    partition: Partition,
    /// For each group of documents, its chunks.
    tokens: Vec<Vec<Tokens>>,
    words: Vec<WordCounts>,
    /// n_k.
    totals: Vec<i64>,
    beta_sum: f64,
    streams: Streams,
    sweeps: u64,
}

impl CollapsedLda {
    /// A sampler for `corpus`, cut into `parts` (1 is exact; the number of processors is fast).
    ///
    /// # Errors
    /// If a setting is refused, there are no words, or there are no parts or more than 1024.
    pub fn new(settings: LdaSettings, corpus: &Corpus, parts: usize, seed: u64) -> Result<Self> {
        let mut sampler = Self::without_topics(settings, corpus, parts, seed)?;
        for (c, chunk) in (0..).zip(sampler.tokens.iter_mut().flatten()) {
            let mut rng = sampler.streams.rng(START, 0, c);
            for (group, words) in sampler.words.iter_mut().enumerate() {
                chunk.start(group, words, &mut sampler.totals, &mut rng);
            }
        }
        Ok(sampler)
    }

    /// The tokens are there, and have no topics yet.
    fn without_topics(settings: LdaSettings, corpus: &Corpus, parts: usize, seed: u64) -> Result<Self> {
        check(corpus.words() > 0, "words", corpus.words(), "at least 1")?;
        settings.check(corpus.words())?;
        check((1..=1024).contains(&parts), "parts", parts, "from 1 to 1024")?;
        let partition = Partition::new(corpus, parts);
        let tokens = partition.tokens(corpus, settings.topics);
        let beta = &settings.beta;
        let words = partition.words().map(|words| WordCounts::new(words, beta, settings.topics)).collect();
        let (totals, streams) = (vec![0; settings.topics], Streams::new(seed));
        let beta_sum = settings.beta.sum(corpus.words());
        Ok(Self { settings, partition, tokens, words, totals, beta_sum, streams, sweeps: 0 })
    }

    /// Sweeps until there have been `sweeps` in all, or an observer ends the run.
    ///
    /// # Errors
    /// Those of the observers.
    pub fn run(&mut self, sweeps: u64, observers: &mut [&mut dyn Observer<Self>]) -> Result<Ended> {
        let chunks = || self.tokens.iter().flatten();
        let items = chunks().map(Tokens::documents).sum();
        let tokens = chunks().map(|chunk| chunk.z().len() as u64).sum();
        while self.sweeps < sweeps {
            let (iteration, started) = (self.sweeps, Instant::now());
            self.sweep()?;
            let step = Step { iteration, items, tokens, latent: started.elapsed(), ..Step::default() };
            if tell(observers, self, &step)?.is_break() {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::OutOfBatches)
    }

    /// Draws every token once.
    ///
    /// # Errors
    /// Never for a sampler that could be made.
    pub fn sweep(&mut self) -> Result<()> {
        let parts = self.tokens.len();
        for round in 0..parts {
            let place = self.sweeps * parts as u64 + round as u64;
            // Group p of the documents meets group p + round of the words.
            self.words.rotate_left(usize::from(round > 0));
            let (settings, totals, beta_sum, streams) =
                (&self.settings, &self.totals, self.beta_sum, self.streams);
            let pairs: Vec<_> = self.tokens.iter_mut().zip(&mut self.words).enumerate().collect();
            let changes = parallel::map(pairs, |(p, (chunks, words))| {
                let mut rng = streams.rng(TOKENS, place, p as u64);
                let mut word = Word::new(settings, totals, beta_sum);
                for tokens in chunks {
                    tokens.sweep((p + round) % parts, words, &mut word, &mut rng);
                }
                Ok(word.totals().iter().zip(totals).map(|(after, before)| after - before).collect::<Vec<_>>())
            })?;
            for change in changes {
                self.totals.iter_mut().zip(change).for_each(|(total, change)| *total += change);
            }
        }
        // Back to where group p of the words is the p-th.
        self.words.rotate_left(usize::from(parts > 1));
        self.sweeps += 1;
        Ok(())
    }

    /// How many sweeps there have been.
    pub fn sweeps(&self) -> u64 {
        self.sweeps
    }

    /// The model at this point of the chain: φ at its mean given all z, φ_kw = (n_kw + β_w) / (n_k + Σβ).
    ///
    /// # Errors
    /// Never for a sampler that could be made.
    pub fn model(&self) -> Result<Lda> {
        let words = self.partition.len();
        let mut topics = vec![vec![0.0; words]; self.settings.topics];
        for word in 0..words {
            let (group, row) = self.partition.place(word);
            let counts = self.words[group].row(row);
            for (topic, &count) in topics.iter_mut().zip(counts) {
                topic[word] = f64::from(count) + self.settings.beta.at(word);
            }
        }
        let topics = topics.into_iter().map(Simplex::new).collect::<Result<_, _>>()?;
        Lda::with_topics(self.settings.clone(), topics)
    }

    /// The same with φ drawn given all z, φ_k ~ Dir(n_k + β): a draw from the posterior, as the other samplers give. The same
    /// one until the next sweep.
    ///
    /// # Errors
    /// Never for a sampler that could be made.
    pub fn draw(&self) -> Result<Lda> {
        let mean = self.model()?;
        let none = vec![0.0; mean.words()];
        let mut topics = mean.topics().to_vec();
        let place = Place { streams: self.streams, purpose: PHI, iteration: self.sweeps };
        step_block(&mut topics, &Exact, |k| Target::new(mean.topics()[k].theta(), &none), 1.0, place)?;
        Lda::with_topics(self.settings.clone(), topics)
    }
}

#[cfg(test)]
mod tests;
