//! Files that are there whole or not at all, also after a power failure.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The end of the names of files that are not finished.
pub(super) const UNFINISHED: &str = ".unfinished";

/// Writes to another name in the same folder, syncs, renames, and syncs the folder.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = unfinished(path)?;
    let written = File::create(&unfinished)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&unfinished, path))
        .and_then(|()| sync_folder(path));
    if written.is_err() {
        // What is left of it is of no use, and on a full disk it is in the way.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn unfinished(path: &Path) -> io::Result<PathBuf> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"));
    };
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}{UNFINISHED}", std::process::id()));
    Ok(path.with_file_name(hidden))
}

/// Makes a rename in the folder of `path` last. Only Unix has that for folders.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
