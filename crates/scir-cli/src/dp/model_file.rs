//! A mixture and the words that it knows, from a file.

use super::fit::Settings;
use crate::input::Words;
use crate::training::vocabulary;
use anyhow::{Context, Result, bail};
use scir_models::DpMixture;
use scir_models::checkpoint::Snapshot;
use std::path::Path;

pub(super) const KIND: &str = "dp";

/// A mixture with what is needed to use it.
pub(super) struct ModelFile {
    pub(super) mixture: DpMixture,
    pub(super) words: Words,
}

impl ModelFile {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let snapshot = Snapshot::read(path)?;
        let kind = &snapshot.about().kind;
        if kind != KIND {
            bail!("{} is a model of the kind '{kind}', and not a mixture", path.display());
        }
        let explain = || path.display().to_string();
        let mixture: DpMixture = snapshot.get("model").with_context(explain)?;
        let settings: Settings =
            serde_json::from_value(snapshot.about().settings.clone()).with_context(explain)?;
        let vocabulary = vocabulary(&snapshot).with_context(explain)?;
        let words = Words::known(vocabulary, mixture.atoms().categories(), settings.tokenizer);
        Ok(Self { mixture, words })
    }
}
