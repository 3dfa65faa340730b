//! What can be wrong with a parameter, by name and value.

use std::fmt;

/// A parameter was refused.
///
/// Every variant carries the offending value, so that the message alone is enough to find the mistake.
/// Written by hand rather than derived, because this crate stays free of procedural macros.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A number lies outside the set it must come from (NaN lies outside of every set).
    OutOfRange {
        /// Name of the parameter, as in the documentation.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// One element of a slice lies outside the set it must come from.
    ElementOutOfRange {
        /// Name of the slice.
        name: &'static str,
        /// Position of the first bad element.
        index: usize,
        /// Its value.
        value: f64,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// Two slices that belong together differ in length.
    LengthMismatch {
        /// Name of the slice.
        name: &'static str,
        /// Its length.
        len: usize,
        /// Name of the slice that sets the length.
        reference: &'static str,
        /// The length that was expected.
        expected: usize,
    },
    /// A slice has no elements.
    Empty {
        /// Name of the slice.
        name: &'static str,
    },
    /// A category index is not below the number of categories.
    IndexOutOfRange {
        /// Name of the sequence that holds the index.
        name: &'static str,
        /// The index that was given.
        index: usize,
        /// The number of categories.
        len: usize,
    },
    /// A transition that keeps moments of the estimates was given coordinates that have no room for them.
    NoMoments,
    /// A word is not one of the names that are understood.
    UnknownName {
        /// What was being named.
        name: &'static str,
        /// The word that was given.
        given: String,
        /// The words that would have been accepted.
        expected: &'static str,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { name, value, expected } => {
                write!(f, "{name} = {value} is not valid: {name} must be {expected}")
            }
            Self::ElementOutOfRange { name, index, value, expected } => {
                write!(
                    f,
                    "{name}[{index}] = {value} is not valid: every element of {name} must be {expected}"
                )
            }
            Self::LengthMismatch { name, len, reference, expected } => {
                write!(f, "{name} has {len} elements, but {reference} has {expected}: they must match")
            }
            Self::Empty { name } => write!(f, "{name} is empty: at least one element is needed"),
            Self::IndexOutOfRange { name, index, len } => {
                write!(
                    f,
                    "{name} contains category {index}, but there are only {len} categories (0 to {})",
                    len.saturating_sub(1)
                )
            }
            Self::NoMoments => f.write_str(
                "this transition keeps the moments of its estimates, for which a plain slice has no room: move a Simplex",
            ),
            Self::UnknownName { name, given, expected } => {
                write!(f, "unknown {name} '{given}': expected one of {expected}")
            }
        }
    }
}

impl std::error::Error for Error {}

/// Accepts finite `x > 0`.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    // Written so that NaN fails.
    if value > 0.0 && value < f64::INFINITY {
        Ok(value)
    } else {
        Err(Error::OutOfRange { name, value, expected: "finite and greater than 0" })
    }
}

/// Accepts finite `x >= 0`.
pub(crate) fn non_negative(name: &'static str, value: f64) -> Result<f64> {
    if value >= 0.0 && value < f64::INFINITY {
        Ok(value)
    } else {
        Err(Error::OutOfRange { name, value, expected: "finite and at least 0" })
    }
}

/// Accepts any finite number.
pub(crate) fn finite(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::OutOfRange { name, value, expected: "finite" }) }
}

/// Accepts a step `0 < h <= +∞`; +∞ is the limit in which a transition forgets where it started.
pub(crate) fn step(value: f64) -> Result<f64> {
    if value > 0.0 {
        Ok(value)
    } else {
        Err(Error::OutOfRange { name: "h", value, expected: "greater than 0 (infinity is allowed)" })
    }
}

/// Accepts slices of equal length.
pub(crate) fn same_len(
    name: &'static str,
    len: usize,
    reference: &'static str,
    expected: usize,
) -> Result<()> {
    if len == expected { Ok(()) } else { Err(Error::LengthMismatch { name, len, reference, expected }) }
}
