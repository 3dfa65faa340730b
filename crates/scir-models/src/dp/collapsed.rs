//! Multinomials with their parameters integrated out: the Dirichlet-multinomial law of the items of a cluster.

use super::atoms::Sums;
use super::multinomials::Multinomials;

/// ln of Π over the variables of Γ(A)/Γ(A + n) Π_w Γ(a_w + n_w)/Γ(a_w), with A = Σ_w a_w.
pub(super) fn ln_marginal(atoms: &Multinomials, sums: &Sums) -> f64 {
    let base = atoms.base();
    let rise = |a: f64, n: f64| if n == 0.0 { 0.0 } else { libm::lgamma(a + n) - libm::lgamma(a) };
    let counts = sums.counts.iter().enumerate().map(|(w, &n)| rise(base.at(w), n)).sum::<f64>();
    let totals = atoms.masses().iter().zip(&sums.totals).map(|(&mass, &n)| rise(mass, n)).sum::<f64>();
    counts - totals
}
