//! Count estimates: from what a minibatch holds to what the whole data would hold.

use crate::error::{Error, Result};

/// Scales the counts of a minibatch to the population: N̂_j = (N/n) Σ_{i∈S} z_ij, in place.
///
/// `sums` holds Σ_{i∈S} z_ij on entry; n is the size of the minibatch `batch` and N that of the data, `population`.
/// With S drawn uniformly, with or without replacement, N̂ is unbiased. This is the one place where N/n is applied.
pub fn scale_counts(sums: &mut [f64], batch: usize, population: usize) -> Result<()> {
    let factor = scale_factor(batch, population)?;
    sums.iter_mut().for_each(|sum| *sum *= factor);
    Ok(())
}

/// Estimates the counts of categorical data from a minibatch of it: `counts[j]` becomes N/n times the number of
/// items in category j.
///
/// ```
/// let mut counts = [0.0; 3];
/// scir_core::estimate_counts(&[0, 2, 2, 2], 1000, &mut counts)?;
/// assert_eq!(counts, [250.0, 0.0, 750.0]);
/// # Ok::<(), scir_core::Error>(())
/// ```
pub fn estimate_counts(minibatch: &[usize], population: usize, counts: &mut [f64]) -> Result<()> {
    scale_factor(minibatch.len(), population)?;
    if let Some(&index) = minibatch.iter().find(|&&category| category >= counts.len()) {
        return Err(Error::IndexOutOfRange { name: "minibatch", index, len: counts.len() });
    }
    counts.fill(0.0);
    minibatch.iter().for_each(|&category| counts[category] += 1.0);
    scale_counts(counts, minibatch.len(), population)
}

fn scale_factor(batch: usize, population: usize) -> Result<f64> {
    if batch == 0 {
        return Err(Error::Empty { name: "minibatch" });
    }
    if population == 0 {
        return Err(Error::Empty { name: "population" });
    }
    Ok(population as f64 / batch as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named_and_nothing_is_written() {
        let mut counts = [5.0, 6.0];
        assert_eq!(estimate_counts(&[], 10, &mut counts), Err(Error::Empty { name: "minibatch" }));
        assert_eq!(estimate_counts(&[0], 0, &mut counts), Err(Error::Empty { name: "population" }));
        let bad = estimate_counts(&[0, 2], 10, &mut counts);
        assert_eq!(bad, Err(Error::IndexOutOfRange { name: "minibatch", index: 2, len: 2 }));
        assert_eq!(counts, [5.0, 6.0]);
    }

    /// Over all minibatches of a small population, with and without replacement, the mean is the truth.
    #[test]
    fn unbiased_by_enumeration() {
        let data = [0usize, 1, 1, 2, 2, 2, 0];
        let truth = [2.0, 2.0, 3.0];
        for replace in [true, false] {
            let (mut mean, mut batches) = ([0.0; 3], 0.0);
            for i in 0..data.len() {
                for j in 0..data.len() {
                    if !replace && i == j {
                        continue;
                    }
                    let mut counts = [0.0; 3];
                    estimate_counts(&[data[i], data[j]], data.len(), &mut counts).unwrap();
                    (0..3).for_each(|k| mean[k] += counts[k]);
                    batches += 1.0;
                }
            }
            for k in 0..3 {
                approx::assert_relative_eq!(mean[k] / batches, truth[k], max_relative = 1e-12);
            }
        }
    }
}
