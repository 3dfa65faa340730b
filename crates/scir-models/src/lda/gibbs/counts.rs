//! n_dk, the numbers of tokens of a document in each topic, in two forms with the same law of draws.

use super::super::sums::{BLOCK, LANES, Lanes, find, sum_all, sum_products, whole};
use super::super::words::WordTable;
use scir_core::rand::{Rng, RngExt};

/// Up to so many topics it is faster to go through all of them in order than to keep a list.
const FEW: usize = 256;

/// Not in the list.
const ABSENT: u32 = u32::MAX;

/// n_dk. As f32, which holds counts up to 2^24; a longer document would be rounded by less than one part in ten million.
#[derive(Debug)]
pub(super) enum TopicCounts {
    /// One number for each topic.
    All { n: Vec<f32>, sums: Vec<Lanes> },
    /// The topics that the document has.
    Listed(List),
}

#[derive(Debug)]
pub(super) struct List {
    topics: Vec<u32>,
    n: Vec<f32>,
    /// Where each topic stands in the list.
    place: Vec<u32>,
    products: Vec<f32>,
    sums: Vec<Lanes>,
}

impl TopicCounts {
    /// None yet, in the form that is faster for so many topics.
    pub(super) fn new(topics: usize) -> Self {
        if topics <= FEW { Self::all(topics) } else { Self::listed(topics) }
    }

    pub(super) fn all(topics: usize) -> Self {
        let blocks = topics.div_ceil(BLOCK);
        Self::All { n: vec![0.0; blocks * BLOCK], sums: vec![[0.0; LANES]; blocks] }
    }

    pub(super) fn listed(topics: usize) -> Self {
        let blocks = topics.div_ceil(BLOCK);
        Self::Listed(List {
            topics: Vec::new(),
            n: Vec::new(),
            place: vec![ABSENT; topics],
            products: vec![0.0; blocks * BLOCK],
            sums: vec![[0.0; LANES]; blocks],
        })
    }

    /// The number of tokens in topic `k`.
    pub(super) fn of(&self, k: usize) -> f32 {
        match self {
            Self::All { n, .. } => n[k],
            Self::Listed(list) if list.place[k] == ABSENT => 0.0,
            Self::Listed(list) => list.n[list.place[k] as usize],
        }
    }

    #[inline]
    pub(super) fn add(&mut self, topic: u32) {
        match self {
            Self::All { n, .. } => n[topic as usize] += 1.0,
            Self::Listed(list) => list.add(topic),
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, topic: u32) {
        match self {
            Self::All { n, .. } => n[topic as usize] -= 1.0,
            Self::Listed(list) => list.remove(topic),
        }
    }

    /// One draw ∝ n_dk φ_kw + α_k φ_kw: the first part belongs to the document, the second is the alias table of the word.
    #[inline]
    pub(super) fn draw<R: Rng>(&mut self, words: &WordTable, row: usize, rng: &mut R) -> u32 {
        let (phi, alpha_mass) = (words.phi(row), words.alpha_mass(row));
        let total = match self {
            Self::All { n, sums } => sum_products(n, phi, sums),
            Self::Listed(list) => list.sum_products(phi),
        };
        let mass = f64::from(whole(total));
        let u = rng.random::<f64>() * (mass + alpha_mass);
        if u >= mass {
            return words.alias(row, (u - mass) / alpha_mass);
        }
        match self {
            Self::All { n, sums } => find(sums, total, u as f32, |k| n[k] * phi[k]) as u32,
            Self::Listed(list) => list.find(total, u as f32),
        }
    }
}

impl List {
    #[inline]
    fn add(&mut self, topic: u32) {
        let place = &mut self.place[topic as usize];
        if *place == ABSENT {
            *place = self.topics.len() as u32;
            self.topics.push(topic);
            self.n.push(1.0);
        } else {
            self.n[*place as usize] += 1.0;
        }
    }

    #[inline]
    fn remove(&mut self, topic: u32) {
        let place = self.place[topic as usize] as usize;
        self.n[place] -= 1.0;
        if self.n[place] == 0.0 {
            self.place[topic as usize] = ABSENT;
            self.topics.swap_remove(place);
            self.n.swap_remove(place);
            if let Some(&moved) = self.topics.get(place) {
                self.place[moved as usize] = place as u32;
            }
        }
    }

    /// Σ_k n_dk φ_kw over the list, leaving the products and their sums.
    #[inline]
    fn sum_products(&mut self, phi: &[f32]) -> Lanes {
        let len = self.topics.len();
        for ((product, n), &k) in self.products.iter_mut().zip(&self.n).zip(&self.topics) {
            *product = n * phi[k as usize];
        }
        let padded = len.next_multiple_of(BLOCK);
        self.products[len..padded].fill(0.0);
        sum_all(&self.products[..padded], &mut self.sums)
    }

    #[inline]
    fn find(&self, total: Lanes, u: f32) -> u32 {
        let blocks = self.topics.len().div_ceil(BLOCK);
        self.topics[find(&self.sums[..blocks], total, u, |i| self.products[i])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_leave_and_enter_the_list() {
        let mut counts = TopicCounts::listed(5);
        [3, 1, 3, 4].into_iter().for_each(|k| counts.add(k));
        counts.remove(1);
        counts.remove(3);
        counts.add(0);
        assert_eq!((0..5).map(|k| counts.of(k)).collect::<Vec<_>>(), [1.0, 0.0, 0.0, 1.0, 1.0]);
        let TopicCounts::Listed(list) = counts else { unreachable!("made as a list") };
        assert_eq!(list.topics.len(), 3);
        assert!(list.topics.iter().enumerate().all(|(place, &k)| list.place[k as usize] as usize == place));
    }
}
