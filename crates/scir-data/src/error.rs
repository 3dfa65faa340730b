//! What can be wrong with input, each with the place where it is wrong and what was expected there.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A place in a file: the line where the format has lines, the byte otherwise.
///
/// Both count what the parser sees, that is, after decompression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, or a name in angle brackets for what does not come from a file.
    pub file: Arc<Path>,
    /// The line, from 1, where the format has lines.
    pub line: Option<u64>,
    /// The offset from the start of the file, in bytes: of the start of the line where there is one.
    pub byte: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file.display()),
            None => write!(f, "{}, byte {}", self.file.display(), self.byte),
        }
    }
}

/// Why input was refused.
///
/// The message alone says where to look and what to change. After an error a reader yields nothing
/// more, and what collects a stream returns the error instead of a part of the stream.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A folder stands where a file must be.
    #[error("{}: is a directory, expected {expected}", .path.display())]
    IsDirectory {
        /// The folder.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
    },
    /// There is nothing in the file or the folder.
    #[error("{}: is empty, expected {expected}", .path.display())]
    Empty {
        /// The file or folder.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
    },
    /// Something is not written in the format.
    #[error("{place}: expected {expected}, found {found}")]
    Malformed {
        /// Where.
        place: Place,
        /// What was expected.
        expected: Cow<'static, str>,
        /// What stands there, shortened.
        found: String,
    },
    /// A number is outside of the range that its place allows.
    #[error("{place}: {name} {value} is out of range, expected {expected}")]
    OutOfRange {
        /// Where.
        place: Place,
        /// What the number is.
        name: &'static str,
        /// The number, as written.
        value: String,
        /// What was expected.
        expected: String,
    },
    /// The header promises a total that the body does not keep.
    #[error("{place}: the header declares {declared} {name}, found {found}")]
    WrongTotal {
        /// Where the body ended, or went past the total.
        place: Place,
        /// What is counted.
        name: &'static str,
        /// What the header says.
        declared: u64,
        /// What was counted.
        found: u64,
    },
    /// Bytes that are not UTF-8 where text must be.
    #[error("{place}: expected UTF-8 text, found the byte 0x{found:02x} at offset {byte}")]
    NotUtf8 {
        /// Where the text starts.
        place: Place,
        /// The offset of the first bad byte from the start of the file.
        byte: u64,
        /// The bad byte.
        found: u8,
    },
    /// The input ends where more must follow.
    #[error("{place}: the input ends early, expected {expected}")]
    Truncated {
        /// Where it ends.
        place: Place,
        /// What was still to come.
        expected: Cow<'static, str>,
    },
    /// A compressed file is damaged.
    #[error("{}: damaged {format} data near byte {byte} of the compressed file: {reason}", .file.display())]
    Damaged {
        /// The compressed file.
        file: Arc<Path>,
        /// `gzip` or `bzip2`.
        format: &'static str,
        /// Offset in the compressed file.
        byte: u64,
        /// What the decompressor said.
        reason: String,
    },
    /// A piece of input is longer than the limit that keeps memory bounded.
    #[error(
        "{place}: {what} is longer than the limit of {limit} bytes (to allow it, raise `Limits::{setting}`)"
    )]
    TooLong {
        /// Where it starts.
        place: Place,
        /// Which piece.
        what: &'static str,
        /// The limit that was passed.
        limit: u64,
        /// The field of [`Limits`](crate::Limits) that sets it.
        setting: &'static str,
    },
    /// A compressed file expands far more than text does.
    #[error(
        "{}: {compressed} compressed bytes expand to more than {limit} bytes, which looks like a decompression bomb \
         (if the file is trusted, raise `Limits::{setting}`)", .file.display()
    )]
    Bomb {
        /// The compressed file.
        file: Arc<Path>,
        /// Compressed bytes read so far.
        compressed: u64,
        /// The limit on the bytes that come out.
        limit: u64,
        /// The field of [`Limits`](crate::Limits) that sets it.
        setting: &'static str,
    },
    /// A word stands twice in a vocabulary.
    #[error("{place}: the word {word:?} is already on line {first_line}, expected each word once")]
    DuplicateWord {
        /// The second time.
        place: Place,
        /// The word.
        word: String,
        /// The first time.
        first_line: u64,
    },
    /// A document names a word that the corpus does not have.
    #[error("document {document}: word id {id} is out of range, expected an id below {words}")]
    IdOutOfRange {
        /// The position of the document, from 0.
        document: usize,
        /// The id.
        id: u32,
        /// The number of words.
        words: usize,
    },
    /// The occurrences of a word in one document do not fit into 32 bits.
    #[error("word id {id}: the counts in one document add up to more than {}", u32::MAX)]
    CountOverflow {
        /// The id.
        id: u32,
    },
    /// A setting is refused.
    #[error("{name} = {value}: expected {expected}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// There is nothing to make batches of.
    #[error("{what} has no documents, expected at least one")]
    NoDocuments {
        /// What is empty.
        what: Cow<'static, str>,
    },
    /// A later pass over a stream yields another number of documents than the first.
    #[error(
        "pass {pass} over the stream found {found} documents where the first found {first}: have the files changed?"
    )]
    PassesDiffer {
        /// Which pass, from 1.
        pass: u64,
        /// How many documents it found.
        found: u64,
        /// How many the first found.
        first: u64,
    },
    /// The system gives no thread.
    #[error("no thread can be started for prefetching: {source}")]
    Thread {
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is compressed and this build cannot decompress.
    #[error("{}: is {format} data, which needs the feature `compression` of scir-data", .path.display())]
    CompressionDisabled {
        /// The file.
        path: PathBuf,
        /// `gzip` or `bzip2`.
        format: &'static str,
    },
}

impl Error {
    /// From what `std::io` reports; an error of this crate that travelled through it comes out unchanged.
    pub(crate) fn from_io(path: &Path, source: io::Error) -> Self {
        match source.downcast::<Self>() {
            Ok(error) => error,
            Err(source) => Self::Io { path: path.to_owned(), source },
        }
    }

    /// A [`Malformed`](Self::Malformed) that quotes what was found, shortened to a screen line.
    pub(crate) fn malformed(place: Place, expected: impl Into<Cow<'static, str>>, found: &[u8]) -> Self {
        Self::Malformed { place, expected: expected.into(), found: quote(found) }
    }
}

/// The start of `bytes` as a quoted string that is safe to print.
fn quote(bytes: &[u8]) -> String {
    const SHOWN: usize = 60;
    if bytes.is_empty() {
        return "nothing".into();
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(SHOWN).collect();
    let more = if chars.next().is_some() { "…" } else { "" };
    format!("{head:?}{more}")
}
