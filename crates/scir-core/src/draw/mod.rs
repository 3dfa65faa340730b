//! Exact draws of the Poisson mixture of gammas, at any size of its parameters, in few random numbers.
//!
//! One transition is Y = Gamma(s + N), N ~ Poisson(λ). Nowhere is a Poisson variable drawn:
//!
//! - s ≥ ½: Y = ½(Z + √(2λ))² + Gamma(s − ½), Z a standard normal, because a non-central χ² with ν ≥ 1 degrees
//!   of freedom is one shifted squared normal and a central rest; at s = ½ exactly, no gamma either.
//! - s < ½: N counts the events of a Poisson process of unit rate on [0, λ], the first of them after an exponential
//!   time E. If E ≥ λ there is none, and Y = Gamma(s). Otherwise N = 1 + N', N' ~ Poisson(λ − E), and
//!   Y = Gamma(s) + Gamma(1 + N'), the latter being of the first kind.
//! - λ = 0: Y = Gamma(s).

mod batch;
mod exp;
mod gamma;
mod large;

pub(crate) use batch::{BATCH, SmallGammas};
pub(crate) use gamma::Gamma;
pub(crate) use large::{LARGE, fill_large};
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
    let first_event: f64 = Exp1.sample(rng);
    let draw = gamma.draw(rng);
    if first_event >= lambda { draw } else { Draw::of(draw.value() + one_or_more(lambda - first_event, rng)) }
}

/// A draw of Gamma(1 + N) with N ~ Poisson(λ): half a non-central χ² with two degrees of freedom.
#[inline]
fn one_or_more<R: Rng + ?Sized>(lambda: f64, rng: &mut R) -> f64 {
    let (z, other) = (StandardNormal.sample(rng), StandardNormal.sample(rng));
    half_square(z, lambda) + half_square(other, 0.0)
}

/// The logarithm of a Gamma(shape) variable of which no more is known than that it is below the smallest normal f64.
///
/// The density there is x^{shape−1}, because e^{−x} is 1: by how many times it is smaller has the law of U^{1/shape}.
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
