//! The two posteriors of the experiment, and where the chains start.

use rand::RngExt;
use scir_core::{Purpose, Simplex, Streams};

/// The number of categories.
pub(crate) const CATEGORIES: usize = 10;
/// The number of items.
pub(crate) const ITEMS: usize = 1000;
/// The symmetric Dirichlet prior.
pub(crate) const ALPHA: f64 = 0.1;

const START: Purpose = Purpose::new("synthetic start");

/// A Dirichlet posterior Dir(α + counts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posterior {
    pub(crate) name: &'static str,
    counts: [u16; CATEGORIES],
}

impl Posterior {
    /// 800 items in the first category, 100 in each of the next two, and none in the others.
    pub(crate) fn sparse() -> Self {
        Self { name: "sparse", counts: [800, 100, 100, 0, 0, 0, 0, 0, 0, 0] }
    }

    /// About 100 items in every category.
    pub(crate) fn dense() -> Self {
        Self { name: "dense", counts: [112, 119, 92, 98, 95, 96, 102, 92, 91, 103] }
    }

    /// The items: the category of each.
    pub(crate) fn items(&self) -> Vec<usize> {
        let repeat = |(category, &count): (usize, &u16)| std::iter::repeat_n(category, usize::from(count));
        self.counts.iter().enumerate().flat_map(repeat).collect()
    }

    /// The counts as numbers.
    pub(crate) fn counts(&self) -> [f64; CATEGORIES] {
        self.counts.map(f64::from)
    }

    /// The parameters of the posterior.
    pub(crate) fn parameters(&self) -> [f64; CATEGORIES] {
        self.counts().map(|count| ALPHA + count)
    }

    /// Where the paper starts: counts of 1000 uniform allocations (sparse) or of the data (dense), plus α.
    pub(crate) fn start(&self, streams: Streams) -> Vec<f64> {
        if self.name == "dense" {
            return self.parameters().to_vec();
        }
        let mut theta = vec![ALPHA; CATEGORIES];
        let mut rng = streams.rng(START, 0, 0);
        (0..ITEMS).for_each(|_| theta[rng.random_range(0..CATEGORIES)] += 1.0);
        theta
    }

    /// The same point of the simplex with Σθ at Σα, the mean of its law under SGRLD.
    pub(crate) fn start_at_prior_scale(&self, streams: Streams) -> Vec<f64> {
        let theta = self.start(streams);
        let factor = ALPHA * CATEGORIES as f64 / theta.iter().sum::<f64>();
        theta.into_iter().map(|x| x * factor).collect()
    }

    /// A stable number, for the random streams.
    pub(crate) fn id(&self) -> u64 {
        u64::from(self.name == "dense")
    }

    /// A simplex at the start of `sampler`'s chains.
    pub(crate) fn simplex(&self, at_prior_scale: bool, streams: Streams) -> scir_core::Result<Simplex> {
        Simplex::new(if at_prior_scale { self.start_at_prior_scale(streams) } else { self.start(streams) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posteriors_are_those_of_the_paper() {
        for posterior in [Posterior::sparse(), Posterior::dense()] {
            assert_eq!(posterior.items().len(), ITEMS);
            assert_eq!(posterior.counts().iter().sum::<f64>(), ITEMS as f64);
            let start: f64 = posterior.start(Streams::new(1)).iter().sum();
            assert!((start - 1001.0).abs() < 1e-9);
            let scaled: f64 = posterior.start_at_prior_scale(Streams::new(1)).iter().sum();
            assert!((scaled - 1.0).abs() < 1e-9);
        }
        assert_eq!(Posterior::sparse().parameters()[4], 0.1);
    }
}
