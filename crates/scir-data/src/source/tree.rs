//! The files under a folder, in an order that is the same everywhere.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Deeper folders are refused: a tree this deep is a loop of links.
const DEPTH: usize = 32;

/// The file itself, or all files under a folder, sorted by name folder by folder. Hidden ones are left out.
///
/// # Errors
/// A path that does not exist, a folder without files, or folders 32 deep.
pub fn files_under(path: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    visit(path, DEPTH, &mut files)?;
    if files.is_empty() {
        return Err(Error::Empty { path: path.to_owned(), expected: "a folder with files in it" });
    }
    Ok(files)
}

fn visit(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let explain = |source| Error::Io { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(explain)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    if depth == 0 {
        let value = path.display().to_string();
        return Err(Error::Setting {
            name: "folder",
            value,
            expected: "at most 32 folders inside each other",
        });
    }
    let mut entries = fs::read_dir(path)
        .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect::<Result<Vec<_>, _>>())
        .map_err(explain)?;
    entries.sort_unstable();
    for name in entries {
        if !name.as_encoded_bytes().starts_with(b".") {
            visit(&path.join(name), depth - 1, files)?;
        }
    }
    Ok(())
}
