//! The settings of latent Dirichlet allocation, plain data that is checked when a model is made.

use crate::error::{Result, check};
use crate::prior::Concentration;

/// The settings of a model. The default is Table 2 of the SCIR paper, for SCIR.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct LdaSettings {
    /// The number K of topics.
    pub topics: usize,
    /// The prior α of the topics of a document.
    pub alpha: Concentration,
    /// The prior β of the words of a topic.
    pub beta: Concentration,
    /// How the topics of tokens are sampled while φ is fixed.
    pub gibbs: Gibbs,
}

/// Gibbs sampling of the topics of the tokens of a document, with φ fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Gibbs {
    /// The number of sweeps over the tokens.
    pub sweeps: u32,
    /// How many of them are left out of the averages: fewer than all.
    pub burn_in: u32,
    /// How a token is sampled.
    pub sampler: TokenSampler,
}

/// How the topic of a token is drawn. Both draw from the same law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum TokenSampler {
    /// In two parts, Σ_k n_dk φ_kw over the topics of the document and Σ_k α_k φ_kw by an alias table of the word.
    #[default]
    Sparse,
    /// By all K probabilities: slow, and simple enough to be the reference.
    Dense,
}

impl Default for LdaSettings {
    fn default() -> Self {
        Self { topics: 100, alpha: 0.1.into(), beta: 0.5.into(), gibbs: Gibbs::default() }
    }
}

impl Default for Gibbs {
    fn default() -> Self {
        Self { sweeps: 200, burn_in: 100, sampler: TokenSampler::Sparse }
    }
}

impl LdaSettings {
    pub(super) fn check(&self, words: usize) -> Result<()> {
        check(self.topics > 0, "topics", self.topics, "at least 1")?;
        check(self.topics <= 1 << 20, "topics", self.topics, "at most 2^20")?;
        self.alpha.check("alpha", self.topics)?;
        self.beta.check("beta", words)?;
        self.gibbs.check()
    }
}

impl Gibbs {
    pub(super) fn check(&self) -> Result<()> {
        check(self.sweeps > 0, "sweeps", self.sweeps, "at least 1")?;
        check(self.burn_in < self.sweeps, "burn_in", self.burn_in, "less than sweeps")
    }
}
