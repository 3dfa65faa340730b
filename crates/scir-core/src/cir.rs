//! The Cox–Ingersoll–Ross process and its exact laws.

use crate::draw::{self, Gamma};
use crate::error::{Result, non_negative, positive, step};
use crate::noncentral;
use rand::Rng;
use rand_distr::Distribution;

/// The Cox–Ingersoll–Ross process dθ = b(a − θ) dt + σ√θ dW on [0, ∞).
///
/// Its stationary law is Gamma(shape 2ab/σ², rate 2b/σ²), and its transition over any time h is known exactly:
/// with scale k = σ²(1 − e^{−bh})/(2b),
///
/// ```text
/// N  ~ Poisson(θ e^{−bh} / k)
/// θ' = k · Gamma(2ab/σ² + N, 1)
/// ```
///
/// [`Cir::standard`] is the process of the simplex samplers, b = 1 and σ² = 2: stationary Gamma(a, 1).
/// [`Cir::targeting`] has any gamma law as its stationary one.
///
/// The stochastic process (SCIR) is the same with an unbiased estimate â in the place of a, a new one in every step:
/// see [`Cir::with_estimate`], and [`Scir`](crate::Scir) for whole simplexes.
///
/// ```
/// use scir_core::{Cir, Purpose, Streams};
///
/// let cir = Cir::standard(0.1)?;
/// let law = cir.transition(2.0, 0.5)?; // θ' given θ = 2, half a unit of time later
/// assert!((law.mean() - (2.0 * (-0.5f64).exp() + 0.1 * (1.0 - (-0.5f64).exp()))).abs() < 1e-15);
/// let mut rng = Streams::new(1).rng(Purpose::new("example"), 0, 0);
/// let next = law.sample(&mut rng);
/// assert!(next >= 0.0 && law.cdf(next) < 1.0);
/// # Ok::<(), scir_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cir {
    /// 2ab/σ², the shape of the stationary law.
    shape: f64,
    b: f64,
    /// σ²/(2b), the scale of the stationary law; kept rather than σ, so that it is exactly 1 in the standard process.
    stretch: f64,
}

impl Cir {
    /// The process with level `a`, speed `b` and volatility `sigma`, all finite and greater than 0.
    pub fn new(a: f64, b: f64, sigma: f64) -> Result<Self> {
        let (a, b, sigma) = (positive("a", a)?, positive("b", b)?, positive("sigma", sigma)?);
        let stretch = positive("sigma^2 / 2b", 0.5 * sigma * sigma / b)?;
        Ok(Self { shape: positive("2ab / sigma^2", a / stretch)?, b, stretch })
    }

    /// The process with b = 1 and σ² = 2, whose stationary law is Gamma(a, 1).
    pub fn standard(a: f64) -> Result<Self> {
        Ok(Self { shape: positive("a", a)?, b: 1.0, stretch: 1.0 })
    }

    /// The process with unit speed whose stationary law is Gamma(shape, rate): a sampler of (0, ∞).
    pub fn targeting(shape: f64, rate: f64) -> Result<Self> {
        let (shape, rate) = (positive("shape", shape)?, positive("rate", rate)?);
        Ok(Self { shape, b: 1.0, stretch: positive("1 / rate", 1.0 / rate)? })
    }

    /// The same process with its level replaced by an estimate: one step of SCIR.
    pub fn with_estimate(self, a_hat: f64) -> Result<Self> {
        let shape = positive("a_hat", a_hat)? / self.stretch;
        Ok(Self { shape: positive("2 a_hat b / sigma^2", shape)?, ..self })
    }

    /// The level a, to which the process returns.
    pub fn a(&self) -> f64 {
        self.shape * self.stretch
    }

    /// The speed b at which it returns.
    pub fn b(&self) -> f64 {
        self.b
    }

    /// The volatility σ.
    pub fn sigma(&self) -> f64 {
        (2.0 * self.b * self.stretch).sqrt()
    }

    /// The law of the process a time `h` after it was at `theta`.
    ///
    /// `theta` is finite and at least 0 (0 is a legal state); `h` is greater than 0, and +∞ gives the stationary law.
    pub fn transition(&self, theta: f64, h: f64) -> Result<CirLaw> {
        let (theta, h) = (non_negative("theta", theta)?, step(h)?);
        let unit = Horizon::new(self.b * h);
        // Beyond some 1e308 in θ/h the law cannot be written down in f64.
        let lambda = non_negative("theta e^{-bh} / k", unit.lambda(theta / self.stretch))?;
        let scale = positive("k = sigma^2 (1 - e^{-bh}) / 2b", self.stretch * unit.scale)?;
        Ok(CirLaw { shape: self.shape, lambda, scale })
    }

    /// The stationary law, Gamma(2ab/σ², rate 2b/σ²).
    pub fn stationary(&self) -> CirLaw {
        CirLaw { shape: self.shape, lambda: 0.0, scale: self.stretch }
    }
}

/// What a time step of the standard process comes to: θ' = scale · Gamma(a + Poisson(θ · ratio)).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Horizon {
    /// 1 − e^{−h}.
    pub(crate) scale: f64,
    /// e^{−h} / (1 − e^{−h}) = 1 / (e^h − 1).
    ratio: f64,
}

impl Horizon {
    /// For a time h > 0, +∞ included.
    pub(crate) fn new(h: f64) -> Self {
        Self { scale: -(-h).exp_m1(), ratio: 1.0 / h.exp_m1() }
    }

    /// The mean of the Poisson variable.
    #[inline]
    pub(crate) fn lambda(&self, theta: f64) -> f64 {
        theta * self.ratio
    }
}

/// A law of the CIR process at one time: k · Gamma(s + N, 1) with N ~ Poisson(λ), half a scaled non-central χ².
///
/// Made by [`Cir::transition`] and [`Cir::stationary`]. The distribution function and the density keep 10 or more
/// digits while λ is below 1e8, and lose about √λ · 1e-16 beyond, as the argument itself does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CirLaw {
    shape: f64,
    lambda: f64,
    scale: f64,
}

impl CirLaw {
    /// The shape s of the gamma variables.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// The mean λ of the Poisson variable; 0 for a gamma law.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The scale k.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The mean, k(s + λ).
    pub fn mean(&self) -> f64 {
        self.scale * (self.shape + self.lambda)
    }

    /// The variance, k²(s + 2λ).
    pub fn variance(&self) -> f64 {
        self.scale * self.scale * (self.shape + 2.0 * self.lambda)
    }

    /// The logarithm of the density at x (−∞ outside of the support, +∞ at 0 when s < 1).
    pub fn ln_pdf(&self, x: f64) -> f64 {
        noncentral::ln_pdf(self.shape, self.lambda, x / self.scale) - self.scale.ln()
    }

    /// The distribution function, P(θ' ≤ x).
    pub fn cdf(&self, x: f64) -> f64 {
        noncentral::cdf_sf(self.shape, self.lambda, x / self.scale).0
    }

    /// The survival function P(θ' > x), accurate in the upper tail where 1 − cdf is not.
    pub fn sf(&self, x: f64) -> f64 {
        noncentral::cdf_sf(self.shape, self.lambda, x / self.scale).1
    }

    /// The distribution function at x = e^`ln_x`, also where e^`ln_x` underflows: small shapes live there.
    pub fn cdf_at_ln(&self, ln_x: f64) -> f64 {
        noncentral::cdf_at_ln(self.shape, self.lambda, ln_x - self.scale.ln())
    }

    /// One draw; 0 where the draw is below the smallest positive f64 (for shape 0.001, half of the time).
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.scale * draw::noncentral(&Gamma::new(self.shape), self.lambda, rng).value()
    }

    /// The logarithm of one draw: the same draw as [`sample`](Self::sample) makes from the same generator, never −∞.
    pub fn sample_ln<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.scale.ln() + draw::noncentral(&Gamma::new(self.shape), self.lambda, rng).ln()
    }
}

impl Distribution<f64> for CirLaw {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        CirLaw::sample(self, rng)
    }
}
