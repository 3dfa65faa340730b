//! Ctrl-C, and the system asking to end: a run is saved first, and temporary files are removed.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Whether a run looks at `INTERRUPTED`, and saves itself.
static IS_SAVED: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Files that must not outlive the program.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Whether the run is to end.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// From here on Ctrl-C ends the run after the iteration at hand; pressed again, it ends the program at once.
pub(crate) fn end_after_iteration() -> Result<()> {
    IS_SAVED.store(true, Ordering::Relaxed);
    catch()
}

/// Removes a file also when the program is interrupted.
pub(crate) fn remove_in_any_case(path: &Path) -> Result<()> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
    catch()
}

/// Without this, an interrupt ends the program at once, and that is fine as long as there is nothing to save or remove.
fn catch() -> Result<()> {
    static CAUGHT: OnceLock<Result<(), ctrlc::Error>> = OnceLock::new();
    let caught = CAUGHT.get_or_init(|| ctrlc::set_handler(handle));
    caught.as_ref().map_err(|error| anyhow::anyhow!("{error}")).context("Ctrl-C cannot be caught")?;
    Ok(())
}

fn handle() {
    if IS_SAVED.load(Ordering::Relaxed) && !INTERRUPTED.swap(true, Ordering::Relaxed) {
        eprintln!("\nscir: stopping after this update; again to stop at once");
        return;
    }
    for path in TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = std::fs::remove_file(path);
    }
    std::process::exit(1);
}
