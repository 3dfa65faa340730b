//! What tells inputs from other inputs: their sizes and hashes.

use super::{Input, Inputs};
use anyhow::{Context, Result};
use scir_data::source::files_under;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// An input by its content; the name does not matter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct InputIdentity {
    bytes: u64,
    sha256: String,
}

impl Inputs {
    /// What the inputs are, byte by byte.
    pub(crate) fn identity(&self) -> Result<Vec<InputIdentity>> {
        self.0.iter().map(Input::identity).collect()
    }
}

impl Input {
    fn identity(&self) -> Result<InputIdentity> {
        let (mut hasher, mut bytes) = (Sha256::new(), 0);
        for path in files_under(&self.path).with_context(|| self.name.clone())? {
            let added = add(&mut hasher, &path).with_context(|| self.name.clone())?;
            // So that moving text from a file to the next is noticed.
            hasher.update(added.to_le_bytes());
            bytes += added;
        }
        Ok(InputIdentity { bytes, sha256: hexadecimal(hasher) })
    }
}

/// The hash of one file.
pub(crate) fn file_sha256(path: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    add(&mut hasher, path).with_context(|| path.display().to_string())?;
    Ok(hexadecimal(hasher))
}

/// Adds the content of a file and returns its length.
fn add(hasher: &mut Sha256, path: &Path) -> Result<u64> {
    let mut file = File::open(path)?;
    let (mut buffer, mut length) = (vec![0; 1 << 17], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(length),
            read => {
                hasher.update(&buffer[..read]);
                length += read as u64;
            }
        }
    }
}

fn hexadecimal(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
