//! The scale of simplexes, drawn anew where counts are exact.

use super::atoms::Atoms;
use super::{DpMixture, SCALE};
use crate::error::Result;
use crate::model::{At, Model, Priors};
use scir_core::{Cir, Prior, Simplex};

impl<A: Atoms> DpMixture<A> {
    /// Draws Σθ of every stick and atom from its law given the counts, and leaves ω as it is.
    ///
    /// A step of SCIR towards Gamma(a_k) in every coordinate leaves ω ~ Dir(a) as it is for any Σθ that says nothing
    /// about ω, since Σθ only sets the pace at which ω moves. But a scale that is still that of earlier
    /// counts, or of an earlier α, does say something: of allocations and an α that ω was drawn with. Drawn anew given the present
    /// counts, it says nothing that they do not, and a step of any size leaves the posterior as it is.
    pub(super) fn refresh_scales(&mut self, at: At) -> Result<()> {
        for (b, block) in (0u64..).zip(self.blocks()) {
            let Some(known) = block.known else { continue };
            let mut start = 0;
            for (k, simplex) in block.simplexes.iter_mut().enumerate() {
                let counts = &known.counts[start..start + simplex.len()];
                start += simplex.len();
                let shape =
                    prior_sum(&block.priors, k, simplex.len()) + known.factor * counts.iter().sum::<f64>();
                let mut rng = at.rng(SCALE, b << 32 | k as u64);
                rescale(simplex, Cir::targeting(shape, 1.0)?.stationary().sample(&mut rng));
            }
        }
        Ok(())
    }
}

fn prior_sum(priors: &Priors<'_>, k: usize, len: usize) -> f64 {
    match priors.of(k) {
        Prior::Symmetric(a) => a * len as f64,
        Prior::Each(a) => a.iter().sum(),
    }
}

/// Multiplies θ so that it adds up to `sum`.
fn rescale(simplex: &mut Simplex, sum: f64) {
    let ln_factor = sum.ln() - simplex.ln_sum();
    if !ln_factor.is_finite() {
        return;
    }
    let factor = ln_factor.exp();
    let mut theta = simplex.coordinates();
    for j in 0..theta.len() {
        let scaled = factor * theta.theta()[j];
        if scaled >= f64::MIN_POSITIVE && scaled < f64::INFINITY {
            theta.set(j, scaled);
        } else {
            theta.set_ln(j, theta.ln_theta(j) + ln_factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omega_stays_and_the_sum_is_as_asked() {
        for ln in [[0.0, 1.0, -2.0], [-800.0, -801.0, -5000.0], [3.0, -900.0, 600.0]] {
            let mut simplex = Simplex::from_ln(&ln).unwrap();
            let [mut before, mut after] = [[0.0; 3]; 2];
            simplex.ln_omega(&mut before).unwrap();
            rescale(&mut simplex, 7.5);
            simplex.ln_omega(&mut after).unwrap();
            before
                .iter()
                .zip(after)
                .for_each(|(a, b)| approx::assert_relative_eq!(*a, b, max_relative = 1e-9, epsilon = 1e-9));
            approx::assert_relative_eq!(simplex.ln_sum(), 7.5f64.ln(), max_relative = 1e-9);
        }
    }
}
