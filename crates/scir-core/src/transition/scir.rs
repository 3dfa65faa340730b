//! The stochastic Cox–Ingersoll–Ross transition: no discretisation error at any step size.

use super::{Report, Transition, check_step};
use crate::cir::Horizon;
use crate::draw::{self, BATCH, Gamma, SmallGammas};
use crate::error::Result;
use crate::simplex::Coordinates;
use crate::target::{Prior, Target};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

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

/// From so many coordinates on, moving the ones without counts together pays.
const WORTH_A_BATCH: usize = 64;

/// The exact transition of every coordinate over `horizon`.
pub(super) fn step<R: Rng + ?Sized>(
    theta: &mut Coordinates<'_>,
    target: Target<'_>,
    horizon: Horizon,
    rng: &mut R,
) -> Report {
    let mut mover = Mover { theta, horizon, ln_scale: horizon.scale.ln(), report: Report::default() };
    match target.prior() {
        Prior::Symmetric(alpha) if target.len() >= WORTH_A_BATCH => {
            mover.move_sparse(alpha, target.counts(), rng)
        }
        _ => (0..target.len()).for_each(|j| mover.move_one(j, &Gamma::new(target.shape(j)), rng)),
    }
    mover.report
}

struct Mover<'s, 'a> {
    theta: &'s mut Coordinates<'a>,
    horizon: Horizon,
    ln_scale: f64,
    report: Report,
}

impl Mover<'_, '_> {
    /// Moves coordinate j, whose stationary law is `gamma`.
    #[inline]
    fn move_one<R: Rng + ?Sized>(&mut self, j: usize, gamma: &Gamma, rng: &mut R) {
        let draw = draw::noncentral(gamma, self.horizon.lambda(self.theta.theta()[j]), rng);
        self.set(j, draw.value(), || draw.ln());
    }

    /// Sets θ_j to scale · y; `ln_y` is asked only where that underflows.
    #[inline]
    fn set(&mut self, j: usize, y: f64, ln_y: impl FnOnce() -> f64) {
        let value = self.horizon.scale * y;
        if value < f64::MIN_POSITIVE {
            self.theta.set_ln(j, self.ln_scale + ln_y());
            self.report.note(j, self.theta.theta()[j]);
        } else {
            self.theta.set(j, value);
        }
    }

    /// In a sparse simplex most coordinates have no counts, and so share the shape α: these are moved together.
    fn move_sparse<R: Rng + ?Sized>(&mut self, alpha: f64, counts: &[f64], rng: &mut R) {
        let mut empties = Empties::new(alpha, rng);
        let mut empty = [0usize; BATCH];
        for start in (0..counts.len()).step_by(BATCH) {
            let mut found = 0;
            for (j, &count) in (start..).zip(&counts[start..counts.len().min(start + BATCH)]) {
                if count == 0.0 {
                    empty[found] = j;
                    found += 1;
                } else {
                    self.move_one(j, &Gamma::new(alpha + count), rng);
                }
            }
            empties.step(self, &empty[..found], rng);
        }
    }
}

/// The coordinates without counts, all with target Gamma(α, 1).
///
/// Y = Gamma(α + N) is the sum of a shifted squared normal, if α ≥ ½, and of a gamma for the rest of the shape; the latter
/// takes the N if there is no normal to do it.
struct Empties {
    normal: bool,
    rest: Rest,
}

/// The gamma part, by its shape.
enum Rest {
    None,
    Small(SmallGammas),
    Large(Gamma),
}

impl Empties {
    fn new<R: Rng + ?Sized>(alpha: f64, rng: &mut R) -> Self {
        let normal = alpha >= 0.5;
        let shape = if normal { alpha - 0.5 } else { alpha };
        let rest = if shape == 0.0 {
            Rest::None
        } else if shape < 1.0 {
            Rest::Small(SmallGammas::new(shape, rng))
        } else {
            Rest::Large(Gamma::new(shape))
        };
        Self { normal, rest }
    }

    /// Moves these coordinates, at most a batch of them.
    fn step<R: Rng + ?Sized>(&mut self, mover: &mut Mover<'_, '_>, coordinates: &[usize], rng: &mut R) {
        let (mut lambda, mut y) = ([0.0; BATCH], [0.0; BATCH]);
        let (lambda, y) = (&mut lambda[..coordinates.len()], &mut y[..coordinates.len()]);
        for (lambda, &j) in lambda.iter_mut().zip(coordinates) {
            *lambda = mover.horizon.lambda(mover.theta.theta()[j]);
        }
        match &mut self.rest {
            Rest::None => {}
            Rest::Small(small) => {
                small.fill(y, rng);
                if !self.normal {
                    small.add_events(lambda, y, rng);
                }
            }
            Rest::Large(gamma) => y.iter_mut().for_each(|y| *y = gamma.draw(rng).value()),
        }
        if self.normal {
            for (y, &lambda) in y.iter_mut().zip(lambda.iter()) {
                *y += draw::half_square(StandardNormal.sample(rng), lambda);
            }
        }
        for (i, (&y, &j)) in y.iter().zip(coordinates).enumerate() {
            mover.set(j, y, || match &self.rest {
                Rest::Small(small) if y < f64::MIN_POSITIVE => small.ln_if_tiny(i),
                _ => y.ln(),
            });
        }
    }
}
