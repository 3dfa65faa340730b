//! Running moments of count estimates: what they are on average, and how much they scatter.

/// Mean and variance of the estimates N̂ that one simplex has been given.
///
/// Kept in the [`Simplex`](crate::Simplex) by the transitions that need it. Estimate number m gets the weight
/// γ = max(1/m, 1/M): all count alike until there are M of them, and older ones are forgotten from then on. M = ∞ forgets
/// nothing, which is right if the target stays the same.
///
/// The variance is measured for each coordinate by itself in simplexes of fewer than 64 coordinates. In longer ones most
/// coordinates see too few counts for that: there Var\[N̂_j\] is taken to be κ times the mean of N̂_j, as for counts of
/// independent events, with one κ for the simplex, Σ_j Var\[N̂_j\] / Σ_j E\[N̂_j\], which is measured.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts", into = "Parts"))]
pub struct Moments {
    mean: Vec<f64>,
    /// Σ_m w_m (N̂_m − mean)², with weights w that add up to 1: for each coordinate, or one sum over all.
    scatter: Vec<f64>,
    seen: u64,
    /// Σ_m w_m²: what the scatter lacks to be an unbiased variance.
    squares: f64,
}

/// From so many coordinates on they share one κ.
const LONG: usize = 64;
/// A mean or a scatter below this is taken as none: what has been forgotten must not become ever smaller numbers.
const NONE: f64 = 1e-100;

impl Moments {
    pub(crate) fn new(len: usize) -> Self {
        let scatter = vec![0.0; if len < LONG { len } else { 1 }];
        Self { mean: vec![0.0; len], scatter, seen: 0, squares: 0.0 }
    }

    /// How many estimates there have been.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The mean of the estimates of each coordinate.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The variance of the estimates of coordinate `j`; 0 after a single one.
    pub fn variance(&self, j: usize) -> f64 {
        let mut variance = [0.0];
        self.noise().variances(j, &self.mean[j..=j], &mut variance);
        variance[0]
    }

    /// κ, for a long simplex.
    fn dispersion(&self) -> f64 {
        // In lanes, so that several are added up at a time.
        let mut lanes = [0.0; 8];
        for means in self.mean.chunks(8) {
            lanes.iter_mut().zip(means).for_each(|(lane, mean)| *lane += mean);
        }
        let sum: f64 = lanes.iter().sum();
        if sum > 0.0 { (self.scatter[0] * self.unbiased() / sum).min(f64::MAX) } else { 0.0 }
    }

    /// What the scatter is multiplied by to give the variance.
    fn unbiased(&self) -> f64 {
        if self.seen < 2 { 0.0 } else { 1.0 / (1.0 - self.squares) }
    }

    /// How noisy the estimates are.
    pub(crate) fn noise(&self) -> Noise<'_> {
        if self.mean.len() < LONG {
            Noise::Each { scatter: &self.scatter, unbiased: self.unbiased() }
        } else {
            Noise::Shared { dispersion: self.dispersion() }
        }
    }

    /// Adds one estimate of every coordinate.
    pub(crate) fn add(&mut self, counts: &[f64], memory: f64) {
        self.seen += 1;
        let weight = (1.0 / self.seen as f64).max(1.0 / memory);
        let rest = 1.0 - weight;
        self.squares = rest * rest * self.squares + weight * weight;
        if self.mean.len() < LONG {
            for ((mean, scatter), &count) in self.mean.iter_mut().zip(&mut self.scatter).zip(counts) {
                let square = add_one(mean, count, weight);
                *scatter = kept(rest * (*scatter + weight * square));
            }
            return;
        }
        let mut lanes = [0.0; 8];
        for (mean, counts) in self.mean.chunks_mut(8).zip(counts.chunks(8)) {
            for ((mean, &count), lane) in mean.iter_mut().zip(counts).zip(&mut lanes) {
                *lane += add_one(mean, count, weight);
            }
        }
        self.scatter[0] = kept(rest * (self.scatter[0] + weight * lanes.iter().sum::<f64>()));
    }
}

/// Moves a mean by `weight` of the way to `count`; the square of the way.
#[inline]
fn add_one(mean: &mut f64, count: f64, weight: f64) -> f64 {
    let way = count - *mean;
    let moved = *mean + weight * way;
    *mean = if moved < NONE { 0.0 } else { moved };
    way * way
}

/// Squares of numbers near the largest f64 overflow, and 0 · ∞ is NaN: neither may stay.
#[inline]
fn kept(scatter: f64) -> f64 {
    if scatter >= NONE { scatter.min(f64::MAX) } else { 0.0 }
}

/// The variance of estimates.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Noise<'m> {
    Each {
        scatter: &'m [f64],
        unbiased: f64,
    },
    Shared {
        dispersion: f64,
    },
    /// For `batch` items of `population`, drawn with replacement: (N²/n) p (1 − p) with p = mean/N.
    Categorical {
        population: f64,
        batch: f64,
    },
}

impl Noise<'_> {
    /// Writes the variances of the estimates of the coordinates from `start` on, whose means are `mean`.
    #[inline]
    pub(crate) fn variances(&self, start: usize, mean: &[f64], variances: &mut [f64]) {
        let pairs = variances.iter_mut().zip(mean);
        match *self {
            Self::Each { scatter, unbiased } => {
                let scatter = &scatter[start..start + mean.len()];
                variances
                    .iter_mut()
                    .zip(scatter)
                    .for_each(|(variance, scatter)| *variance = scatter * unbiased);
            }
            Self::Shared { dispersion } => pairs.for_each(|(variance, mean)| *variance = dispersion * mean),
            Self::Categorical { population, batch } => {
                pairs.for_each(|(variance, mean)| *variance = mean * (population - mean).max(0.0) / batch);
            }
        }
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
        let expected = Self::new(parts.mean.len()).scatter.len();
        same_len("moments.scatter", parts.scatter.len(), "what belongs to moments.mean", expected)?;
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
        for &estimate in estimates {
            moments.add(&[estimate], memory);
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

    /// A long simplex has one κ, the sum of the variances over the sum of the means.
    #[test]
    fn long_simplexes_share_what_is_measured() {
        let rows: Vec<Vec<f64>> =
            (0..5).map(|m| (0..70).map(|j| f64::from((j * j + 3 * m * j + m) % 11)).collect()).collect();
        let (mut long, mut each) = (Moments::new(70), vec![Moments::new(1); 70]);
        for row in &rows {
            long.add(row, 3.0);
            each.iter_mut().zip(row).for_each(|(one, &count)| one.add(&[count], 3.0));
        }
        let variances: f64 = each.iter().map(|one| one.variance(0)).sum();
        let means: f64 = each.iter().map(|one| one.mean()[0]).sum();
        for j in [0, 7, 69] {
            assert_eq!(long.mean()[j], each[j].mean()[0]);
            assert_relative_eq!(long.variance(j), variances / means * long.mean()[j], max_relative = 1e-12);
        }
    }
}
