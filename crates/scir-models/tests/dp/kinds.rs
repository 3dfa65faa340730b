//! Other kinds of items through the same trait: records of several variables, and numbers.

use super::{run, settings};
use scir_core::rand::RngExt;
use scir_core::{Exact, Purpose, Scir, StepSize, StreamRng, Streams};
use scir_data::{Corpus, Document};
use scir_eval::adjusted_rand_index;
use scir_models::dp::{Alpha, Atoms, DpMixture, DpSettings, Estimator, Moves, Multinomials};
use scir_models::{At, Error, Result, Sampler};

const PRIOR: Alpha = Alpha::Gamma { shape: 1.0, rate: 1.0 };

/// Records of four variables with 3, 2, 4 and 3 categories, in two clusters that mostly differ in all of them; every tenth
/// value is missing.
fn records() -> (Corpus, Vec<u32>) {
    let (sizes, mut truth) = ([3u32, 2, 4, 3], Vec::new());
    let records = (0..400u64).map(|i| {
        let mut rng = Streams::new(2).rng(Purpose::new("test: record"), 0, i);
        let cluster: u32 = rng.random_range(0..2);
        truth.push(cluster);
        let mut start = 0;
        let mut values = Vec::new();
        for size in sizes {
            let usual = rng.random::<f64>() < 0.85;
            let value = if usual { cluster } else { rng.random_range(0..size) };
            if rng.random::<f64>() > 0.1 {
                values.push(start + value);
            }
            start += size;
        }
        Ok(Document::from_tokens(values).without_order())
    });
    let corpus = Corpus::collect(records.collect::<Vec<_>>().into_iter()).unwrap();
    (corpus, truth)
}

#[test]
fn products_of_categoricals_recover_clusters() {
    let (corpus, truth) = records();
    // A base measure for each category, in both forms.
    for base in [0.5.into(), scir_models::Concentration::from(vec![0.5; 12])] {
        let atoms = Multinomials::product(&[3, 2, 4, 3], base).unwrap();
        let mut mixture = DpMixture::new(settings(PRIOR, 6), atoms, 400, 1).unwrap();
        run(&mut mixture, Scir, 0.2, &corpus, 100, 600, 1).unwrap();
        let index = adjusted_rand_index(mixture.allocations(), &truth).unwrap();
        assert!(index > 0.6, "{index}");
        let heaviest = &mixture.describe(1).unwrap()[..2];
        for (variable, range) in [0..3u32, 3..5, 5..9, 9..12].into_iter().enumerate() {
            let tops: Vec<u32> = heaviest.iter().map(|cluster| cluster.top[variable][0].0).collect();
            assert!(tops.iter().all(|top| range.contains(top)) && tops[0] != tops[1], "{variable}: {tops:?}");
        }
    }
    assert!(Multinomials::product(&[], 0.5).is_err());
    assert!(Multinomials::product(&[3, 0], 0.5).is_err());
    assert!(Multinomials::product(&[3, 2], vec![0.5; 4]).is_err());
    assert!(Multinomials::new(3, -1.0).is_err());
}

/// Normal clusters with variance 1 and means ~ N(0, 100): no simplex at all.
#[derive(Default)]
struct Normals(Vec<f64>);

fn normal(rng: &mut StreamRng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

impl Atoms for Normals {
    type Batch = Vec<(usize, f64)>;
    type Table = Vec<f64>;

    fn clusters(&self) -> usize {
        self.0.len()
    }
    fn open(&mut self, rng: &mut StreamRng) -> Result<()> {
        self.0.push(10.0 * normal(rng));
        Ok(())
    }
    fn truncate(&mut self, clusters: usize) {
        self.0.truncate(clusters);
    }
    fn swap(&mut self, a: usize, b: usize) {
        self.0.swap(a, b);
    }
    fn table(&self, order: &[u32]) -> Result<Vec<f64>> {
        Ok(order.iter().map(|&j| self.0[j as usize]).collect())
    }
    fn densities(&self, means: &Vec<f64>, x: f64, densities: &mut [f64]) -> f64 {
        let ln = |mean: &f64| -0.5 * (x - mean).powi(2);
        let largest = means[..densities.len()].iter().map(ln).fold(f64::NEG_INFINITY, f64::max);
        densities.iter_mut().zip(means).for_each(|(density, mean)| *density = (ln(mean) - largest).exp());
        largest - 0.5 * std::f64::consts::TAU.ln()
    }
    fn settle(&mut self, batch: &Self::Batch, clusters: &[u32], scale: f64, at: At) -> Result<()> {
        let mut sums = vec![(0.0, 0.01); self.0.len()];
        for (&(_, x), &cluster) in batch.iter().zip(clusters) {
            let (sum, precision) = &mut sums[cluster as usize];
            (*sum, *precision) = (*sum + scale * x, *precision + scale);
        }
        for (j, (mean, (sum, precision))) in self.0.iter_mut().zip(sums).enumerate() {
            *mean = sum / precision
                + normal(&mut at.rng(Purpose::new("test: mean"), j as u64)) / precision.sqrt();
        }
        Ok(())
    }
}

#[test]
fn a_gaussian_is_one_implementation() {
    let mut rng = Streams::new(1).rng(Purpose::new("test: numbers"), 0, 0);
    let items: Vec<(usize, f64)> =
        (0..300).map(|i| (i, [-6.0, 0.0, 7.0][i % 3] + normal(&mut rng))).collect();
    let mut mixture = DpMixture::new(settings(PRIOR, 8), Normals::default(), 300, 1).unwrap();
    let mut sampler = Sampler::new(Exact, StepSize::constant(1.0).unwrap(), 300, 1).unwrap();
    for _ in 0..200 {
        sampler.step(&mut mixture, &items).unwrap();
    }
    let truth: Vec<usize> = (0..300).map(|i| i % 3).collect();
    let index = adjusted_rand_index(mixture.allocations(), &truth).unwrap();
    assert!(index > 0.85, "{index}");
    // Swaps and new labels need nothing of the atoms; control variates do.
    let moves = Moves { swaps: 3, relabel: true, ..Moves::NONE };
    let with_moves = DpSettings { moves, ..settings(PRIOR, 8) };
    let mut moving = DpMixture::new(with_moves, Normals::default(), 300, 1).unwrap();
    for _ in 0..50 {
        sampler.step(&mut moving, &items).unwrap();
    }
    assert!(adjusted_rand_index(moving.allocations(), &truth).unwrap() > 0.8);
    assert!(moving.moves().swaps_accepted > 0 && moving.moves().relabels == 50);
    let sums = DpSettings { counts: Estimator::ControlVariates, ..settings(PRIOR, 8) };
    assert!(matches!(DpMixture::new(sums, Normals::default(), 300, 1), Err(Error::NoSums)));
    let ln_p = mixture.ln_predictive([0.0, 40.0]).unwrap();
    assert!((ln_p[0] - (-(3.0f64).ln() - 0.919)).abs() < 0.3 && ln_p[1] < -300.0, "{ln_p:?}");
}
