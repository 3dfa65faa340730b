//! Known files out of a zip archive.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use zip::ZipArchive;

use super::digest::{Digests, Expected};
use super::homes::KnownFile;

/// Puts each of `files` from the archive into its place under `root`: all of them, compared with their sums, or none.
pub(crate) fn unpack(archive: &Path, root: &Path, files: &[KnownFile]) -> Result<()> {
    let explain = || format!("{}: not an archive that can be read", archive.display());
    let mut zip = ZipArchive::new(File::open(archive).with_context(explain)?).with_context(explain)?;
    let mut contents = Vec::new();
    for file in files {
        let bytes = read(&mut zip, file).with_context(|| archive.display().to_string())?;
        contents.push(bytes);
    }
    for (file, bytes) in files.iter().zip(contents) {
        put(&root.join(file.path), &bytes)?;
    }
    Ok(())
}

/// The bytes of one file, wherever in the archive it lies.
fn read(zip: &mut ZipArchive<File>, file: &KnownFile) -> Result<Vec<u8>> {
    let ends_with = |name: &str| name.rsplit('/').next() == Some(file.name());
    let name = zip.file_names().flatten().find(|name| ends_with(name)).map(|name| name.into_owned());
    let name = name.with_context(|| format!("{} is not in the archive", file.name()))?;
    let mut bytes = Vec::new();
    // One byte more than it may have tells that it is too long, whatever it would expand to.
    zip.by_name(&name)?.take(file.bytes + 1).read_to_end(&mut bytes)?;
    let mut digests = Digests::default();
    digests.update(&bytes);
    let sums = digests.finish();
    let expected = Expected::Sha256(file.sha256.to_owned());
    ensure!(
        expected.matches(&sums),
        "{}: the SHA-256 sum is {}, expected {}",
        file.name(),
        sums.sha256,
        file.sha256
    );
    Ok(bytes)
}

/// Writes a small file under another name and renames it.
fn put(target: &Path, bytes: &[u8]) -> Result<()> {
    let explain = || format!("{} cannot be written", target.display());
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).with_context(explain)?;
    }
    let temporary = target.with_extension("unpacked");
    let mut file = File::create(&temporary).with_context(explain)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).with_context(explain)?;
    fs::rename(&temporary, target).with_context(explain)
}
