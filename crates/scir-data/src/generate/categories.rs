//! Independent items of one category each, as in the synthetic experiment.

use std::sync::Arc;

use scir_core::{Purpose, Streams};
use serde::{Deserialize, Serialize};

use super::draw::{Weights, dirichlet, omega};
use super::{Generator, Provenance, check_number, check_positive};
use crate::corpus::Document;
use crate::error::{Error, Result};

const PROBABILITIES: Purpose = Purpose::new("generate probabilities");
const ITEM: Purpose = Purpose::new("generate item");

/// Where the probabilities ω of the categories come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probabilities {
    /// Weights that are given; they are divided by their sum.
    Given(Vec<f64>),
    /// A draw of Dir(α, …, α).
    Dirichlet {
        /// The number of categories.
        categories: usize,
        /// The parameter α.
        alpha: f64,
    },
}

/// The parameters of independent items x_i ~ Categorical(ω). Plain data; [`generator`](Self::generator) checks it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoriesSettings {
    /// The number of items.
    pub items: u64,
    /// The probabilities of the categories.
    pub probabilities: Probabilities,
    /// The seed.
    pub seed: u64,
}

impl CategoriesSettings {
    /// Checks the parameters and draws ω if it is not given.
    ///
    /// # Errors
    /// [`Error::Setting`] with the parameter that is out of range.
    pub fn generator(self) -> Result<Categories> {
        let omega = match &self.probabilities {
            Probabilities::Given(weights) => {
                check_number("categories", weights.len())?;
                let sum: f64 = weights.iter().sum();
                let bad = |weight: &&f64| !(**weight >= 0.0);
                if let Some(&weight) =
                    weights.iter().find(bad).or((!(sum > 0.0 && sum < f64::INFINITY)).then_some(&sum))
                {
                    let expected = "weights of at least 0 with a positive and finite sum";
                    return Err(Error::Setting {
                        name: "probabilities",
                        value: weight.to_string(),
                        expected,
                    });
                }
                weights.iter().map(|weight| weight / sum).collect()
            }
            &Probabilities::Dirichlet { categories, alpha } => {
                check_number("categories", categories)?;
                check_positive("alpha", alpha)?;
                omega(&dirichlet(
                    alpha.into(),
                    categories,
                    &mut Streams::new(self.seed).rng(PROBABILITIES, 0, 0),
                ))
            }
        };
        let weights = Weights::new(&omega);
        Ok(Categories { truth: Arc::new(Truth { settings: self, omega, weights }) })
    }
}

/// Independent items; made by [`CategoriesSettings::generator`]. An item is a document of one token.
#[derive(Debug, Clone)]
pub struct Categories {
    truth: Arc<Truth>,
}

#[derive(Debug)]
struct Truth {
    settings: CategoriesSettings,
    omega: Vec<f64>,
    weights: Weights,
}

impl Categories {
    /// The settings.
    pub fn settings(&self) -> &CategoriesSettings {
        &self.truth.settings
    }

    /// The true probabilities ω.
    pub fn omega(&self) -> &[f64] {
        &self.truth.omega
    }

    /// The category of item `index`.
    pub fn item(&self, index: u64) -> usize {
        self.truth.weights.draw(&mut Streams::new(self.truth.settings.seed).rng(ITEM, 0, index))
    }

    /// How many items are in each category.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.words()];
        (0..self.documents()).for_each(|index| counts[self.item(index)] += 1);
        counts
    }
}

impl Generator for Categories {
    fn document(&self, index: u64) -> Document {
        Document::from_tokens(vec![self.item(index) as u32]).without_order()
    }

    fn documents(&self) -> u64 {
        self.truth.settings.items
    }

    fn words(&self) -> usize {
        self.truth.omega.len()
    }

    fn provenance(&self) -> Provenance {
        let CategoriesSettings { items, probabilities, seed } = &self.truth.settings;
        let law = match probabilities {
            Probabilities::Given(weights) => format!("{} categories of given probabilities", weights.len()),
            Probabilities::Dirichlet { categories, alpha } => {
                format!("{categories} categories of probabilities drawn from Dir({alpha})")
            }
        };
        Provenance::Generated(format!("{items} items of {law}, seed {seed}"))
    }
}
