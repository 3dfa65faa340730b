//! Gibbs sampling of the topics of one document with φ fixed, p(z = k | …) ∝ (α_k + n_dk) φ_kw.

mod counts;

use super::document::Document;
use super::settings::{LdaSettings, TokenSampler};
use super::words::WordTable;
use counts::TopicCounts;
use scir_core::rand::{Rng, RngExt};

/// How often a draw without a sum is tried.
const TRIES: usize = 2;

/// The chain of the topics of one document.
pub(super) struct Chain<'a> {
    document: &'a Document,
    words: &'a WordTable,
    settings: &'a LdaSettings,
    /// The topic of each token.
    z: Vec<u32>,
    n: TopicCounts,
    /// For each slot and topic, how many tokens it had in the sweeps that count.
    sums: Vec<u32>,
    /// Running sums of the reference.
    running: Vec<f64>,
}

impl<'a> Chain<'a> {
    pub(super) fn new(document: &'a Document, words: &'a WordTable, settings: &'a LdaSettings) -> Self {
        let n = match settings.gibbs.sampler {
            TokenSampler::Sparse => TopicCounts::new(words.topics()),
            TokenSampler::Dense => TopicCounts::all(words.topics()),
        };
        let sums = vec![0; document.slots.len() * words.topics()];
        let running = vec![0.0; words.topics()];
        Self { document, words, settings, z: vec![0; document.tokens], n, sums, running }
    }

    /// All sweeps, from topics that are drawn one token after the other.
    pub(super) fn run<R: Rng>(&mut self, rng: &mut R) {
        self.sweep(rng, true);
        for sweep in 0..self.settings.gibbs.sweeps {
            self.sweep(rng, false);
            if sweep >= self.settings.gibbs.burn_in {
                self.count();
            }
        }
    }

    /// Draws every token once. The `first` time the tokens have no topic yet.
    fn sweep<R: Rng>(&mut self, rng: &mut R, first: bool) {
        let mut i = 0;
        for slot in &self.document.slots {
            for _ in 0..slot.tokens {
                let z = match self.settings.gibbs.sampler {
                    TokenSampler::Sparse => self.draw(i, slot.row, first, rng),
                    TokenSampler::Dense => self.draw_dense(i, slot.row, first, rng),
                };
                self.z[i] = z;
                i += 1;
            }
        }
    }

    /// Takes token i out of the counts, if it is in.
    #[inline]
    fn take_out(&mut self, i: usize, first: bool) {
        if !first {
            self.n.remove(self.z[i]);
        }
    }

    /// A topic for token i ∝ n_dk φ_kw + α_k φ_kw, where n does not count the token, and counts it in.
    ///
    /// A draw can do without a sum over topics: with φ_kw relative to its largest element, (number of other tokens) + Σ_k α_k φ_kw
    /// bounds the mass. So take another token at random and accept its topic with probability φ_kw, or with the rest
    /// of the bound draw from the alias table. What is accepted has the right law; after some refusals the sum is made.
    #[inline]
    fn draw<R: Rng>(&mut self, i: usize, row: usize, first: bool, rng: &mut R) -> u32 {
        let (phi, alpha_mass) = (self.words.phi(row), self.words.alpha_mass(row));
        let others = if first { i } else { self.z.len() - 1 };
        let bound = others as f64 + alpha_mass;
        let mut quick = None;
        for _ in 0..TRIES {
            let u = rng.random::<f64>() * bound;
            let other = u as usize;
            if other >= others {
                quick =
                    Some(self.words.alias(row, ((u - others as f64) / alpha_mass).min(1.0 - f64::EPSILON)));
                break;
            }
            let k = self.z[other + usize::from(other >= i)];
            if u - (other as f64) < f64::from(phi[k as usize]) {
                quick = Some(k);
                break;
            }
        }
        self.take_out(i, first);
        let k = quick.unwrap_or_else(|| self.n.draw(self.words, row, rng));
        self.n.add(k);
        k
    }

    /// The same by all K probabilities, as one would write it first: the reference.
    fn draw_dense<R: Rng>(&mut self, i: usize, row: usize, first: bool, rng: &mut R) -> u32 {
        self.take_out(i, first);
        let phi = self.words.phi(row);
        let mut sum = 0.0;
        for (k, running) in self.running.iter_mut().enumerate() {
            sum += (self.settings.alpha.at(k) + f64::from(self.n.of(k))) * f64::from(phi[k]);
            *running = sum;
        }
        let u = rng.random::<f64>() * sum;
        let k = self.running.iter().position(|&running| u < running).unwrap_or(self.running.len() - 1) as u32;
        self.n.add(k);
        k
    }

    fn count(&mut self) {
        let mut start = 0;
        for (slot, sums) in self.document.slots.iter().zip(self.sums.chunks_exact_mut(self.words.topics())) {
            self.z[start..start + slot.tokens].iter().for_each(|&z| sums[z as usize] += 1);
            start += slot.tokens;
        }
    }

    fn kept(&self) -> f64 {
        f64::from(self.settings.gibbs.sweeps - self.settings.gibbs.burn_in)
    }

    /// E[n_dkw] as (word, topic, count), without the zeros.
    pub(super) fn expected_counts(&self, mut take: impl FnMut(u32, u32, f64)) {
        for (slot, sums) in self.document.slots.iter().zip(self.sums.chunks_exact(self.words.topics())) {
            for (topic, &sum) in (0..).zip(sums).filter(|(_, sum)| **sum > 0) {
                take(slot.word, topic, f64::from(sum) / self.kept());
            }
        }
    }

    /// E[θ_dk] = (α_k + E[n_dk]) / Σ_j (α_j + E[n_dj]).
    pub(super) fn proportions(&self) -> Vec<f64> {
        let topics = self.words.topics();
        let total = self.settings.alpha.sum(topics) + self.document.tokens as f64;
        let mut counts = vec![0u64; topics];
        for sums in self.sums.chunks_exact(topics) {
            counts.iter_mut().zip(sums).for_each(|(count, &sum)| *count += u64::from(sum));
        }
        let share =
            |(k, &count): (usize, &u64)| (self.settings.alpha.at(k) + count as f64 / self.kept()) / total;
        counts.iter().enumerate().map(share).collect()
    }

    #[cfg(test)]
    pub(super) fn z(&self) -> &[u32] {
        &self.z
    }
}

#[cfg(test)]
mod tests;
