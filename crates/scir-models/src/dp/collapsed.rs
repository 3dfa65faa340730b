//! Multinomials with their parameters integrated out: the Dirichlet-multinomial law of the items of a cluster.

use super::atoms::Sums;
use super::multinomials::Multinomials;
use scir_data::DocView;

/// A product that has come below this is put into its logarithm, before it underflows.
const SMALL: f64 = 1e-250;

/// ln of Π over the variables of Γ(A)/Γ(A + n) Π_w Γ(a_w + n_w)/Γ(a_w), with A = Σ_w a_w.
pub(super) fn ln_marginal(atoms: &Multinomials, sums: &Sums) -> f64 {
    let base = atoms.base();
    let rise = |a: f64, n: f64| if n == 0.0 { 0.0 } else { libm::lgamma(a + n) - libm::lgamma(a) };
    let counts = sums.counts.iter().enumerate().map(|(w, &n)| rise(base.at(w), n)).sum::<f64>();
    let totals = atoms.masses().iter().zip(&sums.totals).map(|(&mass, &n)| rise(mass, n)).sum::<f64>();
    counts - totals
}

/// The logarithm of what one more item multiplies it by. Its entries come one after the other, each as the next draw from an
/// urn: (a_w + n_w) / (A + n), with those before it counted.
pub(super) fn ln_given(atoms: &Multinomials, item: DocView<'_>, sums: &Sums) -> f64 {
    let (base, masses) = (atoms.base(), atoms.masses());
    let (mut product, mut ln) = (1.0, 0.0);
    // Categories are in order, and so are those of a variable: the entries of this variable that came before.
    let (mut variable, mut before) = (usize::MAX, 0.0);
    for (w, count) in item.iter() {
        let place = atoms.place(w).0;
        if place != variable {
            (variable, before) = (place, 0.0);
        }
        let (own, all) = (base.at(w as usize) + sums.counts[w as usize], masses[place] + sums.totals[place]);
        for k in 0..count {
            product *= (own + f64::from(k)) / (all + before);
            before += 1.0;
            if product < SMALL {
                ln += product.ln();
                product = 1.0;
            }
        }
    }
    ln + product.ln()
}
