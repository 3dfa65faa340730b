//! Gamma(shape, 1) draws by Marsaglia & Tsang (2000), in logarithms below shape 1 and without cancellation above 1e8.

use super::Draw;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1, StandardNormal};

/// A gamma law with its constants, so that many draws with one shape share a square root and a division.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gamma {
    shape: f64,
    /// shape − 1/3, or shape + 2/3 where the draw is boosted.
    d: f64,
    /// 1 / √(9d).
    c: f64,
    /// 1 / shape where the draw is boosted, else 0.
    boost: f64,
}

impl Gamma {
    /// Prepares Gamma(shape, 1), shape > 0.
    #[inline]
    pub(crate) fn new(shape: f64) -> Self {
        let (d, boost) =
            if shape < 1.0 { (shape + 2.0 / 3.0, 1.0 / shape) } else { (shape - 1.0 / 3.0, 0.0) };
        Self { shape, d, c: 1.0 / (9.0 * d).sqrt(), boost }
    }

    #[inline]
    pub(crate) fn shape(&self) -> f64 {
        self.shape
    }

    /// One draw. Below shape 1: Gamma(a) = Gamma(a+1)·U^{1/a}, and −ln U is a standard exponential.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Draw {
        let base = self.draw_unboosted(rng);
        let ln_factor = if self.boost == 0.0 {
            0.0
        } else {
            let e: f64 = Exp1.sample(rng);
            -e * self.boost
        };
        Draw { base, ln_factor }
    }

    #[inline]
    fn draw_unboosted<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        loop {
            let x: f64 = StandardNormal.sample(rng);
            let t = self.c * x;
            if t <= -1.0 {
                continue;
            }
            let u: f64 = rng.random();
            let x2 = x * x;
            if u < 1.0 - 0.0331 * x2 * x2 || u.ln() < 3.0 * self.d * log_remainder(t) {
                let v = 1.0 + t;
                return self.d * v * v * v;
            }
        }
    }
}

/// ln(1+t) − t + t²/2 − t³/3.
///
/// The acceptance exponent x²/2 + d(1 − v + ln v), v = (1+t)³, is 3d times this. As written by its authors it
/// loses every digit once d exceeds 1e16, and some already at 1e8; this form loses none.
#[inline]
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
