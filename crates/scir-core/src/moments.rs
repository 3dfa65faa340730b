//! Running moments of count estimates: what they are on average, and how much they scatter.

/// Mean and variance of the estimates N̂ that one simplex has been given, coordinate by coordinate.
///
/// Kept in the [`Simplex`](crate::Simplex) by the transitions that need it. Estimate number m gets the weight
/// γ = max(1/m, 1/M): all count alike until there are M of them, and older ones are forgotten from then on. M = ∞ forgets
/// nothing, which is right if the target stays the same.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts", into = "Parts"))]
pub struct Moments {
    mean: Vec<f64>,
    /// Σ_m w_m (N̂_m − mean)², with weights w that add up to 1.
    scatter: Vec<f64>,
    seen: u64,
    /// Σ_m w_m²: what the scatter lacks to be an unbiased variance.
    squares: f64,
}

/// A scatter below this is taken as none: what has been forgotten must not become ever smaller numbers.
const NONE: f64 = 1e-100;

impl Moments {
    pub(crate) fn new(len: usize) -> Self {
        Self { mean: vec![0.0; len], scatter: vec![0.0; len], seen: 0, squares: 0.0 }
    }

    /// How many estimates there have been.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The mean of the estimates of each coordinate.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The variance of the estimates of coordinate `j`, unbiased if they are independent; 0 after a single one.
    pub fn variance(&self, j: usize) -> f64 {
        self.scatter[j] * self.unbiased()
    }

    /// What the scatter is multiplied by to give the variance.
    fn unbiased(&self) -> f64 {
        if self.seen < 2 { 0.0 } else { 1.0 / (1.0 - self.squares) }
    }

    /// Begins with one more estimate: to be followed by [`Next::add`] for all coordinates.
    pub(crate) fn next(&mut self, memory: f64) -> Next<'_> {
        self.seen += 1;
        let weight = (1.0 / self.seen as f64).max(1.0 / memory);
        self.squares = (1.0 - weight) * (1.0 - weight) * self.squares + weight * weight;
        let (seen, unbiased) = (self.seen, self.unbiased());
        Next { mean: &mut self.mean, scatter: &mut self.scatter, weight, seen, unbiased }
    }
}

/// Moments that are being brought up to date, a stretch of coordinates at a time.
pub(crate) struct Next<'m> {
    mean: &'m mut [f64],
    scatter: &'m mut [f64],
    weight: f64,
    /// How many estimates there are with the new one.
    pub(crate) seen: u64,
    unbiased: f64,
}

impl Next<'_> {
    /// Adds the estimates of the coordinates from `start` on, and writes their variances. Returns their means.
    #[inline]
    pub(crate) fn add(&mut self, start: usize, counts: &[f64], variance: &mut [f64]) -> &[f64] {
        let here = start..start + counts.len();
        let (mean, scatter) = (&mut self.mean[here.clone()], &mut self.scatter[here]);
        let (weight, rest) = (self.weight, 1.0 - self.weight);
        for (((mean, scatter), &count), variance) in mean.iter_mut().zip(scatter).zip(counts).zip(variance) {
            let difference = count - *mean;
            *mean += weight * difference;
            let spread = rest * (*scatter + weight * difference * difference);
            *scatter = if spread < NONE { 0.0 } else { spread };
            *variance = *scatter * self.unbiased;
        }
        mean
    }

    /// The same without variances.
    #[inline]
    pub(crate) fn add_mean(&mut self, start: usize, counts: &[f64]) -> &[f64] {
        let mean = &mut self.mean[start..start + counts.len()];
        mean.iter_mut().zip(counts).for_each(|(mean, count)| *mean += self.weight * (count - *mean));
        mean
    }
}

/// How moments are written down; checked when they are read.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Parts {
    mean: Vec<f64>,
    scatter: Vec<f64>,
    seen: u64,
    squares: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Moments {
    type Error = crate::Error;
    fn try_from(parts: Parts) -> crate::Result<Self> {
        use crate::error::{non_negative, same_len};
        use crate::target::check_each;
        let fine = |&x: &f64| x >= 0.0 && x <= f64::MAX;
        check_each("moments.mean", &parts.mean, fine, "finite and at least 0")?;
        check_each("moments.scatter", &parts.scatter, fine, "finite and at least 0")?;
        same_len("moments.scatter", parts.scatter.len(), "moments.mean", parts.mean.len())?;
        let squares = non_negative("moments.squares", parts.squares)?;
        Ok(Self { mean: parts.mean, scatter: parts.scatter, seen: parts.seen, squares })
    }
}

#[cfg(feature = "serde")]
impl From<Moments> for Parts {
    fn from(moments: Moments) -> Self {
        let Moments { mean, scatter, seen, squares } = moments;
        Self { mean, scatter, seen, squares }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn after(estimates: &[f64], memory: f64) -> Moments {
        let mut moments = Moments::new(1);
        let mut variance = [0.0];
        for &estimate in estimates {
            moments.next(memory).add(0, &[estimate], &mut variance);
            assert_eq!(variance[0], moments.variance(0));
        }
        moments
    }

    #[test]
    fn without_forgetting_they_are_the_sample_moments() {
        let estimates = [3.0, 0.0, 7.0, 1.0, 1.5];
        let moments = after(&estimates, f64::INFINITY);
        let mean = estimates.iter().sum::<f64>() / 5.0;
        let variance = estimates.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 4.0;
        assert_relative_eq!(moments.mean()[0], mean, max_relative = 1e-12);
        assert_relative_eq!(moments.variance(0), variance, max_relative = 1e-12);
        assert_eq!((after(&[5.0], 10.0).variance(0), moments.seen()), (0.0, 5));
    }

    /// With M = 4 the weights are equal for the first four, and then fall by 3/4 from one to the one before.
    #[test]
    fn older_estimates_are_forgotten() {
        let estimates = [3.0, 0.0, 7.0, 1.0, 1.5, 9.0];
        let weights = [9.0, 9.0, 9.0, 9.0, 12.0, 16.0].map(|w| w / 64.0);
        let moments = after(&estimates, 4.0);
        let mean: f64 = estimates.iter().zip(weights).map(|(x, w)| w * x).sum();
        let scatter: f64 = estimates.iter().zip(weights).map(|(x, w)| w * (x - mean).powi(2)).sum();
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        assert_relative_eq!(moments.mean()[0], mean, max_relative = 1e-12);
        assert_relative_eq!(moments.variance(0), scatter / (1.0 - squares), max_relative = 1e-12);
    }
}
