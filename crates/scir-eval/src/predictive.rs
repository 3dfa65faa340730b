//! The log-predictive of held-out records: of a single draw of a model, and averaged over draws.

use crate::error::{Error, Result, at_least, check_each};

/// How well a model predicts held-out records, as it moves: the lower, the better.
///
/// With p_i^(t) the predictive density of record i under draw t of the model, after T draws of n records
///
/// ```text
/// averaged = − (1/n) Σ_i ln p̄_i,   p̄_i = (1/T) Σ_{t≤T} p_i^(t);      last = − (1/n) Σ_i ln p_i^(T).
/// ```
///
/// Everything is kept as logarithms, so that nothing is lost to underflow.
///
/// ```
/// let mut score = scir_eval::LogPredictive::new(2)?;
/// score.push(&[0.5f64.ln(), 0.25f64.ln()])?;
/// score.push(&[0.1f64.ln(), 0.75f64.ln()])?;
/// assert!((score.last() - (-0.075f64.ln() / 2.0)).abs() < 1e-12);
/// assert!((score.averaged() - (-0.15f64.ln() / 2.0)).abs() < 1e-12);
/// # Ok::<(), scir_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogPredictive {
    means: LnMeans,
    last: f64,
}

impl LogPredictive {
    /// For a number of records, at least one.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(records: usize) -> Result<Self> {
        at_least("records", records, 1)?;
        Ok(Self { means: LnMeans::new(records), last: f64::NAN })
    }

    /// Adds a draw: the logarithm of the predictive density of each record.
    ///
    /// # Errors
    /// If there is not one logarithm for each record, or one is NaN or +∞.
    pub fn push(&mut self, ln_p: &[f64]) -> Result<()> {
        self.means.push(ln_p)?;
        self.last = -mean(ln_p.iter().copied());
        Ok(())
    }

    /// How many records there are.
    pub fn records(&self) -> usize {
        self.means.ln_sums.len()
    }

    /// How many draws there have been.
    pub fn draws(&self) -> u64 {
        self.means.draws()
    }

    /// The score of the averaged densities; NaN before the first draw.
    pub fn averaged(&self) -> f64 {
        -mean(self.means.ln_means())
    }

    /// The score of the last draw alone; NaN before the first.
    pub fn last(&self) -> f64 {
        self.last
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

/// Means of positive numbers over draws, in logarithms.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LnMeans {
    /// ln Σ_t p_i^(t).
    ln_sums: Vec<f64>,
    draws: u64,
}

impl LnMeans {
    pub(crate) fn new(len: usize) -> Self {
        Self { ln_sums: vec![f64::NEG_INFINITY; len], draws: 0 }
    }

    pub(crate) fn push(&mut self, ln_p: &[f64]) -> Result<()> {
        if ln_p.len() != self.ln_sums.len() {
            return Err(Error::Length { name: "ln_p", len: ln_p.len(), expected: self.ln_sums.len() });
        }
        check_each("ln_p", ln_p, |x| x < f64::INFINITY, "a number below infinity")?;
        self.ln_sums.iter_mut().zip(ln_p).for_each(|(sum, &ln)| *sum = ln_add(*sum, ln));
        self.draws += 1;
        Ok(())
    }

    pub(crate) fn draws(&self) -> u64 {
        self.draws
    }

    /// ln p̄_i; NaN before the first draw.
    pub(crate) fn ln_means(&self) -> impl ExactSizeIterator<Item = f64> {
        let ln_draws = if self.draws == 0 { f64::NAN } else { (self.draws as f64).ln() };
        self.ln_sums.iter().map(move |sum| sum - ln_draws)
    }
}

/// ln(e^a + e^b).
fn ln_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the formula itself, in plain numbers.
    #[test]
    fn equals_brute_force() {
        let draws = [[0.1, 2.5, 0.02], [0.3, 0.01, 0.5], [0.25, 0.2, 0.3]];
        let mut running = LogPredictive::new(3).unwrap();
        for (t, draw) in draws.iter().enumerate() {
            running.push(&draw.map(f64::ln)).unwrap();
            let mean = |i: usize| draws[..=t].iter().map(|draw| draw[i]).sum::<f64>() / (t + 1) as f64;
            let averaged = -(mean(0) * mean(1) * mean(2)).ln() / 3.0;
            approx::assert_relative_eq!(running.averaged(), averaged, max_relative = 1e-12);
            let last = -draw.iter().product::<f64>().ln() / 3.0;
            approx::assert_relative_eq!(running.last(), last, max_relative = 1e-12);
        }
        assert_eq!(running.draws(), 3);
    }

    #[test]
    fn densities_below_the_smallest_number_count() {
        let mut running = LogPredictive::new(2).unwrap();
        assert!(running.averaged().is_nan() && running.last().is_nan());
        running.push(&[-2000.0, 0.0]).unwrap();
        running.push(&[-3000.0, 0.0]).unwrap();
        approx::assert_relative_eq!(running.averaged(), (2000.0 + 2f64.ln()) / 2.0, max_relative = 1e-12);
    }

    #[test]
    fn mistakes_are_refused() {
        assert!(LogPredictive::new(0).is_err());
        let mut running = LogPredictive::new(1).unwrap();
        assert!(running.push(&[f64::NAN]).is_err());
        assert!(running.push(&[f64::INFINITY]).is_err());
        assert!(running.push(&[-1.0, -1.0]).is_err());
        assert_eq!(running.draws(), 0);
    }
}
