//! Records of a Dirichlet-process mixture of multinomials, like the users of MS-web.

use std::sync::{Arc, OnceLock};

use scir_core::rand::RngExt;
use scir_core::{Purpose, Streams};
use serde::{Deserialize, Serialize};

use super::draw::{Weights, dirichlet, omega};
use super::{Generator, Length, Provenance, check_number, check_positive};
use crate::corpus::Document;
use crate::error::{Error, Result};

const STICK: Purpose = Purpose::new("generate stick");
const ATOM: Purpose = Purpose::new("generate atom");
const CLUSTER: Purpose = Purpose::new("generate cluster");
const RECORD: Purpose = Purpose::new("generate record");

/// The parameters of a Dirichlet-process mixture of multinomials.
///
/// - weights ω_j = v_j Π_{l<j} (1 − v_l) with sticks v_j ~ Beta(1, α);
/// - atoms θ_j ~ Dir(a, …, a) over the categories;
/// - for each record, a cluster z ~ ω and independent categories ~ θ_z.
///
/// Plain data; [`generator`](Self::generator) checks it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DpSettings {
    /// The number of records.
    pub records: u64,
    /// The number of categories.
    pub categories: usize,
    /// The concentration α of the process, at most 10000.
    pub alpha: f64,
    /// The parameter a of the base measure.
    pub base: f64,
    /// How many entries a record has.
    pub length: Length,
    /// The seed.
    pub seed: u64,
}

/// The size of MS-web: 32,711 users with 3 visits each in the mean, over 294 pages.
impl Default for DpSettings {
    fn default() -> Self {
        let length = Length::Poisson(3.0);
        Self { records: 32_711, categories: 294, alpha: 1.0, base: 0.1, length, seed: 0 }
    }
}

impl DpSettings {
    /// Checks the parameters and breaks the stick.
    ///
    /// # Errors
    /// [`Error::Setting`] with the parameter that is out of range.
    pub fn generator(self) -> Result<DpMixture> {
        check_number("categories", self.categories)?;
        check_positive("alpha", self.alpha)?;
        if self.alpha > 1e4 {
            let value = self.alpha.to_string();
            return Err(Error::Setting { name: "alpha", value, expected: "at most 10000" });
        }
        check_positive("base", self.base)?;
        self.length.check()?;
        let streams = Streams::new(self.seed);
        let (mut ln_left, mut left) = (0.0, Vec::new());
        // A uniform number is a multiple of 2^-53, so what lies below is never hit and need not be broken.
        while ln_left >= -54.0 * std::f64::consts::LN_2 {
            let parts =
                dirichlet((&[1.0, self.alpha][..]).into(), 2, &mut streams.rng(STICK, 0, left.len() as u64));
            let mut ln_parts = [0.0; 2];
            parts.ln_omega(&mut ln_parts).expect("two parts");
            ln_left += ln_parts[1];
            left.push(ln_left.exp());
        }
        let atoms = left.iter().map(|_| OnceLock::new()).collect();
        Ok(DpMixture { settings: self, truth: Arc::new(Truth { left, atoms }) })
    }
}

/// Records of a Dirichlet-process mixture; made by [`DpSettings::generator`]. A copy shares the atoms.
#[derive(Debug, Clone)]
pub struct DpMixture {
    settings: DpSettings,
    truth: Arc<Truth>,
}

#[derive(Debug)]
struct Truth {
    /// What is left of the stick after each break: P(z > j).
    left: Vec<f64>,
    /// The atoms, each drawn when it is first needed: most are so rare that they never are.
    atoms: Vec<OnceLock<Atom>>,
}

#[derive(Debug)]
struct Atom {
    theta: Vec<f64>,
    weights: Weights,
}

impl DpMixture {
    /// The settings.
    pub fn settings(&self) -> &DpSettings {
        &self.settings
    }

    /// The number of clusters. There are infinitely many; those after this have less than 2^-53 of the weight together.
    pub fn clusters(&self) -> usize {
        self.truth.left.len()
    }

    /// The true weight ω_j of cluster `j`.
    ///
    /// # Panics
    /// If `j` is not below [`clusters`](Self::clusters).
    pub fn weight(&self, j: usize) -> f64 {
        let before = if j == 0 { 1.0 } else { self.truth.left[j - 1] };
        before - self.truth.left[j]
    }

    /// The true atom θ_j of cluster `j`, over the categories.
    ///
    /// # Panics
    /// If `j` is not below [`clusters`](Self::clusters).
    pub fn atom(&self, j: usize) -> &[f64] {
        &self.atom_of(j).theta
    }

    /// The true cluster of record `index`.
    pub fn cluster(&self, index: u64) -> usize {
        let u: f64 = Streams::new(self.settings.seed).rng(CLUSTER, 0, index).random();
        let left = &self.truth.left;
        // The first cluster j with P(z > j) at most u.
        left.partition_point(|&left| left > u).min(left.len() - 1)
    }

    fn atom_of(&self, j: usize) -> &Atom {
        self.truth.atoms[j].get_or_init(|| {
            let mut rng = Streams::new(self.settings.seed).rng(ATOM, 0, j as u64);
            let theta = omega(&dirichlet(self.settings.base.into(), self.settings.categories, &mut rng));
            let weights = Weights::new(&theta);
            Atom { theta, weights }
        })
    }
}

impl Generator for DpMixture {
    fn document(&self, index: u64) -> Document {
        let weights = &self.atom_of(self.cluster(index)).weights;
        let mut rng = Streams::new(self.settings.seed).rng(RECORD, 0, index);
        let length = self.settings.length.draw(&mut rng);
        Document::from_tokens((0..length).map(|_| weights.draw(&mut rng) as u32).collect()).without_order()
    }

    fn documents(&self) -> u64 {
        self.settings.records
    }

    fn words(&self) -> usize {
        self.settings.categories
    }

    fn provenance(&self) -> Provenance {
        let DpSettings { records, categories, alpha, base, length, seed } = self.settings;
        Provenance::Generated(format!(
            "Dirichlet-process mixture with alpha {alpha} and base Dir({base}) over {categories} categories, \
             {records} records, {length}, seed {seed}"
        ))
    }
}
