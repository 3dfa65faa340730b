//! Files that appear whole or not at all.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::error::{Error, Result};

/// A file under a temporary name in the same folder; [`commit`](Self::commit) gives it its name. A
/// file that is dropped before that leaves nothing behind. A name that ends in `.gz` is written as gzip.
pub(crate) struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    /// None once committed.
    output: Option<Output>,
}

enum Output {
    Plain(BufWriter<File>),
    #[cfg(feature = "compression")]
    Gzip(Box<flate2::write::GzEncoder<BufWriter<File>>>),
}

impl AtomicFile {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let explain = |source| Error::Io { path: path.to_owned(), source };
        let Some(name) = path.file_name() else {
            return Err(explain(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file")));
        };
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.tmp", process::id()));
        let temporary = path.with_file_name(temporary);
        let gzip = path.extension().is_some_and(|extension| extension == "gz");
        if gzip && cfg!(not(feature = "compression")) {
            return Err(Error::CompressionDisabled { path: path.to_owned(), format: "gzip" });
        }
        let file = BufWriter::with_capacity(128 << 10, File::create(&temporary).map_err(explain)?);
        let output = match gzip {
            #[cfg(feature = "compression")]
            true => {
                Output::Gzip(Box::new(flate2::write::GzEncoder::new(file, flate2::Compression::default())))
            }
            _ => Output::Plain(file),
        };
        Ok(Self { path: path.to_owned(), temporary, output: Some(output) })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self.output.as_mut().expect("open until it is committed") {
            Output::Plain(file) => file,
            #[cfg(feature = "compression")]
            Output::Gzip(encoder) => encoder,
        }
    }

    /// Writes without a line break.
    pub(crate) fn put(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
        self.writer().write_fmt(text).map_err(|source| Error::Io { path: self.path.clone(), source })
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
        self.put(format_args!("{text}\n"))
    }

    /// Puts everything on disk and gives the file its name.
    pub(crate) fn commit(mut self) -> Result<()> {
        let output = self.output.take().expect("open until it is committed");
        let done = match output {
            Output::Plain(file) => Ok(file),
            #[cfg(feature = "compression")]
            Output::Gzip(encoder) => encoder.finish(),
        };
        let done = done
            .and_then(|file| file.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.temporary, &self.path));
        done.map_err(|source| {
            let _ = fs::remove_file(&self.temporary);
            Error::Io { path: self.path.clone(), source }
        })
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.output.take().is_some() {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_committed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.line(format_args!("new")).unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let mut file = AtomicFile::create(&path).unwrap();
        file.line(format_args!("new")).unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let refused = AtomicFile::create(Path::new("/nowhere/a.txt")).err().unwrap();
        assert_eq!(refused.to_string(), "/nowhere/a.txt: No such file or directory (os error 2)");
    }
}
