//! The law of the topic of one token: the factors of its word, and the draw.

use super::super::settings::LdaSettings;
use super::super::sums::{BLOCK, LANES, Lanes, find, sum_products, whole};
use super::documents::TopicCounts;
use scir_core::rand::{Rng, RngExt};

/// How often a draw without a sum is tried.
const TRIES: usize = 3;

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
    /// No q_k is larger.
    largest: f32,
    inverse_largest: f64,
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
        Self {
            totals,
            beta_sum,
            alpha,
            inverse,
            beta: 0.0,
            q,
            largest: 0.0,
            inverse_largest: 0.0,
            smooth: 0.0,
            products,
            sums,
        }
    }

    /// n_k as this thread knows them.
    pub(super) fn totals(&self) -> &[i64] {
        &self.totals
    }

    pub(super) fn start(&mut self, counts: &[u32], beta: f32) {
        self.beta = beta;
        for ((q, &n), inverse) in self.q.iter_mut().zip(counts).zip(&self.inverse) {
            // Counts are below 2^31; signed ones turn into f32 four at a time.
            *q = (n as i32 as f32 + beta) * inverse;
        }
        let mut largest = [0.0f32; LANES];
        for q in self.q.chunks_exact(LANES) {
            for l in 0..LANES {
                largest[l] = if q[l] > largest[l] { q[l] } else { largest[l] };
            }
        }
        self.set_largest(largest.into_iter().fold(0.0, f32::max));
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
        if q > self.largest {
            self.set_largest(q);
        }
    }

    fn set_largest(&mut self, largest: f32) {
        self.largest = largest;
        self.inverse_largest = 1.0 / f64::from(largest);
    }

    /// A new topic for token `i` of a document whose tokens have the topics `z`.
    ///
    /// A draw can do without a sum over topics: (number of other tokens) · max q + Σ_k α_k q_k bounds the mass. So take
    /// another token of the document at random and accept its topic with probability q_k / max q, or with the rest of
    /// the bound draw from α_k q_k. What is accepted has the right law; after some refusals the sum is made.
    #[inline]
    pub(super) fn draw<R: Rng>(
        &mut self,
        z: &[u32],
        i: usize,
        counts: &mut [u32],
        topics: &mut TopicCounts,
        document: usize,
        rng: &mut R,
    ) -> u32 {
        let before = z[i];
        let others = z.len() - 1;
        // With the sum from before the token was taken out, which is larger: the random numbers then need not wait.
        let bound = others as f64 + self.smooth * self.inverse_largest;
        counts[before as usize] -= 1;
        self.shift(before as usize, counts[before as usize], -1);
        let mut quick = None;
        for _ in 0..TRIES {
            let x = rng.random::<f64>() * bound;
            let other = x as usize;
            if other >= others {
                let u = (x - others as f64) * f64::from(self.largest);
                if u < self.smooth {
                    quick = Some(self.draw_smooth(u / self.smooth));
                    break;
                }
                continue;
            }
            let k = z[other + usize::from(other >= i)];
            if (x - other as f64) * f64::from(self.largest) < f64::from(self.q[k as usize]) {
                quick = Some(k);
                break;
            }
        }
        let k = match quick {
            Some(k) => {
                topics.replace(document, before, k);
                k
            }
            None => {
                topics.remove(document, before);
                self.draw_by_sum(topics, document, rng)
            }
        };
        counts[k as usize] += 1;
        self.shift(k as usize, counts[k as usize], 1);
        k
    }

    /// A topic ∝ (n_dk + α_k) q_k, counted in.
    fn draw_by_sum<R: Rng>(&mut self, topics: &mut TopicCounts, document: usize, rng: &mut R) -> u32 {
        let total = topics.sum_products(document, &self.q, &mut self.products, &mut self.sums);
        let mass = f64::from(whole(total));
        let u = rng.random::<f64>() * (mass + self.smooth);
        if u >= mass {
            let k = self.draw_smooth((u - mass) / self.smooth);
            topics.add(document, k);
            return k;
        }
        topics.find_and_add(document, &self.q, &self.products, &self.sums, total, u as f32)
    }

    /// The topic at `u` ∈ [0, 1] of the law ∝ α_k q_k.
    fn draw_smooth(&mut self, u: f64) -> u32 {
        let (alpha, q) = (&self.alpha, &self.q);
        let total = sum_products(alpha, q, &mut self.sums);
        find(&self.sums, total, u as f32 * whole(total), |k| alpha[k] * q[k]) as u32
    }
}
