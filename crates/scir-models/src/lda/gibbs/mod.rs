//! Gibbs sampling of the topics of one document with φ fixed, p(z = k | …) ∝ (α_k + n_dk) φ_kw.

use super::document::Document;
use super::settings::{LdaSettings, TokenSampler};
use super::words::{BLOCK, WordTable};
use scir_core::rand::{Rng, RngExt};

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
    buffer: Vec<f64>,
}

impl<'a> Chain<'a> {
    pub(super) fn new(document: &'a Document, words: &'a WordTable, settings: &'a LdaSettings) -> Self {
        let n = TopicCounts::new(words.topics());
        let sums = vec![0; document.slots.len() * words.topics()];
        let buffer = vec![0.0; words.topics()];
        Self { document, words, settings, z: vec![0; document.tokens], n, sums, buffer }
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
        let mut start = 0;
        for slot in &self.document.slots {
            for z in &mut self.z[start..start + slot.tokens] {
                if !first {
                    self.n.remove(*z);
                }
                *z = match self.settings.gibbs.sampler {
                    TokenSampler::Sparse => draw(&mut self.n, self.words, slot.row, rng),
                    TokenSampler::Dense => {
                        draw_dense(&self.n, self.words, slot.row, self.settings, &mut self.buffer, rng)
                    }
                };
                self.n.add(*z);
            }
            start += slot.tokens;
        }
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

/// n_dk: for all topics, and as a list of those that are not zero.
struct TopicCounts {
    /// f32 holds counts up to 2^24; a longer document would be rounded, by less than one part in ten million.
    n: Vec<f32>,
    listed: Vec<u32>,
    /// Where each topic stands in the list.
    place: Vec<u32>,
    /// Running sums, over the list or over blocks of topics.
    sums: Vec<f32>,
}

impl TopicCounts {
    fn new(topics: usize) -> Self {
        let stride = topics.next_multiple_of(BLOCK);
        Self { n: vec![0.0; stride], listed: Vec::new(), place: vec![0; topics], sums: vec![0.0; stride] }
    }

    #[inline]
    fn add(&mut self, topic: u32) {
        let n = &mut self.n[topic as usize];
        if *n == 0.0 {
            self.place[topic as usize] = self.listed.len() as u32;
            self.listed.push(topic);
        }
        *n += 1.0;
    }

    #[inline]
    fn remove(&mut self, topic: u32) {
        let n = &mut self.n[topic as usize];
        *n -= 1.0;
        if *n == 0.0 {
            let place = self.place[topic as usize];
            self.listed.swap_remove(place as usize);
            if let Some(&moved) = self.listed.get(place as usize) {
                self.place[moved as usize] = place;
            }
        }
    }
}

/// One draw ∝ n_dk φ_kw + α_k φ_kw: the first part is sparse in the document, the second is the alias table of the word.
#[inline]
fn draw<R: Rng>(n: &mut TopicCounts, words: &WordTable, row: usize, rng: &mut R) -> u32 {
    let (phi, alpha_mass) = (words.phi(row), words.alpha_mass(row));
    // Once the document has a good part of the topics, going through all of them in order is faster: it needs no list.
    let sparse = n.listed.len() * 5 < words.topics();
    let mass = if sparse { sum_listed(n, phi) } else { sum_blocks(&n.n, phi, &mut n.sums) };
    let u = rng.random::<f64>() * (f64::from(mass) + alpha_mass);
    if u < f64::from(mass) {
        let u = u as f32;
        return if sparse { find_listed(n, u) } else { find_in_blocks(&n.n, phi, &n.sums, u) as u32 };
    }
    words.alias(row, (u - f64::from(mass)) / alpha_mass)
}

/// Σ_k n_dk φ_kw over the topics of the document, with the running sums.
#[inline]
fn sum_listed(n: &mut TopicCounts, phi: &[f32]) -> f32 {
    let mut sum = 0.0;
    for (running, &k) in n.sums.iter_mut().zip(&n.listed) {
        sum += n.n[k as usize] * phi[k as usize];
        *running = sum;
    }
    sum
}

#[inline]
fn find_listed(n: &TopicCounts, u: f32) -> u32 {
    let place = n.sums[..n.listed.len()].iter().position(|&running| u < running);
    // u rounded up to the total mass lies in the last topic.
    n.listed[place.unwrap_or(n.listed.len() - 1)]
}

/// Σ_k a_k b_k, leaving the sums of the blocks in `blocks`. Slices of equal length, a multiple of `BLOCK`.
///
/// Written so that the compiler keeps four sums in one register: a block is four vectors.
#[inline]
pub(super) fn sum_blocks(a: &[f32], b: &[f32], blocks: &mut [f32]) -> f32 {
    let mut total = 0.0;
    for ((a, b), block) in a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).zip(blocks) {
        let mut sums = [0.0f32; 4];
        for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
            for lane in 0..4 {
                sums[lane] += a[lane] * b[lane];
            }
        }
        *block = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        total += *block;
    }
    total
}

/// The k at which the running sum of a_k b_k passes `u`, by the sums of the blocks.
#[inline]
pub(super) fn find_in_blocks(a: &[f32], b: &[f32], blocks: &[f32], mut u: f32) -> usize {
    let mut last = 0;
    for (block, ((a, b), &sum)) in a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).zip(blocks).enumerate() {
        // Not `u < sum` alone: rounding may leave u at the end of a block, then the last topic with mass is meant.
        if sum > 0.0 {
            last = block;
            if u < sum {
                return block * BLOCK + find_in_block(a, b, u);
            }
            u -= sum;
        }
    }
    let range = last * BLOCK..(last + 1) * BLOCK;
    last * BLOCK + find_in_block(&a[range.clone()], &b[range], f32::INFINITY)
}

#[inline]
fn find_in_block(a: &[f32], b: &[f32], mut u: f32) -> usize {
    let mut last = 0;
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        let mass = a * b;
        if mass > 0.0 {
            last = k;
            if u < mass {
                break;
            }
            u -= mass;
        }
    }
    last
}

/// The same draw by all K probabilities.
fn draw_dense<R: Rng>(
    n: &TopicCounts,
    words: &WordTable,
    row: usize,
    settings: &LdaSettings,
    running: &mut [f64],
    rng: &mut R,
) -> u32 {
    let phi = words.phi(row);
    let mut sum = 0.0;
    for (k, running) in running.iter_mut().enumerate() {
        sum += (settings.alpha.at(k) + f64::from(n.n[k])) * f64::from(phi[k]);
        *running = sum;
    }
    let u = rng.random::<f64>() * sum;
    running.iter().position(|&running| u < running).unwrap_or(running.len() - 1) as u32
}

#[cfg(test)]
mod tests;
