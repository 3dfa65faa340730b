//! What a transition aims at: a Dirichlet posterior, known through its prior and an estimate of its counts.

use crate::error::{Error, Result, positive, same_len};

/// The parameters α of a Dirichlet prior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Prior<'a> {
    /// The same α in every coordinate.
    Symmetric(f64),
    /// One α for each coordinate.
    Each(&'a [f64]),
}

impl From<f64> for Prior<'_> {
    fn from(alpha: f64) -> Self {
        Self::Symmetric(alpha)
    }
}

impl<'a> From<&'a [f64]> for Prior<'a> {
    fn from(alpha: &'a [f64]) -> Self {
        Self::Each(alpha)
    }
}

impl<'a> From<&'a Vec<f64>> for Prior<'a> {
    fn from(alpha: &'a Vec<f64>) -> Self {
        Self::Each(alpha)
    }
}

/// The target Dir(α + N̂) of one simplex: prior α and estimated counts N̂, checked.
///
/// The coordinates are independent gammas before they are normalised, θ_j ~ Gamma(α_j + N̂_j, 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target<'a> {
    prior: Prior<'a>,
    counts: &'a [f64],
}

impl<'a> Target<'a> {
    /// A target from a prior (a number for a symmetric one, a slice for one α per coordinate) and counts.
    ///
    /// Every α is finite and greater than 0, every count finite and at least 0.
    pub fn new(prior: impl Into<Prior<'a>>, counts: &'a [f64]) -> Result<Self> {
        let prior = prior.into();
        if counts.is_empty() {
            return Err(Error::Empty { name: "counts" });
        }
        match prior {
            Prior::Symmetric(alpha) => {
                positive("alpha", alpha)?;
            }
            Prior::Each(alphas) => {
                same_len("alpha", alphas.len(), "counts", counts.len())?;
                let fine = |&x: &f64| x > 0.0 && x < f64::INFINITY;
                check_each("alpha", alphas, fine, "finite and greater than 0")?;
            }
        }
        let fine = |&x: &f64| x >= 0.0 && x <= f64::MAX;
        check_each("counts", counts, fine, "finite and at least 0")?;
        Ok(Self { prior, counts })
    }

    /// The number of coordinates, at least 1.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// The prior.
    pub fn prior(&self) -> Prior<'a> {
        self.prior
    }

    /// The estimated counts N̂.
    pub fn counts(&self) -> &'a [f64] {
        self.counts
    }

    /// α_j.
    #[inline]
    pub fn alpha(&self, j: usize) -> f64 {
        match self.prior {
            Prior::Symmetric(alpha) => alpha,
            Prior::Each(alphas) => alphas[j],
        }
    }

    /// â_j = α_j + N̂_j.
    #[inline]
    pub fn shape(&self, j: usize) -> f64 {
        self.alpha(j) + self.counts[j]
    }
}

/// Refuses the first element that is not fine.
pub(crate) fn check_each(
    name: &'static str,
    values: &[f64],
    fine: impl Fn(&f64) -> bool,
    expected: &'static str,
) -> Result<()> {
    // Without a way out of it, the loop over fine values runs several at a time.
    if values.iter().fold(true, |all, value| all & fine(value)) {
        return Ok(());
    }
    let index = values.iter().position(|value| !fine(value)).unwrap_or(0);
    Err(Error::ElementOutOfRange { name, index, value: values[index], expected })
}
