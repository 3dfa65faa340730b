//! Reading clusters: weight, size and most probable categories of each.

use super::{DpMixture, Multinomials};
use crate::error::Result;
use crate::top::top;

/// A cluster that has items, as a person would look at it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Cluster {
    /// Its number, as in [`DpMixture::allocations`].
    pub number: usize,
    /// Its weight ω, out of those of all instantiated clusters.
    pub weight: f64,
    /// How many items of the data it has.
    pub size: usize,
    /// For each variable (one, for multinomials) its most probable categories with their probabilities, most probable
    /// first. Categories are numbered as in the items.
    pub top: Vec<Vec<(u32, f64)>>,
}

impl DpMixture<Multinomials> {
    /// The clusters that have items, the heaviest first, each with the `count` most probable categories of every variable.
    ///
    /// # Errors
    /// Never for a mixture that was made by this crate.
    pub fn describe(&self, count: usize) -> Result<Vec<Cluster>> {
        let mut clusters = Vec::new();
        for (number, (weight, &size)) in self.weights().into_iter().zip(&self.sizes).enumerate() {
            if size == 0 {
                continue;
            }
            let (mut first, mut tops) = (0, Vec::new());
            for simplex in self.atoms.atom(number) {
                let mut omega = vec![0.0; simplex.len()];
                simplex.omega(&mut omega)?;
                tops.push(top(first, &omega, count));
                first += omega.len() as u32;
            }
            clusters.push(Cluster { number, weight, size, top: tops });
        }
        clusters.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        Ok(clusters)
    }
}
