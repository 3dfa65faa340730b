//! The inner loop: drawing the tokens of a group of words in a chunk of documents, word by word.

use super::super::settings::LdaSettings;
use super::super::sums::{BLOCK, LANES, Lanes, find, sum_all, sum_products, whole};
use super::lists::Lists;
use crate::prior::Concentration;
use scir_core::rand::{Rng, RngExt};

/// n_kw of a group of words, one row for each word.
#[derive(Debug, Clone)]
pub(super) struct WordCounts {
    topics: usize,
    counts: Vec<u32>,
    beta: Vec<f32>,
}

impl WordCounts {
    pub(super) fn new(words: &[u32], beta: &Concentration, topics: usize) -> Self {
        let beta = words.iter().map(|&word| beta.at(word as usize) as f32).collect();
        Self { topics, counts: vec![0; words.len() * topics], beta }
    }

    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.counts[row * self.topics..(row + 1) * self.topics]
    }
}

/// The tokens of a chunk of documents: those of a word stand together, and the words of a group of words do.
#[derive(Debug, Clone)]
pub(super) struct Tokens {
    /// n_dk.
    lists: Lists,
    /// For each group of words, where the tokens of each of its words end, and where those of the first begin.
    ends: Vec<Vec<u32>>,
    /// The document of each token.
    documents: Vec<u32>,
    z: Vec<u32>,
}

impl Tokens {
    /// From documents as (group, row, count) of their words; `groups` are the numbers of words.
    pub(super) fn new(documents: &[Vec<(u32, u32, u32)>], groups: &[usize], topics: usize) -> Self {
        let mut ends: Vec<Vec<u32>> = groups.iter().map(|&words| vec![0; words + 1]).collect();
        for &(group, row, count) in documents.iter().flatten() {
            ends[group as usize][row as usize + 1] += count;
        }
        let mut next = 0;
        for end in ends.iter_mut().flatten() {
            next += *end;
            *end = next;
        }
        // Where the next token of each word goes.
        let mut free = ends.clone();
        let mut owner = vec![0; next as usize];
        for (document, words) in (0..).zip(documents) {
            for &(group, row, count) in words {
                let start = &mut free[group as usize][row as usize];
                owner[*start as usize..(*start + count) as usize].fill(document);
                *start += count;
            }
        }
        let lengths = documents.iter().map(|words| words.iter().map(|word| word.2 as usize).sum());
        Self { lists: Lists::new(lengths, topics), ends, documents: owner, z: vec![0; next as usize] }
    }

    /// Gives every token a topic at random, all topics alike.
    ///
    /// Drawing each token given those before it would be a better start document by document. Word by word it is a bad
    /// one: all tokens of a word would follow its first ones into the same topic.
    pub(super) fn start<R: Rng>(
        &mut self,
        group: usize,
        words: &mut WordCounts,
        totals: &mut [i64],
        rng: &mut R,
    ) {
        let rows = words.counts.chunks_exact_mut(words.topics);
        for (counts, ends) in rows.zip(self.ends[group].windows(2)) {
            let range = ends[0] as usize..ends[1] as usize;
            for (z, &document) in self.z[range.clone()].iter_mut().zip(&self.documents[range]) {
                *z = rng.random_range(0..counts.len() as u32);
                counts[*z as usize] += 1;
                totals[*z as usize] += 1;
                self.lists.add(document as usize, *z);
            }
        }
    }

    /// Draws the tokens of group `group` of the words.
    pub(super) fn sweep<R: Rng>(
        &mut self,
        group: usize,
        words: &mut WordCounts,
        word: &mut Word,
        rng: &mut R,
    ) {
        let rows = words.counts.chunks_exact_mut(words.topics).zip(&words.beta);
        for ((counts, &beta), ends) in rows.zip(self.ends[group].windows(2)) {
            let range = ends[0] as usize..ends[1] as usize;
            if range.is_empty() {
                continue;
            }
            word.start(counts, beta);
            for (z, &document) in self.z[range.clone()].iter_mut().zip(&self.documents[range]) {
                *z = word.draw(*z, counts, &mut self.lists, document as usize, rng);
            }
        }
    }

    /// The topic of each token.
    pub(super) fn z(&self) -> &[u32] {
        &self.z
    }

    /// How many documents there are.
    pub(super) fn documents(&self) -> usize {
        self.lists.len()
    }

    /// The topics that each document has, in the order in which they are looked through: it is part of the state,
    /// because a draw goes by it.
    #[cfg(feature = "serde")]
    pub(super) fn orders(&self) -> Vec<Vec<u32>> {
        (0..self.lists.len())
            .map(|document| self.lists.of(document).iter().map(|entry| entry.topic).collect())
            .collect()
    }

    /// Gives every token the topic that it had, and every list of topics its order. False if they do not fit.
    #[cfg(feature = "serde")]
    pub(super) fn resume(
        &mut self,
        z: Vec<u32>,
        orders: &[Vec<u32>],
        words: &mut [WordCounts],
        totals: &mut [i64],
    ) -> bool {
        let fits = z.len() == self.z.len()
            && orders.len() == self.lists.len()
            && z.iter().chain(orders.iter().flatten()).all(|&topic| (topic as usize) < totals.len());
        if !fits {
            return false;
        }
        self.z = z;
        for (ends, words) in self.ends.iter().zip(words) {
            let rows = words.counts.chunks_exact_mut(words.topics);
            for (counts, ends) in rows.zip(ends.windows(2)) {
                for &z in &self.z[ends[0] as usize..ends[1] as usize] {
                    counts[z as usize] += 1;
                    totals[z as usize] += 1;
                }
            }
        }
        self.lists.resume(orders, self.documents.iter().zip(&self.z))
    }
}

/// The factors of the probabilities for one word, and what they are made of: one for each thread.
pub(super) struct Word {
    /// n_k as this thread knows them.
    totals: Vec<i64>,
    beta_sum: f64,
    /// α_k and 1 / (n_k + Σβ), padded with zeros.
    alpha: Vec<f32>,
    inverse: Vec<f32>,
    beta: f32,
    /// q_k = (n_kw + β_w) / (n_k + Σβ), padded with zeros.
    q: Vec<f32>,
    /// Σ_k α_k q_k.
    smooth: f64,
    products: Vec<f32>,
    sums: Vec<Lanes>,
}

impl Word {
    pub(super) fn new(settings: &LdaSettings, totals: &[i64], beta_sum: f64) -> Self {
        let padded = totals.len().next_multiple_of(BLOCK);
        let (mut alpha, mut inverse) = (vec![0.0; padded], vec![0.0; padded]);
        for k in 0..totals.len() {
            alpha[k] = settings.alpha.at(k) as f32;
            inverse[k] = (1.0 / (totals[k] as f64 + beta_sum)) as f32;
        }
        let (q, sums) = (vec![0.0; padded], vec![[0.0; LANES]; padded / BLOCK]);
        let (totals, products) = (totals.to_vec(), q.clone());
        Self { totals, beta_sum, alpha, inverse, beta: 0.0, q, smooth: 0.0, products, sums }
    }

    /// n_k as this thread knows them.
    pub(super) fn totals(&self) -> &[i64] {
        &self.totals
    }

    fn start(&mut self, counts: &[u32], beta: f32) {
        self.beta = beta;
        for ((q, &n), inverse) in self.q.iter_mut().zip(counts).zip(&self.inverse) {
            // Counts are below 2^31; signed ones turn into f32 four at a time.
            *q = (n as i32 as f32 + beta) * inverse;
        }
        // Anew for each word, so that rounding does not pile up.
        self.smooth = f64::from(whole(sum_products(&self.alpha, &self.q, &mut self.sums)));
    }

    /// Brings q_k up to date after n_kw became `n` and n_k changed by `sign`.
    #[inline]
    fn shift(&mut self, k: usize, n: u32, sign: i64) {
        self.totals[k] += sign;
        self.inverse[k] = 1.0 / (self.totals[k] as f64 + self.beta_sum) as f32;
        let q = (n as i32 as f32 + self.beta) * self.inverse[k];
        self.smooth += f64::from(self.alpha[k]) * (f64::from(q) - f64::from(self.q[k]));
        self.q[k] = q;
    }

    /// A new topic for a token with topic `z` in a document.
    #[inline]
    fn draw<R: Rng>(
        &mut self,
        z: u32,
        counts: &mut [u32],
        lists: &mut Lists,
        document: usize,
        rng: &mut R,
    ) -> u32 {
        counts[z as usize] -= 1;
        lists.remove(document, z);
        self.shift(z as usize, counts[z as usize], -1);
        let list = lists.of(document);
        for (product, entry) in self.products.iter_mut().zip(list) {
            *product = entry.n * self.q[entry.topic as usize];
        }
        let padded = list.len().next_multiple_of(BLOCK);
        self.products[list.len()..padded].fill(0.0);
        let total = sum_all(&self.products[..padded], &mut self.sums);
        let mass = f64::from(whole(total));
        let u = rng.random::<f64>() * (mass + self.smooth);
        let k = if u < mass {
            let place = find(&self.sums[..padded / BLOCK], total, u as f32, |i| self.products[i]);
            lists.increment(document, place)
        } else {
            let k = self.draw_smooth((u - mass) / self.smooth);
            lists.add(document, k);
            k
        };
        counts[k as usize] += 1;
        self.shift(k as usize, counts[k as usize], 1);
        k
    }

    /// The topic at `u` ∈ [0, 1] of the law ∝ α_k q_k.
    fn draw_smooth(&mut self, u: f64) -> u32 {
        let (alpha, q) = (&self.alpha, &self.q);
        let total = sum_products(alpha, q, &mut self.sums);
        find(&self.sums, total, u as f32 * whole(total), |k| alpha[k] * q[k]) as u32
    }
}
