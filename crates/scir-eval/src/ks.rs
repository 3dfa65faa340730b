//! The one-sample Kolmogorov–Smirnov distance.

use crate::error::{Result, at_least, check_each};

/// The Kolmogorov–Smirnov distance of a sample from the uniform law on [0, 1]:
///
/// ```text
/// sup_x |F̂(x) − x| = max_i max( i/n − u_(i), u_(i) − (i−1)/n ),   u_(1) ≤ … ≤ u_(n).
/// ```
///
/// For another law, transform the sample by its distribution function first. The sample is sorted in place.
///
/// ```
/// assert_eq!(scir_eval::ks_uniform(&mut [0.5])?, 0.5);
/// assert!((scir_eval::ks_uniform(&mut [0.9, 0.1, 0.5])? - (1.0 / 3.0 - 0.1)).abs() < 1e-15);
/// # Ok::<(), scir_eval::Error>(())
/// ```
pub fn ks_uniform(sample: &mut [f64]) -> Result<f64> {
    at_least("sample", sample.len(), 1)?;
    check_each("sample", sample, |u| (0.0..=1.0).contains(&u), "in [0, 1]")?;
    sample.sort_unstable_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = |(i, &u): (usize, &f64)| ((i + 1) as f64 / n - u).max(u - i as f64 / n);
    Ok(sample.iter().enumerate().map(distance).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    /// The definition itself, on a fine grid of x and on both sides of each jump.
    #[test]
    fn equals_brute_force() {
        let sample = [0.03, 0.31, 0.32, 0.32, 0.9, 0.55, 1.0];
        let mut brute: f64 = 0.0;
        let points =
            (0..=1000).map(|i| f64::from(i) / 1000.0).chain(sample.iter().flat_map(|&u| [u, u - 1e-12]));
        for x in points {
            let below = sample.iter().filter(|&&u| u <= x).count() as f64 / 7.0;
            brute = brute.max((below - x).abs());
        }
        assert!((ks_uniform(&mut sample.clone()).unwrap() - brute).abs() < 1e-9);
    }

    #[test]
    fn bad_samples_are_refused() {
        assert_eq!(ks_uniform(&mut []), Err(Error::TooFew { name: "sample", len: 0, least: 1 }));
        assert!(ks_uniform(&mut [0.5, f64::NAN]).is_err());
        assert!(ks_uniform(&mut [0.5, 1.1]).is_err());
    }
}
