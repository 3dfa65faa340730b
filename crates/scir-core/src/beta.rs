//! Beta targets on [0, 1]: a number between two gammas, each of which is an exact CIR process.

use crate::error::{Error, Result, positive};
use crate::simplex::Simplex;
use crate::special::ln_gamma;
use crate::target::Target;
use crate::transition::Scir;
use rand::Rng;
use rand_distr::Distribution;

/// A sampler of Beta(a, b) on [0, 1]: x = θ₁/(θ₁ + θ₂) with θ₁ and θ₂ the standard CIR processes of a and b.
///
/// It is the simplex sampler with two coordinates. The transition is exact for every h; h = +∞ draws afresh. What moves is
/// the pair of gammas, a [`BetaState`], and not x: the law of x after a step depends on θ₁ + θ₂ as well.
///
/// The stochastic version replaces a and b by unbiased estimates in every step ([`BetaProcess::with_estimates`]). Then θ₁
/// and θ₂ keep their means a and b, and their variances grow by tanh(h/2) times those of the estimates (see
/// [`theory`](crate::theory)). x is a ratio: it is a little wider than Beta(a, b), and its mean is a/(a + b) only up to a
/// part of the order of Var\[θ\]/(a + b)².
///
/// ```
/// use scir_core::{BetaProcess, Purpose, Streams};
///
/// let process = BetaProcess::new(0.001, 2.0)?;
/// let mut state = process.state(0.5)?;
/// let mut rng = Streams::new(1).rng(Purpose::new("example"), 0, 0);
/// for _ in 0..100 {
///     process.step(&mut state, 0.5, &mut rng)?;
///     assert!(state.ln_x().is_finite()); // also where x itself underflows
/// }
/// # Ok::<(), scir_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetaProcess {
    a: f64,
    b: f64,
}

impl BetaProcess {
    /// The process with stationary law Beta(a, b), both finite and greater than 0.
    pub fn new(a: f64, b: f64) -> Result<Self> {
        Ok(Self { a: positive("a", a)?, b: positive("b", b)? })
    }

    /// The same process with a and b replaced by estimates: one step of the stochastic version.
    pub fn with_estimates(self, a_hat: f64, b_hat: f64) -> Result<Self> {
        Ok(Self { a: positive("a_hat", a_hat)?, b: positive("b_hat", b_hat)? })
    }

    /// A state at `x` in [0, 1], with θ₁ + θ₂ at its stationary mean a + b.
    pub fn state(&self, x: f64) -> Result<BetaState> {
        if !(0.0..=1.0).contains(&x) {
            return Err(Error::OutOfRange { name: "x", value: x, expected: "in [0, 1]" });
        }
        let sum = positive("a + b", self.a + self.b)?;
        BetaState::new(sum * x, sum * (1.0 - x))
    }

    /// Moves `state` over a time `h` (greater than 0, +∞ allowed), exactly.
    pub fn step<R: Rng + ?Sized>(&self, state: &mut BetaState, h: f64, rng: &mut R) -> Result<()> {
        let prior = [self.a, self.b];
        state.0.step(&Scir, Target::new(&prior[..], &[0.0; 2])?, h, rng)?;
        Ok(())
    }

    /// The stationary law, Beta(a, b).
    pub fn stationary(&self) -> BetaLaw {
        BetaLaw { a: self.a, b: self.b }
    }
}

/// A number x in [0, 1] as two gammas, x = θ₁/(θ₁ + θ₂), so that both ln x and ln(1 − x) are known to all digits,
/// wherever x lies.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Simplex", into = "Simplex"))]
pub struct BetaState(Simplex);

impl BetaState {
    /// From θ₁ and θ₂, finite and at least 0.
    pub fn new(theta1: f64, theta2: f64) -> Result<Self> {
        Ok(Self(Simplex::new(vec![theta1, theta2])?))
    }

    /// From ln θ₁ and ln θ₂, each finite and at most 700.
    pub fn from_ln(ln_theta1: f64, ln_theta2: f64) -> Result<Self> {
        Ok(Self(Simplex::from_ln(&[ln_theta1, ln_theta2])?))
    }

    /// ln x − ln(1 − x); infinite only at a true 0 or 1, and 0 if both gammas are true zeros.
    pub fn logit(&self) -> f64 {
        let (one, two) = (self.0.ln_theta(0), self.0.ln_theta(1));
        if one == two { 0.0 } else { one - two }
    }

    /// x; 0 where it is below the smallest positive f64.
    pub fn x(&self) -> f64 {
        self.ln_x().exp()
    }

    /// 1 − x, also where x is 1 to rounding.
    pub fn one_minus_x(&self) -> f64 {
        self.ln_one_minus_x().exp()
    }

    /// ln x.
    pub fn ln_x(&self) -> f64 {
        ln_logistic(self.logit())
    }

    /// ln(1 − x).
    pub fn ln_one_minus_x(&self) -> f64 {
        ln_logistic(-self.logit())
    }
}

impl TryFrom<Simplex> for BetaState {
    type Error = Error;
    fn try_from(simplex: Simplex) -> Result<Self> {
        crate::error::same_len("theta", simplex.len(), "a beta state", 2)?;
        Ok(Self(simplex))
    }
}

impl From<BetaState> for Simplex {
    fn from(state: BetaState) -> Self {
        state.0
    }
}

/// ln(1/(1 + e^{−t})), without cancellation on either side.
fn ln_logistic(t: f64) -> f64 {
    if t >= 0.0 { -(-t).exp().ln_1p() } else { t - t.exp().ln_1p() }
}

/// The law Beta(a, b). Made by [`BetaProcess`].
///
/// Its distribution function, the regularised incomplete beta function, is not here: this crate has no use for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetaLaw {
    a: f64,
    b: f64,
}

impl BetaLaw {
    /// The parameter a.
    pub fn a(&self) -> f64 {
        self.a
    }

    /// The parameter b.
    pub fn b(&self) -> f64 {
        self.b
    }

    /// The mean, a/(a + b).
    pub fn mean(&self) -> f64 {
        // So written, it neither overflows nor underflows.
        1.0 / (1.0 + self.b / self.a)
    }

    /// The variance, ab/((a + b)²(a + b + 1)).
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        mean / (1.0 + self.a / self.b) / (self.a + self.b + 1.0)
    }

    /// The logarithm of the density at x (−∞ outside of [0, 1]).
    pub fn ln_pdf(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        if !(0.0..=1.0).contains(&x) {
            return f64::NEG_INFINITY;
        }
        // (1 − 1)·ln 0 is 0 here: the density of Beta(1, b) at 0 is b.
        let power = |exponent: f64, ln: f64| if exponent == 0.0 { 0.0 } else { exponent * ln };
        let ln_beta = ln_gamma(self.a) + ln_gamma(self.b) - ln_gamma(self.a + self.b);
        power(self.a - 1.0, x.ln()) + power(self.b - 1.0, (-x).ln_1p()) - ln_beta
    }

    /// One draw, as the state that it leaves: for draws near 0 or 1, whose logarithms count.
    pub fn sample_state<R: Rng + ?Sized>(&self, rng: &mut R) -> Result<BetaState> {
        let mut state = BetaState::new(1.0, 1.0)?;
        BetaProcess { a: self.a, b: self.b }.step(&mut state, f64::INFINITY, rng)?;
        Ok(state)
    }
}

/// One draw as a number: 0 or 1 where f64 has none that is closer.
impl Distribution<f64> for BetaLaw {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.sample_state(rng).map_or(f64::NAN, |state| state.x())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn both_ends_keep_their_logarithms() {
        let state = BetaState::from_ln(-5000.0, 3.0).unwrap();
        assert_eq!((state.x(), state.one_minus_x()), (0.0, 1.0));
        assert_relative_eq!(state.ln_x(), -5003.0, max_relative = 1e-15);
        let other = BetaState::from_ln(3.0, -5000.0).unwrap();
        assert_eq!((other.ln_one_minus_x(), other.x()), (state.ln_x(), 1.0));
        let near = BetaState::new(1.0, 1e-20).unwrap();
        assert_relative_eq!(near.ln_x(), -1e-20, max_relative = 1e-14);
        assert_relative_eq!(near.one_minus_x(), 1e-20, max_relative = 1e-12);
        assert_eq!(BetaState::new(0.0, 0.0).unwrap().x(), 0.5);
        assert_eq!(BetaState::new(0.0, 2.0).unwrap().ln_x(), f64::NEG_INFINITY);
    }

    #[test]
    fn the_law_has_its_moments_and_density() {
        let law = BetaProcess::new(2.0, 3.0).unwrap().stationary();
        assert_relative_eq!(law.mean(), 0.4, max_relative = 1e-14);
        assert_relative_eq!(law.variance(), 0.04, max_relative = 1e-14);
        // 12 x (1 − x)².
        assert_relative_eq!(law.ln_pdf(0.3), (12.0f64 * 0.3 * 0.49).ln(), max_relative = 1e-13);
        assert_eq!(law.ln_pdf(0.0), f64::NEG_INFINITY);
        let edge = BetaProcess::new(1.0, 4.0).unwrap().stationary();
        assert_relative_eq!(edge.ln_pdf(0.0), 4f64.ln(), max_relative = 1e-13);
        assert!(law.ln_pdf(f64::NAN).is_nan() && law.ln_pdf(1.5) == f64::NEG_INFINITY);
        // Far too small for a sum of a and b to hold both.
        let tiny = BetaProcess::new(1e-200, 1e200).unwrap().stationary();
        assert!(tiny.mean() == 0.0 && tiny.variance() == 0.0);
    }

    #[test]
    fn mistakes_are_named() {
        let name = |result: Result<BetaProcess>| match result {
            Err(Error::OutOfRange { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        assert_eq!(name(BetaProcess::new(0.0, 1.0)), "a");
        assert_eq!(name(BetaProcess::new(1.0, f64::NAN)), "b");
        let process = BetaProcess::new(1.0, 2.0).unwrap();
        assert_eq!(name(process.with_estimates(1.0, -1.0)), "b_hat");
        assert!(process.state(1.01).is_err() && process.state(f64::NAN).is_err());
        assert!(BetaState::try_from(Simplex::uniform(3).unwrap()).is_err());
        let mut state = process.state(0.2).unwrap();
        let before = state.clone();
        let mut rng = crate::Streams::new(1).rng(crate::Purpose::new("test"), 0, 0);
        assert!(process.step(&mut state, 0.0, &mut rng).is_err() && state == before);
    }
}
