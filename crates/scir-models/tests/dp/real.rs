//! MS-web, where it is: the scores that independent runs reach.

use super::{run, settings};
use scir_core::{Exact, Scir};
use scir_data::{DocumentSplit, msweb};
use scir_models::dp::{Alpha, DpMixture, Multinomials};
use std::path::PathBuf;

const PRIOR: Alpha = Alpha::Gamma { shape: 1.0, rate: 1.0 };

fn data() -> Option<DocumentSplit> {
    let Some(folder) = std::env::var_os("SCIR_DATA") else {
        println!("skipped: SCIR_DATA does not name a folder with msweb in it");
        return None;
    };
    let folder = PathBuf::from(folder).join("msweb");
    Some(msweb::load(folder.join("anonymous-msweb.data"), folder.join("anonymous-msweb.test")).unwrap())
}

fn score(mixture: &DpMixture, split: &DocumentSplit) -> f64 {
    let ln_p = mixture.ln_predictive(split.test.docs()).unwrap();
    -ln_p.iter().sum::<f64>() / ln_p.len() as f64
}

#[test]
fn scores_on_msweb() {
    let Some(split) = data() else { return };
    let train = &split.train;
    let new = |initial| {
        let atoms = Multinomials::new(train.words(), 0.5).unwrap();
        DpMixture::new(settings(PRIOR, initial), atoms, train.len(), 1).unwrap()
    };
    // One cluster stays alone, and is the multinomial of all visits.
    let mut one = new(1);
    run(&mut one, Exact, 1.0, train, train.len(), 5, 1).unwrap();
    assert!((score(&one, &split) - 11.92).abs() < 0.01, "one cluster: {}", score(&one, &split));
    let mut gibbs = new(20);
    run(&mut gibbs, Exact, 1.0, train, train.len(), 120, 1).unwrap();
    assert!((11.30..11.37).contains(&score(&gibbs, &split)), "Gibbs: {}", score(&gibbs, &split));
    let mut scir = new(20);
    run(&mut scir, Scir, 0.1, train, 1000, 1000, 1).unwrap();
    assert!((11.34..11.42).contains(&score(&scir, &split)), "SCIR: {}", score(&scir, &split));
}
