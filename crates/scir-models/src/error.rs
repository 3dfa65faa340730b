//! What can go wrong while a model is made or a run goes on.

/// A setting, an input or a state was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter of a simplex, a prior or a step.
    #[error(transparent)]
    Core(#[from] scir_core::Error),
    /// The data.
    #[error(transparent)]
    Data(#[from] scir_data::Error),
    /// A measure of quality.
    #[error(transparent)]
    Eval(#[from] scir_eval::Error),
    /// A setting of a model or a run.
    #[error("{name} = {value} is not valid: {name} must be {expected}")]
    Setting {
        /// Its name, as in the settings.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// A coordinate became NaN or infinite: the run has failed.
    #[error(
        "iteration {iteration}: coordinate {coordinate} of simplex {simplex} in block '{block}' became NaN or \
         infinite; try a smaller step size"
    )]
    NonFinite {
        /// The iteration, counted from 0.
        iteration: u64,
        /// The name of the block.
        block: &'static str,
        /// The simplex in the block.
        simplex: usize,
        /// The first coordinate concerned.
        coordinate: usize,
    },
    /// Documents and model are over different vocabularies.
    #[error(
        "the documents are over {found} words, but the model has {expected}: use the vocabulary it was made for"
    )]
    Words {
        /// The number of words of the documents.
        found: usize,
        /// That of the model.
        expected: usize,
    },
    /// A mixture needs more clusters than it may open.
    #[error(
        "iteration {iteration}: more than {most} clusters are needed: with alpha = {alpha}, what is left of the stick \
         (its logarithm is {ln_left:.1}) is not below the smallest slice variable ({ln_slice:.1}); raise the setting \
         `most`, or give alpha a prior or a value that is smaller"
    )]
    TooManyClusters {
        /// The iteration, counted from 0.
        iteration: u64,
        /// The setting that was reached.
        most: usize,
        /// The concentration at this point.
        alpha: f64,
        /// The logarithm of what is left of the stick.
        ln_left: f64,
        /// The logarithm of the smallest slice variable, below which it must come.
        ln_slice: f64,
    },
    /// A minibatch has an item that the data of the model has not.
    #[error(
        "the minibatch has item number {position} of the data, but the model was made for {items}: give it minibatches of \
         the data that it was made for"
    )]
    Position {
        /// The position of the item, from 0.
        position: usize,
        /// How many items the model knows.
        items: usize,
    },
    /// Control variates or splits for atoms that cannot be added up.
    #[error(
        "these atoms have no sums, which control variates and splits need: use counts from the minibatch and no splits \
         (swaps and relabelling work for all atoms), or implement `Atoms::no_sums` and the methods that belong to it"
    )]
    NoSums,
    /// Step sizes and blocks differ in number.
    #[error("{given} step sizes for {blocks} blocks: give one for all of them, or one for each")]
    StepSizes {
        /// How many step sizes were given.
        given: usize,
        /// How many blocks the model has.
        blocks: usize,
    },
    /// A model counted where it has no coordinate: a mistake in its latent step.
    #[error(
        "the latent step counts coordinate {coordinate} of simplex {simplex} in block {block}: there is none"
    )]
    NoSuchCoordinate {
        /// The block.
        block: usize,
        /// The simplex in the block.
        simplex: usize,
        /// The coordinate.
        coordinate: usize,
    },
    /// A model knows counts for more or fewer coordinates than a block has: a mistake in the model.
    #[error("the model knows {given} counts for block {block}, which has {expected} coordinates")]
    KnownCounts {
        /// The block.
        block: usize,
        /// How many counts it knows.
        given: usize,
        /// How many coordinates there are.
        expected: usize,
    },
    /// Control variates go around a model that has counts of the whole data already.
    #[error(
        "block '{block}' knows counts of the whole data already: use the model without control variates around it"
    )]
    KnowsAlready {
        /// The name of the block.
        block: &'static str,
    },
    /// Control variates go around a model whose blocks do not keep their shape.
    #[error(
        "iteration {iteration}: the blocks of the model have changed their shape, so that what was remembered no longer fits: \
         control variates are for models with a fixed number of simplexes and coordinates"
    )]
    ShapeChanged {
        /// The iteration, counted from 0.
        iteration: u64,
    },
    /// A checkpoint or a model file.
    #[cfg(feature = "checkpoint")]
    #[error(transparent)]
    Checkpoint(#[from] crate::checkpoint::CheckpointError),
    /// An observer failed.
    #[error("an observer failed at iteration {iteration}: {source}")]
    Observer {
        /// The iteration, counted from 0.
        iteration: u64,
        /// What it said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Refuses a setting unless it is fine.
pub(crate) fn check(
    fine: bool,
    name: &'static str,
    value: impl std::fmt::Display,
    expected: &'static str,
) -> Result<()> {
    if fine { Ok(()) } else { Err(Error::Setting { name, value: value.to_string(), expected }) }
}
