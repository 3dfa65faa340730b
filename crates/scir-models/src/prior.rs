//! The parameters of a Dirichlet prior, as a setting that owns its numbers.

use crate::error::{Result, check};
use scir_core::Prior;

/// The parameters of a Dirichlet law: one for all coordinates, or one for each.
#[derive(Debug, Clone, PartialEq)]
pub enum Concentration {
    /// The same in every coordinate.
    Symmetric(f64),
    /// One for each coordinate.
    Each(Vec<f64>),
}

impl From<f64> for Concentration {
    fn from(value: f64) -> Self {
        Self::Symmetric(value)
    }
}

impl From<Vec<f64>> for Concentration {
    fn from(values: Vec<f64>) -> Self {
        Self::Each(values)
    }
}

impl Concentration {
    /// The parameter of coordinate `j`.
    pub fn at(&self, j: usize) -> f64 {
        match self {
            Self::Symmetric(value) => *value,
            Self::Each(values) => values[j],
        }
    }

    /// The sum over `dimension` coordinates.
    pub fn sum(&self, dimension: usize) -> f64 {
        match self {
            Self::Symmetric(value) => value * dimension as f64,
            Self::Each(values) => values.iter().sum(),
        }
    }

    /// The same as a borrowed prior.
    pub fn prior(&self) -> Prior<'_> {
        match self {
            Self::Symmetric(value) => Prior::Symmetric(*value),
            Self::Each(values) => Prior::Each(values),
        }
    }

    /// Refuses parameters that are not finite and above 0, or not as many as there are coordinates.
    pub(crate) fn check(&self, name: &'static str, dimension: usize) -> Result<()> {
        let fine = |x: f64| x > 0.0 && x < f64::INFINITY;
        match self {
            Self::Symmetric(value) => check(fine(*value), name, value, "finite and greater than 0"),
            Self::Each(values) => {
                let expected = "one number for each coordinate";
                check(values.len() == dimension, name, format!("{} numbers", values.len()), expected)?;
                match values.iter().find(|&&x| !fine(x)) {
                    None => Ok(()),
                    Some(value) => check(false, name, value, "finite and greater than 0 in each coordinate"),
                }
            }
        }
    }
}

/// In text a number or a list of numbers, as people write it. Formats that do not describe themselves need to be told
/// which of the two it is.
#[cfg(feature = "serde")]
mod written {
    use super::Concentration;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Text {
        Symmetric(f64),
        Each(Vec<f64>),
    }

    #[derive(Serialize, Deserialize)]
    enum Binary {
        Symmetric(f64),
        Each(Vec<f64>),
    }

    impl Serialize for Concentration {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match (self.clone(), serializer.is_human_readable()) {
                (Self::Symmetric(value), true) => Text::Symmetric(value).serialize(serializer),
                (Self::Symmetric(value), false) => Binary::Symmetric(value).serialize(serializer),
                (Self::Each(values), true) => Text::Each(values).serialize(serializer),
                (Self::Each(values), false) => Binary::Each(values).serialize(serializer),
            }
        }
    }

    impl<'de> Deserialize<'de> for Concentration {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            if deserializer.is_human_readable() {
                Ok(match Text::deserialize(deserializer)? {
                    Text::Symmetric(value) => Self::Symmetric(value),
                    Text::Each(values) => Self::Each(values),
                })
            } else {
                Ok(match Binary::deserialize(deserializer)? {
                    Binary::Symmetric(value) => Self::Symmetric(value),
                    Binary::Each(values) => Self::Each(values),
                })
            }
        }
    }
}
