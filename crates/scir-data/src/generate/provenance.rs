//! Where data comes from, so that what is made up cannot be mistaken for what was measured.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where data comes from. Reports print it next to every number that was computed from the data.
///
/// ```
/// use scir_data::generate::Provenance;
/// let made_up = Provenance::Generated("LDA with 10 topics, seed 3".into());
/// assert_eq!(made_up.to_string(), "generated: LDA with 10 topics, seed 3");
/// assert_eq!(made_up.label(), "generated");
/// assert_eq!(Provenance::Observed("msweb/anonymous-msweb.data".into()).label(), "observed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Data from the world: the name of its source.
    Observed(String),
    /// Data that was made up: by what, and with which settings.
    Generated(String),
}

impl Provenance {
    /// One word, for a column of a table or the name of a file.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Observed(_) => "observed",
            Self::Generated(_) => "generated",
        }
    }

    /// Whether the data was made up.
    pub fn is_generated(&self) -> bool {
        matches!(self, Self::Generated(_))
    }
}

/// The name of what was observed; "generated: …" for the rest.
impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Observed(source) => f.write_str(source),
            Self::Generated(recipe) => write!(f, "generated: {recipe}"),
        }
    }
}
