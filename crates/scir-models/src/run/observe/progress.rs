//! How far a run is.

use super::{Observer, ObserverError, Score, Step};
use std::fmt;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Tells how far the run is, a few times a second.
///
/// It draws nothing by itself: it calls a function with a [`Status`], which may be a line on the terminal
/// ([`Progress::on_terminal`]), a progress bar of any library, or a message to another thread.
pub struct Progress<F> {
    show: F,
    total: Option<u64>,
    score: Score,
    /// Since the run began, also before it was resumed.
    documents: u64,
    tokens: u64,
    clock: Clock,
}

/// What has been done since this process began.
struct Clock {
    started: Instant,
    shown: Option<Instant>,
    iterations: u64,
    tokens: u64,
}

/// How far a run is. Displays as one line.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Status {
    /// How many iterations are done.
    pub done: u64,
    /// How many there will be, where that is known.
    pub total: Option<u64>,
    /// Documents worked on, each as often as it was.
    pub documents: u64,
    /// Tokens worked on.
    pub tokens: u64,
    /// Tokens a second, since this process began.
    pub tokens_per_second: f64,
    /// The last score.
    pub score: Option<f64>,
    /// How long it will take from here, where that is known.
    pub remaining: Option<Duration>,
}

const INTERVAL: Duration = Duration::from_millis(200);

impl<F: FnMut(&Status)> Progress<F> {
    /// Calls `show` now and then; `total` is the number of iterations at which the run will end, where that is known.
    pub fn new(total: Option<u64>, score: Score, show: F) -> Self {
        let clock = Clock { started: Instant::now(), shown: None, iterations: 0, tokens: 0 };
        Self { show, total, score, documents: 0, tokens: 0, clock }
    }
}

impl Progress<fn(&Status)> {
    /// One line on the terminal, drawn over and over; nothing if standard error is no terminal.
    pub fn on_terminal(total: Option<u64>, score: Score) -> Self {
        fn draw(status: &Status) {
            // Back to the start of the line, and clear what is longer than the new text.
            let _ = write!(std::io::stderr(), "\r{status}\x1b[K");
        }
        fn nothing(_: &Status) {}
        Self::new(total, score, if std::io::stderr().is_terminal() { draw } else { nothing })
    }

    /// Ends the line, so that what follows stands on its own.
    pub fn finish(&self) {
        if self.clock.shown.is_some() && std::io::stderr().is_terminal() {
            eprintln!();
        }
    }
}

impl<F> fmt::Debug for Progress<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("total", &self.total).finish_non_exhaustive()
    }
}

impl<M: ?Sized, F: FnMut(&Status)> Observer<M> for Progress<F> {
    fn observe(&mut self, _: &M, step: &Step) -> Result<ControlFlow<()>, ObserverError> {
        let (clock, done, now) = (&mut self.clock, step.iteration + 1, Instant::now());
        self.documents += step.items as u64;
        self.tokens += step.tokens;
        clock.iterations += 1;
        clock.tokens += step.tokens;
        let due = clock.shown.is_none_or(|shown| now - shown >= INTERVAL);
        if due || self.total == Some(done) {
            clock.shown = Some(now);
            let seconds = (now - clock.started).as_secs_f64().max(1e-9);
            let left = self.total.map(|total| total.saturating_sub(done) as f64);
            (self.show)(&Status {
                done,
                total: self.total,
                documents: self.documents,
                tokens: self.tokens,
                tokens_per_second: clock.tokens as f64 / seconds,
                score: self.score.latest().map(|scored| scored.value),
                remaining: left.map(|left| Duration::from_secs_f64(left * seconds / clock.iterations as f64)),
            });
        }
        Ok(ControlFlow::Continue(()))
    }

    #[cfg(feature = "checkpoint")]
    fn save(&self) -> Result<Vec<u8>, ObserverError> {
        Ok(crate::checkpoint::to_bytes("progress", &(self.documents, self.tokens))?)
    }

    #[cfg(feature = "checkpoint")]
    fn restore(&mut self, saved: &[u8]) -> Result<(), ObserverError> {
        (self.documents, self.tokens) = crate::checkpoint::from_bytes("progress", saved)?;
        Ok(())
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.done)?;
        if let Some(total) = self.total {
            write!(f, "/{total}")?;
        }
        write!(
            f,
            " · {} documents · {} tokens/s",
            short(self.documents as f64),
            short(self.tokens_per_second)
        )?;
        if let Some(score) = self.score {
            write!(f, " · score {score:.1}")?;
        }
        if let Some(remaining) = self.remaining {
            let seconds = remaining.as_secs();
            write!(f, " · {}:{:02}:{:02} left", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        }
        Ok(())
    }
}

/// Three digits and a letter for thousands or millions.
fn short(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{:.1}M", x / 1e6),
        x if x >= 1e4 => format!("{:.0}k", x / 1e3),
        x => format!("{x:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_line() {
        let status = Status {
            done: 50,
            total: Some(200),
            documents: 2500,
            tokens: 1_000_000,
            tokens_per_second: 1_234_567.0,
            score: Some(1203.456),
            remaining: Some(Duration::from_secs(3725)),
        };
        assert_eq!(
            status.to_string(),
            "50/200 · 2500 documents · 1.2M tokens/s · score 1203.5 · 1:02:05 left"
        );
    }
}
