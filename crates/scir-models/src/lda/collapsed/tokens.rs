//! The inner loop: drawing the tokens of a group of documents that belong to a group of words.

use super::super::settings::LdaSettings;
use super::super::sums::BLOCK;
use crate::prior::Concentration;
use scir_core::rand::{Rng, RngExt};

/// No topic yet.
const NONE: u32 = u32::MAX;

/// n_kw of a group of words, one padded row for each word.
#[derive(Debug, Clone)]
pub(super) struct WordCounts {
    stride: usize,
    /// Signed, because processors turn these into f32 four at a time.
    counts: Vec<i32>,
    beta: Vec<f32>,
}

impl WordCounts {
    pub(super) fn new(words: &[u32], beta: &Concentration, stride: usize) -> Self {
        let beta = words.iter().map(|&word| beta.at(word as usize) as f32).collect();
        Self { stride, counts: vec![0; words.len() * stride], beta }
    }

    pub(super) fn row(&self, row: usize) -> &[i32] {
        &self.counts[row * self.stride..(row + 1) * self.stride]
    }
}

/// What depends on the topic alone: one copy for each thread.
#[derive(Clone)]
pub(super) struct Shared {
    totals: Vec<i64>,
    beta_sum: f64,
    /// α_k and 1 / (n_k + Σβ), padded with zeros.
    alpha: Vec<f32>,
    inverse: Vec<f32>,
}

impl Shared {
    pub(super) fn new(settings: &LdaSettings, totals: &[i64], beta_sum: f64) -> Self {
        let stride = totals.len().next_multiple_of(BLOCK);
        let (mut alpha, mut inverse) = (vec![0.0; stride], vec![0.0; stride]);
        for k in 0..totals.len() {
            alpha[k] = settings.alpha.at(k) as f32;
            inverse[k] = (1.0 / (totals[k] as f64 + beta_sum)) as f32;
        }
        Self { totals: totals.to_vec(), beta_sum, alpha, inverse }
    }
}

/// A group of documents: the tokens of a document stand together, in the order of the groups of words.
#[derive(Debug, Clone)]
pub(super) struct Documents {
    groups: usize,
    /// The row of the word of each token in its group of words.
    rows: Vec<u32>,
    z: Vec<u32>,
    /// Where the tokens of each (document, group of words) end.
    ends: Vec<usize>,
}

impl Documents {
    pub(super) fn new(groups: usize) -> Self {
        Self { groups, rows: Vec::new(), z: Vec::new(), ends: vec![0] }
    }

    /// Adds a document by (group, row, count) of its words.
    pub(super) fn push(&mut self, words: &[(u32, u32, u32)]) {
        for group in 0..self.groups as u32 {
            for &(_, row, count) in words.iter().filter(|word| word.0 == group) {
                self.rows.extend((0..count).map(|_| row));
            }
            self.ends.push(self.rows.len());
        }
        self.z.resize(self.rows.len(), NONE);
    }

    /// Draws the tokens that belong to group `group` of the words; returns the change of n_k.
    pub(super) fn sweep<R: Rng>(
        &mut self,
        group: usize,
        words: &mut WordCounts,
        shared: Shared,
        rng: &mut R,
    ) -> Vec<i64> {
        let before = shared.totals.clone();
        let mut state = State::new(shared);
        for ends in (0..self.ends.len() - 1).step_by(self.groups) {
            let document = self.ends[ends]..self.ends[ends + self.groups];
            let tokens = self.ends[ends + group]..self.ends[ends + group + 1];
            if tokens.is_empty() {
                continue;
            }
            state.start_document(&self.z[document]);
            for (z, &row) in self.z[tokens.clone()].iter_mut().zip(&self.rows[tokens]) {
                let beta = words.beta[row as usize];
                let row = row as usize * words.stride;
                *z = state.draw(*z, &mut words.counts[row..row + words.stride], beta, rng);
            }
        }
        state.shared.totals.iter().zip(before).map(|(after, before)| after - before).collect()
    }

    #[cfg(test)]
    pub(super) fn z(&self) -> &[u32] {
        &self.z
    }
}

/// The factors of the probabilities of one document.
struct State {
    shared: Shared,
    /// n_dk.
    n: Vec<f32>,
    /// a_k = (n_dk + α_k) / (n_k + Σβ).
    a: Vec<f32>,
    /// Σ_k a_k.
    a_sum: f64,
    blocks: Vec<f32>,
}

impl State {
    fn new(shared: Shared) -> Self {
        let stride = shared.alpha.len();
        Self {
            shared,
            n: vec![0.0; stride],
            a: vec![0.0; stride],
            a_sum: 0.0,
            blocks: vec![0.0; stride / BLOCK],
        }
    }

    /// Counts the topics of a document.
    fn start_document(&mut self, z: &[u32]) {
        self.n.fill(0.0);
        z.iter().filter(|&&k| k != NONE).for_each(|&k| self.n[k as usize] += 1.0);
        for (((a, n), alpha), inverse) in
            self.a.iter_mut().zip(&self.n).zip(&self.shared.alpha).zip(&self.shared.inverse)
        {
            *a = (n + alpha) * inverse;
        }
        // Anew for each document, so that rounding does not pile up.
        self.a_sum = f64::from(self.a.iter().sum::<f32>());
    }

    /// Adds `sign` tokens to topic k.
    #[inline]
    fn shift(&mut self, k: usize, sign: i32) {
        let shared = &mut self.shared;
        shared.totals[k] += i64::from(sign);
        shared.inverse[k] = 1.0 / (shared.totals[k] as f64 + shared.beta_sum) as f32;
        self.n[k] += sign as f32;
        let a = (self.n[k] + shared.alpha[k]) * shared.inverse[k];
        self.a_sum += f64::from(a) - f64::from(self.a[k]);
        self.a[k] = a;
    }

    /// A new topic for a token that has topic `z`, of a word with the counts `row`.
    #[inline]
    fn draw<R: Rng>(&mut self, z: u32, row: &mut [i32], beta: f32, rng: &mut R) -> u32 {
        if z != NONE {
            row[z as usize] -= 1;
            self.shift(z as usize, -1);
        }
        let mass = sum_blocks(&self.a, row, &mut self.blocks);
        let u = rng.random::<f64>() * (f64::from(mass) + f64::from(beta) * self.a_sum);
        let k = if u < f64::from(mass) {
            find(&self.a, row, &self.blocks, u as f32)
        } else {
            find_smooth(&self.a, ((u - f64::from(mass)) / f64::from(beta)) as f32)
        };
        row[k] += 1;
        self.shift(k, 1);
        k as u32
    }
}

/// Σ_k a_k n_k, leaving the sums of blocks in `blocks`; written so that four products are made at a time.
#[inline]
fn sum_blocks(a: &[f32], n: &[i32], blocks: &mut [f32]) -> f32 {
    let mut total = 0.0;
    for ((a, n), block) in a.chunks_exact(BLOCK).zip(n.chunks_exact(BLOCK)).zip(blocks) {
        let mut sums = [0.0f32; 4];
        for (a, n) in a.chunks_exact(4).zip(n.chunks_exact(4)) {
            for lane in 0..4 {
                sums[lane] += a[lane] * n[lane] as f32;
            }
        }
        *block = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        total += *block;
    }
    total
}

/// The k at which the running sum of a_k n_k passes `u`. Should rounding leave u beyond the end, the last k with mass.
#[inline]
fn find(a: &[f32], n: &[i32], blocks: &[f32], mut u: f32) -> usize {
    let mut last = 0;
    for (block, ((a, n), &sum)) in a.chunks_exact(BLOCK).zip(n.chunks_exact(BLOCK)).zip(blocks).enumerate() {
        if sum > 0.0 {
            if u < sum {
                return block * BLOCK + find_in_block(a, n, u);
            }
            u -= sum;
            last = block;
        }
    }
    let range = last * BLOCK..(last + 1) * BLOCK;
    last * BLOCK + find_in_block(&a[range.clone()], &n[range], f32::INFINITY)
}

#[inline]
fn find_in_block(a: &[f32], n: &[i32], mut u: f32) -> usize {
    let mut last = 0;
    for (k, (a, &n)) in a.iter().zip(n).enumerate() {
        if n > 0 {
            last = k;
            u -= a * n as f32;
            if u < 0.0 {
                break;
            }
        }
    }
    last
}

/// The k at which the running sum of a_k passes `u`; the same at the end.
fn find_smooth(a: &[f32], mut u: f32) -> usize {
    let mut last = 0;
    for (k, &a) in a.iter().enumerate() {
        if a > 0.0 {
            last = k;
            u -= a;
            if u < 0.0 {
                break;
            }
        }
    }
    last
}
