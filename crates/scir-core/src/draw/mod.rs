//! Exact draws of the Poisson mixture of gammas, at any size of its parameters, in few random numbers.
//!
//! One transition is Y = Gamma(s + N), N ~ Poisson(λ). Three ways of drawing it, all exact:
//!
//! - s ≥ ½: Y = ½(Z + √(2λ))² + Gamma(s − ½), Z a standard normal, because a non-central χ² with ν ≥ 1 degrees
//!   of freedom is one shifted squared normal and a central rest. No Poisson draw; at s = ½ exactly, no gamma either.
//! - s < ½: N, and then Gamma(s + N).
//! - λ = 0: Gamma(s).

mod batch;
mod exp;
mod gamma;
mod large;
mod poisson;

pub(crate) use batch::{BATCH, SmallGammas};
pub(crate) use gamma::Gamma;
pub(crate) use large::{LARGE, fill_large};
use poisson::poisson;
use rand::Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};

/// A positive draw. Where it is below the smallest normal f64, its logarithm is kept beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draw {
    value: f64,
    ln_if_tiny: f64,
}

impl Draw {
    /// A draw that f64 can hold, for certain.
    #[inline]
    fn of(value: f64) -> Self {
        Self { value, ln_if_tiny: 0.0 }
    }

    /// The draw as a number; zero if it is below the smallest normal f64.
    #[inline]
    pub(crate) fn value(self) -> f64 {
        self.value
    }

    /// The logarithm of the draw, also where [`value`](Self::value) underflows.
    #[inline]
    pub(crate) fn ln(self) -> f64 {
        if self.value < f64::MIN_POSITIVE { self.ln_if_tiny } else { self.value.ln() }
    }
}

/// A draw of Gamma(shape + N) with N ~ Poisson(λ); `gamma` is Gamma(shape), prepared.
#[inline]
pub(crate) fn noncentral<R: Rng + ?Sized>(gamma: &Gamma, lambda: f64, rng: &mut R) -> Draw {
    let s = gamma.shape();
    // Also for a λ so small that it cannot matter, or that came out of an underflow.
    if lambda < f64::MIN_POSITIVE {
        return gamma.draw(rng);
    }
    if s >= 0.5 {
        let half_square = half_square(StandardNormal.sample(rng), lambda);
        let rest = if s == 0.5 { 0.0 } else { Gamma::new(s - 0.5).draw(rng).value() };
        return Draw::of(half_square + rest);
    }
    let n = poisson(lambda, rng);
    if n == 0.0 { gamma.draw(rng) } else { Gamma::new(s + n).draw(rng) }
}

/// The logarithm of a Gamma(shape) variable of which no more is known than that it is below the smallest normal f64.
///
/// Its density there is x^{shape−1}, e^{−x} being 1: as many times smaller as a power U^{1/shape} of a uniform.
#[cold]
pub(crate) fn ln_if_tiny<R: Rng + ?Sized>(shape: f64, rng: &mut R) -> f64 {
    let e: f64 = Exp1.sample(rng);
    f64::MIN_POSITIVE.ln() - e / shape
}

/// ½(z + √(2λ))², without rounding z away when λ is huge.
#[inline]
pub(crate) fn half_square(z: f64, lambda: f64) -> f64 {
    let root = (2.0 * lambda).sqrt();
    if lambda < 1e8 {
        let sum = z + root;
        // An exact zero is a rounding: the law has no mass there.
        (0.5 * sum * sum).max(f64::MIN_POSITIVE)
    } else {
        lambda + z * (root + 0.5 * z)
    }
}
