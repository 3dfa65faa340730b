//! A folder of text files, each of which is a document.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Place, Result};
use crate::source::{Limits, files_under, utf8_string};
use crate::stream::{TextDocument, TextSource};

/// Reads all files under a folder in sorted order; each file is a document, and its path below the folder is its title.
/// Hidden files are left out.
pub struct TextFiles {
    folder: PathBuf,
    files: std::vec::IntoIter<PathBuf>,
    limits: Limits,
}

impl TextFiles {
    /// Reads a folder, or one file, with the default limits.
    ///
    /// # Errors
    /// A path that does not exist, or a folder without files.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(folder, Limits::default())
    }

    /// Reads a folder, or one file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(folder: impl AsRef<Path>, limits: Limits) -> Result<Self> {
        let folder = folder.as_ref().to_owned();
        Ok(Self { files: files_under(&folder)?.into_iter(), folder, limits })
    }
}

impl TextSource for TextFiles {
    fn read_text(&mut self, document: &mut TextDocument) -> Result<bool> {
        document.clear();
        let Some(path) = self.files.next() else { return Ok(false) };
        let place = || Place { file: path.as_path().into(), line: None, byte: 0 };
        let mut bytes = std::mem::take(&mut document.text).into_bytes();
        // One byte more than the limit tells a file that is longer.
        let limit = self.limits.document as u64;
        let read = fs::File::open(&path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
        read.map_err(|source| Error::Io { path: path.clone(), source })?;
        if bytes.len() as u64 > limit {
            return Err(Error::TooLong { place: place(), what: "the file", limit, setting: "document" });
        }
        document.text = utf8_string(bytes, 0, place)?;
        let name = path.strip_prefix(&self.folder).ok().filter(|name| !name.as_os_str().is_empty());
        document.title.push_str(&name.unwrap_or(&path).to_string_lossy());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_document() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("b/two.txt"), "two\nlines").unwrap();
        fs::write(folder.path().join("a.txt"), "one").unwrap();
        fs::write(folder.path().join("c.txt"), "").unwrap();
        fs::write(folder.path().join(".hidden"), "no").unwrap();
        let texts: Vec<TextDocument> =
            TextFiles::open(folder.path()).unwrap().texts().collect::<Result<_>>().unwrap();
        let seen: Vec<(&str, &str)> = texts.iter().map(|t| (t.title.as_str(), t.text.as_str())).collect();
        assert_eq!(seen, [("a.txt", "one"), ("b/two.txt", "two\nlines"), ("c.txt", "")]);
    }

    #[test]
    fn what_is_no_text_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, b"ok \xff").unwrap();
        let refused = |limits| {
            let files = TextFiles::open_with(&path, limits).unwrap();
            files.texts().next().unwrap().unwrap_err().to_string()
        };
        assert!(refused(Limits::default()).contains("found the byte 0xff at offset 3"));
        assert!(refused(Limits { document: 2, ..Limits::default() }).contains("Limits::document"));
    }
}
