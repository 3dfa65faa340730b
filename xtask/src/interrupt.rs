//! Ctrl-C: a long run ends after the iteration at hand, saved; pressed again, the program ends at once.

use anyhow::{Context, Result, bail};
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether the run is to end.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// An error if the run is to end; for runs so short that nothing of them is saved.
pub(crate) fn check() -> Result<()> {
    if interrupted() { bail!("interrupted; the same command starts it again") } else { Ok(()) }
}

/// From here on, [`interrupted`] is to be looked at.
pub(crate) fn catch() -> Result<()> {
    let handle = || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
        eprintln!("\nstopping as soon as nothing is lost by it; again to stop at once");
    };
    ctrlc::set_handler(handle).context("Ctrl-C cannot be caught")
}
