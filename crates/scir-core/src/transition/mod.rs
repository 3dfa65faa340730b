//! Transitions: how θ moves over one step, towards the target that the current estimate describes.
//!
//! | transition | update of θ_j | discretisation error | cost |
//! |---|---|---|---|
//! | [`Scir`] | exact CIR transition with â_j | none, for any h | one or two draws |
//! | [`ScirVm`] | the same with noise in the place of diffusion, so that the variance is right | none | 1 to 2 draws |
//! | [`Sgrld`] | Euler step of the Riemannian Langevin diffusion, reflected at 0 | O(h), dominant near 0 | one normal |
//! | [`Sgld`] | Euler step of the Langevin diffusion of ln θ | O(h), unstable for h·â > 2 | one normal |
//! | [`Exact`] | Gamma(â_j), whatever h | none; forgets the past | one draw |
//!
//! To add one, implement [`Transition`]: a single method.

mod batches;
mod exact;
mod method;
mod scir;
mod sgld;
mod sgrld;
mod vm;

pub use exact::Exact;
pub use method::Method;
pub use scir::Scir;
pub use sgld::Sgld;
pub use sgrld::Sgrld;
pub use vm::ScirVm;

use crate::error::{Result, same_len, step};
use crate::simplex::Coordinates;
use crate::target::Target;
use rand::Rng;

/// Moves the unnormalised coordinates θ of one simplex over one step.
///
/// An implementation works in place, allocates nothing, draws only from `rng`, and reports what happened instead of
/// hiding it. It refuses bad input (see [`check_step`]) before it has moved anything.
pub trait Transition {
    /// Moves θ over a time `h` towards `target`, the current estimate of where to go.
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> Result<Report>;
}

/// The checks that every transition starts with: matching lengths and a legal step size.
pub fn check_step(theta: &Coordinates<'_>, target: Target<'_>, h: f64) -> Result<()> {
    same_len("counts", target.len(), "theta", theta.len())?;
    step(h).map(|_| ())
}

/// What happened in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// How many coordinates are now 0 as an f64 (their ln θ may still be finite).
    pub zeros: usize,
    /// How many coordinates crossed 0 and were reflected.
    pub reflections: usize,
    /// How many coordinates are now NaN or infinite. If this is not 0, the run has failed.
    pub non_finite: usize,
    /// The first of those.
    pub first_non_finite: Option<usize>,
}

impl Report {
    /// Counts the new value of coordinate `j`.
    #[inline]
    pub fn note(&mut self, j: usize, theta: f64) {
        // One comparison for the ordinary case.
        if !(theta > 0.0 && theta < f64::INFINITY) {
            self.note_unusual(j, theta);
        }
    }

    #[cold]
    fn note_unusual(&mut self, j: usize, theta: f64) {
        if theta == 0.0 {
            self.zeros += 1;
        } else if !theta.is_finite() {
            self.non_finite += 1;
            self.first_non_finite.get_or_insert(j);
        }
    }
}
