//! One run of training: what it starts from, what watches it, and how it ends.

use super::super::model_file::{GIBBS_KIND, KIND, vocabulary};
use super::documents::Documents;
use super::options::{MethodName, Options};
use super::settings::Settings;
use super::{gibbs, online};
use crate::input::{InputFormat, Inputs, Words, file_sha256};
use anyhow::{Context, Result, anyhow, bail};
use scir_data::msweb::Pages;
use scir_models::checkpoint::{About, Checkpointing, Every, Folder, Found, Snapshot};
use scir_models::lda::HeldOutPerplexity;
use scir_models::observe::{
    EarlyStopping, Evaluate, Log, LogFormat, Measure, ObserverError, Progress, Score, Status,
};
use scir_models::{Ended, Observer, Step};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

pub(super) struct Run {
    pub(super) settings: Settings,
    pub(super) options: Options,
    pub(super) inputs: Inputs,
    pub(super) out: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) every: Every,
    pub(super) fresh: bool,
    pub(super) log: Option<PathBuf>,
}

/// What is found out in the first pass, and kept in the notes of a checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Notes {
    documents: u64,
    words: usize,
    inputs: Vec<String>,
    /// Set in the file of a finished model.
    stopped_early: Option<bool>,
    perplexity: Option<f64>,
}

/// What a run has to go on from, and what it is to be saved as.
pub(super) struct Start {
    pub(super) documents: Documents,
    pub(super) snapshot: Option<Snapshot>,
    pub(super) folder: Folder,
    pub(super) about: About,
    /// How many updates or sweeps there will have been at the end.
    pub(super) total: u64,
}

impl Run {
    pub(super) fn start(&self) -> Result<()> {
        let vocabulary = self.options.vocabulary.vocab.as_deref().map(file_sha256).transpose();
        let data = json!({ "inputs": self.inputs.identity()?, "vocabulary": vocabulary.context("--vocab")? });
        let about = About::new(KIND, &self.settings, &data)?;
        let finished = if self.fresh { None } else { self.finished(&about)? };
        let is_gibbs = self.settings.method == MethodName::Gibbs;
        let saved_as = About { kind: if is_gibbs { GIBBS_KIND } else { KIND }.to_owned(), ..about };
        let folder = Folder::open(&self.folder, 2)?;
        if self.fresh {
            folder.clear(true)?;
        }
        let newest = folder.newest(&saved_as);
        let newest = newest.map_err(|error| anyhow!("{error}; --fresh starts over"))?;
        let checkpoint = newest.map(|found| {
            let Found { snapshot, damaged, .. } = found;
            damaged.iter().for_each(|error| eprintln!("scir: {error}; the one before is used"));
            snapshot
        });
        let is_ahead = |finished: &Snapshot| {
            checkpoint.as_ref().is_none_or(|checkpoint| checkpoint.iteration() <= finished.iteration())
        };
        let finished = finished.filter(is_ahead);
        let documents = self.documents(finished.as_ref().or(checkpoint.as_ref()))?;
        let total = self.total(&documents);
        if let Some(finished) = &finished {
            let notes: Option<Notes> = serde_json::from_value(finished.notes().clone()).ok();
            let stopped_early = notes.is_some_and(|notes| notes.stopped_early == Some(true));
            if finished.iteration() >= total || stopped_early {
                eprintln!(
                    "{} is trained already, for {}: ask for more with --updates or --passes, or start over with --fresh",
                    self.out.display(),
                    self.counted(finished.iteration())
                );
                return Ok(folder.finish()?);
            }
            if is_gibbs {
                bail!(
                    "{} has been trained for {} and cannot go on, because Gibbs sampling needs the topics of all words, \
                     which a finished model does not have: start over with --fresh",
                    self.out.display(),
                    self.counted(finished.iteration())
                );
            }
        }
        let snapshot = finished.or(checkpoint);
        if let Some(snapshot) = &snapshot {
            eprintln!("going on after {}", self.counted(snapshot.iteration()));
        }
        let start = Start { documents, snapshot, folder, about: saved_as, total };
        if is_gibbs { gibbs::run(self, start) } else { online::run(self, start) }
    }

    /// The model that is there already, if it is one of this run.
    fn finished(&self, about: &About) -> Result<Option<Snapshot>> {
        if !self.out.exists() {
            return Ok(None);
        }
        let snapshot = Snapshot::read_for(&self.out, about);
        let hint = "choose another --out, or start over with --fresh";
        Ok(Some(snapshot.map_err(|error| anyhow!("{error}; {hint}"))?))
    }

    /// The documents, as a snapshot knows them or as a pass over the inputs finds them.
    fn documents(&self, snapshot: Option<&Snapshot>) -> Result<Documents> {
        let (words, total) = match snapshot {
            Some(snapshot) => {
                let notes: Notes = serde_json::from_value(snapshot.notes().clone())?;
                let mut words = Words::known(vocabulary(snapshot)?, notes.words, self.settings.tokenizer);
                if self.inputs.0[0].format == InputFormat::Msweb {
                    words.pages = Some(Arc::new(Pages::read(self.inputs.0[0].source()?)?));
                }
                (words, notes.documents)
            }
            None => {
                let found = Words::find(&self.inputs, &self.options.vocabulary)?;
                eprintln!("{} documents, {} words", found.1, found.0.len()?);
                found
            }
        };
        Documents::new(self.inputs.clone(), words, total, self.settings.held_out)
    }

    /// How many updates or sweeps there are to be.
    fn total(&self, documents: &Documents) -> u64 {
        let Some(online) = &self.settings.online else {
            return self.options.updates.or(self.options.passes).unwrap_or(200);
        };
        let pass = documents.population().div_ceil(online.batch_size) as u64;
        match (self.options.updates, self.options.passes) {
            (Some(updates), _) => updates,
            (None, Some(passes)) => passes.saturating_mul(pass),
            (None, None) => pass.max(500),
        }
    }

    pub(super) fn counted(&self, iterations: u64) -> String {
        let unit = if self.settings.method == MethodName::Gibbs { "sweep" } else { "update" };
        format!("{iterations} {unit}{}", if iterations == 1 { "" } else { "s" })
    }

    /// What is good to know of a run, and needed to go on with it.
    pub(super) fn notes(&self, documents: &Documents) -> Result<Value> {
        Ok(serde_json::to_value(Notes {
            documents: documents.total,
            words: documents.words.len()?,
            inputs: self.inputs.0.iter().map(|input| input.name.clone()).collect(),
            stopped_early: None,
            perplexity: None,
        })?)
    }

    /// The observers of a run.
    pub(super) fn watch(&self, documents: &Documents, total: u64) -> Result<Watch> {
        let score = Score::default();
        let gibbs = self.settings.lda.gibbs;
        let perplexity = documents.test()?.map(|parts| HeldOutPerplexity::new(parts, self.settings.seed));
        let perplexity = perplexity.transpose().context("--held-out")?;
        let evaluate = perplexity.map(|perplexity| {
            Evaluate::every(self.settings.evaluate_every, perplexity.with_gibbs(gibbs)?, score.clone())
        });
        let patience = self.settings.patience;
        let log = self.log.as_ref().map(|path| {
            let is_csv = path.extension().is_some_and(|extension| extension == "csv");
            let format = if is_csv { LogFormat::Csv } else { LogFormat::JsonLines };
            Log::new(path, format, 1, score.clone())
        });
        Ok(Watch {
            evaluate: evaluate.transpose()?,
            stopping: patience
                .map(|patience| EarlyStopping::new(score.clone(), patience, 1e-3))
                .transpose()?,
            log: log.transpose()?,
            progress: Progress::on_terminal(Some(total), score.clone()),
            stop: StopWhenInterrupted,
            score,
        })
    }

    /// Saves the run with what watches it, and puts that into the state of a snapshot.
    pub(super) fn checkpoints<'a, M>(
        &self,
        start: Saving<'_>,
        watch: &'a mut Watch,
    ) -> Result<Checkpointing<'a, M>>
    where
        HeldOutPerplexity: Measure<M>,
    {
        let Watch { evaluate, log, stopping, progress, stop, .. } = watch;
        let mut checkpoints = Checkpointing::new(start.folder, start.about, self.every)
            .with("vocabulary", &start.documents.words.list())?
            .with_notes(self.notes(start.documents)?)
            .tolerating(|error| {
                eprintln!("scir: a checkpoint could not be written: {error}; training goes on");
            })
            .around(vec![evaluate, log, stopping, progress, stop]);
        if let Some(snapshot) = start.snapshot {
            checkpoints.resume_from(snapshot)?;
        }
        Ok(checkpoints)
    }

    /// The last checkpoint, for the case that the model cannot be written where it belongs.
    pub(super) fn save_last<M: Serialize>(
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
    pub(super) fn end(&self, ended: Ended, model: Snapshot, folder: Folder, score: &Score) -> Result<()> {
        let done = self.counted(model.iteration());
        if ended == Ended::Stopped && interrupted() {
            let path = folder.path().display();
            bail!("stopped after {done}, which are saved in {path}; the same command goes on from there");
        }
        let score = score.latest().map(|scored| scored.value);
        let mut notes = model.notes().clone();
        notes["stopped_early"] = json!(ended == Ended::Stopped);
        notes["perplexity"] = json!(score);
        model.with_notes(notes).write(&self.out)?;
        folder.finish()?;
        let early = if ended == Ended::Stopped { " (it no longer became better)" } else { "" };
        let score = score.map(|score| format!(", held-out perplexity {score:.1}")).unwrap_or_default();
        eprintln!("{}: {done}{early}{score}", self.out.display());
        Ok(())
    }
}

/// What is saved, where, and what it goes on from.
pub(super) struct Saving<'a> {
    pub(super) folder: Folder,
    pub(super) about: About,
    pub(super) documents: &'a Documents,
    pub(super) snapshot: Option<&'a Snapshot>,
}

/// The observers of a run; those that are optional may be missing.
pub(super) struct Watch {
    evaluate: Option<Evaluate<HeldOutPerplexity>>,
    stopping: Option<EarlyStopping>,
    log: Option<Log>,
    pub(super) progress: Progress<fn(&Status)>,
    stop: StopWhenInterrupted,
    pub(super) score: Score,
}

/// Whether Ctrl-C was pressed, or the system asked to end.
fn stop_flag() -> &'static AtomicBool {
    static STOP: OnceLock<&'static AtomicBool> = OnceLock::new();
    STOP.get_or_init(|| Box::leak(Box::default()))
}

pub(super) fn interrupted() -> bool {
    stop_flag().load(Ordering::Relaxed)
}

/// From here on Ctrl-C ends the run after the iteration at hand; pressed again, it ends the program at once.
pub(super) fn catch_interrupts() -> Result<()> {
    let handler = || {
        if stop_flag().swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
        eprintln!("\nscir: stopping after this update; again to stop at once");
    };
    ctrlc::set_handler(handler).context("Ctrl-C cannot be caught")
}

/// Ends the run when it was interrupted.
struct StopWhenInterrupted;

impl<M> Observer<M> for StopWhenInterrupted {
    fn observe(&mut self, _: &M, _: &Step) -> Result<ControlFlow<()>, ObserverError> {
        Ok(if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}
