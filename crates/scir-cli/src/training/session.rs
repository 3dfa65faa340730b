//! One run of training: what it starts from, how it is saved, and how it ends.

use super::{Documents, Evaluation, Place, Watch};
use crate::input::{Inputs, TokenizerName, VocabularyOptions, Words, file_sha256};
use crate::interrupt::interrupted;
use crate::output::usage;
use anyhow::{Context, Result, anyhow, bail};
use scir_data::Vocabulary;
use scir_models::Ended;
use scir_models::checkpoint::{About, Checkpointing, Folder, Found, Snapshot};
use scir_models::observe::Measure;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// A run, whatever its model.
pub(crate) struct Session {
    pub(crate) kinds: Kinds,
    /// In full: what changes the numbers, and is stored with the model.
    pub(crate) settings: Value,
    pub(crate) inputs: Inputs,
    pub(crate) vocabulary: VocabularyOptions,
    pub(crate) tokenizer: TokenizerName,
    pub(crate) evaluation: Evaluation,
    pub(crate) place: Place,
}

/// What things are called.
pub(crate) struct Kinds {
    /// The kind of a finished model.
    pub(crate) model: &'static str,
    /// That of a checkpoint. If it is another, a finished model cannot go on.
    pub(crate) checkpoint: &'static str,
    /// One iteration.
    pub(crate) unit: &'static str,
    /// What the score is.
    pub(crate) score: &'static str,
}

/// What is found out in the first pass, and kept in the notes of a checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Notes {
    documents: u64,
    words: usize,
    inputs: Vec<String>,
    /// Set in the file of a finished model.
    stopped_early: Option<bool>,
    score: Option<f64>,
}

/// What a run has to go on from, and what it is to be saved as.
pub(crate) struct Start {
    pub(crate) documents: Documents,
    pub(crate) snapshot: Option<Snapshot>,
    /// How many iterations there will have been at the end.
    pub(crate) total: u64,
    folder: Folder,
    about: About,
}

impl Start {
    /// How many iterations are done.
    pub(crate) fn done(&self) -> u64 {
        self.snapshot.as_ref().map_or(0, Snapshot::iteration)
    }
}

impl Session {
    /// Finds what there is to go on from; nothing if the run is finished already. `total` is the number of iterations that
    /// there are to be.
    pub(crate) fn begin(&self, total: impl FnOnce(&Documents) -> u64) -> Result<Option<Start>> {
        let out = self.place.out.display();
        if self.place.out.is_dir() {
            return Err(usage(format!("--out {out} is a folder: give the name of a file")));
        }
        let about = self.about()?;
        let finished = if self.place.fresh { None } else { self.already_there(&about)? };
        let about = About { kind: self.kinds.checkpoint.to_owned(), ..about };
        let folder = Folder::open(self.place.folder(), 2)?;
        if self.place.fresh {
            folder.clear(true)?;
        }
        let newest = folder.newest(&about).map_err(|error| anyhow!("{error}; --fresh starts over"))?;
        let checkpoint = newest.map(|Found { snapshot, damaged, .. }| {
            damaged.iter().for_each(|error| eprintln!("scir: {error}; the one before is used"));
            snapshot
        });
        let is_ahead = |finished: &Snapshot| {
            checkpoint.as_ref().is_none_or(|checkpoint| checkpoint.iteration() <= finished.iteration())
        };
        let finished = finished.filter(is_ahead);
        let documents = self.documents(finished.as_ref().or(checkpoint.as_ref()))?;
        let total = total(&documents);
        if let Some(finished) = &finished {
            let done = self.counted(finished.iteration());
            let notes: Option<Notes> = serde_json::from_value(finished.notes().clone()).ok();
            let stopped_early = notes.is_some_and(|notes| notes.stopped_early == Some(true));
            if finished.iteration() >= total || stopped_early {
                eprintln!(
                    "{out} is trained already, for {done}: ask for more with --updates, or start over with --fresh"
                );
                folder.finish()?;
                return Ok(None);
            }
            if self.kinds.model != self.kinds.checkpoint {
                bail!(
                    "{out} has been trained for {done} and cannot go on, because what is needed for that is in checkpoints \
                     and not in a finished model: start over with --fresh"
                );
            }
        }
        let snapshot = finished.or(checkpoint);
        if let Some(snapshot) = &snapshot {
            eprintln!("going on after {}", self.counted(snapshot.iteration()));
        }
        Ok(Some(Start { documents, snapshot, total, folder, about }))
    }

    /// What a finished model of this run belongs to.
    fn about(&self) -> Result<About> {
        let vocabulary = self.vocabulary.vocab.as_deref().map(file_sha256).transpose().context("--vocab")?;
        let data = json!({ "inputs": self.inputs.identity()?, "vocabulary": vocabulary });
        Ok(About::new(self.kinds.model, &self.settings, &data)?)
    }

    /// The model that is there already, if it is one of this run.
    fn already_there(&self, about: &About) -> Result<Option<Snapshot>> {
        if !self.place.out.exists() {
            return Ok(None);
        }
        let snapshot = Snapshot::read_for(&self.place.out, about);
        let hint = "choose another --out, or start over with --fresh";
        Ok(Some(snapshot.map_err(|error| anyhow!("{error}; {hint}"))?))
    }

    /// The documents, as a snapshot knows them or as a pass over the inputs finds them.
    fn documents(&self, snapshot: Option<&Snapshot>) -> Result<Documents> {
        let (words, total) = match snapshot {
            Some(snapshot) => {
                let notes: Notes = serde_json::from_value(snapshot.notes().clone())?;
                (Words::known(vocabulary(snapshot)?, notes.words, self.tokenizer), notes.documents)
            }
            None => {
                let found = Words::find(&self.inputs, &self.vocabulary)?;
                eprintln!("{} documents, {} words", found.1, found.0.len()?);
                found
            }
        };
        Documents::new(self.inputs.clone(), words, total, self.evaluation.held_out)
    }

    fn counted(&self, iterations: u64) -> String {
        format!("{iterations} {}{}", self.kinds.unit, if iterations == 1 { "" } else { "s" })
    }

    /// What is good to know of a run, and needed to go on with it.
    fn notes(&self, documents: &Documents) -> Result<Value> {
        Ok(serde_json::to_value(Notes {
            documents: documents.total,
            words: documents.words.len()?,
            inputs: self.inputs.0.iter().map(|input| input.name.clone()).collect(),
            stopped_early: None,
            score: None,
        })?)
    }

    /// The file of a model whose checkpoints have more than the model.
    pub(crate) fn finished<M: Serialize>(
        &self,
        documents: &Documents,
        model: &M,
        done: u64,
    ) -> Result<Snapshot> {
        let snapshot = Snapshot::new(self.about()?, done).with("model", model)?;
        Ok(snapshot.with("vocabulary", &documents.words.list())?.with_notes(self.notes(documents)?))
    }

    /// The observers of a run.
    pub(crate) fn watch<E>(&self, measure: Option<E>, total: u64) -> Result<Watch<E>> {
        Watch::new(self, measure, total)
    }

    /// Saves the run with what watches it, and puts that into the state that it goes on from.
    pub(crate) fn checkpoints<'a, M, E: Measure<M>>(
        &self,
        start: Start,
        watch: &'a mut Watch<E>,
    ) -> Result<Checkpointing<'a, M>> {
        let notes = self.notes(&start.documents)?;
        let Watch { evaluate, log, stopping, progress, stop, score } = watch;
        let mut checkpoints = Checkpointing::new(start.folder, start.about, self.place.checkpoint_every)
            .with("vocabulary", &start.documents.words.list())?
            .with_notes(notes)
            .tolerating(|error| {
                eprintln!("scir: a checkpoint could not be written: {error}; training goes on");
            })
            .around(vec![evaluate, log, stopping, progress, stop]);
        if self.kinds.model == self.kinds.checkpoint {
            checkpoints = checkpoints.keeping_best(score.clone());
        }
        if let Some(snapshot) = &start.snapshot {
            checkpoints.resume_from(snapshot)?;
        }
        Ok(checkpoints)
    }

    /// The last checkpoint, for the case that the model cannot be written where it belongs.
    pub(crate) fn save_last<M: Serialize>(
        &self,
        checkpoints: &mut Checkpointing<'_, M>,
        model: &M,
        done: u64,
    ) {
        if let Err(error) = checkpoints.save_now(model, done) {
            eprintln!("scir: the last checkpoint could not be written: {error}");
        }
    }

    /// Says how the run ended, and writes the model if it did not end before its time.
    pub(crate) fn end<E>(
        &self,
        ended: Ended,
        model: Snapshot,
        folder: Folder,
        watch: &Watch<E>,
    ) -> Result<()> {
        watch.progress.finish();
        let done = self.counted(model.iteration());
        if ended == Ended::Stopped && interrupted() {
            let path = folder.path().display();
            bail!("stopped after {done}, which are saved in {path}; the same command goes on from there");
        }
        let score = watch.score.latest().map(|scored| scored.value);
        let mut notes = model.notes().clone();
        notes["stopped_early"] = json!(ended == Ended::Stopped);
        notes["score"] = json!(score);
        model.with_notes(notes).write(&self.place.out)?;
        folder.finish()?;
        let early = if ended == Ended::Stopped { " (it no longer became better)" } else { "" };
        let digits = if score.is_some_and(|score| score.abs() >= 100.0) { 1 } else { 4 };
        let score = score.map(|score| format!(", {} {score:.digits$}", self.kinds.score)).unwrap_or_default();
        eprintln!("{}: {done}{early}{score}", self.place.out.display());
        Ok(())
    }
}

/// The vocabulary of a model or a checkpoint; none if its words have numbers only.
pub(crate) fn vocabulary(snapshot: &Snapshot) -> Result<Option<Arc<Vocabulary>>> {
    let words: Option<Vec<String>> = snapshot.get("vocabulary")?;
    Ok(words.map(Vocabulary::from_words).transpose()?.map(Arc::new))
}
