//! Perplexity of held-out tokens, from logarithms of predictive probabilities.

use crate::error::{Error, Result, at_least, check_each};
use crate::predictive::LnMeans;

/// The perplexity of held-out tokens, with predictive probabilities averaged over the draws of a model.
///
/// Cell i is a distinct word of a test document, c_i its number of held-out tokens, p_i^(t) the probability that draw t
/// of the model gives it. After T draws
///
/// ```text
/// perplexity = exp( − Σ_i c_i ln p̄_i / Σ_i c_i ),   p̄_i = (1/T) Σ_{t≤T} p_i^(t),
/// ```
///
/// which is [`averaged`](Self::averaged); [`last`](Self::last) is the same with p_i^(T) alone. Everything is kept as
/// logarithms, so that no probability becomes 0 by underflow. A probability that is truly 0 makes the perplexity infinite.
///
/// ```
/// let mut perplexity = scir_eval::RunningPerplexity::new(vec![1.0, 3.0])?;
/// perplexity.push(&[0.5f64.ln(), 0.25f64.ln()])?;
/// perplexity.push(&[0.1f64.ln(), 0.75f64.ln()])?;
/// assert!((perplexity.last() - (0.1f64.powi(-1) * 0.75f64.powi(-3)).powf(0.25)).abs() < 1e-12);
/// assert!((perplexity.averaged() - (0.3f64.powi(-1) * 0.5f64.powi(-3)).powf(0.25)).abs() < 1e-12);
/// # Ok::<(), scir_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RunningPerplexity {
    counts: Vec<f64>,
    means: LnMeans,
    last: f64,
}

impl RunningPerplexity {
    /// For cells with the given numbers of tokens, at least one of them above 0.
    ///
    /// # Errors
    /// If there are no cells, or a count is not finite and at least 0, or all of them are 0.
    pub fn new(counts: Vec<f64>) -> Result<Self> {
        at_least("counts", counts.len(), 1)?;
        check_each("counts", &counts, |c| (0.0..f64::INFINITY).contains(&c), "finite and at least 0")?;
        if counts.iter().all(|&c| c == 0.0) {
            return Err(Error::NoTokens);
        }
        let means = LnMeans::new(counts.len());
        Ok(Self { counts, means, last: f64::NAN })
    }

    /// Adds a draw: the logarithm of the probability of each cell.
    ///
    /// # Errors
    /// If there is not one logarithm for each cell, or one is NaN or above 0 (by more than rounding).
    pub fn push(&mut self, ln_p: &[f64]) -> Result<()> {
        check_each("ln_p", ln_p, |x| x <= 1e-6, "at most 0: the logarithm of a probability")?;
        self.means.push(ln_p)?;
        self.last = self.perplexity(ln_p.iter().copied());
        Ok(())
    }

    /// The number of tokens of each cell.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// How many draws there have been.
    pub fn draws(&self) -> u64 {
        self.means.draws()
    }

    /// The perplexity of the averaged probabilities; NaN before the first draw.
    pub fn averaged(&self) -> f64 {
        self.perplexity(self.means.ln_means())
    }

    /// The perplexity of the last draw alone; NaN before the first.
    pub fn last(&self) -> f64 {
        self.last
    }

    fn perplexity(&self, ln_p: impl Iterator<Item = f64>) -> f64 {
        // Cells without tokens say nothing, also where their probability is 0.
        let cells = self.counts.iter().zip(ln_p).filter(|(c, _)| **c > 0.0);
        let (sum, tokens) = cells.fold((0.0, 0.0), |(sum, tokens), (c, ln)| (sum + c * ln, tokens + c));
        (-sum / tokens).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the formula itself, in plain numbers.
    #[test]
    fn equals_brute_force() {
        let counts = [2.0, 0.0, 1.0, 5.0];
        let draws = [[0.1, 0.0, 0.5, 0.02], [0.3, 0.0, 0.01, 0.5], [0.25, 0.1, 0.2, 0.3]];
        let mut running = RunningPerplexity::new(counts.to_vec()).unwrap();
        for (t, draw) in draws.iter().enumerate() {
            running.push(&draw.map(f64::ln)).unwrap();
            let brute = |p: &dyn Fn(usize) -> f64| {
                let product: f64 = (0..4).map(|i| p(i).powf(counts[i])).product();
                product.powf(-1.0 / 8.0)
            };
            let mean = |i: usize| draws[..=t].iter().map(|draw| draw[i]).sum::<f64>() / (t + 1) as f64;
            approx::assert_relative_eq!(running.averaged(), brute(&mean), max_relative = 1e-12);
            approx::assert_relative_eq!(running.last(), brute(&|i| draw[i]), max_relative = 1e-12);
        }
    }

    #[test]
    fn probabilities_below_the_smallest_number_count() {
        let mut running = RunningPerplexity::new(vec![1.0, 999.0]).unwrap();
        running.push(&[-2000.0, 0.0]).unwrap();
        running.push(&[-3000.0, 0.0]).unwrap();
        approx::assert_relative_eq!(
            running.averaged().ln(),
            (2000.0 + 2f64.ln()) / 1000.0,
            max_relative = 1e-12
        );
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        assert!(RunningPerplexity::new(vec![]).is_err());
        assert_eq!(RunningPerplexity::new(vec![0.0]), Err(Error::NoTokens));
        let mut running = RunningPerplexity::new(vec![1.0]).unwrap();
        assert!(running.averaged().is_nan());
        assert!(running.push(&[f64::NAN]).is_err());
        assert!(running.push(&[0.5]).is_err());
        assert!(running.push(&[-1.0, -1.0]).is_err());
        assert_eq!(running.draws(), 0);
    }
}
