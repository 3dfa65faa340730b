//! e^x for the inner loop: inlined, short, and the same on every platform.

/// 2^{i/64}.
#[allow(clippy::approx_constant)]
#[rustfmt::skip]
const POWERS: [f64; 64] = [
    1.0, 1.0108892860517005, 1.0218971486541166, 1.0330248790212284,
    1.0442737824274138, 1.0556451783605572, 1.0671404006768237, 1.0787607977571199,
    1.0905077326652577, 1.102382583307841, 1.1143867425958924, 1.1265216186082418,
    1.1387886347566916, 1.1511892299529827, 1.1637248587775775, 1.1763969916502812,
    1.189207115002721, 1.202156731452703, 1.215247359980469, 1.22848053610687,
    1.241857812073484, 1.255380757024691, 1.2690509571917332, 1.2828700160787783,
    1.2968395546510096, 1.3109612115247644, 1.3252366431597413, 1.339667524053303,
    1.3542555469368927, 1.3690024229745905, 1.383909881963832, 1.3989796725383112,
    1.4142135623730951, 1.42961333839197, 1.4451808069770467, 1.460917794180647,
    1.4768261459394993, 1.4929077282912648, 1.5091644275934228, 1.5255981507445384,
    1.5422108254079407, 1.559004400237837, 1.5759808451078865, 1.593142151342267,
    1.6104903319492543, 1.6280274218573478, 1.645755478153965, 1.6636765803267364,
    1.681792830507429, 1.7001063537185235, 1.718619298122478, 1.7373338352737062,
    1.7562521603732995, 1.7753764925265212, 1.7947090750031072, 1.8142521755003989,
    1.8340080864093424, 1.8539791250833855, 1.8741676341103, 1.8945759815869656,
    1.9152065613971474, 1.9360617934922943, 1.9571441241754002, 1.978456026387951,
];

/// e^x for x ≤ 0, to 1 unit in the last place; 0 where the result is below the smallest normal f64.
#[inline(always)]
pub(crate) fn exp_nonpositive(x: f64) -> f64 {
    /// ln of the smallest normal f64, rounded towards zero.
    const SMALLEST: f64 = -708.396_418_532_264_1;
    // ln(2)/64 in two parts; the first has enough trailing zeros for k·HIGH to be exact.
    const HIGH: f64 = f64::from_bits(0x3f862e42f8000000);
    const LOW: f64 = 2.030704202170295e-10;
    /// Adding it to a number rounds that to an integer, which can be read off the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    if x < SMALLEST {
        return 0.0;
    }
    let shifted = x * (64.0 * std::f64::consts::LOG2_E) + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * HIGH) - k * LOW;
    // e^r − 1 for |r| ≤ ln(2)/128: the next term of the series is 3e-17.
    let r2 = r * r;
    let p = r + r2 * ((0.5 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0)));
    // k = 64·e + i: e goes into the exponent of 2^{i/64}.
    let k = shifted.to_bits();
    let power = POWERS[(k & 63) as usize];
    let exponent = (k >> 6) << 52;
    let power = f64::from_bits(power.to_bits().wrapping_add(exponent));
    power + power * p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_library() {
        let mut worst: f64 = 0.0;
        for i in 0..2_000_000 {
            let x = -708.39 * f64::from(i) / 2_000_000.0 - 1e-9 * f64::from(i % 7);
            worst = worst.max((exp_nonpositive(x) / x.exp() - 1.0).abs());
        }
        assert!(worst < 2.0 * f64::EPSILON, "relative error {worst}");
        assert_eq!(exp_nonpositive(0.0), 1.0);
        assert_eq!(exp_nonpositive(-0.0), 1.0);
        assert_eq!(exp_nonpositive(-1e-300), 1.0);
        assert_eq!(exp_nonpositive(-709.0), 0.0);
        assert_eq!(exp_nonpositive(f64::NEG_INFINITY), 0.0);
    }
}
