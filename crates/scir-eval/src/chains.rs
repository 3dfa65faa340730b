//! Diagnostics of Markov chains: effective sample size and split R-hat.

use crate::error::{Error, Result, at_least, check_each};

/// The effective sample size of a chain: how many independent draws would estimate its mean as well.
///
/// ```text
/// ESS = n / (1 + 2 Σ_{t≥1} ρ_t)
/// ```
///
/// with the autocorrelations ρ_t (autocovariances with divisor n). The sum ends by Geyer's (1992) initial monotone
/// sequence: the pairs Γ_k = ρ_{2k} + ρ_{2k+1} of a reversible chain are positive and decreasing, so they are
/// summed while they are positive, each bounded by the one before. For a chain that alternates, the estimate can exceed
/// n; it is bounded by n log₁₀ n, as is usual. At least 4 values, not all equal.
pub fn effective_sample_size(chain: &[f64]) -> Result<f64> {
    at_least("chain", chain.len(), 4)?;
    check_each("chain", chain, f64::is_finite, "finite")?;
    let n = chain.len();
    let mean = chain.iter().sum::<f64>() / n as f64;
    let centred: Vec<f64> = chain.iter().map(|x| x - mean).collect();
    let autocovariance =
        |lag: usize| centred.iter().zip(&centred[lag..]).map(|(x, y)| x * y).sum::<f64>() / n as f64;
    let variance = autocovariance(0);
    if is_constant(variance, mean) {
        return Err(Error::Constant { chain: 0 });
    }
    // −1 + 2 Σ_k Γ_k = 1 + 2 Σ_{t≥1} ρ_t, because Γ_0 contains ρ_0 = 1.
    let mut time = -1.0;
    let mut previous = f64::INFINITY;
    for k in 0..(n - 1) / 2 {
        let pair = (autocovariance(2 * k) + autocovariance(2 * k + 1)) / variance;
        if pair <= 0.0 {
            break;
        }
        previous = pair.min(previous);
        time += 2.0 * previous;
    }
    let n = n as f64;
    Ok((n / time.max(1.0 / n.log10())).min(n * n.log10()))
}

/// Split R-hat (Gelman & Rubin 1992, with each chain cut in two; Gelman et al. 2013): about 1 for chains that have
/// forgotten where they started, and larger if they disagree with each other or each with itself.
///
/// ```text
/// R̂ = √( ((n−1)/n · W + B/n) / W )
/// ```
///
/// W is the mean of the variances within the halves, and B is n times the variance of their means, n the length of a
/// half (the middle value of an odd chain is left out). At least one chain; all of one length, 4 or more.
pub fn split_r_hat(chains: &[&[f64]]) -> Result<f64> {
    at_least("chains", chains.len(), 1)?;
    let len = chains[0].len();
    let mut halves = Vec::with_capacity(2 * chains.len());
    for (index, chain) in chains.iter().enumerate() {
        at_least("chain", chain.len(), 4)?;
        if chain.len() != len {
            return Err(Error::Length { name: "chain", len: chain.len(), expected: len });
        }
        check_each("chain", chain, f64::is_finite, "finite")?;
        let (mean, variance) = moments(chain);
        if is_constant(variance, mean) {
            return Err(Error::Constant { chain: index });
        }
        halves.push(moments(&chain[..len / 2]));
        halves.push(moments(&chain[len - len / 2..]));
    }
    let n = (len / 2) as f64;
    let within = halves.iter().map(|half| half.1).sum::<f64>() / halves.len() as f64;
    let between_over_n = moments(&halves.iter().map(|half| half.0).collect::<Vec<_>>()).1;
    Ok((((n - 1.0) / n * within + between_over_n) / within).sqrt())
}

/// Mean and variance (divisor n − 1).
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// Whether a variance is that of rounding only.
fn is_constant(variance: f64, mean: f64) -> bool {
    variance.sqrt() <= 1e-14 * mean.abs() || variance == 0.0
}
