//! What a trained model found, for people: topics with their share, coherence, words and place on a map.

use super::corpus::Documents;
use anyhow::Result;
use scir_eval::Coherence;
use scir_models::Lda;
use serde::{Deserialize, Serialize};

/// The words that stand for a topic.
pub(crate) const TOP_WORDS: usize = 10;
/// The words that a browser shows at once; candidates are all that may be among them.
const SHOWN: usize = 20;

/// A topic. On a map, topics with similar words are near each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Topic {
    /// Its share of the tokens of the test documents.
    pub(crate) share: f64,
    /// NPMI of its top words in the training documents.
    pub(crate) npmi: f64,
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The most probable first, then others that are typical of it.
    pub(crate) words: Vec<Word>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Word {
    pub(crate) word: String,
    /// φ_kw.
    pub(crate) p: f64,
    /// Σ_k share_k φ_kw.
    pub(crate) overall: f64,
}

/// The topics of a model, largest first.
pub(crate) fn topics(documents: &Documents, model: &Lda, seed: u64) -> Result<Vec<Topic>> {
    let phi = probabilities(model)?;
    let shares = shares(documents, model, seed)?;
    let npmi = coherence(documents, model)?;
    let places = super::super::map::plane(&phi);
    let words = model.words();
    let overall: Vec<f64> =
        (0..words).map(|w| shares.iter().zip(&phi).map(|(share, phi)| share * phi[w]).sum()).collect();
    let mut order: Vec<usize> = (0..phi.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let topic = |k: usize| {
        let word = |&w: &u32| {
            let (p, overall) = (phi[k][w as usize], overall[w as usize]);
            Word { word: documents.word(w), p, overall }
        };
        let words = candidates(&phi[k], &overall).iter().map(word).collect();
        Topic { share: shares[k], npmi: npmi[k], x: places[k].0, y: places[k].1, words }
    };
    Ok(order.into_iter().map(topic).collect())
}

fn probabilities(model: &Lda) -> Result<Vec<Vec<f64>>> {
    let row = |topic: &scir_core::Simplex| {
        let mut phi = vec![0.0; topic.len()];
        topic.omega(&mut phi)?;
        Ok(phi)
    };
    model.topics().iter().map(row).collect()
}

/// The words among the first by relevance λ ln φ_kw + (1 − λ) ln(φ_kw / p_w) (Sievert & Shirley 2014) for some λ.
fn candidates(phi: &[f64], overall: &[f64]) -> Vec<u32> {
    let mut chosen: Vec<u32> = Vec::new();
    for fifths in (0..=5).rev() {
        let lambda = f64::from(fifths) / 5.0;
        let relevance = |w: &u32| phi[*w as usize].ln() - (1.0 - lambda) * overall[*w as usize].ln();
        // Words that the topic hardly has would lead the list at λ = 0.
        let mut words: Vec<u32> = (0..phi.len() as u32).filter(|&w| phi[w as usize] > 1e-6).collect();
        words.sort_by(|a, b| relevance(b).total_cmp(&relevance(a)));
        words.truncate(SHOWN);
        words.retain(|word| !chosen.contains(word));
        chosen.extend(words);
    }
    chosen
}

fn coherence(documents: &Documents, model: &Lda) -> Result<Vec<f64>> {
    let top = model.top_words(TOP_WORDS)?;
    let ids: Vec<Vec<u32>> = top.iter().map(|topic| topic.iter().map(|&(word, _)| word).collect()).collect();
    let mut coherence = Coherence::new(&ids)?;
    documents.train.docs().try_for_each(|document| coherence.push(document.ids()))?;
    Ok(coherence.npmi())
}

/// The share of each topic in the tokens of the test documents.
fn shares(documents: &Documents, model: &Lda, seed: u64) -> Result<Vec<f64>> {
    let proportions = model.infer(documents.test.docs(), seed)?;
    let mut shares = vec![0.0; model.topics().len()];
    for (document, proportions) in documents.test.docs().zip(&proportions) {
        let weight = document.tokens() as f64 / documents.test.tokens() as f64;
        shares.iter_mut().zip(proportions).for_each(|(share, p)| *share += weight * p);
    }
    Ok(shares)
}
