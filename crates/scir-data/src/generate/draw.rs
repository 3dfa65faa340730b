//! Draws that the generators share: a category by given weights, a point of the simplex.

use scir_core::rand::{Rng, RngExt};
use scir_core::{Exact, Prior, Simplex, Target};

/// Categories with weights, drawn from by inversion: exact up to the rounding of the running sums, and a category of
/// weight zero never comes.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    /// The running sums; the last is the total.
    sums: Vec<f64>,
    /// The last category with a weight, where a draw goes that rounding put at the total.
    last: usize,
}

impl Weights {
    /// From weights that are at least 0, with a positive and finite sum.
    pub(super) fn new(weights: &[f64]) -> Self {
        let mut sum = 0.0;
        let sums = weights
            .iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or_default();
        Self { sums, last }
    }

    /// A category, with probability its weight over the total.
    pub(super) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> usize {
        let total = self.sums.last().copied().unwrap_or_default();
        let at = rng.random::<f64>() * total;
        self.sums.partition_point(|&sum| sum <= at).min(self.last)
    }
}

/// A draw ω ~ Dir(α) of `dimension` coordinates, in the exact way that stays right for the smallest α.
///
/// # Panics
/// If the prior is not positive or the dimension is 0; settings are checked before.
pub(super) fn dirichlet<R: Rng + ?Sized>(prior: Prior<'_>, dimension: usize, rng: &mut R) -> Simplex {
    const CHECKED: &str = "the settings were checked";
    let mut simplex = Simplex::uniform(dimension).expect(CHECKED);
    let none = vec![0.0; dimension];
    let target = Target::new(prior, &none).expect(CHECKED);
    simplex.step(&Exact, target, 1.0, rng).expect(CHECKED);
    simplex
}

/// ω of a simplex.
pub(super) fn omega(simplex: &Simplex) -> Vec<f64> {
    let mut omega = vec![0.0; simplex.len()];
    simplex.omega(&mut omega).expect("the lengths are equal");
    omega
}
