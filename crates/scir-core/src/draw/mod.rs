//! Exact draws of the Poisson mixture of gammas, at any size of its parameters, in as few random numbers as possible.
//!
//! One transition is Y = Gamma(s + N), N ~ Poisson(λ). Three ways of drawing it, all exact:
//!
//! - s ≥ ½: Y = ½(Z + √(2λ))² + Gamma(s − ½), Z a standard normal, because a non-central χ² with ν ≥ 1 degrees
//!   of freedom is one shifted squared normal and a central rest. No Poisson draw; at s = ½ exactly, no gamma either.
//! - s < ½: N and then Gamma(s + N). Mostly N = 0, and that is decided without an exponential.
//! - λ = 0: Gamma(s).

mod gamma;
mod poisson;

pub(crate) use gamma::Gamma;
use poisson::poisson;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// A positive draw x·e^l, kept apart because e^l may underflow although ln x + l is a fine number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draw {
    base: f64,
    ln_factor: f64,
}

impl Draw {
    /// The draw as a number; zero if it is below the smallest positive f64.
    #[inline]
    pub(crate) fn value(self) -> f64 {
        if self.ln_factor == 0.0 { self.base } else { self.base * self.ln_factor.exp() }
    }

    /// The logarithm of the draw, also where [`value`](Self::value) underflows.
    #[inline]
    pub(crate) fn ln(self) -> f64 {
        self.base.ln() + self.ln_factor
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
    // Between ½ and 3/2 the rest Gamma(s − ½) has a shape below one and costs an exponential, as does a Poisson
    // draw; the Poisson is cheaper while its mean is small.
    if s == 0.5 || s >= 1.5 || (s > 0.5 && lambda > 5.0) {
        let z: f64 = StandardNormal.sample(rng);
        let rest = if s == 0.5 { 0.0 } else { Gamma::new(s - 0.5).draw(rng).value() };
        // (z + √(2λ))²/2, multiplied out so that a huge λ does not round z away.
        let base = lambda + z * ((2.0 * lambda).sqrt() + 0.5 * z) + rest;
        // For tiny λ the three terms can cancel to a rounding error below zero.
        let base = if base > 0.0 { base } else { 0.5 * (z + (2.0 * lambda).sqrt()).powi(2) + rest };
        return Draw { base, ln_factor: 0.0 };
    }
    match poisson(lambda, rng) {
        0.0 => gamma.draw(rng),
        n => Gamma::new(s + n).draw(rng),
    }
}
