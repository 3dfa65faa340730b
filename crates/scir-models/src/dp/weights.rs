//! Weights by stick-breaking, in logarithms.

use scir_core::Simplex;

/// A part of a stick that is exactly nothing counts as the smallest positive f64: only a discretised transition, or a
/// state made by hand, can have one, and the logarithms must stay finite.
const LN_LEAST: f64 = -708.396_418_532_264_1;

/// ln ω_j with ω_j = v_j Π_{l<j} (1 − v_l), and what is left of the stick after the last of them.
///
/// In logarithms nothing underflows: a stick that is 1 but for 1e-300 leaves something that has a logarithm.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    pub(super) ln: Vec<f64>,
    /// ln Π_j (1 − v_j), which is ln(1 − Σ_j ω_j).
    pub(super) ln_left: f64,
}

impl Weights {
    pub(super) fn new(sticks: &[Simplex]) -> Self {
        let mut weights = Self { ln: Vec::with_capacity(sticks.len()), ln_left: 0.0 };
        sticks.iter().for_each(|stick| weights.push(stick));
        weights
    }

    fn push(&mut self, stick: &Simplex) {
        let ln = self.extend(stick);
        self.ln.push(ln);
    }

    /// One more break of what is left: the logarithm of what comes off.
    pub(super) fn extend(&mut self, stick: &Simplex) -> f64 {
        let [ln_v, ln_rest] = ln_parts(stick);
        let ln = self.ln_left + ln_v;
        self.ln_left += ln_rest;
        ln
    }
}

/// ln v and ln(1 − v), both finite.
pub(super) fn ln_parts(stick: &Simplex) -> [f64; 2] {
    let mut parts = [0.0; 2];
    stick.ln_omega(&mut parts).expect("a stick has two parts");
    parts.map(|ln| if ln == f64::NEG_INFINITY { LN_LEAST } else { ln })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_and_the_rest_add_up_to_one() {
        let stick = |v: f64| Simplex::new(vec![v, 1.0 - v]).unwrap();
        let weights = Weights::new(&[stick(0.5), stick(0.2), stick(0.9)]);
        for (ln, truth) in weights.ln.iter().zip([0.5, 0.1, 0.36]) {
            approx::assert_relative_eq!(ln.exp(), truth, max_relative = 1e-12);
        }
        approx::assert_relative_eq!(weights.ln_left.exp(), 0.04, max_relative = 1e-12);
    }

    #[test]
    fn a_stick_of_exactly_one_or_nothing_has_finite_logarithms() {
        let weights = Weights::new(&[
            Simplex::new(vec![3.0, 0.0]).unwrap(),
            Simplex::new(vec![0.0, 1.0]).unwrap(),
            Simplex::from_ln(&[0.0, -5000.0]).unwrap(),
        ]);
        assert_eq!(weights.ln[0], 0.0);
        assert!(weights.ln.iter().all(|ln| ln.is_finite()));
        approx::assert_relative_eq!(weights.ln_left, LN_LEAST - 5000.0, max_relative = 1e-12);
    }
}
