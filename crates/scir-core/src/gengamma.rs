//! Generalised gamma targets on (0, ∞): a power of the CIR process. Weibull, half-normal, χ and more.

use crate::cir::{Cir, CirLaw};
use crate::error::{Result, finite, positive, step};
use crate::special::{deviance, ln_gamma, ln_poisson, stirling_error};
use rand::Rng;
use rand_distr::Distribution;

/// A sampler of the generalised gamma law, whose density is ∝ x^{d−1} e^{−(x/scale)^p} on (0, ∞).
///
/// X = scale · θ^{1/p} with θ the standard CIR process of shape d/p, so that its transition is exact for every h.
///
/// | law | density ∝ | as |
/// |---|---|---|
/// | gamma | x^{d−1} e^{−x/scale} | p = 1 |
/// | Weibull | x^{k−1} e^{−(x/scale)^k} | d = p = k: [`GenGamma::weibull`] |
/// | half-normal | e^{−x²/2σ²} | scale = σ√2, d = 1, p = 2: [`GenGamma::half_normal`] |
/// | χ with k degrees of freedom | x^{k−1} e^{−x²/2} | scale = √2, d = k, p = 2: [`GenGamma::chi`] |
/// | U = 2√θ | u^{2a−1} e^{−u²/4} | scale = 2, d = 2a, p = 2 |
///
/// The last row is Theorem 3.1 of the SCIR paper: U follows the Langevin diffusion of that density, with a = α + Σz, the
/// parameter of the CIR process itself. (The paper's proof sets a := 2(α + Σz), which is a slip.)
///
/// The stochastic version replaces d by an unbiased estimate in every step ([`GenGamma::with_estimate`]). Then θ = (X/scale)^p
/// has the right mean, d/p, and a variance that is too large by tanh(h/2)·Var\[d̂\]/p² (see [`theory`](crate::theory)).
/// So E\[X^p\] is right at any h, and E\[X\] is not unless p = 1: for p > 1 a wider θ makes it too small, for p < 1 too large.
///
/// ```
/// use scir_core::{GenGamma, Purpose, Streams};
///
/// let process = GenGamma::weibull(2.0, 1.5)?;
/// let mut rng = Streams::new(1).rng(Purpose::new("example"), 0, 0);
/// let mut x = 1.0;
/// for _ in 0..10 {
///     x = process.transition(x, 0.5)?.sample(&mut rng);
/// }
/// let law = process.stationary();
/// assert!((law.cdf(3.0) - (1.0 - (-(1.5f64).powf(1.5)).exp())).abs() < 1e-14);
/// # Ok::<(), scir_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GenGamma {
    scale: f64,
    d: f64,
    p: f64,
    /// θ.
    cir: Cir,
}

impl GenGamma {
    /// The process with stationary density ∝ x^{d−1} e^{−(x/scale)^p}: all three finite and greater than 0, and d/p too.
    pub fn new(scale: f64, d: f64, p: f64) -> Result<Self> {
        let (scale, d, p) = (positive("scale", scale)?, positive("d", d)?, positive("p", p)?);
        Ok(Self { scale, d, p, cir: Cir::standard(positive("d / p", d / p)?)? })
    }

    /// Weibull: P(X > x) = e^{−(x/scale)^shape}.
    pub fn weibull(scale: f64, shape: f64) -> Result<Self> {
        let shape = positive("shape", shape)?;
        Self::new(scale, shape, shape)
    }

    /// Half-normal: |σZ| for a standard normal Z.
    pub fn half_normal(sigma: f64) -> Result<Self> {
        let scale = positive("sigma", sigma)? * std::f64::consts::SQRT_2;
        Self::new(positive("sigma sqrt 2", scale)?, 1.0, 2.0)
    }

    /// χ: the root of a χ² variable with `k` degrees of freedom, which need not be a whole number.
    pub fn chi(k: f64) -> Result<Self> {
        Self::new(std::f64::consts::SQRT_2, positive("k", k)?, 2.0)
    }

    /// The same process with d replaced by an estimate: one step of the stochastic version.
    pub fn with_estimate(self, d_hat: f64) -> Result<Self> {
        let d = positive("d_hat", d_hat)?;
        Ok(Self { d, cir: Cir::standard(positive("d_hat / p", d / self.p)?)?, ..self })
    }

    /// The scale.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The exponent d: near 0 the density is ∝ x^{d−1}.
    pub fn d(&self) -> f64 {
        self.d
    }

    /// The power p.
    pub fn p(&self) -> f64 {
        self.p
    }

    /// The law a time `h` (greater than 0, +∞ allowed) after the process was at `x` (finite, at least 0).
    ///
    /// An x so large that (x/scale)^p is no f64 is refused.
    pub fn transition(&self, x: f64, h: f64) -> Result<GenGammaLaw> {
        let x = crate::error::non_negative("x", x)?;
        self.at(if x == 0.0 { 0.0 } else { (self.p * (x.ln() - self.scale.ln())).exp() }, h)
    }

    /// As [`transition`](Self::transition), from ln x: for states that f64 cannot hold.
    pub fn transition_ln(&self, ln_x: f64, h: f64) -> Result<GenGammaLaw> {
        self.at((self.p * (finite("ln_x", ln_x)? - self.scale.ln())).exp(), h)
    }

    fn at(&self, theta: f64, h: f64) -> Result<GenGammaLaw> {
        let theta = crate::error::non_negative("(x / scale)^p", theta)?;
        Ok(GenGammaLaw { scale: self.scale, p: self.p, theta: self.cir.transition(theta, step(h)?)? })
    }

    /// The stationary law.
    pub fn stationary(&self) -> GenGammaLaw {
        GenGammaLaw { scale: self.scale, p: self.p, theta: self.cir.stationary() }
    }
}

/// A law of the generalised gamma process at one time: scale · θ^{1/p}, where θ has a [`CirLaw`]. Made by [`GenGamma`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GenGammaLaw {
    scale: f64,
    p: f64,
    theta: CirLaw,
}

impl GenGammaLaw {
    /// The law of θ = (X/scale)^p.
    pub fn theta(&self) -> CirLaw {
        self.theta
    }

    /// The mean; for the stationary law scale · Γ((d + 1)/p)/Γ(d/p).
    pub fn mean(&self) -> f64 {
        (self.scale.ln() + self.ln_moment(1.0 / self.p)).exp()
    }

    /// The variance. It is a difference, and loses digits where the standard deviation is a small part of the mean: it is
    /// good to about 1e-14 of the mean's square.
    pub fn variance(&self) -> f64 {
        let q = 1.0 / self.p;
        let ln_mean = self.ln_moment(q);
        if self.theta.shape() + self.theta.lambda() > LARGE {
            // Here θ hardly moves in relation to itself, and what it moves is stretched by the slope of the power.
            let relative = self.theta.variance().sqrt() / self.theta.mean() * q;
            return (relative * (self.scale.ln() + ln_mean).exp()).powi(2);
        }
        (2.0 * (self.scale.ln() + ln_mean)).exp() * (self.ln_moment(2.0 * q) - 2.0 * ln_mean).exp_m1()
    }

    /// ln E\[θ^q\].
    fn ln_moment(&self, q: f64) -> f64 {
        let (s, lambda) = (self.theta.shape(), self.theta.lambda());
        q * self.theta.scale().ln()
            + if s + lambda > LARGE { ln_moment_large(s, lambda, q) } else { ln_moment(s, lambda, q) }
    }

    /// The logarithm of the density at x (−∞ below 0; at 0 its limit, which is +∞ for d < 1).
    pub fn ln_pdf(&self, x: f64) -> f64 {
        if x.is_nan() || x < 0.0 {
            return if x.is_nan() { x } else { f64::NEG_INFINITY };
        }
        let (s, lambda) = (self.theta.shape(), self.theta.lambda());
        let d = s * self.p;
        let ln_x = x.ln();
        let ln_theta = self.p * (ln_x - self.scale.ln());
        let theta = ln_theta.exp();
        if theta >= f64::MIN_POSITIVE {
            return self.theta.ln_pdf(theta) + self.p.ln() + ln_theta - ln_x;
        }
        // Near 0 it is x^{d−1} times a constant, also where θ itself underflows.
        let power = if d == 1.0 { 0.0 } else { (d - 1.0) * ln_x };
        power - lambda - ln_gamma(s) + self.p.ln() - d * self.scale.ln() - s * self.theta.scale().ln()
    }

    /// The distribution function, P(X ≤ x).
    pub fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.cdf_at_ln(x.ln()) }
    }

    /// The survival function P(X > x), accurate in the upper tail where 1 − cdf is not.
    pub fn sf(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { self.theta.sf((self.p * (x.ln() - self.scale.ln())).exp()) }
    }

    /// The distribution function at x = e^`ln_x`, also where e^`ln_x` underflows.
    pub fn cdf_at_ln(&self, ln_x: f64) -> f64 {
        self.theta.cdf_at_ln(self.p * (ln_x - self.scale.ln()))
    }

    /// One draw; 0 where it is below the smallest positive f64.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        // Through the logarithm: θ may underflow where its p-th root does not.
        self.sample_ln(rng).exp()
    }

    /// The logarithm of one draw: the same draw as [`sample`](Self::sample) makes from the same generator, never −∞.
    pub fn sample_ln<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.scale.ln() + self.theta.sample_ln(rng) / self.p
    }
}

impl Distribution<f64> for GenGammaLaw {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        GenGammaLaw::sample(self, rng)
    }
}

/// Beyond this mean of the gamma variable its powers have the moments of an expansion around it.
const LARGE: f64 = 1e7;

/// ln E\[Y^q\] for Y = Gamma(s + N), N ~ Poisson(λ): the mean of Γ(s + N + q)/Γ(s + N).
fn ln_moment(s: f64, lambda: f64, q: f64) -> f64 {
    if lambda == 0.0 {
        return ln_gamma_ratio(s, q);
    }
    let term = |n: f64| ln_poisson(n, lambda) + ln_gamma_ratio(s + n, q);
    // From the middle outwards, relative to the middle, until terms no longer count.
    let middle = lambda.floor();
    let at_middle = term(middle);
    let mut sum = 1.0;
    let (mut n, mut largest) = (middle, 0.0f64);
    loop {
        n += 1.0;
        let relative = term(n) - at_middle;
        sum += relative.exp();
        if relative < largest - 40.0 {
            break;
        }
        largest = largest.max(relative);
    }
    let mut n = middle;
    while n > 0.0 {
        n -= 1.0;
        let relative = term(n) - at_middle;
        sum += relative.exp();
        if relative < largest - 40.0 {
            break;
        }
    }
    at_middle + sum.ln()
}

/// ln(Γ(x + q)/Γ(x)) for x > 0 and q > 0, without the cancellation of two logarithms that are nearly the same.
fn ln_gamma_ratio(x: f64, q: f64) -> f64 {
    if x < 16.0 {
        return ln_gamma(x + q) - ln_gamma(x);
    }
    // Stirling on both: y ln y − x ln x − q = D(y; x) + q ln x for y = x + q.
    let y = x + q;
    deviance(y, x) + q * x.ln() - 0.5 * (q / x).ln_1p() + stirling_error(y) - stirling_error(x)
}

/// The same by the first cumulants of Y around its mean: what is left out is of the order of the mean^{−3}.
fn ln_moment_large(s: f64, lambda: f64, q: f64) -> f64 {
    let mean = s + lambda;
    let k2 = (s + 2.0 * lambda) / mean / mean;
    let k3 = 2.0 * (s + 3.0 * lambda) / mean / mean / mean;
    let q2 = q * (q - 1.0) / 2.0;
    let q3 = q2 * (q - 2.0) / 3.0;
    let q4 = q3 * (q - 3.0) / 4.0;
    q * mean.ln() + (q2 * k2 + q3 * k3 + q4 * 3.0 * k2 * k2).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// Laws that have names and formulas of their own.
    #[test]
    fn named_laws_have_their_moments() {
        let moments = |process: Result<GenGamma>| {
            let law = process.unwrap().stationary();
            (law.mean(), law.variance())
        };
        let (mean, variance) = moments(GenGamma::half_normal(3.0));
        assert_relative_eq!(mean, 3.0 * (2.0 / std::f64::consts::PI).sqrt(), max_relative = 1e-14);
        assert_relative_eq!(variance, 9.0 * (1.0 - 2.0 / std::f64::consts::PI), max_relative = 1e-13);
        let (mean, variance) = moments(GenGamma::weibull(2.0, 1.0));
        assert_relative_eq!(mean, 2.0, max_relative = 1e-14);
        assert_relative_eq!(variance, 4.0, max_relative = 1e-14);
        // χ with 2 degrees of freedom is Rayleigh.
        let (mean, variance) = moments(GenGamma::chi(2.0));
        assert_relative_eq!(mean, (std::f64::consts::PI / 2.0).sqrt(), max_relative = 1e-14);
        assert_relative_eq!(variance, 2.0 - std::f64::consts::PI / 2.0, max_relative = 1e-13);
    }

    /// With p = 1 it is the CIR process, and with p = ½ its square: E[θ²] is known.
    #[test]
    fn moments_of_transitions_agree_with_the_cir_process() {
        for (s, theta, h) in
            [(0.1, 0.0, 0.3), (0.1, 2.0, 0.1), (7.0, 900.0, 1e-3), (3e6, 2.9e6, 0.2), (2e8, 1e9, 0.1)]
        {
            let cir = Cir::standard(s).unwrap().transition(theta, h).unwrap();
            let one = GenGamma::new(1.0, s, 1.0).unwrap().transition(theta, h).unwrap();
            assert_relative_eq!(one.mean(), cir.mean(), max_relative = 1e-12);
            assert_relative_eq!(one.variance(), cir.variance(), max_relative = 1e-6);
            let square = GenGamma::new(1.0, 0.5 * s, 0.5).unwrap().transition(theta * theta, h).unwrap();
            let second = cir.variance() + cir.mean().powi(2);
            assert_relative_eq!(square.mean(), second, max_relative = 1e-11);
        }
    }

    #[test]
    fn densities_integrate_to_the_distribution_function() {
        for (scale, d, p, x, h) in
            [(1.5, 0.7, 2.0, 0.4, 0.3), (0.2, 3.0, 0.7, 0.9, f64::INFINITY), (2.0, 1.0, 3.0, 2.5, 0.05)]
        {
            let law = GenGamma::new(scale, d, p).unwrap().transition(x, h).unwrap();
            let (from, to, steps) = (0.3 * scale, 1.9 * scale, 4000);
            let width = (to - from) / f64::from(steps);
            let sum: f64 =
                (0..steps).map(|i| law.ln_pdf(from + (f64::from(i) + 0.5) * width).exp() * width).sum();
            assert_relative_eq!(sum, law.cdf(to) - law.cdf(from), max_relative = 1e-5);
            assert_relative_eq!(law.cdf(to) + law.sf(to), 1.0, max_relative = 1e-12);
        }
        // The two forms of the density meet where θ = (x/scale)^p leaves f64.
        let law = GenGamma::new(1.0, 0.3, 200.0).unwrap().transition(0.99, 0.4).unwrap();
        assert_relative_eq!(
            law.ln_pdf(0.0291),
            law.ln_pdf(0.0289) - 0.7 * (0.0291f64 / 0.0289).ln(),
            max_relative = 1e-9
        );
        assert_eq!(law.ln_pdf(0.0), f64::INFINITY);
        assert_relative_eq!(
            GenGamma::half_normal(2.0).unwrap().stationary().ln_pdf(0.0),
            (2.0 / (2.0 * (2.0 * std::f64::consts::PI).sqrt())).ln(),
            max_relative = 1e-14
        );
    }

    #[test]
    fn mistakes_are_named() {
        let message = |result: Result<GenGamma>| result.unwrap_err().to_string();
        assert!(message(GenGamma::new(-1.0, 1.0, 1.0)).starts_with("scale = -1"));
        assert!(message(GenGamma::new(1.0, 0.0, 1.0)).starts_with("d = 0"));
        assert!(message(GenGamma::new(1.0, 1.0, f64::INFINITY)).starts_with("p = inf"));
        assert!(message(GenGamma::new(1.0, 1e-300, 1e300)).starts_with("d / p = 0"));
        assert!(message(GenGamma::weibull(1.0, f64::NAN)).starts_with("shape = NaN"));
        assert!(message(GenGamma::half_normal(0.0)).starts_with("sigma = 0"));
        assert!(message(GenGamma::chi(-2.0)).starts_with("k = -2"));
        let process = GenGamma::chi(3.0).unwrap();
        assert!(message(process.with_estimate(0.0)).starts_with("d_hat = 0"));
        assert!(process.transition(-1.0, 0.1).is_err() && process.transition(1.0, 0.0).is_err());
        assert!(process.transition(1e200, 0.1).unwrap_err().to_string().starts_with("(x / scale)^p = inf"));
        assert!(process.transition_ln(-1e5, 0.1).is_ok() && process.transition_ln(f64::NAN, 0.1).is_err());
    }
}
