//! Clusters that are known come out again, and do not if atoms are fitted to the wrong items.

use super::{mixture, run, settings};
use scir_core::{Exact, Method, Scir, StreamRng};
use scir_data::generate::{DpSettings as Generate, Length};
use scir_data::{Corpus, DocView, Generator, Minibatch};
use scir_eval::adjusted_rand_index;
use scir_models::dp::{Alpha, AtomCounts, Atoms, DpMixture, DpSettings, Multinomials, Table};
use scir_models::{Block, Result};

const PRIOR: Alpha = Alpha::Gamma { shape: 1.0, rate: 1.0 };

pub(super) fn truth() -> (Corpus, Vec<usize>) {
    let length = Length::Fixed(12);
    let settings = Generate { records: 600, categories: 40, alpha: 1.5, base: 0.08, length, seed: 5 };
    let generator = settings.generator().unwrap();
    (generator.corpus().unwrap(), (0..600).map(|i| generator.cluster(i)).collect())
}

fn settings_from(initial: usize) -> DpSettings {
    settings(PRIOR, initial)
}

/// Atoms with the mistake of the released code: the items of a cluster are looked up in the whole data by their place in the
/// minibatch.
struct WrongIndex {
    atoms: Multinomials,
    corpus: Corpus,
}

impl Atoms for WrongIndex {
    type Batch = Minibatch;
    type Table = Table;

    fn clusters(&self) -> usize {
        self.atoms.clusters()
    }
    fn open(&mut self, rng: &mut StreamRng) -> Result<()> {
        self.atoms.open(rng)
    }
    fn truncate(&mut self, clusters: usize) {
        self.atoms.truncate(clusters);
    }
    fn swap(&mut self, a: usize, b: usize) {
        self.atoms.swap(a, b);
    }
    fn table(&self, order: &[u32]) -> Result<Table> {
        self.atoms.table(order)
    }
    fn densities(&self, table: &Table, item: DocView<'_>, densities: &mut [f64]) -> f64 {
        self.atoms.densities(table, item, densities)
    }
    fn count(&self, _: &Minibatch, members: &[u32], cluster: u32, counts: &mut AtomCounts<'_>) {
        for &i in members {
            let item = self.corpus.doc(i as usize).iter();
            item.for_each(|(word, count)| counts.add(cluster, word, f64::from(count)));
        }
    }
    fn block(&mut self) -> Option<Block<'_>> {
        self.atoms.block()
    }
}

#[test]
fn clusters_are_recovered() {
    let (corpus, truth) = truth();
    let mut gibbs = mixture(settings_from(12), &corpus, 0.1, 1);
    run(&mut gibbs, Exact, 1.0, &corpus, 600, 100, 1).unwrap();
    let index = adjusted_rand_index(gibbs.allocations(), &truth).unwrap();
    assert!(index > 0.9, "Gibbs: {index}");
    let mut scir = mixture(settings_from(12), &corpus, 0.1, 1);
    run(&mut scir, Scir, 0.2, &corpus, 100, 600, 1).unwrap();
    let index = adjusted_rand_index(scir.allocations(), &truth).unwrap();
    assert!(index > 0.9, "SCIR: {index}");

    let atoms = WrongIndex { atoms: Multinomials::new(40, 0.1).unwrap(), corpus: corpus.clone() };
    let mut wrong = DpMixture::new(settings_from(12), atoms, 600, 1).unwrap();
    run(&mut wrong, Scir, 0.2, &corpus, 100, 600, 1).unwrap();
    let index = adjusted_rand_index(wrong.allocations(), &truth).unwrap();
    assert!(index < 0.5, "wrong: {index}");
}

/// The same bits on one and two threads, and for exact draws and an infinite step.
#[test]
fn threads_do_not_change_the_bits() {
    let (corpus, _) = truth();
    let run = |method: Method, h: f64, size: usize, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut mixture = mixture(settings_from(5), &corpus, 0.1, 3);
            run(&mut mixture, method, h, &corpus, size, 20, 3).unwrap();
            let predictive = mixture.ln_predictive(corpus.docs()).unwrap();
            (mixture, predictive)
        })
    };
    let reference = run(Method::Scir, 0.1, 250, 1);
    assert_eq!(run(Method::Scir, 0.1, 250, 2), reference);
    let full = run(Method::Exact, 1.0, 600, 2);
    assert_eq!(run(Method::Scir, f64::INFINITY, 600, 1), full);
    assert!(full.0.allocations() != reference.0.allocations());
}
