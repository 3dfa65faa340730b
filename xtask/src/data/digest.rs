//! Checksums, computed while bytes pass by.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result};
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

/// The sums that are computed of every download: SHA-256 for us, SHA-1 because Wikimedia publishes it.
#[derive(Default)]
pub(crate) struct Digests {
    sha256: Sha256,
    sha1: Sha1,
}

impl Digests {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.sha256.update(bytes);
        self.sha1.update(bytes);
    }

    /// Takes in all that `reader` gives.
    pub(crate) fn update_from(&mut self, mut reader: impl Read) -> io::Result<u64> {
        let mut buffer = vec![0; 1 << 16];
        let mut total = 0;
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(total),
                n => {
                    self.update(&buffer[..n]);
                    total += n as u64;
                }
            }
        }
    }

    pub(crate) fn finish(self) -> Sums {
        Sums { sha256: hex(&self.sha256.finalize()), sha1: hex(&self.sha1.finalize()) }
    }
}

/// Finished sums, in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) sha256: String,
    pub(crate) sha1: String,
}

/// A sum that a file must have.
#[derive(Debug, Clone)]
pub(crate) enum Expected {
    Sha256(String),
    Sha1(String),
}

impl Expected {
    /// The name of the sum, the value that must be, and the value that is.
    pub(crate) fn compare<'a>(&'a self, sums: &'a Sums) -> (&'static str, &'a str, &'a str) {
        match self {
            Self::Sha256(expected) => ("SHA-256", expected, &sums.sha256),
            Self::Sha1(expected) => ("SHA-1", expected, &sums.sha1),
        }
    }

    pub(crate) fn matches(&self, sums: &Sums) -> bool {
        let (_, expected, found) = self.compare(sums);
        expected.eq_ignore_ascii_case(found)
    }
}

/// The sums of a file.
pub(crate) fn of_file(path: &Path) -> Result<Sums> {
    let mut digests = Digests::default();
    let explain = || format!("{} cannot be read", path.display());
    digests.update_from(File::open(path).with_context(explain)?).with_context(explain)?;
    Ok(digests.finish())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
