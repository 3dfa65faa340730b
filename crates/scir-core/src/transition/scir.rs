//! The stochastic Cox–Ingersoll–Ross transition: no discretisation error at any step size.

use super::{Report, Transition, check_step};
use crate::cir::Horizon;
use crate::draw::{self, Gamma};
use crate::error::Result;
use crate::simplex::Coordinates;
use crate::target::{Prior, Target};
use rand::Rng;

/// SCIR (Baker, Fearnhead, Fox & Nemeth 2018): every θ_j moves by the exact transition of the CIR process with
/// the estimate â_j = α_j + N̂_j in the place of its parameter,
///
/// ```text
/// N  ~ Poisson(θ_j e^{−h} / (1 − e^{−h})),   θ_j' = (1 − e^{−h}) · Gamma(â_j + N, 1).
/// ```
///
/// h sets how much time passes before the estimate is renewed, not a granularity: with the true counts the chain is
/// exact for every h, and with unbiased estimates its mean is (see [`theory`](crate::theory) for its variance).
/// θ_j = 0 is a legal state, and h = ∞ draws Gamma(â_j) afresh.
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
    let mut report = Report::default();
    let ln_scale = horizon.scale.ln();
    let mut step_one = |j: usize, gamma: &Gamma| {
        let draw = draw::noncentral(gamma, horizon.lambda(theta.theta()[j]), rng);
        let value = horizon.scale * draw.value();
        if value < f64::MIN_POSITIVE {
            theta.set_ln(j, ln_scale + draw.ln());
        } else {
            theta.set(j, value);
        }
        report.note(j, value);
    };
    match target.prior() {
        // In a sparse simplex most coordinates have no counts and share the constants of the prior's gamma.
        Prior::Symmetric(alpha) => {
            let empty = Gamma::new(alpha);
            for (j, &count) in target.counts().iter().enumerate() {
                if count == 0.0 {
                    step_one(j, &empty);
                } else {
                    step_one(j, &Gamma::new(alpha + count));
                }
            }
        }
        Prior::Each(_) => (0..target.len()).for_each(|j| step_one(j, &Gamma::new(target.shape(j)))),
    }
    report
}
