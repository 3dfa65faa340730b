//! The observer that saves a run, together with the observers that it is put around.

use super::about::About;
use super::error::{CheckpointError, Problem, Result};
use super::every::Every;
use super::folder::{Folder, Found};
use super::snapshot::Snapshot;
use crate::observe::{ObserverError, Score};
use crate::run::{Observer, Step, tell};
use serde::Serialize;
use serde_json::Value;
use std::ops::ControlFlow;
use std::time::Instant;

/// Is told of what went wrong and does not end the run.
type Warn<'a> = Box<dyn FnMut(&CheckpointError) + 'a>;

/// Saves the model every so often, and when one of the observers that it is [around](Self::around) ends the run.
///
/// The state of these observers is saved with the model, so that a running average goes on as well. A snapshot has the
/// parts `model`, `observers`, and what was [added](Self::with).
pub struct Checkpointing<'a, M: ?Sized> {
    folder: Folder,
    every: Every,
    /// The snapshot without model and observers.
    empty: Snapshot,
    inner: Vec<&'a mut dyn Observer<M>>,
    score: Option<Score>,
    /// The lowest score so far.
    best: f64,
    tolerate: Option<Warn<'a>>,
    last: Instant,
}

impl<'a, M: ?Sized> Checkpointing<'a, M> {
    /// Saves what belongs to `about` into a folder.
    pub fn new(folder: Folder, about: About, every: Every) -> Self {
        let (empty, inner, last) = (Snapshot::new(about, 0), Vec::new(), Instant::now());
        Self { folder, every, empty, inner, score: None, best: f64::INFINITY, tolerate: None, last }
    }

    /// Passes each iteration on to `observers` first, and saves what they have to remember.
    pub fn around(self, observers: Vec<&'a mut dyn Observer<M>>) -> Self {
        Self { inner: observers, ..self }
    }

    /// Adds a part to every snapshot, such as the vocabulary.
    ///
    /// # Errors
    /// If the value cannot be written down.
    pub fn with(self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<Self, Problem> {
        Ok(Self { empty: self.empty.with(name, value)?, ..self })
    }

    /// Adds notes to every snapshot.
    pub fn with_notes(self, notes: Value) -> Self {
        Self { empty: self.empty.with_notes(notes), ..self }
    }

    /// Also keeps the snapshot with the lowest score.
    pub fn keeping_best(self, score: Score) -> Self {
        Self { score: Some(score), ..self }
    }

    /// Goes on if a checkpoint could not be written, as on a full disk, after `warn` has been told. Earlier checkpoints are
    /// still there then. Without this, the run ends with the error.
    pub fn tolerating(self, warn: impl FnMut(&CheckpointError) + 'a) -> Self {
        Self { tolerate: Some(Box::new(warn)), ..self }
    }

    /// The newest good checkpoint, if there is one, and what was wrong with newer ones: to be shown. The observers are back in
    /// the state of the checkpoint, the model is its part `model`.
    ///
    /// # Errors
    /// If the checkpoint belongs to something else, or all of them are damaged.
    pub fn resume(&mut self) -> Result<Option<Found>> {
        let found = self.folder.newest(self.empty.about())?;
        if let Some(found) = &found {
            self.resume_from(&found.snapshot).map_err(|problem| problem.of(self.folder.path()))?;
        }
        Ok(found)
    }

    /// Puts the observers into the state of a snapshot, which may come from elsewhere.
    ///
    /// # Errors
    /// If the snapshot is of other observers.
    pub fn resume_from(&mut self, snapshot: &Snapshot) -> Result<(), Problem> {
        let reason = |reason: String| Problem::Part { name: "observers".to_owned(), reason };
        let (best, states): (f64, Vec<Vec<u8>>) = snapshot.get("observers")?;
        if states.len() != self.inner.len() {
            return Err(reason(format!(
                "it is of {} observers, and here are {}",
                states.len(),
                self.inner.len()
            )));
        }
        for (observer, state) in self.inner.iter_mut().zip(&states) {
            observer.restore(state).map_err(|error| reason(error.to_string()))?;
        }
        self.best = best;
        Ok(())
    }

    /// The folder, for what comes after the run.
    pub fn into_folder(self) -> Folder {
        self.folder
    }
}

impl<M: Serialize> Checkpointing<'_, M> {
    /// A snapshot of the model before iteration number `iteration`.
    ///
    /// # Errors
    /// If model or observers cannot be written down.
    pub fn snapshot(&self, model: &M, iteration: u64) -> Result<Snapshot, Problem> {
        let reason =
            |error: ObserverError| Problem::Part { name: "observers".to_owned(), reason: error.to_string() };
        let states = self.inner.iter().map(|observer| observer.save().map_err(reason));
        let states = states.collect::<Result<Vec<Vec<u8>>, Problem>>()?;
        let snapshot = self.empty.clone().with("model", model)?.with("observers", &(self.best, states))?;
        Ok(snapshot.at(iteration))
    }

    /// Saves a checkpoint now, whenever the last one was.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save_now(&mut self, model: &M, iteration: u64) -> Result<()> {
        let snapshot = self.snapshot(model, iteration).map_err(|problem| problem.of(self.folder.path()))?;
        self.folder.save(&snapshot)?;
        self.last = Instant::now();
        Ok(())
    }

    fn save_if_best(&mut self, model: &M, step: &Step) -> Result<()> {
        match self.score.as_ref().and_then(|score| score.at(step.iteration)) {
            Some(score) if score < self.best => self.best = score,
            _ => return Ok(()),
        }
        let snapshot =
            self.snapshot(model, step.iteration + 1).map_err(|problem| problem.of(self.folder.path()))?;
        self.folder.save_best(&snapshot)
    }

    fn tolerated(&mut self, saved: Result<()>) -> Result<()> {
        match (saved, &mut self.tolerate) {
            (Err(error), Some(warn)) => {
                warn(&error);
                // Not at once again: on a full disk every iteration would pay for the attempt.
                self.last = Instant::now();
                Ok(())
            }
            (saved, _) => saved,
        }
    }
}

impl<M: Serialize> Observer<M> for Checkpointing<'_, M> {
    fn observe(&mut self, model: &M, step: &Step) -> Result<ControlFlow<()>, ObserverError> {
        let flow = tell(&mut self.inner, model, step)?;
        let best = self.save_if_best(model, step);
        self.tolerated(best)?;
        let done = step.iteration + 1;
        let due = match self.every {
            Every::Iterations(every) => done.is_multiple_of(every.max(1)),
            Every::Time(time) => self.last.elapsed() >= time,
            Every::Never => false,
        };
        if flow.is_break() {
            // The last chance to save: a failure here is one of the run.
            self.save_now(model, done)?;
        } else if due {
            let saved = self.save_now(model, done);
            self.tolerated(saved)?;
        }
        Ok(flow)
    }
}

impl<M: ?Sized> std::fmt::Debug for Checkpointing<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkpointing")
            .field("folder", &self.folder)
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}
