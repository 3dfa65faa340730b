//! A trained model and the words that it knows, from a file.

use super::train::Settings;
use crate::input::Words;
use crate::training::vocabulary;
use anyhow::{Context, Result, bail};
use scir_models::Lda;
use scir_models::checkpoint::Snapshot;
use std::path::Path;

pub(super) const KIND: &str = "lda";
/// A checkpoint of collapsed Gibbs has the topics of tokens, and not the topics.
pub(super) const GIBBS_KIND: &str = "lda-gibbs";
/// One of a run that remembers documents has what they contributed besides the topics.
pub(super) const REMEMBERING_KIND: &str = "lda-remembering";

/// A model with what is needed to use it.
pub(super) struct ModelFile {
    pub(super) lda: Lda,
    pub(super) words: Words,
    pub(super) seed: u64,
}

impl ModelFile {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let snapshot = Snapshot::read(path)?;
        let kind = &snapshot.about().kind;
        if kind == GIBBS_KIND || kind == REMEMBERING_KIND {
            bail!(
                "{} is a checkpoint and no model yet: finish the training, and use its --out",
                path.display()
            );
        }
        if kind != KIND {
            bail!("{} is a model of the kind '{kind}', and not of LDA", path.display());
        }
        let explain = || path.display().to_string();
        let lda: Lda = snapshot.get("model").with_context(explain)?;
        let settings: Settings =
            serde_json::from_value(snapshot.about().settings.clone()).with_context(explain)?;
        let vocabulary = vocabulary(&snapshot).with_context(explain)?;
        let words = Words::known(vocabulary, lda.words(), settings.tokenizer);
        Ok(Self { lda, words, seed: settings.seed })
    }
}
