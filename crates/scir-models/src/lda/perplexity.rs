//! Perplexity by document completion.

use super::collapsed::CollapsedLda;
use super::document::Document;
use super::gibbs::Chain;
use super::settings::Gibbs;
use super::words::WordTable;
use super::{Lda, LdaSettings};
use crate::control_variates::ControlVariates;
use crate::error::{Result, check};
use crate::observe::{Measure, ObserverError};
use crate::parallel;
use scir_core::{Purpose, Streams};
use scir_data::{CompletionSplit, DocView};
use scir_eval::RunningPerplexity;

const EVALUATE: Purpose = Purpose::new("lda: topics of test documents");

/// Perplexity of words held out from test documents, as the model moves.
///
/// At each evaluation the topics θ̂_d of each test document are estimated from its observed part, by Gibbs sampling
/// with φ fixed, and a held-out word w gets the probability p_dw = Σ_k θ̂_dk φ_kw. [`Evaluation::draw`] is the
/// perplexity of these; [`Evaluation::averaged`] that of p̄_dw, the mean over all evaluations so far
/// (see [`RunningPerplexity`] for the formula).
#[derive(Debug, Clone)]
pub struct HeldOutPerplexity {
    parts: CompletionSplit,
    gibbs: Option<Gibbs>,
    streams: Streams,
    evaluations: u64,
    running: RunningPerplexity,
}

/// The result of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// The perplexity of the predictive probabilities averaged over all evaluations so far.
    pub averaged: f64,
    /// The perplexity of this evaluation alone.
    pub draw: f64,
}

impl HeldOutPerplexity {
    /// For test documents in two parts.
    ///
    /// # Errors
    /// If no token is held out.
    pub fn new(parts: CompletionSplit, seed: u64) -> Result<Self> {
        let counts =
            parts.held_out.docs().flat_map(|document| document.counts().to_vec()).map(f64::from).collect();
        let running = RunningPerplexity::new(counts)?;
        Ok(Self { parts, gibbs: None, streams: Streams::new(seed), evaluations: 0, running })
    }

    /// Estimates the topics of test documents by `gibbs` and not by the settings of the model.
    ///
    /// # Errors
    /// If there are no sweeps to average over.
    pub fn with_gibbs(self, gibbs: Gibbs) -> Result<Self> {
        check(gibbs.sweeps > 0, "sweeps", gibbs.sweeps, "at least 1")?;
        check(gibbs.burn_in < gibbs.sweeps, "burn_in", gibbs.burn_in, "less than sweeps")?;
        Ok(Self { gibbs: Some(gibbs), ..self })
    }

    /// Evaluates the model as it is now.
    ///
    /// # Errors
    /// [`Error::Words`](crate::Error::Words) if the documents have words that the model has not.
    pub fn evaluate(&mut self, lda: &Lda) -> Result<Evaluation> {
        let CompletionSplit { observed, held_out, .. } = &self.parts;
        let words = WordTable::new(lda, observed.docs().chain(held_out.docs()))?;
        let settings =
            LdaSettings { gibbs: self.gibbs.unwrap_or(lda.settings.gibbs), ..lda.settings.clone() };
        let documents: Vec<usize> = (0..observed.len()).collect();
        let ln_p = parallel::map(documents, |d| {
            let document = Document::new(observed.doc(d), &words);
            let mut chain = Chain::new(&document, &words, &settings);
            chain.run(&mut self.streams.rng(EVALUATE, self.evaluations, d as u64));
            Ok(ln_predictive(&chain.proportions(), held_out.doc(d), &words))
        })?;
        self.running.push(&ln_p.concat())?;
        self.evaluations += 1;
        Ok(Evaluation { averaged: self.running.averaged(), draw: self.running.last() })
    }
}

/// By the perplexity of the averaged probabilities. What survives a stop is the average; not the documents.
impl Measure<Lda> for HeldOutPerplexity {
    fn measure(&mut self, lda: &Lda) -> Result<f64, ObserverError> {
        Ok(self.evaluate(lda)?.averaged)
    }

    #[cfg(feature = "checkpoint")]
    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        Ok(crate::checkpoint::to_bytes("perplexity", &(self.evaluations, &self.running))?)
    }

    #[cfg(feature = "checkpoint")]
    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        let (evaluations, running): (u64, RunningPerplexity) =
            crate::checkpoint::from_bytes("perplexity", saved)?;
        if running.counts() != self.running.counts() {
            return Err("the perplexity that was saved is of other test documents".into());
        }
        (self.evaluations, self.running) = (evaluations, running);
        Ok(())
    }
}

impl Measure<ControlVariates<Lda>> for HeldOutPerplexity {
    fn measure(&mut self, model: &ControlVariates<Lda>) -> Result<f64, ObserverError> {
        self.measure(model.inner())
    }

    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        <Self as Measure<Lda>>::save(self)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        <Self as Measure<Lda>>::restore(self, saved)
    }
}

impl Measure<CollapsedLda> for HeldOutPerplexity {
    fn measure(&mut self, sampler: &CollapsedLda) -> Result<f64, ObserverError> {
        self.measure(&sampler.model()?)
    }

    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        <Self as Measure<Lda>>::save(self)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        <Self as Measure<Lda>>::restore(self, saved)
    }
}

/// ln Σ_k θ_dk φ_kw for each distinct word of a document; finite also where φ_kw is below the smallest f64.
fn ln_predictive(theta: &[f64], document: DocView<'_>, words: &WordTable) -> Vec<f64> {
    let ln_p = |&word: &u32| {
        let row = words.row(word);
        let p: f64 = theta.iter().zip(words.phi(row)).map(|(theta, &phi)| theta * f64::from(phi)).sum();
        words.ln_scale(row) + p.ln()
    };
    document.ids().iter().map(ln_p).collect()
}
