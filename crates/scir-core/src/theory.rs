//! What is known in closed form about the SCIR chain: Theorem 4.1 and Corollary 4.2 of the paper, as functions.
//!
//! All of it is for the standard process (b = 1, σ² = 2) with independent, identically distributed, unbiased
//! estimates â of a. For another speed b, read b·h for h.

use crate::error::{Error, Result, non_negative, positive, same_len, step};

/// An SCIR chain θ̂_0, θ̂_1, … with step h from θ_0, aimed at Gamma(a, 1).
///
/// ```
/// use scir_core::theory::{ScirChain, minibatch_variance};
///
/// // 100 of 1000 items are in the category, minibatches of 10, α = 0.1.
/// let chain = ScirChain::new(100.1, 0.0, 0.1)?;
/// let noise = minibatch_variance(100, 1000, 10)?;
/// assert!((chain.mean(1_000_000) - 100.1).abs() < 1e-9); // unbiased …
/// assert!(chain.variance(1_000_000, noise) > 4.0 * 100.1); // … but far too wide: h is too large for n = 10
/// # Ok::<(), scir_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScirChain {
    a: f64,
    theta0: f64,
    h: f64,
}

impl ScirChain {
    /// The chain with target Gamma(`a`, 1), start `theta0` ≥ 0 and step `h` > 0 (+∞ allowed).
    pub fn new(a: f64, theta0: f64, h: f64) -> Result<Self> {
        Ok(Self { a: positive("a", a)?, theta0: non_negative("theta0", theta0)?, h: step(h)? })
    }

    /// E\[θ̂_M\] = θ_0 e^{−Mh} + a(1 − e^{−Mh}), the same as that of the exact process.
    pub fn mean(&self, steps: u64) -> f64 {
        self.theta0 * self.decay(steps) + self.a * self.growth(steps)
    }

    /// Var\[θ_M\] = 2θ_0(e^{−Mh} − e^{−2Mh}) + a(1 − e^{−Mh})² of the exact process.
    pub fn exact_variance(&self, steps: u64) -> f64 {
        let growth = self.growth(steps);
        2.0 * self.theta0 * self.decay(steps) * growth + self.a * growth * growth
    }

    /// Var\[θ̂_M\] = Var\[θ_M\] + (1 − e^{−2Mh}) tanh(h/2) Var\[â\].
    pub fn variance(&self, steps: u64, estimate_variance: f64) -> f64 {
        self.exact_variance(steps) + self.growth(2 * steps) * variance_inflation(self.h, estimate_variance)
    }

    /// The share of the diffusion that [`ScirVm`](crate::ScirVm) keeps so that noise makes up for the rest:
    /// s = 1 − tanh(h/2)·Var\[â\]/a. At 0 or below the noise alone is too much: h is too large for it.
    pub fn matching_share(&self, estimate_variance: f64) -> f64 {
        1.0 - variance_inflation(self.h, estimate_variance) / self.a
    }

    /// Var\[θ̂_M\] if a share `share` = s of the diffusion is kept, θ' = s · (CIR transition of θ/s with parameter â/s):
    /// s Var\[θ_M\] + (1 − e^{−2Mh}) tanh(h/2) Var\[â\]. With the [matching share](Self::matching_share) it tends to a, the
    /// variance of the target. The mean does not depend on s.
    pub fn variance_with_share(&self, steps: u64, estimate_variance: f64, share: f64) -> f64 {
        share * self.exact_variance(steps)
            + self.growth(2 * steps) * variance_inflation(self.h, estimate_variance)
    }

    /// ln E\[e^{sθ_M}\] of the exact process: −a ln g(M) + θ_0 s e^{−Mh}/g(M), with g(m) = 1 − s(1 − e^{−mh}).
    ///
    /// It exists for s below 1/(1 − e^{−Mh}); a larger s is refused.
    pub fn ln_mgf_exact(&self, steps: u64, s: f64) -> Result<f64> {
        Ok(self.ln_mgf_start(steps, s)? - self.a * self.ln_g(steps, s))
    }

    /// ln E\[e^{sθ̂_M}\] given the estimates â that were used, the oldest first (Theorem 4.1):
    ///
    /// ```text
    /// θ_0 s e^{−Mh}/g(M) − Σ_m â_m ln( g(m) / g(m−1) ),
    /// ```
    ///
    /// where m counts back in time: m = 1 is the last step. The estimates replace a, so a does not appear.
    pub fn ln_mgf_given(&self, estimates: &[f64], s: f64) -> Result<f64> {
        let mut ln_mgf = self.ln_mgf_start(estimates.len() as u64, s)?;
        for (m, &a_hat) in (1..).zip(estimates.iter().rev()) {
            ln_mgf -= positive("a_hat", a_hat)? * (self.ln_g(m, s) - self.ln_g(m - 1, s));
        }
        Ok(ln_mgf)
    }

    /// ln E\[e^{sθ̂_M}\] in expectation over independent estimates, through the law of one estimate:
    /// `ln_mgf_estimate(t)` is ln E\[e^{tâ}\] (for minibatches of categorical data, [`minibatch_ln_mgf`]).
    pub fn ln_mgf_expected(&self, steps: u64, s: f64, ln_mgf_estimate: impl Fn(f64) -> f64) -> Result<f64> {
        let mut ln_mgf = self.ln_mgf_start(steps, s)?;
        for m in 1..=steps {
            ln_mgf += ln_mgf_estimate(self.ln_g(m - 1, s) - self.ln_g(m, s));
        }
        Ok(ln_mgf)
    }

    /// The part of ln E\[e^{sθ_M}\] that comes from the start, and the check that the rest exists.
    fn ln_mgf_start(&self, steps: u64, s: f64) -> Result<f64> {
        let g = 1.0 - s * self.growth(steps);
        if !(g > 0.0) || !s.is_finite() {
            return Err(Error::OutOfRange {
                name: "s",
                value: s,
                expected: "finite and below 1/(1 - exp(-Mh))",
            });
        }
        Ok(self.theta0 * s * self.decay(steps) / g)
    }

    fn ln_g(&self, steps: u64, s: f64) -> f64 {
        (-s * self.growth(steps)).ln_1p()
    }

    /// e^{−Mh}.
    fn decay(&self, steps: u64) -> f64 {
        if steps == 0 { 1.0 } else { (-self.h * steps as f64).exp() }
    }

    /// 1 − e^{−Mh}.
    fn growth(&self, steps: u64) -> f64 {
        if steps == 0 { 0.0 } else { -(-self.h * steps as f64).exp_m1() }
    }
}

/// What noisy estimates add to the stationary variance: tanh(h/2)·Var\[â\].
///
/// The same factor holds for [`ExpOu`](crate::ExpOu), with ln θ in the place of θ and μ̂ in that of â.
pub fn variance_inflation(h: f64, estimate_variance: f64) -> f64 {
    (0.5 * h).tanh() * estimate_variance
}

/// The longest step at which noise of the estimates makes up no more than a share `rho` of the variance of the target:
/// tanh(h/2) = min(1, ρ·a/Var\[â\]). It is ∞ where there is so little noise that any step will do.
pub fn noise_limited_step(a: f64, estimate_variance: f64, rho: f64) -> Result<f64> {
    let (a, rho) = (positive("a", a)?, positive("rho", rho)?);
    let c = (rho * a / non_negative("estimate_variance", estimate_variance)?).min(1.0);
    Ok(2.0 * c.atanh())
}

/// Var\[â\] for a category that holds `count` of `population` items, from minibatches of `batch` items drawn with
/// replacement: (N²/n) p(1 − p), p = count/N.
pub fn minibatch_variance(count: u64, population: u64, batch: u64) -> Result<f64> {
    let (p, n, factor) = minibatch(count, population, batch)?;
    Ok(factor * factor * n * p * (1.0 - p))
}

/// ln E\[e^{tâ}\] for the same minibatches and prior `alpha`: αt + n ln(1 − p + p e^{tN/n}).
pub fn minibatch_ln_mgf(t: f64, alpha: f64, count: u64, population: u64, batch: u64) -> Result<f64> {
    let (p, n, factor) = minibatch(count, population, batch)?;
    Ok(alpha * t + n * (p * (t * factor).exp_m1()).ln_1p())
}

/// (p, n, N/n) of a minibatch, checked.
fn minibatch(count: u64, population: u64, batch: u64) -> Result<(f64, f64, f64)> {
    let total = positive("population", population as f64)?;
    let n = positive("batch", batch as f64)?;
    let p = count as f64 / total;
    if p > 1.0 {
        return Err(Error::OutOfRange {
            name: "count",
            value: count as f64,
            expected: "at most the population",
        });
    }
    Ok((p, n, total / n))
}

/// What is left of Var\[N̂\] with control variates, N̂ = Σ_i g_i + (N/n) Σ_{i∈S} (z_i − g_i), for one coordinate and minibatches
/// of `batch` items drawn with replacement: (N²/n) Var_i(z_i − g_i).
///
/// `contributions` are z_i and `remembered` are g_i, one for each item of the data; Var_i is over the items, with divisor N. With
/// g_i all the same (or all 0) it is the variance of the plain minibatch estimate. Drawn without replacement, multiply by
/// [`without_replacement`].
///
/// ```
/// use scir_core::theory::control_variate_variance;
/// let (z, g) = ([0.0, 4.0, 1.0, 7.0], [0.0, 4.0, 2.0, 7.0]); // one item has changed
/// let plain = control_variate_variance(&z, &[0.0; 4], 2)?;
/// let left = control_variate_variance(&z, &g, 2)?;
/// assert!((left - 1.5).abs() < 1e-12 && plain > 30.0 * left);
/// # Ok::<(), scir_core::Error>(())
/// ```
pub fn control_variate_variance(contributions: &[f64], remembered: &[f64], batch: u64) -> Result<f64> {
    same_len("remembered", remembered.len(), "contributions", contributions.len())?;
    let (_, n, factor) = minibatch(0, contributions.len() as u64, batch)?;
    let differences = || contributions.iter().zip(remembered).map(|(z, g)| z - g);
    let mean = differences().sum::<f64>() / contributions.len() as f64;
    let squares: f64 = differences().map(|difference| (difference - mean).powi(2)).sum();
    Ok(factor * factor * n * squares / contributions.len() as f64)
}

/// How much smaller the variance of an estimate is if the `batch` items are all different: (N − n)/(N − 1).
pub fn without_replacement(population: u64, batch: u64) -> Result<f64> {
    minibatch(0, population, batch)?;
    if batch > population {
        return Err(Error::OutOfRange {
            name: "batch",
            value: batch as f64,
            expected: "at most the population",
        });
    }
    // Of a single item there is nothing to choose.
    Ok(if population == 1 { 0.0 } else { (population - batch) as f64 / (population - 1) as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// The first two derivatives of the logarithm of the MGF at 0 are the mean and the variance.
    #[test]
    fn moments_are_derivatives_of_the_mgf() {
        for (theta0, h, steps) in [(0.0, 0.3, 1), (5.0, 0.05, 7), (40.0, 1.0, 3)] {
            let chain = ScirChain::new(30.1, theta0, h).unwrap();
            let noise = minibatch_variance(30, 1000, 50).unwrap();
            let f = |s: f64| {
                chain.ln_mgf_expected(steps, s, |t| minibatch_ln_mgf(t, 0.1, 30, 1000, 50).unwrap()).unwrap()
            };
            let d = 1e-4;
            assert_relative_eq!((f(d) - f(-d)) / (2.0 * d), chain.mean(steps), max_relative = 1e-4);
            assert_relative_eq!((f(d) + f(-d)) / (d * d), chain.variance(steps, noise), max_relative = 1e-4);
        }
    }

    #[test]
    fn true_estimates_give_the_exact_process() {
        let chain = ScirChain::new(2.5, 1.5, 0.2).unwrap();
        let given = chain.ln_mgf_given(&[2.5; 9], 0.4).unwrap();
        assert_relative_eq!(given, chain.ln_mgf_exact(9, 0.4).unwrap(), max_relative = 1e-12);
        // The order of the estimates matters: a large one counts for more if it came last.
        let late = chain.ln_mgf_given(&[1.0, 1.0, 9.0], 0.4).unwrap();
        assert!(late > chain.ln_mgf_given(&[9.0, 1.0, 1.0], 0.4).unwrap());
        assert_eq!(chain.mean(0), 1.5);
        assert_eq!(chain.exact_variance(0), 0.0);
    }

    #[test]
    fn the_matching_share_gives_the_variance_of_the_target() {
        let (a, noise) = (100.1, minibatch_variance(100, 1000, 50).unwrap());
        let h = noise_limited_step(a, noise, 0.9).unwrap();
        let chain = ScirChain::new(a, 3.0, h).unwrap();
        assert_relative_eq!(chain.matching_share(noise), 0.1, max_relative = 1e-12);
        assert_relative_eq!(chain.variance_with_share(100_000, noise, 0.1), a, max_relative = 1e-12);
        assert_eq!(chain.variance_with_share(7, noise, 1.0), chain.variance(7, noise));
        assert_eq!(noise_limited_step(a, 0.0, 0.9).unwrap(), f64::INFINITY);
        assert_eq!(noise_limited_step(a, 0.5 * a, 0.9).unwrap(), f64::INFINITY);
        assert!(noise_limited_step(a, -1.0, 0.9).is_err() && noise_limited_step(0.0, 1.0, 0.9).is_err());
    }

    #[test]
    fn the_border_of_existence_is_refused() {
        let chain = ScirChain::new(1.0, 0.0, f64::INFINITY).unwrap();
        assert!(chain.ln_mgf_exact(1, 1.0).is_err());
        assert!(chain.ln_mgf_exact(1, f64::NAN).is_err());
        assert_relative_eq!(chain.ln_mgf_exact(1, 0.5).unwrap(), 2f64.ln(), max_relative = 1e-12);
        assert!(minibatch_variance(11, 10, 2).is_err() && minibatch_variance(1, 0, 2).is_err());
    }
    /// All minibatches of two out of five items, with and without replacement: the mean of the estimate is the truth and its
    /// variance what is predicted; two estimates that are nearly right are told apart.
    #[test]
    fn control_variates_by_enumeration() {
        let (z, g) = ([0.0, 2.0, 5.0, 1.0, 0.5], [0.5, 2.0, 4.0, 0.0, 0.5]);
        let (truth, total): (f64, f64) = (z.iter().sum(), g.iter().sum());
        let factor = 2.5;
        for replace in [true, false] {
            let moments = |estimate: &dyn Fn(f64, f64) -> f64| {
                let pairs =
                    (0..5).flat_map(|i| (0..5).map(move |j| (i, j))).filter(|(i, j)| replace || i != j);
                let values: Vec<f64> = pairs.map(|(i, j)| estimate(z[i] + z[j], g[i] + g[j])).collect();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64;
                (mean, variance)
            };
            let fewer = if replace { 1.0 } else { without_replacement(5, 2).unwrap() };
            let (mean, variance) = moments(&|z, g| total + factor * (z - g));
            assert_relative_eq!(mean, truth, max_relative = 1e-12);
            let predicted = fewer * control_variate_variance(&z, &g, 2).unwrap();
            assert_relative_eq!(variance, predicted, max_relative = 1e-12);
            let (mean, variance) = moments(&|z, _| factor * z);
            assert_relative_eq!(mean, truth, max_relative = 1e-12);
            let plain = fewer * control_variate_variance(&z, &[0.0; 5], 2).unwrap();
            assert_relative_eq!(variance, plain, max_relative = 1e-12);
            assert!(plain > 3.0 * predicted);
            // Wrong: g not subtracted; the sum scaled as if it were that of a minibatch.
            assert!((moments(&|z, _| total + factor * z).0 - truth).abs() > 1.0);
            assert!((moments(&|z, g| factor * total + factor * (z - g)).0 - truth).abs() > 1.0);
        }
        assert_eq!(without_replacement(5, 5).unwrap(), 0.0);
        assert_eq!(without_replacement(1, 1).unwrap(), 0.0);
        assert!(without_replacement(5, 6).is_err() && without_replacement(0, 1).is_err());
        assert!(
            control_variate_variance(&z, &g[..4], 2).is_err()
                && control_variate_variance(&[], &[], 2).is_err()
        );
    }
}
