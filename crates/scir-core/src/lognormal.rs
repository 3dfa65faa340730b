//! The exponential Ornstein–Uhlenbeck process: an exact sampler of lognormal targets on (0, ∞).

use crate::error::{Result, finite, positive, step};
use crate::special::normal_cdf;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::PI;

/// The exponential Ornstein–Uhlenbeck process: X = ln θ follows dX = (μ − X) dt + s√2 dW.
///
/// Its stationary law is LogNormal(μ, s²) and its transition over a time h is lognormal as well:
///
/// ```text
/// X' = μ + (X − μ) e^{−h} + s √(1 − e^{−2h}) ξ,   ξ ~ N(0, 1).
/// ```
///
/// (Geometric Brownian motion, which is sometimes named for this purpose, has no stationary law.)
///
/// The stochastic version replaces μ by an unbiased estimate μ̂ in every step ([`ExpOu::with_estimate`]); in the
/// stationary state ln θ then keeps its mean μ, and its variance becomes s² + tanh(h/2)·Var\[μ̂\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpOu {
    mu: f64,
    s: f64,
}

impl ExpOu {
    /// The process with stationary law LogNormal(`mu`, `s`²): `mu` finite, `s` finite and greater than 0.
    pub fn new(mu: f64, s: f64) -> Result<Self> {
        Ok(Self { mu: finite("mu", mu)?, s: positive("s", s)? })
    }

    /// The same process with μ replaced by an estimate.
    pub fn with_estimate(self, mu_hat: f64) -> Result<Self> {
        Self::new(mu_hat, self.s)
    }

    /// The law a time `h` (greater than 0, +∞ allowed) after the process was at `theta` (finite, greater than 0).
    pub fn transition(&self, theta: f64, h: f64) -> Result<LogNormalLaw> {
        self.transition_ln(positive("theta", theta)?.ln(), h)
    }

    /// As [`transition`](Self::transition), from ln θ: for states that f64 cannot hold.
    pub fn transition_ln(&self, ln_theta: f64, h: f64) -> Result<LogNormalLaw> {
        let (ln_theta, h) = (finite("ln_theta", ln_theta)?, step(h)?);
        Ok(LogNormalLaw {
            mu: self.mu + (ln_theta - self.mu) * (-h).exp(),
            sigma: self.s * (-(-2.0 * h).exp_m1()).sqrt(),
        })
    }

    /// The stationary law, LogNormal(μ, s²).
    pub fn stationary(&self) -> LogNormalLaw {
        LogNormalLaw { mu: self.mu, sigma: self.s }
    }
}

/// A lognormal law: ln θ ~ N(μ, σ²). Made by [`ExpOu`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogNormalLaw {
    mu: f64,
    sigma: f64,
}

impl LogNormalLaw {
    /// The mean μ of ln θ.
    pub fn mu(&self) -> f64 {
        self.mu
    }

    /// The standard deviation σ of ln θ.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The mean, exp(μ + σ²/2).
    pub fn mean(&self) -> f64 {
        (self.mu + 0.5 * self.sigma * self.sigma).exp()
    }

    /// The variance, (exp(σ²) − 1) exp(2μ + σ²).
    pub fn variance(&self) -> f64 {
        let v = self.sigma * self.sigma;
        v.exp_m1() * (2.0 * self.mu + v).exp()
    }

    /// The logarithm of the density at x (−∞ for x ≤ 0).
    pub fn ln_pdf(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let z = (x.ln() - self.mu) / self.sigma;
        -0.5 * z * z - x.ln() - self.sigma.ln() - 0.5 * (2.0 * PI).ln()
    }

    /// The distribution function, P(θ' ≤ x).
    pub fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { normal_cdf((x.ln() - self.mu) / self.sigma) }
    }

    /// One draw.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.sample_ln(rng).exp()
    }

    /// The logarithm of one draw: the same draw as [`sample`](Self::sample) makes from the same generator.
    pub fn sample_ln<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let z: f64 = StandardNormal.sample(rng);
        self.mu + self.sigma * z
    }
}

impl Distribution<f64> for LogNormalLaw {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        LogNormalLaw::sample(self, rng)
    }
}
