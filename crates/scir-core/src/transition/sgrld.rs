//! Stochastic-gradient Riemannian Langevin dynamics: the established sampler for the simplex.

use super::{Report, Transition, check_step};
use crate::error::{Error, Result};
use crate::simplex::Coordinates;
use crate::target::Target;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// SGRLD (Patterson & Teh 2013) in the expanded-mean parameterisation, with h the Langevin step:
///
/// ```text
/// θ_j' = | θ_j + h (α_j − θ_j + N̂_j − ω_j Σ_k N̂_k) + √(2hθ_j) ξ_j |,   ξ_j ~ N(0, 1).
/// ```
///
/// Patterson & Teh's ε equals 2h. The data determine ω only: the scale Σθ has the prior's law Gamma(Σα, 1), so a chain
/// that starts with Σθ at the size of the counts takes a long transient, during which it acts as if h were smaller.
/// `h` must be finite: an Euler step has no limit at h = ∞.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sgrld;

impl Transition for Sgrld {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> Result<Report> {
        check_step(theta, target, h)?;
        finite_step(h)?;
        let sum: f64 = theta.theta().iter().sum();
        let total: f64 = target.counts().iter().sum();
        // At θ = 0 in all coordinates ω is not defined; there the pull towards the data is N̂_j alone.
        let pull = if sum > 0.0 { total / sum } else { 0.0 };
        let mut report = Report::default();
        for (j, &count) in target.counts().iter().enumerate() {
            let now = theta.theta()[j];
            let xi: f64 = StandardNormal.sample(rng);
            let drift = target.alpha(j) - now + count - now * pull;
            let next = now + h * drift + (2.0 * h * now).sqrt() * xi;
            report.reflections += usize::from(next < 0.0);
            theta.set(j, next.abs());
            report.note(j, next.abs());
        }
        Ok(report)
    }
}

/// Refuses h = ∞, where an Euler step has no meaning.
pub(super) fn finite_step(h: f64) -> Result<()> {
    if h.is_finite() {
        Ok(())
    } else {
        Err(Error::OutOfRange { name: "h", value: h, expected: "finite for an Euler step" })
    }
}
