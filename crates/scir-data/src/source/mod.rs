//! Where input comes from: a file, compressed or not, read line by line within limits.

mod archive;
mod limits;
mod tree;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

pub use archive::Compression;
pub use limits::Limits;
pub use tree::files_under;

use crate::error::{Error, Place, Result};

/// An open input: plain, gzip (also of many members) or bzip2 (also of many streams), told apart by content.
///
/// Readers take one, so that what comes over a pipe or lies in memory is read like a file:
///
/// ```
/// use scir_data::{Limits, Source};
/// # fn main() -> scir_data::Result<()> {
/// let mut source = Source::from_reader("<memory>", &b"one\ntwo"[..], Limits::default())?;
/// let mut line = Vec::new();
/// while source.next_line(&mut line)? {
///     println!("{}: {}", source.place(), String::from_utf8_lossy(&line));
/// }
/// # Ok(())
/// # }
/// ```
pub struct Source {
    file: Arc<Path>,
    reader: BufReader<Box<dyn Read + Send>>,
    limits: Limits,
    /// Lines read so far; the number of the last one.
    line: u64,
    /// Where the last line started.
    line_start: u64,
    /// Where the next line starts.
    byte: u64,
}

impl Source {
    /// Opens a file with the default limits.
    ///
    /// # Errors
    /// A file that cannot be opened, a directory, a file without content, an archive that is damaged at its start.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Limits::default())
    }

    /// Opens a file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, limits: Limits) -> Result<Self> {
        let path = path.as_ref();
        let explain = |source| Error::Io { path: path.to_owned(), source };
        if fs::metadata(path).map_err(explain)?.is_dir() {
            return Err(Error::IsDirectory { path: path.to_owned(), expected: "a file" });
        }
        Self::from_named_reader(path.into(), File::open(path).map_err(explain)?, limits)
    }

    /// Reads what is not a file, under a name that errors will show.
    ///
    /// # Errors
    /// An input without content, or an archive that is damaged at its start.
    pub fn from_reader(name: &str, reader: impl Read + Send + 'static, limits: Limits) -> Result<Self> {
        Self::from_named_reader(Path::new(name).into(), reader, limits)
    }

    fn from_named_reader(
        file: Arc<Path>,
        mut reader: impl Read + Send + 'static,
        limits: Limits,
    ) -> Result<Self> {
        let mut head = Vec::with_capacity(archive::MAGIC);
        reader
            .by_ref()
            .take(archive::MAGIC as u64)
            .read_to_end(&mut head)
            .map_err(|error| Error::from_io(&file, error))?;
        let whole = io::Cursor::new(head.clone()).chain(reader);
        let archive = archive::Archive::new(&head, whole, Arc::clone(&file), limits)?;
        let archive: Box<dyn Read + Send> = Box::new(archive);
        let mut reader = BufReader::with_capacity(128 << 10, archive);
        if reader.fill_buf().map_err(|error| Error::from_io(&file, error))?.is_empty() {
            return Err(Error::Empty { path: file.to_path_buf(), expected: "content" });
        }
        Ok(Self { file, reader, limits, line: 0, line_start: 0, byte: 0 })
    }

    /// The limits it was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The file, as errors show it.
    pub fn file(&self) -> &Arc<Path> {
        &self.file
    }

    /// The line that was read last.
    pub fn place(&self) -> Place {
        Place { file: Arc::clone(&self.file), line: Some(self.line), byte: self.line_start }
    }

    /// Reads the next line into `line`, without its line break (LF or CR LF). False at the end.
    ///
    /// # Errors
    /// A line longer than [`Limits::line`], or what the file system or the decompressor says.
    pub fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool> {
        line.clear();
        self.append_line(line)
    }

    /// As [`next_line`](Self::next_line), but the line is put after what `buffer` has.
    pub(crate) fn append_line(&mut self, buffer: &mut Vec<u8>) -> Result<bool> {
        let start = buffer.len();
        self.line_start = self.byte;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::from_io(&self.file, error)),
            };
            if available.is_empty() {
                // The last line may lack a line break; nothing at all is not a line.
                if self.byte == self.line_start {
                    return Ok(false);
                }
                break;
            }
            let end = memchr::memchr(b'\n', available);
            let piece = &available[..end.unwrap_or(available.len())];
            if buffer.len() - start + piece.len() > self.limits.line {
                self.line += 1;
                let (place, limit) = (self.place(), self.limits.line as u64);
                return Err(Error::TooLong { place, what: "the line", limit, setting: "line" });
            }
            buffer.extend_from_slice(piece);
            let taken = piece.len() + usize::from(end.is_some());
            self.reader.consume(taken);
            self.byte += taken as u64;
            if end.is_some() {
                break;
            }
        }
        self.line += 1;
        if self.line == 1 && buffer[start..].starts_with(b"\xef\xbb\xbf") {
            buffer.drain(start..start + 3);
        }
        if buffer.len() > start && buffer.ends_with(b"\r") {
            buffer.pop();
        }
        Ok(true)
    }

    /// The first byte that is not white space, without taking it: enough to tell formats apart. Looks
    /// no further than what is buffered, which is at least the start of the file.
    pub(crate) fn first_byte(&self) -> Option<u8> {
        let head = self.reader.buffer();
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        head.iter().copied().find(|byte| !byte.is_ascii_whitespace())
    }

    /// For parsers that do not go by lines.
    pub(crate) fn into_reader(self) -> BufReader<Box<dyn Read + Send>> {
        self.reader
    }
}

/// Checks that bytes which begin at `place` are UTF-8; `byte` is their offset in the file.
pub(crate) fn utf8(bytes: &[u8], byte: u64, place: impl FnOnce() -> Place) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, byte, &error, place()))
}

fn not_utf8(bytes: &[u8], byte: u64, error: &std::str::Utf8Error, place: Place) -> Error {
    let at = error.valid_up_to();
    Error::NotUtf8 { place, byte: byte + at as u64, found: bytes[at] }
}

/// As [`utf8`], for bytes that become the string.
pub(crate) fn utf8_string(bytes: Vec<u8>, byte: u64, place: impl FnOnce() -> Place) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes(), byte, &error.utf8_error(), place()))
}

#[cfg(test)]
mod tests;
