//! A row for each iteration, as CSV or JSON lines.

use super::{Observer, ObserverError, Score, Step};
use crate::error::{Result, check};
use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How a log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Comma-separated, with a header.
    Csv,
    /// One JSON object a line.
    JsonLines,
}

/// Writes a row for every k-th iteration, and for each one that was evaluated.
///
/// The columns are `iteration` (counted from 1), `documents` and `tokens` of the minibatch, `seconds` that the iteration
/// took, `zeros` and `reflections` (see [`Step`]), and `score` where one was measured. When a run is resumed, rows that
/// were written after its checkpoint are removed, so that the log is that of one run.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    format: LogFormat,
    every: u64,
    score: Score,
    file: Option<File>,
    rows: u64,
}

const COLUMNS: [&str; 7] = ["iteration", "documents", "tokens", "seconds", "zeros", "reflections", "score"];

impl Log {
    /// A log at `path`, which is replaced. A score is taken from `score`.
    ///
    /// # Errors
    /// If `every` is 0. What is wrong with the file is told at the first row.
    pub fn new(path: impl Into<PathBuf>, format: LogFormat, every: u64, score: Score) -> Result<Self> {
        check(every > 0, "every", every, "at least 1")?;
        Ok(Self { path: path.into(), format, every, score, file: None, rows: 0 })
    }

    fn row(&mut self, step: &Step, score: Option<f64>) -> io::Result<()> {
        let number = |x: f64| if x.is_finite() { x.to_string() } else { String::new() };
        let values = [
            (step.iteration + 1).to_string(),
            step.items.to_string(),
            step.tokens.to_string(),
            number(step.time().as_secs_f64()),
            step.zeros.to_string(),
            step.reflections.to_string(),
            score.map(number).unwrap_or_default(),
        ];
        let line = match self.format {
            LogFormat::Csv => values.join(","),
            LogFormat::JsonLines => {
                let given = COLUMNS.iter().zip(&values).filter(|(_, value)| !value.is_empty());
                let fields: Vec<String> = given.map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", fields.join(","))
            }
        };
        self.rows += 1;
        // One write for each row: whoever follows the file sees whole rows.
        self.file()?.write_all(format!("{line}\n").as_bytes())
    }

    fn file(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                let mut file = File::create(&self.path)?;
                if self.format == LogFormat::Csv {
                    writeln!(file, "{}", COLUMNS.join(","))?;
                }
                file
            }
        };
        Ok(self.file.insert(file))
    }
}

fn explain(path: &Path) -> impl Fn(io::Error) -> ObserverError + '_ {
    move |error| format!("the log {} cannot be written: {error}", path.display()).into()
}

impl<M: ?Sized> Observer<M> for Log {
    fn observe(&mut self, _: &M, step: &Step) -> Result<ControlFlow<()>, ObserverError> {
        let score = self.score.at(step.iteration);
        if score.is_some() || (step.iteration + 1).is_multiple_of(self.every) {
            self.row(step, score).map_err(explain(&self.path))?;
        }
        Ok(ControlFlow::Continue(()))
    }

    #[cfg(feature = "checkpoint")]
    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        Ok(crate::checkpoint::to_bytes("log", &self.rows)?)
    }

    #[cfg(feature = "checkpoint")]
    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        let rows: u64 = crate::checkpoint::from_bytes("log", saved)?;
        let header = u64::from(self.format == LogFormat::Csv);
        // A log that was moved away starts anew.
        self.file = super::rows::keep(&self.path, rows + header).map_err(explain(&self.path))?;
        self.rows = if self.file.is_some() { rows } else { 0 };
        Ok(())
    }
}
