//! Density and distribution function of the Poisson mixture of gammas, Gamma(s + N, 1) with N ~ Poisson(λ).
//!
//! This is half of a non-central χ² variable with 2s degrees of freedom and non-centrality 2λ:
//!
//! ```text
//! f(y) = Σ_j Poisson(j; λ) Gamma(y; s+j) = (y/λ)^{ν/2} e^{−y−λ} I_ν(2√(λy)),   ν = s − 1.
//! ```
//!
//! Two regimes, with the border where both are good to about 1e-12:
//! - *small* parameters: the sum over j itself, in the direction in which it is stable;
//! - *large* parameters: Debye's uniform expansion of the Bessel function, whose exponent is a sum of two
//!   deviances (no cancellation even at λ = 1e20), and Gauss–Legendre integration of it for the tails.

use crate::special::{deviance, gamma_p_q, ln_gamma, ln_gamma_pdf, ln_poisson};
use std::f64::consts::PI;

/// From here on Debye's expansion (five terms) is exact to 1e-12.
const DEBYE_FROM: f64 = 100.0;
/// Up to here the distribution function is summed, beyond it is integrated.
const SUM_UP_TO: f64 = 1500.0;

/// ln f(y) for y ≥ 0.
pub(crate) fn ln_pdf(s: f64, lambda: f64, y: f64) -> f64 {
    if !(y > 0.0) {
        return if y < 0.0 || y.is_nan() || s > 1.0 {
            if y.is_nan() { f64::NAN } else { f64::NEG_INFINITY }
        } else if s == 1.0 {
            -lambda
        } else {
            f64::INFINITY
        };
    }
    if y == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    let nu = s - 1.0;
    // R = √(ν² + x²) with x = 2√(λy), without overflow.
    let r = nu.hypot(2.0 * lambda.sqrt() * y.sqrt());
    // The saddle point: q − n = ν and q·n = λy; n is the most likely Poisson count given y.
    let (q, n) = if nu >= 0.0 {
        let q = 0.5 * (nu + r);
        (q, if q > 0.0 { lambda / q * y } else { 0.0 })
    } else {
        let n = 0.5 * (r - nu);
        (lambda / n * y, n)
    };
    if r >= DEBYE_FROM {
        return -deviance(q, y) - deviance(n, lambda) - 0.5 * (2.0 * PI * r).ln()
            + debye_correction(nu / r, r).ln();
    }
    // Sum from the largest term outwards; neighbours differ by the factor λy / ((j+1)(s+j)).
    let start = n.floor();
    let peak = ln_poisson(start, lambda) + ln_gamma_pdf(s + start, y);
    let mut sum = 1.0;
    let (mut term, mut j) = (1.0, start);
    loop {
        term *= lambda / (j + 1.0) * (y / (s + j));
        sum += term;
        j += 1.0;
        if term <= sum * 1e-17 {
            break;
        }
    }
    (term, j) = (1.0, start);
    while j > 0.0 && term > sum * 1e-17 {
        term *= j / lambda * ((s + j - 1.0) / y);
        sum += term;
        j -= 1.0;
    }
    peak + sum.ln()
}

/// Σ_k U_k(t)/ν^k with t = ν/R, as a series in 1/R (each U_k(t)/ν^k is R^{-k} times a polynomial in t²).
fn debye_correction(t: f64, r: f64) -> f64 {
    let w = t * t;
    let u1 = (3.0 - 5.0 * w) / 24.0;
    let u2 = (81.0 + w * (-462.0 + w * 385.0)) / 1152.0;
    let u3 = (30_375.0 + w * (-369_603.0 + w * (765_765.0 - w * 425_425.0))) / 414_720.0;
    let u4 = (4_465_125.0
        + w * (-94_121_676.0 + w * (349_922_430.0 + w * (-446_185_740.0 + w * 185_910_725.0))))
        / 39_813_120.0;
    let u5 = (1_519_035_525.0
        + w * (-49_286_948_607.0
            + w * (284_499_769_554.0
                + w * (-614_135_872_350.0 + w * (566_098_157_625.0 - w * 188_699_385_875.0)))))
        / 6_688_604_160.0;
    1.0 + (u1 + (u2 + (u3 + (u4 + u5 / r) / r) / r) / r) / r
}

/// (F(y), 1 − F(y)), each accurate also where it is small.
pub(crate) fn cdf_sf(s: f64, lambda: f64, y: f64) -> (f64, f64) {
    if y.is_nan() {
        return (f64::NAN, f64::NAN);
    }
    if y <= 0.0 {
        return (0.0, 1.0);
    }
    if y == f64::INFINITY {
        return (1.0, 0.0);
    }
    let below_mean = y < s + lambda;
    let tail = match (s.max(lambda) <= SUM_UP_TO, below_mean) {
        (true, true) => sum_lower(s, lambda, y),
        (true, false) => sum_upper(s, lambda, y),
        (false, _) => integrate_tail(s, lambda, y, below_mean),
    };
    let tail = tail.clamp(0.0, 1.0);
    if below_mean { (tail, 1.0 - tail) } else { (1.0 - tail, tail) }
}

/// F(e^l) where e^l underflows: there only the j = 0 term counts, F = e^{−λ} y^s / Γ(s+1).
pub(crate) fn cdf_at_ln(s: f64, lambda: f64, ln_y: f64) -> f64 {
    if ln_y > -700.0 {
        return cdf_sf(s, lambda, ln_y.exp()).0;
    }
    (s * ln_y - lambda - ln_gamma(s + 1.0)).exp()
}

/// The counts j that carry all of Poisson(λ) but some 1e-25.
fn poisson_window(lambda: f64) -> (f64, f64) {
    let width = 11.0 * lambda.sqrt();
    ((lambda - width).max(0.0).floor(), (lambda + width + 60.0).ceil())
}

/// Σ_j Poisson(j; λ) P(s+j, y), downwards: P(s+j) = P(s+j+1) + y^{s+j} e^{−y} / Γ(s+j+1) only adds.
fn sum_lower(s: f64, lambda: f64, y: f64) -> f64 {
    let (first, last) = if lambda == 0.0 { (0.0, 0.0) } else { poisson_window(lambda) };
    let mut p = gamma_p_q(s + last, y).0;
    let mut weight = ln_poisson(last, lambda).exp();
    let mut increment = ln_poisson(s + last, y).exp();
    let mut sum = weight * p;
    let mut j = last;
    while j > first {
        // From j to j − 1, afresh where the ratio would start from an underflow.
        increment =
            if increment > 1e-290 { increment * (s + j) / y } else { ln_poisson(s + j - 1.0, y).exp() };
        weight = if weight > 1e-290 { weight * j / lambda } else { ln_poisson(j - 1.0, lambda).exp() };
        j -= 1.0;
        p += increment;
        sum += weight * p;
    }
    sum
}

/// Σ_j Poisson(j; λ) Q(s+j, y), upwards: Q(s+j+1) = Q(s+j) + y^{s+j} e^{−y} / Γ(s+j+1) only adds.
fn sum_upper(s: f64, lambda: f64, y: f64) -> f64 {
    let (first, last) = if lambda == 0.0 { (0.0, 0.0) } else { poisson_window(lambda) };
    let mut q = gamma_p_q(s + first, y).1;
    let mut weight = ln_poisson(first, lambda).exp();
    let mut increment = ln_poisson(s + first, y).exp();
    let mut sum = weight * q;
    let mut j = first;
    while j < last {
        q += increment;
        j += 1.0;
        increment = if increment > 1e-290 { increment * y / (s + j) } else { ln_poisson(s + j, y).exp() };
        weight = if weight > 1e-290 { weight * lambda / j } else { ln_poisson(j, lambda).exp() };
        sum += weight * q;
    }
    sum
}

/// The tail beyond y (below it or above it), as the integral of the density in units of its standard deviation.
fn integrate_tail(s: f64, lambda: f64, y: f64, lower: bool) -> f64 {
    let sd = (s + 2.0 * lambda).sqrt();
    let z = ((y - lambda) - s) / sd;
    let sign = if lower { -1.0 } else { 1.0 };
    let (mut total, mut from) = (0.0, 0.0);
    // Panels outwards from y, at most one standard deviation wide and narrower where the density falls fast.
    for _ in 0..400 {
        let width = 1.0f64.min(6.0 / (z + sign * from).abs().max(1.0));
        let middle = from + 0.5 * width;
        let mut panel = 0.0;
        for &(node, weight) in &GAUSS_LEGENDRE {
            for side in [-1.0, 1.0] {
                let at = y + sign * sd * (middle + 0.5 * width * side * node);
                if at > 0.0 {
                    panel += weight * ln_pdf(s, lambda, at).exp();
                }
            }
        }
        panel *= 0.5 * width * sd;
        total += panel;
        from += width;
        if panel <= total * 1e-17 {
            break;
        }
    }
    total
}

/// Nodes and weights of the Gauss–Legendre rule with 20 points on (−1, 1), the positive half.
const GAUSS_LEGENDRE: [(f64, f64); 10] = [
    (0.07652652113349734, 0.15275338713072628),
    (0.22778585114164507, 0.14917298647260424),
    (0.37370608871541955, 0.1420961093183824),
    (0.5108670019508271, 0.1316886384491769),
    (0.636053680726515, 0.1181945319615186),
    (0.7463319064601508, 0.1019301198172407),
    (0.8391169718222188, 0.08327674157670471),
    (0.912234428251326, 0.06267204833410879),
    (0.9639719272779138, 0.040601429800386446),
    (0.993128599185095, 0.017614007139150893),
];

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// (s, λ, y, ln f, F, 1 − F) at high precision: the mixture summed with mpmath, 50 digits.
    const REFERENCE: &[(f64, f64, f64, f64, f64, f64)] = &[
        (0.001, 0.5, 1e-20, 38.59847127263718, 0.579566245237761, 0.42043375476223893),
        (0.001, 2.0, 0.7, -1.3734909402519966, 0.3202258482969855, 0.6797741517030145),
        (0.1, 0.28, 0.05, 0.245257588129646, 0.5934642758586033, 0.4065357241413967),
        (0.1, 30.0, 20.0, -3.6982653027824246, 0.08625731493664889, 0.9137426850633511),
        (0.5, 1e-06, 0.2, 0.032353413292296726, 0.472910329981403, 0.527089670018597),
        (0.5, 3.0, 12.0, -5.507965448340895, 0.992847060782185, 0.007152939217815064),
        (2.5, 10.0, 5.0, -3.6945777915117275, 0.032434555371772755, 0.9675654446282272),
        (100.1, 50.0, 170.0, -4.60031087800985, 0.9164278137086982, 0.08357218629130181),
        (800.1, 0.0, 790.0, -4.3129971658281185, 0.36437715111351027, 0.6356228488864898),
        (0.0001, 900.0, 860.0, -5.087432290863382, 0.1731972349220838, 0.8268027650779162),
        (0.3, 4000.0, 4100.0, -6.044674801313801, 0.8672219216362954, 0.1327780783637046),
        (5000.0, 0.0, 4900.0, -6.170885675859158, 0.07794495622651391, 0.9220550437734861),
        (5000.0, 3.0, 5200.0, -8.994179179205968, 0.9970501180416544, 0.0029498819583455645),
        (3000.0, 2500.0, 5300.0, -7.935256845814815, 0.01203173999623195, 0.987968260003768),
        (20.0, 6000.0, 5500.0, -17.310531967004653, 6.313388759561109e-07, 0.999999368661124),
    ];

    #[test]
    fn density_and_tails_match_high_precision_reference() {
        for &(s, lambda, y, lp, p, q) in REFERENCE {
            assert_relative_eq!(ln_pdf(s, lambda, y), lp, max_relative = 1e-11, epsilon = 1e-11);
            let (got_p, got_q) = cdf_sf(s, lambda, y);
            assert_relative_eq!(got_p, p, max_relative = 1e-10, epsilon = 1e-300);
            assert_relative_eq!(got_q, q, max_relative = 1e-10, epsilon = 1e-300);
        }
    }

    #[test]
    fn regimes_agree_at_their_border() {
        for (s, lambda) in [(0.3, 1400.0), (1200.0, 1.0), (700.0, 900.0), (1400.0, 0.0)] {
            let sd = f64::sqrt(s + 2.0 * lambda);
            for z in [-6.0, -2.0, -0.1, 0.1, 2.0, 6.0] {
                let y = s + lambda + z * sd;
                let summed = if z < 0.0 { sum_lower(s, lambda, y) } else { sum_upper(s, lambda, y) };
                assert_relative_eq!(summed, integrate_tail(s, lambda, y, z < 0.0), max_relative = 1e-10);
            }
        }
    }

    #[test]
    fn far_arguments_are_defined() {
        assert_eq!(cdf_sf(0.1, 0.0, 0.0), (0.0, 1.0));
        assert_eq!(cdf_sf(1e9, 1e20, f64::INFINITY), (1.0, 0.0));
        assert!(ln_pdf(0.5, 1.0, 0.0) == f64::INFINITY && ln_pdf(1.0, 2.0, 0.0) == -2.0);
        assert!(ln_pdf(0.5, 1.0, -1.0) == f64::NEG_INFINITY && ln_pdf(0.5, 1.0, f64::NAN).is_nan());
        // At λ = 1e20 the law is normal; y itself is rounded to 1e-6 standard deviations there.
        let (p, q) = cdf_sf(0.3, 1e20, 1e20);
        assert!((p - 0.5).abs() < 1e-5 && (q - 0.5).abs() < 1e-5);
    }
}
