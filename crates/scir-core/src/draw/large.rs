//! Many draws of Gamma(s + N), N ~ Poisson(λ), each with a shape s of 1.5 or more: the inner loop of a dense simplex.
//!
//! The same Y = ½(Z + √(2λ))² + Gamma(s − ½) as one at a time, but in stages over short slices: first the random numbers,
//! then the square roots and divisions, which are done several at a time when no draw stands in between.

use super::gamma::{Gamma, unit_interval};
use super::half_square;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// The smallest shape for [`fill_large`]: s − ½ has to be 1 or more.
pub(crate) const LARGE: f64 = 1.5;

/// Writes a draw of Gamma(s + N) into each y. Where s is below [`LARGE`], y is to be replaced: it is any number.
pub(crate) fn fill_large<R: Rng + ?Sized>(shape: &[f64], lambda: &[f64], y: &mut [f64], rng: &mut R) {
    const STAGE: usize = 32;
    let (mut z, mut x, mut u) = ([0.0; STAGE], [0.0; STAGE], [0.0; STAGE]);
    for ((shape, lambda), y) in shape.chunks(STAGE).zip(lambda.chunks(STAGE)).zip(y.chunks_mut(STAGE)) {
        let len = y.len();
        z[..len].iter_mut().for_each(|z| *z = StandardNormal.sample(rng));
        x[..len].iter_mut().for_each(|x| *x = StandardNormal.sample(rng));
        u[..len].iter_mut().for_each(|u| *u = unit_interval(rng.next_u64()));
        let mut unsure = [0.0; STAGE];
        for i in 0..len {
            let (gamma, surely) = Gamma::new_large(shape[i] - 0.5).proposal(x[i], u[i]);
            y[i] = half_square(z[i], lambda[i]) + gamma;
            // A number and not a bool, so that it is of one width with the others.
            unsure[i] = if surely | (shape[i] < LARGE) { 0.0 } else { 1.0 };
        }
        for i in (0..len).filter(|&i| unsure[i] > 0.0) {
            let gamma = Gamma::new_large(shape[i] - 0.5).draw_large(x[i], u[i], rng);
            y[i] = half_square(z[i], lambda[i]) + gamma;
        }
    }
}
