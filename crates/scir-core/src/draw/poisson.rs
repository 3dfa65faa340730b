//! Poisson draws of any mean: inversion for small means, transformed rejection (Hörmann 1993) for large ones.

use super::exp::exp_nonpositive;
use crate::special::ln_poisson;
use rand::{Rng, RngExt};

/// A Poisson(λ) draw as f64, λ > 0. Beyond 2^53 the counts are rounded to f64, which is far finer than their spread.
#[inline]
pub(super) fn poisson<R: Rng + ?Sized>(lambda: f64, rng: &mut R) -> f64 {
    /// From this mean on the method of transformed rejection is valid.
    const INVERT_BELOW: f64 = 10.0;
    if lambda >= INVERT_BELOW {
        return transformed_rejection(lambda, rng);
    }
    let u: f64 = rng.random();
    // e^{−λ} ≥ 1 − λ decides the most frequent case without the exponential.
    if u < 1.0 - lambda { 0.0 } else { invert(lambda, u) }
}

/// The smallest k whose distribution function exceeds u, searched from zero.
fn invert(lambda: f64, mut u: f64) -> f64 {
    let mut p = exp_nonpositive(-lambda);
    let mut k = 0.0;
    while u >= p {
        u -= p;
        k += 1.0;
        p *= lambda / k;
        if p < 1e-18 && k > lambda {
            // What is left of u is rounding.
            break;
        }
    }
    k
}

fn transformed_rejection<R: Rng + ?Sized>(lambda: f64, rng: &mut R) -> f64 {
    let b = 0.931 + 2.53 * lambda.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let v_r = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u: f64 = rng.random::<f64>() - 0.5;
        let v: f64 = rng.random();
        let us = 0.5 - u.abs();
        if us < 0.013 && v > us {
            continue;
        }
        let k = ((2.0 * a / us + b) * u + lambda + 0.43).floor();
        if us >= 0.07 && v <= v_r {
            return k;
        }
        if !(k >= 0.0 && k.is_finite()) {
            continue;
        }
        // Loader's form of the probability keeps its digits at any mean, where k ln λ − λ − ln k! has none left.
        if (v * inverse_alpha / (a / (us * us) + b)).ln() <= ln_poisson(k, lambda) {
            return k;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    /// χ² of one million draws against the probabilities, pooled into cells of at least 25 expected draws.
    #[test]
    fn draws_follow_the_probabilities() {
        const DRAWS: usize = 1_000_000;
        for (index, lambda) in
            [1e-3, 0.28, 0.9, 3.0, 9.99, 10.0, 11.5, 40.0, 300.0, 5e4].into_iter().enumerate()
        {
            let mut rng = Streams::new(11).rng(Purpose::new("poisson test"), 0, index as u64);
            let mut draws: Vec<f64> = (0..DRAWS).map(|_| poisson(lambda, &mut rng)).collect();
            draws.sort_by(f64::total_cmp);
            let (mut chi2, mut cells, mut expected, mut at) = (0.0, 0, 0.0, 0);
            let mut from = 0;
            let last = (lambda + 12.0 * lambda.sqrt() + 30.0) as u64;
            for k in 0..=last {
                expected += DRAWS as f64 * ln_poisson(k as f64, lambda).exp();
                while at < DRAWS && draws[at] <= k as f64 {
                    at += 1;
                }
                if expected >= 25.0 {
                    chi2 += ((at - from) as f64 - expected).powi(2) / expected;
                    (cells, expected, from) = (cells + 1, 0.0, at);
                }
            }
            assert_eq!(at, DRAWS, "a draw far outside of the law at mean {lambda}");
            let df = f64::from(cells - 1).max(1.0);
            assert!(
                chi2 < df + 5.0 * (2.0 * df).sqrt() + 5.0,
                "mean {lambda}: chi2 = {chi2} on {df} degrees"
            );
        }
    }

    /// Means beyond what integers or the classical acceptance test can hold: mean, spread and shape of the bulk.
    #[test]
    fn huge_means_stay_exact() {
        const DRAWS: usize = 400_000;
        for (index, lambda) in [1e9, 1e12, 1e16, 1e20].into_iter().enumerate() {
            let mut rng = Streams::new(12).rng(Purpose::new("poisson test"), 0, index as u64);
            let (mut sum, mut sum2, mut sum4, mut outside) = (0.0, 0.0, 0.0, 0);
            for _ in 0..DRAWS {
                let z = (poisson(lambda, &mut rng) - lambda) / lambda.sqrt();
                (sum, sum2, sum4) = (sum + z, sum2 + z * z, sum4 + z.powi(4));
                outside += usize::from(z.abs() > 1.959_963_984_540_054);
            }
            let n = DRAWS as f64;
            assert!((sum / n).abs() < 4.5 / n.sqrt(), "mean at {lambda}: {}", sum / n);
            assert!((sum2 / n - 1.0).abs() < 4.5 * (2.0 / n).sqrt(), "variance at {lambda}: {}", sum2 / n);
            assert!(
                (sum4 / n - 3.0).abs() < 4.5 * (96.0 / n).sqrt(),
                "fourth moment at {lambda}: {}",
                sum4 / n
            );
            let share = outside as f64 / n;
            assert!((share - 0.05).abs() < 4.5 * (0.0475 / n).sqrt(), "share outside at {lambda}: {share}");
        }
    }
}
