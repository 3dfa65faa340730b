//! n_dk of the documents of a chunk, in two forms.

use super::super::sums::{BLOCK, Lanes, find, sum_all, sum_products};
use super::lists::Lists;

/// Up to so many topics a row with all of them is faster than a list of those that the document has.
pub(super) const FEW: usize = 256;

#[derive(Debug, Clone)]
pub(super) enum TopicCounts {
    /// A number for each document and topic, rows padded with zeros.
    Rows { n: Vec<f32>, stride: usize },
    /// For each document, the topics that it has.
    Listed(Lists),
}

impl TopicCounts {
    /// None yet, for documents of the given numbers of tokens.
    pub(super) fn new(tokens: impl ExactSizeIterator<Item = usize>, topics: usize) -> Self {
        if topics > FEW {
            return Self::Listed(Lists::new(tokens, topics));
        }
        let stride = topics.next_multiple_of(BLOCK);
        Self::Rows { n: vec![0.0; tokens.len() * stride], stride }
    }

    /// Where lists are kept, the topics that each document has in the order in which they are looked through: it is part
    /// of the state, because a draw goes by it.
    #[cfg(feature = "serde")]
    pub(super) fn orders(&self) -> Vec<Vec<u32>> {
        match self {
            Self::Rows { .. } => Vec::new(),
            Self::Listed(lists) => {
                let order = |document| lists.of(document).iter().map(|entry| entry.topic).collect();
                (0..lists.len()).map(order).collect()
            }
        }
    }

    /// Counts the (document, topic) of all tokens, where nothing has been counted yet. False if the orders do not fit.
    #[cfg(feature = "serde")]
    pub(super) fn resume(&mut self, orders: &[Vec<u32>], tokens: impl Iterator<Item = (u32, u32)>) -> bool {
        match self {
            Self::Rows { .. } => {
                tokens.for_each(|(document, topic)| self.add(document as usize, topic));
                orders.is_empty()
            }
            Self::Listed(lists) => orders.len() == lists.len() && lists.resume(orders, tokens),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, document: usize, topic: u32) {
        match self {
            Self::Rows { n, stride } => n[document * *stride + topic as usize] += 1.0,
            Self::Listed(lists) => lists.add(document, topic),
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, document: usize, topic: u32) {
        match self {
            Self::Rows { n, stride } => n[document * *stride + topic as usize] -= 1.0,
            Self::Listed(lists) => lists.remove(document, topic),
        }
    }

    /// A token moves from one topic to another, or stays.
    #[inline]
    pub(super) fn replace(&mut self, document: usize, before: u32, after: u32) {
        match self {
            // Without a branch, which would be guessed wrongly often.
            Self::Rows { n, stride } => {
                let row = &mut n[document * *stride..(document + 1) * *stride];
                row[before as usize] -= 1.0;
                row[after as usize] += 1.0;
            }
            Self::Listed(lists) if before != after => {
                lists.remove(document, before);
                lists.add(document, after);
            }
            Self::Listed(_) => {}
        }
    }

    /// Σ_k n_dk q_k, leaving sums of blocks and, for a list, the products.
    #[inline]
    pub(super) fn sum_products(
        &self,
        document: usize,
        q: &[f32],
        products: &mut [f32],
        sums: &mut [Lanes],
    ) -> Lanes {
        match self {
            Self::Rows { n, stride } => sum_products(&n[document * stride..(document + 1) * stride], q, sums),
            Self::Listed(lists) => {
                let list = lists.of(document);
                for (product, entry) in products.iter_mut().zip(list) {
                    *product = entry.n * q[entry.topic as usize];
                }
                let padded = list.len().next_multiple_of(BLOCK);
                products[list.len()..padded].fill(0.0);
                sum_all(&products[..padded], sums)
            }
        }
    }

    /// The topic at which the running sum passes `u`, counted in.
    #[inline]
    pub(super) fn find_and_add(
        &mut self,
        document: usize,
        q: &[f32],
        products: &[f32],
        sums: &[Lanes],
        total: Lanes,
        u: f32,
    ) -> u32 {
        match self {
            Self::Rows { n, stride } => {
                let row = &mut n[document * *stride..(document + 1) * *stride];
                let k = find(sums, total, u, |k| row[k] * q[k]);
                row[k] += 1.0;
                k as u32
            }
            Self::Listed(lists) => {
                let blocks = lists.of(document).len().div_ceil(BLOCK);
                let place = find(&sums[..blocks], total, u, |i| products[i]);
                lists.increment(document, place)
            }
        }
    }
}
