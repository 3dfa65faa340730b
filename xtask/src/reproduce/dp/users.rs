//! The users of the experiment: MS-web where it is there, else a generated stand-in of the same shape.

use crate::data::MSWEB;
use anyhow::{Context, Result};
use indicatif::HumanCount;
use scir_core::Simplex;
use scir_data::generate::DpSettings;
use scir_data::msweb::{self, Pages};
use scir_data::{Corpus, DocumentSplit, Generator, TestDocuments, TestSet};
use std::path::Path;

/// The choice of validation users, and of the users whose clusters are written down, is always the same one.
pub(crate) const SPLIT_SEED: u64 = 1;

/// Users in two parts, and what their pages are called.
pub(crate) struct Users {
    /// What they are; says so where they are generated.
    pub(crate) label: String,
    pub(crate) generated: bool,
    pub(crate) train: Corpus,
    pub(crate) test: TestSet,
    pages: Vec<String>,
}

impl Users {
    /// MS-web if it is in the folder `data`, else `stand_in`, the last `test` of whose records are for testing.
    pub(crate) fn load(data: Option<&Path>, stand_in: DpSettings, test: usize) -> Result<Self> {
        if let Some(folder) = data {
            let [train, test] = [0, 1].map(|i: usize| folder.join(MSWEB.files[i].path));
            if train.is_file() && test.is_file() {
                let split =
                    msweb::load(&train, &test).context("MS-web cannot be read: cargo xtask data --check")?;
                let titles = Pages::open(&train)?;
                let name = |path: &str| match titles.vocabulary().id(path) {
                    Some(known) => format!("{} ({path})", titles.title(known)),
                    None => path.to_owned(),
                };
                let vocabulary = split.train.vocabulary().context("MS-web has pages")?;
                let pages = vocabulary.words().map(name).collect();
                return Ok(Self::new("MS-web", false, split, pages));
            }
            println!(
                "there is no MS-web in {} (cargo xtask data fetch msweb): generated users stand in for it",
                folder.display()
            );
        }
        let generator = stand_in.generator()?;
        let split = generator.corpus()?.split(TestDocuments::Last(test))?;
        let pages = (0..generator.words()).map(|page| format!("page {page}")).collect();
        Ok(Self::new(&format!("a stand-in for MS-web, {}", generator.provenance()), true, split, pages))
    }

    fn new(name: &str, generated: bool, split: DocumentSplit, pages: Vec<String>) -> Self {
        let DocumentSplit { train, test, .. } = split;
        let label = format!(
            "{name}: {} users for training with {} visits to {} pages, {} for testing",
            HumanCount(train.len() as u64),
            HumanCount(train.tokens()),
            HumanCount(train.words() as u64),
            HumanCount(test.len() as u64)
        );
        Self { label, generated, train, test, pages }
    }

    /// The same data, with a tenth of the training users in the place of the test users: for choosing settings.
    pub(crate) fn for_validation(&self) -> Result<Self> {
        let count = self.train.len() / 10;
        let split = self.train.split(TestDocuments::Random { count, seed: SPLIT_SEED })?;
        Ok(Self::new("validation", self.generated, split, self.pages.clone()))
    }

    /// The name of a page.
    pub(crate) fn page(&self, id: u32) -> &str {
        &self.pages[id as usize]
    }

    /// The score of one multinomial for everybody, at its posterior mean under Dir(`base`).
    pub(crate) fn one_cluster(&self, base: f64) -> Result<f64> {
        let mut theta = vec![base; self.train.words()];
        self.train
            .docs()
            .flat_map(|user| user.iter())
            .for_each(|(page, n)| theta[page as usize] += f64::from(n));
        let mut ln_omega = vec![0.0; theta.len()];
        Simplex::new(theta)?.ln_omega(&mut ln_omega)?;
        let visits = self.test.docs().flat_map(|user| user.iter());
        let sum: f64 = visits.map(|(page, n)| f64::from(n) * ln_omega[page as usize]).sum();
        Ok(-sum / self.test.len() as f64)
    }
}
