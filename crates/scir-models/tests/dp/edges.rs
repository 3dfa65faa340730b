//! The ends of the range: degenerate sticks, empty clusters, empty users, tiny data, tiny parameters, too many clusters.

use super::{mixture, omega, run, settings, whole};
use scir_core::{Exact, Method, Scir, Simplex, StepSize};
use scir_data::{Batching, Corpus, Document};
use scir_models::dp::{Alpha, DpMixture, DpSettings, Multinomials, Start, UNSEEN};
use scir_models::{Error, Sampler};

const PRIOR: Alpha = Alpha::Gamma { shape: 1.0, rate: 1.0 };

fn corpus(documents: &[&[u32]]) -> Corpus {
    let mut builder = scir_data::CorpusBuilder::with_words(4);
    documents.iter().for_each(|d| builder.push(Document::from_tokens(d.to_vec()).view()).unwrap());
    builder.finish()
}

/// What must hold of any state.
fn check(mixture: &DpMixture) {
    assert!(mixture.alpha() > 0.0 && mixture.alpha().is_finite());
    let weights = mixture.weights();
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{weights:?}");
    let mut sizes = vec![0; weights.len()];
    mixture.allocations().iter().for_each(|&z| sizes[z as usize] += 1);
    assert_eq!(sizes, mixture.sizes());
    assert!(sizes[sizes.len() - 1] > 0, "clusters after the last one in use are dropped");
    assert_eq!(mixture.occupied(), sizes.iter().filter(|&&size| size > 0).count());
}

#[test]
fn a_stick_of_exactly_one_and_an_empty_cluster_are_legal() {
    let users = corpus(&[&[0, 0, 1], &[2, 3], &[2]]);
    for method in [Method::Scir, Method::Exact, Method::Sgrld] {
        let sticks = [[3.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0]];
        let sticks = sticks.map(|parts| Simplex::new(parts.to_vec()).unwrap()).to_vec();
        let atoms = Multinomials::new(4, 0.5).unwrap();
        let atoms = atoms.with_atoms(vec![Simplex::uniform(4).unwrap(); 4]).unwrap();
        // Cluster 1 is empty, and clusters 2 and 3 come after a stick that leaves nothing.
        let clusters = vec![0, 2, 3];
        let mut mixture = DpMixture::with_state(settings(PRIOR, 1), 0.5, sticks, atoms, clusters).unwrap();
        check(&mixture);
        assert_eq!(mixture.sizes(), [1, 0, 1, 1]);
        assert!(mixture.ln_predictive(users.docs()).unwrap().iter().all(|ln| ln.is_finite()));
        run(&mut mixture, method, 0.1, &users, 2, 50, 1).unwrap();
        check(&mixture);
    }
}

#[test]
fn users_without_visits_single_users_and_large_minibatches_are_legal() {
    for users in [corpus(&[&[]]), corpus(&[&[1, 1]]), corpus(&[&[0], &[], &[3, 3, 3], &[]])] {
        let mut mixture = mixture(settings(PRIOR, 3), &users, 0.5, 1);
        run(&mut mixture, Scir, 0.2, &users, users.len(), 100, 1).unwrap();
        check(&mixture);
        // With replacement: more items than the data has.
        run(&mut mixture, Scir, 0.2, &users, 7 * users.len(), 100, 2).unwrap();
        check(&mixture);
        let shares = mixture.infer(users.docs()).unwrap();
        assert!(shares.iter().all(|share| (share.iter().sum::<f64>() - 1.0).abs() < 1e-9));
        // Of a user without visits nothing is known but the weights.
        let nobody = mixture.infer([Document::default().view()]).unwrap();
        nobody[0].iter().zip(mixture.weights()).for_each(|(p, w)| assert!((p - w).abs() < 1e-12));
    }
    let refused = Batching { size: 9, ..Batching::default() }.over(&corpus(&[&[0]])).unwrap_err().to_string();
    assert!(refused.contains("batch size = 9"), "{refused}");
}

#[test]
fn tiny_parameters_leave_no_zero_and_no_nan() {
    let users = corpus(&[&[0, 0, 1], &[2, 3], &[2], &[3, 3, 3, 3]]);
    for method in [Method::Scir, Method::Sgrld, Method::Exact] {
        let mut mixture = mixture(settings(Alpha::Fixed(0.001), 4), &users, 0.001, 1);
        for seed in 0..20 {
            run(&mut mixture, method, 0.05, &users, 2, 5, seed).unwrap();
            check(&mixture);
            let ln_p = mixture.ln_predictive(users.docs()).unwrap();
            assert!(ln_p.iter().all(|ln| ln.is_finite() && *ln < 1e-9), "{method}: {ln_p:?}");
        }
    }
}

#[test]
fn too_many_clusters_are_refused_with_what_to_change() {
    let users = corpus(&[&[0], &[1], &[2]]);
    let limited = DpSettings { alpha: Alpha::Fixed(1e6), initial: 2, most: 40, ..DpSettings::default() };
    let mut mixture = mixture(limited, &users, 0.5, 1);
    let refused = run(&mut mixture, Exact, 1.0, &users, 3, 10, 1).unwrap_err();
    assert!(matches!(refused, Error::TooManyClusters { most: 40, .. }));
    let text = refused.to_string();
    assert!(text.contains("more than 40 clusters") && text.contains("raise the setting `most`"), "{text}");
}

#[test]
fn bad_settings_and_foreign_items_are_refused_by_name() {
    let users = corpus(&[&[0], &[1], &[2]]);
    let atoms = || Multinomials::new(4, 0.5).unwrap();
    let refused = |settings: DpSettings, name: &str| {
        let text = DpMixture::new(settings, atoms(), 3, 1).unwrap_err().to_string();
        assert!(text.contains(name), "{text}");
    };
    refused(settings(Alpha::Fixed(0.0), 1), "alpha = 0");
    refused(settings(Alpha::Gamma { shape: f64::NAN, rate: 1.0 }, 1), "shape of alpha = NaN");
    refused(settings(PRIOR, 0), "initial = 0");
    refused(DpSettings { initial: 9, most: 8, ..DpSettings::default() }, "initial = 9");
    assert!(DpMixture::new(settings(PRIOR, 1), atoms(), 0, 1).is_err());
    let mut sampler = Sampler::new(Exact, StepSize::constant(1.0).unwrap(), 3, 1).unwrap();
    let mut small = DpMixture::new(settings(PRIOR, 1), atoms(), 2, 1).unwrap();
    let foreign = sampler.step(&mut small, &whole(&users)).unwrap_err();
    assert!(matches!(foreign, Error::Position { position: 2, items: 2 }));
    let mut narrow = DpMixture::new(settings(PRIOR, 1), Multinomials::new(2, 0.5).unwrap(), 3, 1).unwrap();
    let foreign = sampler.step(&mut narrow, &whole(&users)).unwrap_err();
    assert!(matches!(foreign, Error::Words { found: 3, expected: 2 }));
    assert!(matches!(narrow.ln_predictive(users.docs()), Err(Error::Words { .. })));
}

#[test]
fn items_may_come_to_a_cluster_when_they_are_first_seen() {
    let users = corpus(&[&[0, 0, 1], &[2, 3], &[2], &[3, 3, 3, 3], &[], &[1]]);
    let on_sight = DpSettings { start: Start::OnSight, ..settings(PRIOR, 3) };
    let mut mixture = mixture(on_sight, &users, 0.5, 1);
    assert_eq!((mixture.occupied(), mixture.allocations()), (0, &[UNSEEN; 6][..]));
    assert!(mixture.ln_predictive(users.docs()).unwrap().iter().all(|ln| ln.is_finite()));
    let mut sampler = Sampler::new(Scir, StepSize::constant(0.1).unwrap(), 6, 1).unwrap();
    let mut batch = whole(&users.select(&[1, 3, 1]));
    batch.positions = vec![1, 3, 1];
    sampler.step(&mut mixture, &batch).unwrap();
    let seen: Vec<bool> = mixture.allocations().iter().map(|&z| z != UNSEEN).collect();
    assert_eq!(seen, [false, true, false, true, false, false]);
    assert_eq!(mixture.sizes().iter().sum::<usize>(), 2);
    for _ in 0..20 {
        sampler.step(&mut mixture, &whole(&users)).unwrap();
        check(&mixture);
    }
}

/// ln Σ_j ω_j Π θ against plain arithmetic; over all records of two entries it adds up to 1.
#[test]
fn the_predictive_is_a_probability() {
    let users = corpus(&[&[0, 0, 1], &[2, 3], &[2], &[3, 3, 3, 3]]);
    let mut mixture = mixture(settings(PRIOR, 4), &users, 0.5, 1);
    run(&mut mixture, Exact, 1.0, &users, 4, 10, 1).unwrap();
    let (weights, mut total) = (mixture.weights(), 0.0);
    for first in 0..4u32 {
        for second in 0..4u32 {
            let record = Document::from_tokens(vec![first, second]);
            let got = mixture.ln_predictive([record.view()]).unwrap()[0].exp();
            let brute: f64 = (0..weights.len())
                .map(|j| {
                    let atom = omega(&mixture.atoms().atom(j)[0]);
                    weights[j] * atom[first as usize] * atom[second as usize]
                })
                .sum();
            approx::assert_relative_eq!(got, brute, max_relative = 1e-12);
            total += got;
        }
    }
    approx::assert_relative_eq!(total, 1.0, max_relative = 1e-12);
}

#[cfg(feature = "serde")]
#[test]
fn a_state_that_was_written_down_goes_on_with_the_same_bits() {
    let users = corpus(&[&[0, 0, 1], &[2, 3], &[2], &[3, 3, 3, 3]]);
    let mut one = mixture(settings(PRIOR, 4), &users, 0.001, 1);
    run(&mut one, Scir, 0.1, &users, 2, 10, 1).unwrap();
    let text = serde_json::to_string(&one).unwrap();
    let mut two: DpMixture = serde_json::from_str(&text).unwrap();
    assert_eq!(one, two);
    run(&mut one, Scir, 0.1, &users, 2, 10, 2).unwrap();
    run(&mut two, Scir, 0.1, &users, 2, 10, 2).unwrap();
    assert_eq!(one, two);
    let spoilt = text.replace("\"clusters\":[", "\"clusters\":[77,");
    assert!(serde_json::from_str::<DpMixture>(&spoilt).unwrap_err().to_string().contains("cluster = 77"));
}
