//! The stochastic Cox–Ingersoll–Ross transition: no discretisation error at any step size.

use super::{Report, Transition, check_step};
use crate::cir::Horizon;
use crate::draw::{self, BATCH, Gamma, LARGE, SmallGammas};
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

/// From so many coordinates on, moving them in batches pays.
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
            mover.move_batches(alpha, target.counts(), rng)
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

    /// Moves a batch of coordinates at a time: all of them as if they had no counts, and so shared a small shape α, or
    /// all of them as if their shapes were large, whichever is right for most. The draws of the others are then replaced:
    /// this costs less than to pick them out beforehand.
    fn move_batches<R: Rng + ?Sized>(&mut self, alpha: f64, counts: &[f64], rng: &mut R) {
        let mut empties = (alpha < LARGE).then(|| Empties::new(alpha, rng));
        let (mut shape, mut lambda, mut y) = ([0.0; BATCH], [0.0; BATCH], [0.0; BATCH]);
        let mut others = [0; BATCH];
        for (start, counts) in (0..).step_by(BATCH).zip(counts.chunks(BATCH)) {
            let len = counts.len();
            let theta = &self.theta.theta()[start..start + len];
            let (shape, lambda, y) = (&mut shape[..len], &mut lambda[..len], &mut y[..len]);
            let mut with_counts = 0;
            for i in 0..len {
                shape[i] = alpha + counts[i];
                lambda[i] = self.horizon.lambda(theta[i]);
                with_counts += usize::from(counts[i] != 0.0);
            }
            let others = match &mut empties {
                Some(empties) if 2 * with_counts <= len => {
                    let others = list(&mut others, counts.iter().map(|&count| count != 0.0));
                    // The less λ, the less to do for a draw that is not kept.
                    others.iter().for_each(|&i| lambda[i] = 0.0);
                    empties.fill(lambda, y, rng);
                    others
                }
                _ => {
                    draw::fill_large(shape, lambda, y, rng);
                    list(&mut others, shape.iter().map(|&shape| shape < LARGE))
                }
            };
            for &i in others {
                y[i] = draw::noncentral(&Gamma::new(shape[i]), self.horizon.lambda(theta[i]), rng).value();
            }
            self.set_batch(start, y, shape, rng);
        }
    }

    /// Sets the coordinates from `start` on to scale · y, y_i ~ Gamma(shape_i + N).
    fn set_batch<R: Rng + ?Sized>(&mut self, start: usize, y: &[f64], shape: &[f64], rng: &mut R) {
        let scale = self.horizon.scale;
        if y.iter().fold(true, |normal, y| normal & (scale * y >= f64::MIN_POSITIVE)) {
            self.theta.set_scaled(start, scale, y);
            return;
        }
        for (i, (&y, &shape)) in y.iter().zip(shape).enumerate() {
            let tiny = y < f64::MIN_POSITIVE;
            self.set(start + i, y, || if tiny { draw::ln_if_tiny(shape, rng) } else { y.ln() });
        }
    }
}

/// The places where `listed` is true.
#[inline]
fn list(places: &mut [usize; BATCH], listed: impl Iterator<Item = bool>) -> &[usize] {
    let mut found = 0;
    for (i, listed) in listed.enumerate() {
        // Written always and kept sometimes: a branch would be mispredicted.
        places[found] = i;
        found += usize::from(listed);
    }
    &places[..found]
}

/// The coordinates without counts, all with target Gamma(α, 1), α < 1.5.
///
/// Y = Gamma(α + N) is the sum of as many halves of squared normals as go into α, the first of them shifted,
/// ½(Z + √(2λ))², and of a gamma for the rest of the shape, which takes the N if there is no normal to do it.
struct Empties {
    normals: u8,
    rest: Option<SmallGammas>,
}

impl Empties {
    fn new<R: Rng + ?Sized>(alpha: f64, rng: &mut R) -> Self {
        let normals = (2.0 * alpha).floor();
        let shape = alpha - 0.5 * normals;
        Self { normals: normals as u8, rest: (shape > 0.0).then(|| SmallGammas::new(shape, rng)) }
    }

    /// Draws Gamma(α + N), N ~ Poisson(λ), into each y: at most a batch of them.
    fn fill<R: Rng + ?Sized>(&mut self, lambda: &[f64], y: &mut [f64], rng: &mut R) {
        match &mut self.rest {
            None => y.fill(0.0),
            Some(rest) => {
                rest.fill(y, rng);
                if self.normals == 0 {
                    rest.add_events(lambda, y, rng);
                }
            }
        }
        if self.normals > 0 {
            for (y, &lambda) in y.iter_mut().zip(lambda) {
                *y += draw::half_square(StandardNormal.sample(rng), lambda);
            }
        }
        if self.normals > 1 {
            y.iter_mut().for_each(|y| *y += draw::half_square(StandardNormal.sample(rng), 0.0));
        }
    }
}
