//! The transitions of this crate as one value, for settings files and command lines.

use super::{Exact, Report, Scir, ScirVm, Sgld, Sgrld, Transition};
use crate::error::{Error, Result};
use crate::simplex::Coordinates;
use crate::target::Target;
use rand::Rng;
use std::fmt;
use std::str::FromStr;

/// A transition chosen by name: `scir`, `scir-vm`, `scir-vm-scheduled`, `sgrld`, `sgld` or `exact`.
///
/// ```
/// use scir_core::Method;
/// assert_eq!("sgrld".parse::<Method>()?, Method::Sgrld);
/// assert_eq!(Method::Scir.to_string(), "scir");
/// assert!("hmc".parse::<Method>().unwrap_err().to_string().contains("scir, scir-vm, scir-vm-scheduled, sgrld, sgld, exact"));
/// # Ok::<(), scir_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Method {
    /// [`Scir`].
    Scir,
    /// [`ScirVm::noise_limited`], with measured noise.
    ScirVm,
    /// [`ScirVm::scheduled`], with measured noise.
    ScirVmScheduled,
    /// [`Sgrld`].
    Sgrld,
    /// [`Sgld`].
    Sgld,
    /// [`Exact`].
    Exact,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Scir, Self::ScirVm, Self::ScirVmScheduled, Self::Sgrld, Self::Sgld, Self::Exact];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scir => "scir",
            Self::ScirVm => "scir-vm",
            Self::ScirVmScheduled => "scir-vm-scheduled",
            Self::Sgrld => "sgrld",
            Self::Sgld => "sgld",
            Self::Exact => "exact",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;
    fn from_str(given: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|method| method.name() == given).ok_or_else(|| Error::UnknownName {
            name: "method",
            given: given.to_owned(),
            expected: "scir, scir-vm, scir-vm-scheduled, sgrld, sgld, exact",
        })
    }
}

impl Transition for Method {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> Result<Report> {
        match self {
            Self::Scir => Scir.step(theta, target, h, rng),
            Self::ScirVm => ScirVm::noise_limited().step(theta, target, h, rng),
            Self::ScirVmScheduled => ScirVm::scheduled().step(theta, target, h, rng),
            Self::Sgrld => Sgrld.step(theta, target, h, rng),
            Self::Sgld => Sgld.step(theta, target, h, rng),
            Self::Exact => Exact.step(theta, target, h, rng),
        }
    }
}
