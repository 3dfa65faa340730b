//! What can be wrong with a sample.

/// A sample or a parameter was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// One element of a slice is not what it must be.
    #[error("{name}[{index}] = {value} is not valid: every element of {name} must be {expected}")]
    Element {
        /// Name of the slice.
        name: &'static str,
        /// Position of the first bad element.
        index: usize,
        /// Its value.
        value: f64,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// Something has too few elements.
    #[error("{name} has {len} elements: at least {least} are needed")]
    TooFew {
        /// Name of what is too short.
        name: &'static str,
        /// Its length.
        len: usize,
        /// The least length.
        least: usize,
    },
    /// Two lengths differ that must be equal.
    #[error("{name} has {len} elements, but {expected} are expected")]
    Length {
        /// Name of the slice.
        name: &'static str,
        /// Its length.
        len: usize,
        /// The length that was expected.
        expected: usize,
    },
    /// A draw has no mass at all, so it is no point of the simplex.
    #[error("draw {draw} has only zeros: it is not a point of the simplex")]
    NoMass {
        /// The number of the draw, counted from 0.
        draw: usize,
    },
    /// A chain does not move, so that its autocorrelation is not defined.
    #[error("chain {chain} is constant: its autocorrelation is not defined")]
    Constant {
        /// The number of the chain, counted from 0.
        chain: usize,
    },
    /// There is nothing to predict.
    #[error("no token is held out: a perplexity needs at least one")]
    NoTokens,
    /// Something that must ascend, or be distinct, repeats a value.
    #[error(
        "{name} repeats {value}, or is out of order: distinct values are expected, ascending where it says so"
    )]
    Twice {
        /// Name of the sequence.
        name: &'static str,
        /// The value.
        value: u32,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Refuses the first element that is not fine.
pub(crate) fn check_each(
    name: &'static str,
    values: &[f64],
    fine: impl Fn(f64) -> bool,
    expected: &'static str,
) -> Result<()> {
    match values.iter().position(|&value| !fine(value)) {
        None => Ok(()),
        Some(index) => Err(Error::Element { name, index, value: values[index], expected }),
    }
}

/// Refuses fewer than `least` elements.
pub(crate) fn at_least(name: &'static str, len: usize, least: usize) -> Result<()> {
    if len >= least { Ok(()) } else { Err(Error::TooFew { name, len, least }) }
}
