//! Records of several categorical variables: one simplex for each variable, all from the same minibatches.
//!
//! ```text
//! variable v:  ω_v ~ Dir(prior_v)
//! record i:    x_iv ~ ω_v          independently, where it is not missing
//! ```
//!
//! Nothing is latent, so that the posterior is known, ω_v ~ Dir(prior_v + counts): this is the model to try samplers, step
//! sizes and estimators on. Each variable is a block of its own, with a step size of its own if the sampler is given one for
//! each.

use crate::error::{Error, Result, check};
use crate::model::{At, Block, Counts, Model, Priors};
use crate::prior::Concentration;
use scir_core::Simplex;
use scir_data::Corpus;
use std::ops::Range;
use std::sync::Mutex;

/// The multinomial–Dirichlet model of several variables that share records.
///
/// A record is a document whose words are categories, numbered over all variables: those of the first variable first, and
/// so on, as in [`scir_data::Records`]. A missing value is left out; a category may also have a count above 1.
///
/// ```
/// use scir_core::{Scir, StepSize};
/// use scir_data::{Batching, Corpus, Document};
/// use scir_models::{Categorical, Error, Sampler};
/// # fn main() -> Result<(), Error> {
/// // 100 answers to two questions, the first with 2 and the second with 3 possible answers.
/// let answers = (0..100u32).map(|i| Ok(Document::from_tokens(vec![u32::from(i % 4 == 0), 2 + i % 3])));
/// let answers = Corpus::collect(answers)?;
/// let mut model = Categorical::new(vec![(2, 1.0.into()), (3, 0.1.into())])?;
/// let steps = vec![StepSize::constant(0.5)?, StepSize::constant(0.1)?]; // one for each question
/// let mut sampler = Sampler::new(Scir, steps, answers.len(), 1)?;
/// let batches = Batching { size: 20, ..Batching::default() }.over(&answers)?.starting_at(0).take(200);
/// sampler.run(&mut model, batches.map(|batch| Ok::<_, Error>(batch.documents)), &mut [])?;
/// assert!(model.omega(0)?[0] > 0.5);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "State", into = "State"))]
pub struct Categorical {
    variables: Vec<Variable>,
    /// Where the categories of each variable start, and the end.
    starts: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Variable {
    prior: Concentration,
    simplex: Simplex,
}

impl Categorical {
    /// A model with a number of categories and a prior for each variable; it starts in the centre of each simplex.
    ///
    /// # Errors
    /// If there are no variables, one has no categories, or a prior is refused.
    pub fn new(variables: Vec<(usize, Concentration)>) -> Result<Self> {
        let variable = |(categories, prior)| -> Result<Variable> {
            check(categories > 0, "categories", categories, "at least 1")?;
            Ok(Variable { prior, simplex: Simplex::uniform(categories)? })
        };
        Self::with_variables(variables.into_iter().map(variable).collect::<Result<_>>()?)
    }

    fn with_variables(variables: Vec<Variable>) -> Result<Self> {
        check(!variables.is_empty(), "variables", 0, "at least 1")?;
        let (mut starts, mut end) = (vec![0], 0);
        for variable in &variables {
            variable.prior.check("prior", variable.simplex.len())?;
            end += variable.simplex.len();
            check(end <= u32::MAX as usize, "categories", end, "fewer than 2^32 in all variables together")?;
            starts.push(end as u32);
        }
        Ok(Self { variables, starts })
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables.len()
    }

    /// The simplex of variable `v`, not normalised.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn simplex(&self, v: usize) -> &Simplex {
        &self.variables[v].simplex
    }

    /// The probabilities ω of the categories of variable `v`.
    ///
    /// # Errors
    /// None that could be known of.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn omega(&self, v: usize) -> Result<Vec<f64>> {
        let simplex = self.simplex(v);
        let mut omega = vec![0.0; simplex.len()];
        simplex.omega(&mut omega)?;
        Ok(omega)
    }
}

impl Model for Categorical {
    type Batch = Corpus;
    type Prepared = ();
    type Latent = ();

    fn prepare(&mut self, batch: &Corpus, _at: At) -> Result<()> {
        let (found, expected) = (batch.words(), self.starts[self.variables.len()] as usize);
        if found == expected { Ok(()) } else { Err(Error::Words { found, expected }) }
    }

    fn latent(
        &self,
        (): &(),
        batch: &Corpus,
        part: Range<usize>,
        _at: At,
        counts: &mut Counts,
    ) -> Result<()> {
        for record in part.map(|i| batch.doc(i)) {
            for (&id, &count) in record.ids().iter().zip(record.counts()) {
                let variable = self.starts.partition_point(|&start| start <= id) - 1;
                counts.add(variable as u32, 0, id - self.starts[variable], f64::from(count));
            }
        }
        Ok(())
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        let variables = self.variables.iter_mut().enumerate();
        variables
            .map(|(v, Variable { prior, simplex })| {
                Block::new(name(v), std::slice::from_mut(simplex), Priors::Shared(prior.prior()))
            })
            .collect()
    }
}

/// The name of the block of variable `v`. Names live as long as the program, because the loop and its errors use them;
/// each is made once, however many models there are.
fn name(v: usize) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    while names.len() <= v {
        let name = format!("categorical: variable {}", names.len());
        names.push(Box::leak(name.into_boxed_str()));
    }
    names[v]
}

/// How a model is written down; checked again when it is read.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct State {
    variables: Vec<Variable>,
}

#[cfg(feature = "serde")]
impl TryFrom<State> for Categorical {
    type Error = Error;
    fn try_from(state: State) -> Result<Self> {
        Self::with_variables(state.variables)
    }
}

#[cfg(feature = "serde")]
impl From<Categorical> for State {
    fn from(model: Categorical) -> Self {
        Self { variables: model.variables }
    }
}
