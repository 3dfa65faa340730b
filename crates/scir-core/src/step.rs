//! Step sizes: how far each iteration moves.

use crate::error::{Result, non_negative, positive, step};

/// The step size h_m of iteration m = 0, 1, 2, …
///
/// ```
/// use scir_core::StepSize;
/// let h = StepSize::decreasing(0.5, 10.0, 0.33)?;
/// assert_eq!(h.at(0), 0.5);
/// assert!((h.at(10) - 0.5 * 2f64.powf(-0.33)).abs() < 1e-15);
/// assert!(StepSize::constant(-1.0).is_err());
/// # Ok::<(), scir_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parameters", into = "Parameters"))]
pub struct StepSize(Parameters);

/// The unchecked parameters of a step size.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
enum Parameters {
    Constant { h: f64 },
    Decreasing { h: f64, tau: f64, kappa: f64 },
}

impl StepSize {
    /// h_m = h, with 0 < h ≤ +∞.
    pub fn constant(h: f64) -> Result<Self> {
        Parameters::Constant { h }.check()
    }

    /// h_m = h (1 + m/τ)^{−κ}, with h > 0, τ > 0 and κ ≥ 0, all finite.
    pub fn decreasing(h: f64, tau: f64, kappa: f64) -> Result<Self> {
        Parameters::Decreasing { h, tau, kappa }.check()
    }

    /// The step size of iteration `m`, counted from 0.
    pub fn at(&self, m: u64) -> f64 {
        match self.0 {
            Parameters::Constant { h } => h,
            // Far out the power may underflow; a step stays a step.
            Parameters::Decreasing { h, tau, kappa } => {
                (h * (1.0 + m as f64 / tau).powf(-kappa)).clamp(f64::MIN_POSITIVE.min(h), h)
            }
        }
    }
}

impl Parameters {
    fn check(self) -> Result<StepSize> {
        match self {
            Self::Constant { h } => {
                step(h)?;
            }
            Self::Decreasing { h, tau, kappa } => {
                positive("h", h)?;
                positive("tau", tau)?;
                non_negative("kappa", kappa)?;
            }
        }
        Ok(StepSize(self))
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parameters> for StepSize {
    type Error = crate::Error;
    fn try_from(parameters: Parameters) -> Result<Self> {
        parameters.check()
    }
}

#[cfg(feature = "serde")]
impl From<StepSize> for Parameters {
    fn from(step_size: StepSize) -> Self {
        step_size.0
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked_when_read() {
        let h = StepSize::decreasing(0.5, 10.0, 0.33).unwrap();
        let text = serde_json::to_string(&h).unwrap();
        assert_eq!(text, r#"{"decreasing":{"h":0.5,"tau":10.0,"kappa":0.33}}"#);
        assert_eq!(serde_json::from_str::<StepSize>(&text).unwrap(), h);
        let bad = serde_json::from_str::<StepSize>(r#"{"constant":{"h":-1.0}}"#).unwrap_err().to_string();
        assert!(bad.contains("h = -1"), "{bad}");
    }
}
