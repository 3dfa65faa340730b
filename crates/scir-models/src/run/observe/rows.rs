//! Going back to an earlier end of a log.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

/// Cuts a file after its first lines, to go on from there. None if there is no such file.
pub(super) fn keep(path: &Path, lines: u64) -> io::Result<Option<File>> {
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let end = end_of_line(&mut file, lines)?;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(Some(file))
}

/// Where line number `lines`, counted from 1, ends; or the last one that is whole.
fn end_of_line(file: &mut File, lines: u64) -> io::Result<u64> {
    let (mut reader, mut line, mut end) = (BufReader::new(file), Vec::new(), 0);
    for _ in 0..lines {
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            break;
        }
        end += line.len() as u64;
    }
    Ok(end)
}
