//! What a mixture says of items: how probable they are, and in which cluster they belong.

use super::DpMixture;
use super::atoms::{Atoms, Batch};
use crate::error::Result;
use crate::parallel;

impl<A: Atoms> DpMixture<A> {
    /// The logarithm of the predictive density of each item,
    ///
    /// ```text
    /// ln Σ_j ω_j f(x | θ_j),
    /// ```
    ///
    /// over the instantiated clusters, whose weights are divided by their sum: that an item belongs to a cluster which
    /// has no item of the data yet, as it does with a probability of about α/(N + α), is left out. No density is 0 by
    /// underflow. Minus the mean over held-out items is the score of the SCIR paper; to average densities over draws of the
    /// mixture, use [`LogPredictive`](scir_eval::LogPredictive).
    ///
    /// # Errors
    /// If an item is not of the kind that the atoms are for.
    pub fn ln_predictive<'a>(
        &self,
        items: impl IntoIterator<Item = <A::Batch as Batch>::Item<'a>>,
    ) -> Result<Vec<f64>>
    where
        A::Batch: 'a,
    {
        let items: Vec<_> = items.into_iter().collect();
        self.joint(items.len(), |i| items[i], |_, joint, ln_scale| ln_scale + joint.iter().sum::<f64>().ln())
    }

    /// The posterior probabilities of the clusters for each item, given the mixture: P(z = j | x) ∝ ω_j f(x | θ_j) over the
    /// instantiated clusters. The item need not be one of the data.
    ///
    /// # Errors
    /// As [`ln_predictive`](Self::ln_predictive).
    pub fn infer<'a>(
        &self,
        items: impl IntoIterator<Item = <A::Batch as Batch>::Item<'a>>,
    ) -> Result<Vec<Vec<f64>>>
    where
        A::Batch: 'a,
    {
        let items: Vec<_> = items.into_iter().collect();
        let shares = |_, joint: &[f64], _| {
            let sum: f64 = joint.iter().sum();
            joint.iter().map(|x| x / sum).collect()
        };
        self.joint(items.len(), |i| items[i], shares)
    }

    /// For each of `count` items the `result` of its number and of ω_j f(x | θ_j) for all clusters, divided by a number
    /// whose logarithm comes along.
    pub(super) fn joint<'a, R: Send>(
        &self,
        count: usize,
        item: impl Fn(usize) -> <A::Batch as Batch>::Item<'a> + Sync + Send,
        result: impl Fn(usize, &[f64], f64) -> R + Sync + Send,
    ) -> Result<Vec<R>>
    where
        A::Batch: 'a,
    {
        (0..count).try_for_each(|i| self.atoms.check(item(i)))?;
        let ln_weights = self.ln_weights();
        let weights: Vec<f64> = ln_weights.iter().map(|ln| ln.exp()).collect();
        let order: Vec<u32> = (0..weights.len() as u32).collect();
        let table = self.atoms.table(&order)?;
        let results = parallel::map(parallel::parts(count), |part| {
            let mut joint = vec![0.0; order.len()];
            let of_item = |i| {
                let ln_scale = self.atoms.densities(&table, item(i), &mut joint);
                let ln_largest = weigh(&mut joint, &weights, &ln_weights);
                result(i, &joint, ln_scale + ln_largest)
            };
            Ok(part.map(of_item).collect::<Vec<R>>())
        })?;
        Ok(results.into_iter().flatten().collect())
    }
}

/// Multiplies densities by weights. If that underflows, they are divided by a number whose logarithm is returned.
fn weigh(densities: &mut [f64], weights: &[f64], ln_weights: &[f64]) -> f64 {
    let products = || densities.iter().zip(weights).map(|(density, weight)| density * weight);
    if products().sum::<f64>() > 1e-250 {
        densities.iter_mut().zip(weights).for_each(|(density, weight)| *density *= weight);
        return 0.0;
    }
    densities.iter_mut().zip(ln_weights).for_each(|(density, ln)| *density = density.ln() + ln);
    let largest = densities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    densities.iter_mut().for_each(|x| *x = (*x - largest).exp());
    largest
}

/// ln Σ e^x.
pub(super) fn ln_sum_exp(x: &[f64]) -> f64 {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + x.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}
