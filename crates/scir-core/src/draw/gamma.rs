//! Gamma(shape, 1) draws: in logarithms below shape 1, and without cancellation at shapes of 1e8 and more.

use super::Draw;
use super::exp::exp_nonpositive;
use rand::Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};
use std::f64::consts::E;

/// A gamma law with its constants, so that many draws with one shape share a square root and a division.
///
/// - shape ≥ 1: Marsaglia & Tsang (2000), d(1 + cX)³ for a normal X, with d = shape − 1/3 and c = 1/√(9d).
/// - shape < 1: Ahrens & Dieter (1974), written for logarithms. The density x^{a−1} e^{−x} is bounded by x^{a−1} below 1
///   (the *body*) and by e^{−x} above it (the *tail*); a proposal of the body is e^{−E/a} with a standard exponential E,
///   which has a logarithm however small it is, and one of the tail is 1 + E.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gamma {
    shape: f64,
    /// d, or 1/shape below shape 1.
    first: f64,
    /// c, or e/(e + shape), the share of the body among the proposals, below shape 1.
    second: f64,
}

/// The 53 high bits of a random word as a number in [0, 1).
#[inline]
pub(crate) fn unit_interval(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

impl Gamma {
    /// Prepares Gamma(shape, 1), shape > 0.
    #[inline]
    pub(crate) fn new(shape: f64) -> Self {
        if shape < 1.0 {
            Self { shape, first: 1.0 / shape, second: E / (E + shape) }
        } else {
            Self::new_large(shape)
        }
    }

    /// Prepares Gamma(shape, 1), shape ≥ 1.
    #[inline]
    pub(super) fn new_large(shape: f64) -> Self {
        let d = shape - 1.0 / 3.0;
        Self { shape, first: d, second: 1.0 / (9.0 * d).sqrt() }
    }

    #[inline]
    pub(crate) fn shape(&self) -> f64 {
        self.shape
    }

    /// The share of the body among the proposals, for a shape below 1.
    #[inline]
    pub(crate) fn body_share(&self) -> f64 {
        self.second
    }

    /// One draw.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Draw {
        if self.shape < 1.0 {
            return self.draw_small(rng);
        }
        let x = StandardNormal.sample(rng);
        let u = unit_interval(rng.next_u64());
        Draw::of(self.draw_large(x, u, rng))
    }

    fn draw_small<R: Rng + ?Sized>(&self, rng: &mut R) -> Draw {
        loop {
            let v = unit_interval(rng.next_u64());
            if v < self.second {
                if let Some(draw) = self.body(v / self.second, rng) {
                    return draw;
                }
            } else if let Some(x) = self.tail(rng) {
                return Draw::of(x);
            }
        }
    }

    /// x = e^{−E/a} in (0, 1], accepted with probability e^{−x}: if the uniform v is below it.
    #[inline]
    fn body<R: Rng + ?Sized>(&self, v: f64, rng: &mut R) -> Option<Draw> {
        let e: f64 = Exp1.sample(rng);
        let ln_x = -e * self.first;
        let x = exp_nonpositive(ln_x);
        (v < 1.0 - x || v < exp_nonpositive(-x)).then_some(Draw { value: x, ln_if_tiny: ln_x })
    }

    /// x = 1 + E, accepted with probability x^{a−1}.
    ///
    /// Bernoulli's inequality bounds the power tightly from both sides, and so decides almost every case:
    /// 1/(1 + (1−a)E) ≤ x^{a−1} ≤ (1 + aE)/x.
    #[inline]
    pub(crate) fn tail<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<f64> {
        let e: f64 = Exp1.sample(rng);
        let v = unit_interval(rng.next_u64());
        let (a, x) = (self.shape, 1.0 + e);
        let accepted = v * (1.0 + (1.0 - a) * e) < 1.0 || (v * x < 1.0 + a * e && v < self.tail_share(x));
        accepted.then_some(x)
    }

    /// x^{a−1}; out of line, because the compiler would compute it ahead of the bounds that make it superfluous.
    #[cold]
    #[inline(never)]
    fn tail_share(&self, x: f64) -> f64 {
        x.powf(self.shape - 1.0)
    }

    /// One draw for a shape of 1 or more, whose first proposal is made from the normal x and the uniform u.
    #[inline]
    pub(super) fn draw_large<R: Rng + ?Sized>(&self, mut x: f64, mut u: f64, rng: &mut R) -> f64 {
        loop {
            let (value, surely) = self.proposal(x, u);
            let t = self.second * x;
            if surely || (t > -1.0 && u.ln() < 3.0 * self.first * log_remainder(t)) {
                return value;
            }
            x = StandardNormal.sample(rng);
            u = unit_interval(rng.next_u64());
        }
    }

    /// A proposal for a shape of 1 or more, and whether it is accepted already by a bound of its probability.
    ///
    /// The probability e^{−q}, q = −3d·r(t) with t = cx and the [remainder](log_remainder) r, is at least
    /// 1 − q ≥ 1 − x²t²/6 where t > −½, because −r(t) ≤ t⁴/2 there. This decides almost every case.
    #[inline(always)]
    pub(super) fn proposal(&self, x: f64, u: f64) -> (f64, bool) {
        let (d, c) = (self.first, self.second);
        let t = c * x;
        let (v, xt) = (1.0 + t, x * t);
        (d * v * v * v, (t > -0.5) & (u < 1.0 - xt * xt * (1.0 / 6.0)))
    }
}

/// ln(1+t) − t + t²/2 − t³/3.
///
/// The acceptance exponent x²/2 + d(1 − v + ln v), v = (1+t)³, is 3d times this. As written by its authors it
/// loses every digit once d exceeds 1e16, and some already at 1e8; this form loses none.
fn log_remainder(t: f64) -> f64 {
    if t.abs() < 0.05 {
        let t2 = t * t;
        let t4 = t2 * t2;
        -t4 * (1.0 / 4.0
            - t * (1.0 / 5.0
                - t * (1.0 / 6.0
                    - t * (1.0 / 7.0 - t * (1.0 / 8.0 - t * (1.0 / 9.0 - t * (1.0 / 10.0 - t / 11.0)))))))
    } else {
        t.ln_1p() - t + t * t * (0.5 - t / 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn remainder_is_continuous_and_right() {
        let series = log_remainder(0.049_999_999);
        let direct = log_remainder(0.050_000_001);
        assert_relative_eq!(series, direct, max_relative = 1e-6);
        assert_relative_eq!(log_remainder(1e-5), -0.25e-20, max_relative = 1e-4);
        let t: f64 = -0.3;
        assert_relative_eq!(
            log_remainder(t),
            (1.0 + t).ln() - t + t * t / 2.0 - t.powi(3) / 3.0,
            max_relative = 1e-12
        );
    }
}
