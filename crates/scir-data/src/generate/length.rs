//! How many tokens a document has.

use std::fmt;

use rand_distr::{Distribution, Poisson, StandardNormal};
use scir_core::rand::Rng;
use serde::{Deserialize, Serialize};

use super::check_positive;
use crate::error::{Error, Result};

/// The law of the number of tokens of a document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// Always this many.
    Fixed(u32),
    /// Poisson with this mean, which also gives empty documents.
    Poisson(f64),
    /// The nearest whole number to m·e^{σZ}, Z a standard normal: many short documents and a few very long ones. The
    /// articles of Wikipedia are about m = 35 and σ = 1.7. Longer than [`Length::LONGEST`] is cut.
    LogNormal {
        /// The median m, at least 1.
        median: f64,
        /// The standard deviation σ of the logarithm.
        sigma: f64,
    },
}

impl Length {
    /// No document has more tokens than this: it is held in memory.
    pub const LONGEST: u32 = 10_000_000;

    pub(super) fn check(&self) -> Result<()> {
        let longest = f64::from(Self::LONGEST);
        let refuse =
            |name, value: f64, expected| Err(Error::Setting { name, value: value.to_string(), expected });
        match *self {
            Self::Fixed(n) if n > Self::LONGEST => refuse("length", f64::from(n), "at most 10000000"),
            Self::Fixed(_) => Ok(()),
            Self::Poisson(mean) if mean > longest / 2.0 => refuse("mean length", mean, "at most 5000000"),
            Self::Poisson(mean) => check_positive("mean length", mean),
            Self::LogNormal { median, .. } if !(1.0..=longest).contains(&median) => {
                refuse("median length", median, "1 to 10000000")
            }
            Self::LogNormal { sigma, .. } => check_positive("sigma of the length", sigma),
        }
    }

    pub(super) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
        let length = match *self {
            Self::Fixed(n) => return n,
            Self::Poisson(mean) => Poisson::new(mean).expect("the mean was checked").sample(rng),
            Self::LogNormal { median, sigma } => {
                let z: f64 = StandardNormal.sample(rng);
                (median * (sigma * z).exp()).round()
            }
        };
        length.min(f64::from(Self::LONGEST)) as u32
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n} tokens each"),
            Self::Poisson(mean) => write!(f, "Poisson({mean}) tokens each"),
            Self::LogNormal { median, sigma } => {
                write!(f, "lognormal numbers of tokens (median {median}, sigma {sigma})")
            }
        }
    }
}
