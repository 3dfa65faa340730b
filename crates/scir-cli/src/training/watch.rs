//! What watches a run: evaluation, log, early stopping, progress, and Ctrl-C.

use super::session::Session;
use crate::interrupt::interrupted;
use anyhow::Result;
use scir_models::observe::{EarlyStopping, Evaluate, Log, LogFormat, ObserverError, Progress, Score, Status};
use scir_models::{Observer, Step};
use std::ops::ControlFlow;

/// The observers of a run; those that are optional may be missing.
pub(crate) struct Watch<E> {
    pub(super) evaluate: Option<Evaluate<E>>,
    pub(super) stopping: Option<EarlyStopping>,
    pub(super) log: Option<Log>,
    pub(super) progress: Progress<fn(&Status)>,
    pub(super) stop: StopWhenInterrupted,
    pub(super) score: Score,
}

impl<E> Watch<E> {
    /// Measures by `measure`, where there is something to measure on.
    pub(super) fn new(session: &Session, measure: Option<E>, total: u64) -> Result<Self> {
        let score = Score::default();
        let log = session.place.log.as_ref().map(|path| {
            let is_csv = path.extension().is_some_and(|extension| extension == "csv");
            let format = if is_csv { LogFormat::Csv } else { LogFormat::JsonLines };
            Log::new(path, format, 1, score.clone())
        });
        let evaluate =
            measure.map(|measure| Evaluate::every(session.evaluation.every, measure, score.clone()));
        let patience = session.evaluation.patience;
        Ok(Self {
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
}

/// Ends the run when it was interrupted.
pub(super) struct StopWhenInterrupted;

impl<M> Observer<M> for StopWhenInterrupted {
    fn observe(&mut self, _: &M, _: &Step) -> Result<ControlFlow<()>, ObserverError> {
        Ok(if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}
