//! Special functions behind the densities and distribution functions, free of cancellation.
//!
//! Everything rests on Loader's saddle-point form of the Poisson probability (Loader 2000): the exponent
//! is written as a deviance, which has no cancellation however large its arguments are.

use std::f64::consts::PI;

/// ln Γ(x) for x > 0.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The Poisson deviance D(x; m) = x ln(x/m) + m − x, for x ≥ 0 and m ≥ 0.
pub(crate) fn deviance(x: f64, m: f64) -> f64 {
    if x == 0.0 {
        return m;
    }
    if m == 0.0 {
        return f64::INFINITY;
    }
    let difference = x - m;
    let v = difference / (x + m);
    if v.abs() >= 0.1 {
        return x * (x / m).ln() - difference;
    }
    // x ln(x/m) = 2x artanh(v); its first term cancels against m − x analytically.
    let v2 = v * v;
    let mut sum = difference * v;
    let mut term = 2.0 * x * v;
    for j in 1..100 {
        term *= v2;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The error of Stirling's formula: ln Γ(x+1) − [½ ln(2πx) + x ln x − x], for x > 0.
pub(crate) fn stirling_error(x: f64) -> f64 {
    if x < 16.0 {
        // Here the terms are small, so that subtracting them loses next to nothing.
        return ln_gamma(x + 1.0) - (x + 0.5) * x.ln() + x - 0.5 * (2.0 * PI).ln();
    }
    let r = 1.0 / (x * x);
    (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / x
}

/// ln( m^x e^{−m} / Γ(x+1) ) for real x ≥ 0 and m ≥ 0: for whole x, the log-probability of a Poisson.
pub(crate) fn ln_poisson(x: f64, m: f64) -> f64 {
    if x == 0.0 {
        return -m;
    }
    if x < 1e-3 {
        // Stirling's parts diverge as x → 0 while their sum does not.
        return if m == 0.0 { f64::NEG_INFINITY } else { x * m.ln() - m - ln_gamma(x + 1.0) };
    }
    -deviance(x, m) - stirling_error(x) - 0.5 * (2.0 * PI * x).ln()
}

/// ln of the Gamma(s, 1) density at y > 0.
pub(crate) fn ln_gamma_pdf(s: f64, y: f64) -> f64 {
    s.ln() - y.ln() + ln_poisson(s, y)
}

/// The regularised incomplete gamma functions (P(s, x), Q(s, x)), for s > 0 and x ≥ 0.
///
/// The series and the continued fraction take about √s steps when x is near s; callers with large s have
/// a cheaper way (see `noncentral`).
pub(crate) fn gamma_p_q(s: f64, x: f64) -> (f64, f64) {
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if x == f64::INFINITY {
        return (1.0, 0.0);
    }
    let prefix = ln_poisson(s, x).exp();
    if x < s + 1.0 {
        // P = prefix · Σ_k x^k / ((s+1)…(s+k)).
        let (mut term, mut sum, mut k) = (1.0, 1.0, s);
        loop {
            k += 1.0;
            term *= x / k;
            sum += term;
            if term < sum * 1e-17 {
                break;
            }
        }
        let p = prefix * sum;
        (p, 1.0 - p)
    } else {
        // Q = prefix · s · 1/(x+1−s − 1(1−s)/(x+3−s − …)), by the modified Lentz method.
        const TINY: f64 = 1e-300;
        let mut b = x + 1.0 - s;
        let mut c = 1.0 / TINY;
        let mut d = 1.0 / b;
        let mut fraction = d;
        for i in 1..100_000 {
            let i = f64::from(i);
            let an = -i * (i - s);
            b += 2.0;
            d = an * d + b;
            d = 1.0 / if d.abs() < TINY { TINY } else { d };
            c = b + an / c;
            if c.abs() < TINY {
                c = TINY;
            }
            let factor = c * d;
            fraction *= factor;
            if (factor - 1.0).abs() < 1e-16 {
                break;
            }
        }
        let q = prefix * s * fraction;
        (1.0 - q, q)
    }
}

/// The standard normal distribution function Φ(z).
pub(crate) fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn deviance_has_no_cancellation() {
        // D(m+δ; m) → δ²/(2m) for δ ≪ m, far below the rounding of the naive form.
        let (m, delta) = (2f64.powi(66), 2f64.powi(33));
        assert_relative_eq!(deviance(m + delta, m), 0.5, max_relative = 1e-9);
        assert_relative_eq!(deviance(3.0, 2.0), 3.0 * 1.5f64.ln() - 1.0, max_relative = 1e-14);
        assert_eq!(deviance(0.0, 2.5), 2.5);
        assert_eq!(deviance(1.0, 0.0), f64::INFINITY);
    }

    #[test]
    fn poisson_weights_sum_to_one() {
        for m in [1e-6, 0.3, 4.0, 80.0] {
            let total: f64 = (0..400).map(|k| ln_poisson(f64::from(k), m).exp()).sum();
            assert_relative_eq!(total, 1.0, max_relative = 1e-13);
        }
    }

    #[test]
    fn small_arguments_join_smoothly() {
        for m in [0.2, 5.0] {
            let below = ln_poisson(1e-3 * (1.0 - 1e-12), m);
            assert_relative_eq!(below, ln_poisson(1e-3, m), max_relative = 1e-10);
        }
    }

    /// Values from an independent implementation (SciPy 1.x `gammainc`, `gammaincc`).
    #[test]
    fn incomplete_gamma_matches_reference() {
        for &(s, x, p, q) in GAMMA_REFERENCE {
            let (got_p, got_q) = gamma_p_q(s, x);
            assert_relative_eq!(got_p, p, max_relative = 1e-12);
            assert_relative_eq!(got_q, q, max_relative = 1e-11);
        }
    }
    const GAMMA_REFERENCE: &[(f64, f64, f64, f64)] = &[
        (0.0001, 1e-30, 0.9931733661212839, 0.0068266338787169424),
        (0.0001, 0.5, 0.9999440197070439, 5.598029295740177e-05),
        (0.001, 2.0, 0.999951023082169, 4.8976917830981356e-05),
        (0.1, 1e-08, 0.16659398838160208, 0.8334060116183979),
        (0.5, 0.3, 0.5614219739190003, 0.4385780260809997),
        (0.5, 4.0, 0.9953222650189527, 0.004677734981047276),
        (1.0, 1.0, 0.6321205588285577, 0.36787944117144245),
        (2.5, 0.01, 2.9876015319066003e-06, 0.999997012398468),
        (10.0, 9.0, 0.4125917556680583, 0.5874082443319417),
        (10.0, 25.0, 0.9997785233617512, 0.0002214766382487835),
        (800.1, 780.0, 0.2404587717478344, 0.7595412282521656),
        (800.1, 830.0, 0.8544974525625778, 0.14550254743742227),
        (2000.0, 1900.0, 0.011695820381150121, 0.9883041796188499),
    ];
}
