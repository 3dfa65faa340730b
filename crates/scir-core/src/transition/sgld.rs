//! Plain stochastic-gradient Langevin dynamics in an unconstrained coordinate: the naive baseline.

use super::sgrld::finite_step;
use super::{Report, Transition, check_step};
use crate::error::Result;
use crate::simplex::Coordinates;
use crate::target::Target;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// SGLD (Welling & Teh 2011) on φ_j = ln θ_j, the unconstrained coordinate of the same target θ_j ~ Gamma(â_j, 1).
///
/// The density of φ is proportional to exp(âφ − e^φ), so that
///
/// ```text
/// φ_j' = φ_j + h (â_j − e^{φ_j}) + √(2h) ξ_j,   ξ_j ~ N(0, 1).
/// ```
///
/// It shows what happens without care for the geometry. The drift has slope −θ ≈ −â at the mode, so the Euler step is
/// unstable for h·â > 2; a coordinate with a small shape has a φ that spreads over a width of 1/â, which takes some
/// 1/(hâ²) steps to explore. Overshoots end in values that are not finite, and are reported. θ_j = 0 (φ = −∞) is
/// absorbing. `h` must be finite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sgld;

impl Transition for Sgld {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> Result<Report> {
        check_step(theta, target, h)?;
        finite_step(h)?;
        let noise = (2.0 * h).sqrt();
        let mut report = Report::default();
        for j in 0..target.len() {
            let xi: f64 = StandardNormal.sample(rng);
            let phi = theta.ln_theta(j) + h * (target.shape(j) - theta.theta()[j]) + noise * xi;
            theta.set_ln(j, phi);
            report.note(j, theta.theta()[j]);
        }
        Ok(report)
    }
}
