//! Measures of clusterings: agreement of two of them, and how often items come together.

use crate::error::{Error, Result, at_least, check_each};
use std::collections::HashMap;
use std::hash::Hash;

/// The adjusted Rand index of two clusterings of the same items (Hubert & Arabie 1985): 1 if they are the same up to the
/// names of the clusters, 0 in the mean if one of them is random.
///
/// ```text
/// ARI = (Σ_ab C(n_ab, 2) − E) / (½ (Σ_a C(n_a, 2) + Σ_b C(n_b, 2)) − E),   E = Σ_a C(n_a, 2) Σ_b C(n_b, 2) / C(n, 2)
/// ```
///
/// with n_ab the number of items in cluster a of the one and b of the other. Where both put all items together, or both
/// put every item alone, the formula is 0/0 and the clusterings are the same: 1.
///
/// ```
/// assert_eq!(scir_eval::adjusted_rand_index(&[0, 0, 1, 1], &["b", "b", "a", "a"])?, 1.0);
/// assert!(scir_eval::adjusted_rand_index(&[0, 0, 1, 1], &[0, 1, 0, 1])? < 0.0);
/// # Ok::<(), scir_eval::Error>(())
/// ```
///
/// # Errors
/// If there are fewer than two items, or the clusterings are not of equally many.
pub fn adjusted_rand_index<A: Eq + Hash, B: Eq + Hash>(a: &[A], b: &[B]) -> Result<f64> {
    at_least("clustering", a.len(), 2)?;
    if a.len() != b.len() {
        return Err(Error::Length { name: "clustering", len: b.len(), expected: a.len() });
    }
    let pairs = |n: u64| n as f64 * (n as f64 - 1.0) / 2.0;
    let together = pairs_together(a.iter().zip(b));
    let (of_a, of_b) = (pairs_together(a.iter()), pairs_together(b.iter()));
    let expected = of_a * of_b / pairs(a.len() as u64);
    let largest = 0.5 * (of_a + of_b);
    Ok(if largest == expected { 1.0 } else { (together - expected) / (largest - expected) })
}

/// The number of pairs of items with the same label.
fn pairs_together<L: Eq + Hash>(labels: impl Iterator<Item = L>) -> f64 {
    let mut sizes: HashMap<L, u64> = HashMap::new();
    labels.for_each(|label| *sizes.entry(label).or_default() += 1);
    // In whole numbers: the order of a hash map must not show in the result.
    sizes.values().map(|&n| u128::from(n) * u128::from(n - 1) / 2).sum::<u128>() as f64
}

/// How often the items of a sample are in one cluster, over the draws of a mixture.
///
/// Given a draw, the clusters of two items are independent, so that P(z_i = z_k) = Σ_j p_ij p_kj with p_ij the
/// probability that item i is in cluster j. [`probability`](Self::probability) is the mean of that over the draws, which
/// does not depend on how clusters are numbered. Memory is one number for each pair of items.
///
/// ```
/// let mut together = scir_eval::CoClustering::new(2)?;
/// together.push(&[vec![0.5, 0.5], vec![1.0, 0.0]])?;
/// together.push(&[vec![0.0, 1.0, 0.0], vec![0.0, 1.0, 0.0]])?;
/// assert_eq!(together.probability(0, 1), 0.75);
/// # Ok::<(), scir_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CoClustering {
    items: usize,
    /// Σ_t P_t(z_i = z_k) at k(k−1)/2 + i for i < k.
    sums: Vec<f64>,
    draws: u64,
}

impl CoClustering {
    /// For a number of items, at least 2.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn new(items: usize) -> Result<Self> {
        at_least("items", items, 2)?;
        Ok(Self { items, sums: vec![0.0; items * (items - 1) / 2], draws: 0 })
    }

    /// Adds a draw: for each item the probabilities of the clusters of that draw.
    ///
    /// # Errors
    /// If there are not as many items, or not equally many clusters for each, or something is no probability.
    pub fn push(&mut self, probabilities: &[Vec<f64>]) -> Result<()> {
        if probabilities.len() != self.items {
            return Err(Error::Length { name: "items", len: probabilities.len(), expected: self.items });
        }
        let clusters = probabilities[0].len();
        for row in probabilities {
            if row.len() != clusters {
                return Err(Error::Length { name: "probabilities", len: row.len(), expected: clusters });
            }
            check_each("probabilities", row, |p| (0.0..=1.0 + 1e-9).contains(&p), "in [0, 1]")?;
        }
        let mut sums = self.sums.iter_mut();
        for (k, row) in probabilities.iter().enumerate() {
            for (other, sum) in probabilities[..k].iter().zip(&mut sums) {
                *sum += row.iter().zip(other).map(|(p, q)| p * q).sum::<f64>();
            }
        }
        self.draws += 1;
        Ok(())
    }

    /// How many draws there have been.
    pub fn draws(&self) -> u64 {
        self.draws
    }

    /// The probability that items `i` and `k` are in one cluster; 1 for an item and itself; NaN before the first draw.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn probability(&self, i: usize, k: usize) -> f64 {
        assert!(i < self.items && k < self.items, "items {i} and {k} of {}", self.items);
        let (low, high) = (i.min(k), i.max(k));
        if low == high { 1.0 } else { self.sums[high * (high - 1) / 2 + low] / self.draws as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rand_index_equals_brute_force() {
        let label = |i: u64, salt: u64, of: u64| (i * i + salt * i) * 2_654_435_761 % 1009 % of;
        let a: Vec<u64> = (0..60).map(|i| label(i, 3, 4)).collect();
        let b: Vec<u64> = (0..60).map(|i| if i % 3 > 0 { a[i as usize] } else { label(i, 7, 5) }).collect();
        // Over all pairs of items: the index of agreement, corrected for chance.
        let (mut both, mut in_a, mut in_b, mut pairs) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..60 {
            for k in 0..i {
                let (x, y) = (f64::from(a[i] == a[k]), f64::from(b[i] == b[k]));
                both += x * y;
                in_a += x;
                in_b += y;
                pairs += 1.0;
            }
        }
        let expected = in_a * in_b / pairs;
        let brute = (both - expected) / (0.5 * (in_a + in_b) - expected);
        approx::assert_relative_eq!(adjusted_rand_index(&a, &b).unwrap(), brute, max_relative = 1e-12);
        assert!(brute > 0.05 && brute < 0.9, "{brute}");
        assert_eq!(adjusted_rand_index(&[7, 7, 7], &[1, 1, 1]).unwrap(), 1.0);
        assert_eq!(adjusted_rand_index(&[1, 2, 3], &[3, 1, 2]).unwrap(), 1.0);
        assert!(adjusted_rand_index(&[1], &[1]).is_err());
        assert!(adjusted_rand_index(&[1, 2], &[1, 2, 3]).is_err());
    }

    #[test]
    fn co_clustering_is_the_mean_over_draws() {
        let draws = [
            vec![vec![0.2, 0.8], vec![0.5, 0.5], vec![1.0, 0.0]],
            vec![vec![0.0, 0.3, 0.7], vec![0.1, 0.9, 0.0], vec![0.3, 0.3, 0.4]],
        ];
        let mut together = CoClustering::new(3).unwrap();
        assert!(together.probability(0, 1).is_nan());
        draws.iter().for_each(|draw| together.push(draw).unwrap());
        for (i, k) in [(0, 1), (2, 0), (1, 2)] {
            let of = |draw: &Vec<Vec<f64>>| draw[i].iter().zip(&draw[k]).map(|(p, q)| p * q).sum::<f64>();
            let brute = draws.iter().map(of).sum::<f64>() / 2.0;
            approx::assert_relative_eq!(together.probability(i, k), brute, max_relative = 1e-12);
        }
        assert_eq!((together.probability(2, 2), together.draws()), (1.0, 2));
        assert!(together.push(&draws[0][..2]).is_err());
        assert!(together.push(&[vec![0.5, 0.5], vec![1.0], vec![1.0]]).is_err());
        assert!(together.push(&[vec![1.5], vec![1.0], vec![1.0]]).is_err());
        assert!(CoClustering::new(1).is_err());
    }
}
