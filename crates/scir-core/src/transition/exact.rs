//! The exact independent draw: the reference that the other transitions are measured against.

use super::{Report, Transition, check_step, scir};
use crate::cir::Horizon;
use crate::error::Result;
use crate::simplex::Coordinates;
use crate::target::Target;
use rand::Rng;

/// Draws θ_j ~ Gamma(â_j, 1) afresh, whatever θ was and whatever h is: SCIR in the limit h = ∞.
///
/// With the true counts ω is an independent draw of Dir(α + N), which makes it the Gibbs step of conjugate models.
/// The draws stay right for shapes as small as 1e-4, unlike those that break sticks with Beta variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exact;

impl Transition for Exact {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> Result<Report> {
        check_step(theta, target, h)?;
        Ok(scir::step(theta, target, Horizon::new(f64::INFINITY), rng))
    }
}
