//! Moving coordinates many at a time: each to scale · Gamma(shape + N) with N ~ Poisson(λ), all three its own.

use super::Report;
use crate::draw::{self, BATCH, Gamma, LARGE, SmallGammas};
use crate::simplex::Coordinates;
use crate::target::{Prior, Target};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// From so many coordinates on, moving them in batches pays.
const WORTH_A_BATCH: usize = 64;

/// How the coordinates of one batch move: θ' = scale · Gamma(shape + N), N ~ Poisson(λ). Where nothing is drawn, shape is
/// [`FIXED`] and scale is θ' itself.
pub(super) struct Moves<'b> {
    pub(super) shape: &'b mut [f64],
    pub(super) lambda: &'b mut [f64],
    pub(super) scale: &'b mut [f64],
}

/// The shape of a coordinate for which nothing is drawn.
pub(super) const FIXED: f64 = 0.0;

/// What a batch is made of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Batch {
    /// Nearly all of one kind: without counts, or with. All have this scale, in the place of one for each.
    Alike(f64),
    /// Of several kinds, some perhaps fixed.
    Mixed,
}

/// Writes α_j + count for the coordinates from `start` on.
#[inline]
pub(super) fn add_prior(target: Target<'_>, start: usize, counts: &[f64], sums: &mut [f64]) {
    match target.prior() {
        Prior::Symmetric(alpha) => sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = alpha + count),
        Prior::Each(alphas) => {
            let alphas = &alphas[start..start + counts.len()];
            sums.iter_mut()
                .zip(alphas.iter().zip(counts))
                .for_each(|(sum, (alpha, count))| *sum = alpha + count);
        }
    }
}

/// Moves every coordinate. `plan(start, theta, moves)` says how those from number `start` on move, of which `theta` is where
/// they are; it is asked for each batch once, in order.
///
/// Coordinates whose shape is the α of a symmetric prior and nothing else are taken to be those without counts: if
/// they are many, they are drawn together.
pub(super) fn move_all<R: Rng + ?Sized>(
    theta: &mut Coordinates<'_>,
    target: Target<'_>,
    rng: &mut R,
    mut plan: impl FnMut(usize, &[f64], &mut Moves<'_>) -> Batch,
) -> Report {
    let alpha = match target.prior() {
        Prior::Symmetric(alpha) if target.len() >= WORTH_A_BATCH => Some(alpha),
        _ => None,
    };
    let mut empties = alpha.filter(|&alpha| alpha < LARGE).map(|alpha| Empties::new(alpha, rng));
    let mut mover = Mover { theta, report: Report::default() };
    let mut scratch = Scratch::default();
    let (mut shape, mut lambda, mut scale) = ([0.0; BATCH], [0.0; BATCH], [0.0; BATCH]);
    let mut y = [0.0; BATCH];
    for start in (0..target.len()).step_by(BATCH) {
        let len = BATCH.min(target.len() - start);
        let (shape, lambda, scale) = (&mut shape[..len], &mut lambda[..len], &mut scale[..len]);
        let here = &mover.theta.theta()[start..start + len];
        let batch = plan(start, here, &mut Moves { shape, lambda, scale });
        if let Batch::Alike(same) = batch {
            // Only where it is looked at for each of them.
            if alpha.is_none() {
                scale.fill(same);
            }
        }
        match alpha {
            None => (0..len).for_each(|i| mover.move_one(start + i, shape[i], lambda[i], scale[i], rng)),
            Some(alpha) => {
                fill((&mut empties, &mut scratch), alpha, (batch, shape), lambda, &mut y[..len], rng);
                match batch {
                    Batch::Alike(same) => mover.set_batch(start, &y[..len], shape, |_| same, rng),
                    Batch::Mixed => mover.set_batch(start, &y[..len], shape, |i| scale[i], rng),
                }
            }
        }
    }
    mover.report
}

/// Room for what is picked out of a batch, cleared once and not for each of them.
struct Scratch {
    places: [usize; BATCH],
    lambdas: [f64; BATCH],
    shapes: [f64; BATCH],
    drawn: [f64; BATCH],
}

impl Default for Scratch {
    fn default() -> Self {
        Self { places: [0; BATCH], lambdas: [0.0; BATCH], shapes: [0.0; BATCH], drawn: [0.0; BATCH] }
    }
}

/// Draws Gamma(shape + N) for a batch: all of them as if they had no counts, and so shared a small shape α, or all of them as
/// if their shapes were large, whichever is right for most. The draws of the others are then replaced: this costs less than
/// to pick them out beforehand, unless they are many.
fn fill<R: Rng + ?Sized>(
    (empties, scratch): (&mut Option<Empties>, &mut Scratch),
    alpha: f64,
    (batch, shape): (Batch, &[f64]),
    lambda: &mut [f64],
    y: &mut [f64],
    rng: &mut R,
) {
    let with_counts = shape.iter().fold(0, |sum, &shape| sum + usize::from(shape != alpha));
    let few = if batch == Batch::Mixed { shape.len() / 8 } else { shape.len() / 2 };
    let small = || shape.iter().fold(0, |sum, &shape| sum + usize::from(shape < LARGE));
    match empties {
        Some(empties) if with_counts <= few => {
            let Scratch { places, lambdas: kept, .. } = scratch;
            let others = list(places, shape.iter().map(|&shape| shape != alpha));
            for &i in others {
                // The less λ, the less to do for a draw that is not kept.
                (kept[i], lambda[i]) = (lambda[i], 0.0);
            }
            empties.fill(lambda, y, rng);
            for &i in others {
                y[i] = draw_one(shape[i], kept[i], rng);
            }
        }
        _ if batch == Batch::Mixed && small() > few => {
            fill_mixed((empties, scratch), alpha, shape, lambda, y, rng)
        }
        _ => {
            draw::fill_large(shape, lambda, y, rng);
            for &i in list(&mut scratch.places, shape.iter().map(|&shape| shape < LARGE)) {
                y[i] = draw_one(shape[i], lambda[i], rng);
            }
        }
    }
}

/// A draw of Gamma(shape + N), or 1 where nothing is to be drawn.
#[inline]
fn draw_one<R: Rng + ?Sized>(shape: f64, lambda: f64, rng: &mut R) -> f64 {
    if shape == FIXED { 1.0 } else { draw::noncentral(&Gamma::new(shape), lambda, rng).value() }
}

/// The same for a batch of several kinds: each kind is picked out and drawn by itself.
fn fill_mixed<R: Rng + ?Sized>(
    (empties, scratch): (&mut Option<Empties>, &mut Scratch),
    alpha: f64,
    shape: &[f64],
    lambda: &[f64],
    y: &mut [f64],
    rng: &mut R,
) {
    let Scratch { places, lambdas, shapes, drawn } = scratch;
    y.fill(1.0);
    if let Some(empties) = empties {
        let here = list(places, shape.iter().map(|&shape| shape == alpha));
        let (lambdas, drawn) = (&mut lambdas[..here.len()], &mut drawn[..here.len()]);
        lambdas.iter_mut().zip(here).for_each(|(to, &i)| *to = lambda[i]);
        empties.fill(lambdas, drawn, rng);
        here.iter().zip(drawn).for_each(|(&i, drawn)| y[i] = *drawn);
    }
    let without = if empties.is_some() { alpha } else { FIXED };
    let here = list(places, shape.iter().map(|&shape| shape != FIXED && shape != without));
    let (shapes, lambdas) = (&mut shapes[..here.len()], &mut lambdas[..here.len()]);
    for ((&i, to_shape), to_lambda) in here.iter().zip(&mut *shapes).zip(&mut *lambdas) {
        (*to_shape, *to_lambda) = (shape[i], lambda[i]);
    }
    draw::fill_large(shapes, lambdas, &mut drawn[..here.len()], rng);
    for (k, &i) in here.iter().enumerate() {
        let small = shapes[k] < LARGE;
        y[i] =
            if small { draw::noncentral(&Gamma::new(shapes[k]), lambdas[k], rng).value() } else { drawn[k] };
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

struct Mover<'s, 'a> {
    theta: &'s mut Coordinates<'a>,
    report: Report,
}

impl Mover<'_, '_> {
    #[inline]
    fn move_one<R: Rng + ?Sized>(&mut self, j: usize, shape: f64, lambda: f64, scale: f64, rng: &mut R) {
        if shape == FIXED {
            return self.set(j, 1.0, scale, || scale.ln());
        }
        let draw = draw::noncentral(&Gamma::new(shape), lambda, rng);
        self.set(j, scale, draw.value(), || draw.ln());
    }

    /// Sets θ_j to scale · y; `ln_y` is asked only where that underflows.
    #[inline]
    fn set(&mut self, j: usize, scale: f64, y: f64, ln_y: impl FnOnce() -> f64) {
        let value = scale * y;
        if value < f64::MIN_POSITIVE {
            self.theta.set_ln(j, scale.ln() + ln_y());
            self.report.note(j, self.theta.theta()[j]);
        } else {
            self.theta.set(j, value);
        }
    }

    /// Sets the coordinates from `start` on to scale · y, y_i ~ Gamma(shape_i + N).
    #[inline]
    fn set_batch<R: Rng + ?Sized>(
        &mut self,
        start: usize,
        y: &[f64],
        shape: &[f64],
        scale: impl Fn(usize) -> f64,
        rng: &mut R,
    ) {
        if (0..y.len()).fold(true, |normal, i| normal & (scale(i) * y[i] >= f64::MIN_POSITIVE)) {
            self.theta.set_products(start, y, scale);
            return;
        }
        for (i, (&y, &shape)) in y.iter().zip(shape).enumerate() {
            let tiny = y < f64::MIN_POSITIVE;
            self.set(start + i, scale(i), y, || if tiny { draw::ln_if_tiny(shape, rng) } else { y.ln() });
        }
    }
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
