//! Clusters that are known come out again, and do not if atoms are fitted to the wrong items.

use super::wrong::{Mistake, Wrong};
use super::{mixture, run, settings};
use scir_core::{Exact, Method, Scir};
use scir_data::generate::{DpSettings as Generate, Length};
use scir_data::{Corpus, Generator};
use scir_eval::adjusted_rand_index;
use scir_models::dp::{Alpha, DpMixture, DpSettings, Multinomials};

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

    let mistake = Mistake::Index(corpus.clone());
    let atoms = Wrong { atoms: Multinomials::new(40, 0.1).unwrap(), mistake };
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
