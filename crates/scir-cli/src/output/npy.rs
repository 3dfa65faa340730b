//! Matrices as NumPy's `.npy` files (format version 1.0), row by row, so that only a row is in memory.

use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A matrix of f64 that is being written. The file is there when it is [finished](Self::finish), and not before.
pub(crate) struct Npy {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    rows: u64,
    columns: usize,
}

/// The length of the header: room for any shape, and a multiple of 64 as NumPy asks for.
const HEADER: usize = 128;

impl Npy {
    pub(crate) fn create(path: &Path, columns: usize) -> Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
        let mut file = BufWriter::new(file.with_context(|| refusal(path))?);
        // The number of rows is known at the end.
        file.write_all(&[b' '; HEADER]).with_context(|| refusal(path))?;
        Ok(Self { path: path.to_owned(), file, rows: 0, columns })
    }

    pub(crate) fn row(&mut self, row: &[f64]) -> Result<()> {
        ensure!(row.len() == self.columns, "a row of {} numbers in a matrix of {}", row.len(), self.columns);
        self.rows += 1;
        for x in row {
            self.file.write_all(&x.to_le_bytes()).with_context(|| refusal(&self.path))?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        let Self { path, file, rows, columns } = self;
        let write = || -> std::io::Result<()> {
            let mut file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header(rows, columns))?;
            file.as_file().sync_all()?;
            // A temporary file is for its owner alone; the result is like any other file.
            let named: File = file.persist(&path).map_err(|error| error.error)?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                named.set_permissions(std::fs::Permissions::from_mode(0o644))?;
            }
            #[cfg(not(unix))]
            drop(named);
            Ok(())
        };
        write().with_context(|| refusal(&path))
    }
}

fn refusal(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}

fn header(rows: u64, columns: usize) -> Vec<u8> {
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(((HEADER - 10) as u16).to_le_bytes());
    let description = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    header.extend(description.as_bytes());
    header.resize(HEADER - 1, b' ');
    header.push(b'\n');
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_as_numpy_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let mut npy = Npy::create(&path, 2).unwrap();
        npy.row(&[1.0, 2.0]).unwrap();
        npy.row(&[3.0, -4.5]).unwrap();
        assert!(npy.row(&[1.0]).is_err());
        assert!(!path.exists(), "not before it is finished");
        npy.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), HEADER + 4 * 8);
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let text = std::str::from_utf8(&bytes[10..HEADER]).unwrap();
        assert_eq!(text.trim_end(), "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }");
        assert_eq!(bytes[HEADER + 24..], (-4.5f64).to_le_bytes());
    }
}
