//! Atoms for categorical data: one multinomial for each cluster, or a product of categoricals.

use super::atoms::{AtomCounts, Atoms, Sums};
use super::collapsed;
use super::table::Table;
use crate::error::{Error, Result, check};
use crate::model::{Block, Priors};
use crate::prior::Concentration;
use scir_core::{Exact, Prior, Simplex, StreamRng, Target};
use scir_data::{DocView, Minibatch};

/// Atoms that are points of simplexes, for items that are counts of categories.
///
/// - [`new`](Self::new): a **multinomial** over W categories, θ_j ~ Dir(a); the density of an item is Π_w θ_jw^{x_w}, the
///   probability of its entries in any one order (without the multinomial coefficient).
/// - [`product`](Self::product): a **product of categoricals** (Dunson & Xing 2009), for records of several variables. Each
///   variable has its own categories and its own simplex in each cluster; the categories of all variables are numbered
///   one after the other, and a record has one of each variable. A variable that is missing is left out of the record.
///
/// Where θ is below the smallest f64, as most of it is for a = 0.001, its logarithm is used: no density is 0.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "State", into = "State"))]
pub struct Multinomials {
    base: Concentration,
    /// The number of categories of each variable.
    sizes: Vec<usize>,
    /// For each category, its variable and its number in the variable.
    places: Vec<(u32, u32)>,
    /// The sum of the base measure over the categories of each variable.
    masses: Vec<f64>,
    /// Those of the first cluster, one for each variable, then those of the second …
    simplexes: Vec<Simplex>,
}

impl Multinomials {
    /// Multinomials over `categories`, with base measure Dir(`base`): a number, or one for each category.
    ///
    /// # Errors
    /// If there are no categories, or the base measure is not positive or not as long.
    pub fn new(categories: usize, base: impl Into<Concentration>) -> Result<Self> {
        Self::product(&[categories], base)
    }

    /// Products of categoricals, one for each of `sizes`, the number of categories of a variable. `base` is a number, or
    /// one for each category of each variable, one after the other.
    ///
    /// # Errors
    /// If there are no variables, one without categories, or the base measure is not positive or not as long.
    pub fn product(sizes: &[usize], base: impl Into<Concentration>) -> Result<Self> {
        Self::with_simplexes(sizes.to_vec(), base.into(), Vec::new())
    }

    fn with_simplexes(sizes: Vec<usize>, base: Concentration, simplexes: Vec<Simplex>) -> Result<Self> {
        check(!sizes.is_empty(), "variables", 0, "at least 1")?;
        check(sizes.iter().all(|&size| size > 0), "categories", 0, "at least 1 for each variable")?;
        let categories = sizes.iter().sum();
        check(categories < 1 << 31, "categories", categories, "below 2^31")?;
        base.check("base", categories)?;
        check(
            simplexes.len().is_multiple_of(sizes.len()),
            "atoms",
            simplexes.len(),
            "as many for each cluster as there are variables",
        )?;
        for (simplex, &expected) in simplexes.iter().zip(sizes.iter().cycle()) {
            if simplex.len() != expected {
                return Err(Error::Words { found: simplex.len(), expected });
            }
        }
        let place = |(variable, &size): (usize, &usize)| (0..size).map(move |c| (variable as u32, c as u32));
        let places = sizes.iter().enumerate().flat_map(place).collect();
        let mut end = 0;
        let mass = |&size: &usize| {
            end += size;
            (end - size..end).map(|w| base.at(w)).sum()
        };
        let masses = sizes.iter().map(mass).collect();
        Ok(Self { base, sizes, places, masses, simplexes })
    }

    /// The same kind of atoms, with the given ones: for each cluster one simplex for each variable.
    ///
    /// # Errors
    /// If they are not as many, or not as long, as they must be.
    pub fn with_atoms(self, simplexes: Vec<Simplex>) -> Result<Self> {
        Self::with_simplexes(self.sizes, self.base, simplexes)
    }

    /// The base measure.
    pub fn base(&self) -> &Concentration {
        &self.base
    }

    /// The number of categories of each variable; one number for multinomials.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The number of categories of all variables together.
    pub fn categories(&self) -> usize {
        self.places.len()
    }

    /// The simplexes of cluster `j`, one for each variable, not normalised.
    ///
    /// # Panics
    /// If there is no such cluster.
    pub fn atom(&self, j: usize) -> &[Simplex] {
        &self.simplexes[j * self.sizes.len()..(j + 1) * self.sizes.len()]
    }

    /// The sum of the base measure over the categories of each variable.
    pub(super) fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Variable and number in the variable of category `w`.
    pub(super) fn place(&self, w: u32) -> (usize, usize) {
        let (variable, coordinate) = self.places[w as usize];
        (variable as usize, coordinate as usize)
    }
}

/// The priors of the simplexes of one cluster.
fn priors<'a>(base: &'a Concentration, sizes: &[usize]) -> Vec<Prior<'a>> {
    let mut end = 0;
    let prior = |&size: &usize| {
        end += size;
        match base {
            Concentration::Symmetric(a) => Prior::Symmetric(*a),
            Concentration::Each(a) => Prior::Each(&a[end - size..end]),
        }
    };
    sizes.iter().map(prior).collect()
}

impl Atoms for Multinomials {
    type Batch = Minibatch;
    type Table = Table;

    fn clusters(&self) -> usize {
        self.simplexes.len() / self.sizes.len()
    }

    fn open(&mut self, rng: &mut StreamRng) -> Result<()> {
        for (prior, &size) in priors(&self.base, &self.sizes).into_iter().zip(&self.sizes) {
            let (mut simplex, none) = (Simplex::uniform(size)?, vec![0.0; size]);
            simplex.step(&Exact, Target::new(prior, &none)?, 1.0, rng)?;
            self.simplexes.push(simplex);
        }
        Ok(())
    }

    fn truncate(&mut self, clusters: usize) {
        self.simplexes.truncate(clusters * self.sizes.len());
    }

    fn swap(&mut self, a: usize, b: usize) {
        let variables = self.sizes.len();
        (0..variables).for_each(|v| self.simplexes.swap(a * variables + v, b * variables + v));
    }

    fn check(&self, item: DocView<'_>) -> Result<()> {
        match item.ids().last() {
            Some(&id) if id as usize >= self.categories() => {
                Err(Error::Words { found: id as usize + 1, expected: self.categories() })
            }
            _ => Ok(()),
        }
    }

    fn table(&self, order: &[u32]) -> Result<Table> {
        Ok(Table::new(self, order))
    }

    fn densities(&self, table: &Table, item: DocView<'_>, densities: &mut [f64]) -> f64 {
        table.densities(self, item, densities)
    }

    fn count(&self, batch: &Minibatch, members: &[u32], cluster: u32, counts: &mut AtomCounts<'_>) {
        let first = cluster * self.sizes.len() as u32;
        let entries = || members.iter().flat_map(|&i| batch.documents.doc(i as usize).iter());
        let mut add = |w: u32, count: f64| {
            let (variable, coordinate) = self.places[w as usize];
            counts.add(first + variable, coordinate, count);
        };
        // Many items are added up here, so that a huge minibatch does not become a huge list of counts.
        if 4 * members.len() < self.categories() {
            entries().for_each(|(w, count)| add(w, f64::from(count)));
            return;
        }
        let mut sums = vec![0.0; self.categories()];
        entries().for_each(|(w, count)| sums[w as usize] += f64::from(count));
        for (w, &sum) in (0..).zip(&sums) {
            if sum > 0.0 {
                add(w, sum);
            }
        }
    }

    fn block(&mut self) -> Option<Block<'_>> {
        let clusters = self.clusters();
        let Self { base, sizes, simplexes, .. } = self;
        let priors = match base {
            Concentration::Symmetric(a) => Priors::Shared(Prior::Symmetric(*a)),
            Concentration::Each(_) => Priors::Each(priors(base, sizes).repeat(clusters)),
        };
        Some(Block::new("dp: atoms", simplexes, priors))
    }

    fn no_sums(&self) -> Option<Sums> {
        Some(Sums::none(&self.sizes))
    }

    fn add(&self, item: DocView<'_>, times: f64, sums: &mut Sums) {
        for (w, count) in item.iter() {
            sums.counts[w as usize] += times * f64::from(count);
            sums.totals[self.places[w as usize].0 as usize] += times * f64::from(count);
        }
    }

    fn ln_marginal(&self, sums: &Sums) -> f64 {
        collapsed::ln_marginal(self, sums)
    }

    fn means(&self, sums: &[&Sums]) -> Result<Self> {
        let mut simplexes = Vec::with_capacity(sums.len() * self.sizes.len());
        for sums in sums {
            let mut end = 0;
            for &size in &self.sizes {
                let theta = (end..end + size).map(|w| self.base.at(w) + sums.counts[w]).collect();
                simplexes.push(Simplex::new(theta)?);
                end += size;
            }
        }
        Ok(Self {
            base: self.base.clone(),
            sizes: self.sizes.clone(),
            places: self.places.clone(),
            masses: self.masses.clone(),
            simplexes,
        })
    }

    fn redraw(&mut self, cluster: usize, sums: &Sums, rng: &mut StreamRng) -> Result<()> {
        let (variables, mut end) = (self.sizes.len(), 0);
        for (v, prior) in priors(&self.base, &self.sizes).into_iter().enumerate() {
            let counts = &sums.counts[end..end + self.sizes[v]];
            let simplex = &mut self.simplexes[cluster * variables + v];
            simplex.step(&Exact, Target::new(prior, counts)?, 1.0, rng)?;
            end += self.sizes[v];
        }
        Ok(())
    }
}

/// How atoms are written down; checked again when they are read.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct State {
    base: Concentration,
    sizes: Vec<usize>,
    simplexes: Vec<Simplex>,
}

#[cfg(feature = "serde")]
impl TryFrom<State> for Multinomials {
    type Error = Error;
    fn try_from(state: State) -> Result<Self> {
        Self::with_simplexes(state.sizes, state.base, state.simplexes)
    }
}

#[cfg(feature = "serde")]
impl From<Multinomials> for State {
    fn from(atoms: Multinomials) -> Self {
        Self { base: atoms.base, sizes: atoms.sizes, simplexes: atoms.simplexes }
    }
}
