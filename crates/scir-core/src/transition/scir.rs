//! The stochastic Cox–Ingersoll–Ross transition: no discretisation error at any step size.

use super::batches::{Batch, Moves, add_prior, move_all};
use super::{Report, Transition, check_step};
use crate::cir::Horizon;
use crate::error::Result;
use crate::simplex::Coordinates;
use crate::target::Target;
use rand::Rng;

/// SCIR (Baker, Fearnhead, Fox & Nemeth 2018): every θ_j moves by the exact transition of the CIR process with
/// the estimate â_j = α_j + N̂_j in the place of its parameter,
///
/// ```text
/// N  ~ Poisson(θ_j e^{−h} / (1 − e^{−h})),   θ_j' = (1 − e^{−h}) · Gamma(â_j + N, 1).
/// ```
///
/// h sets how much time passes before the estimate is renewed, not a granularity: with the true counts the chain is
/// exact for every h, and with unbiased estimates its mean is (see [`theory`](crate::theory) for its variance, and
/// [`ScirVm`](super::ScirVm) for a chain that has the right one). θ_j = 0 is a legal state, and h = ∞ draws Gamma(â_j)
/// afresh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scir;

impl Transition for Scir {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> Result<Report> {
        check_step(theta, target, h)?;
        Ok(step(theta, target, Horizon::new(h), rng))
    }
}

/// The exact transition of every coordinate over `horizon`.
pub(super) fn step<R: Rng + ?Sized>(
    theta: &mut Coordinates<'_>,
    target: Target<'_>,
    horizon: Horizon,
    rng: &mut R,
) -> Report {
    move_all(theta, target, rng, |start, theta, moves: &mut Moves<'_>| {
        let counts = &target.counts()[start..start + theta.len()];
        add_prior(target, start, counts, moves.shape);
        moves.lambda.iter_mut().zip(theta).for_each(|(lambda, &theta)| *lambda = horizon.lambda(theta));
        Batch::Alike(horizon.scale)
    })
}
