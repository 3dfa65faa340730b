//! `cargo xtask data fetch`: which files come from where, and how each is known to be right.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use indicatif::DecimalBytes;
use scir_data::Vocabulary;
use ureq::Agent;

use super::digest::{self, Expected};
use super::download::{self, Download, Fetched};
use super::homes::{Address, DUMPS, Dump, Known, KnownFile, VOCABULARY, VOCABULARY_HOME, VOCABULARY_WORDS};
use super::unpack::unpack;

/// How to fetch.
pub(crate) struct Options {
    /// Another server than the home.
    pub(crate) base_url: Option<String>,
    pub(crate) max_size: u64,
    pub(crate) timeout: Duration,
    pub(crate) force: bool,
}

impl Options {
    fn agent(&self) -> Agent {
        download::agent(self.timeout)
    }

    fn url(&self, server: &str, path: &str) -> String {
        let server = self.base_url.as_deref().unwrap_or(server);
        format!("{}{path}", server.trim_end_matches('/'))
    }

    fn address(&self, address: Address) -> String {
        self.url(address.server, address.path)
    }
}

/// Fetches a data set of known files: as an archive, and if that fails, file by file.
pub(crate) fn msweb(options: &Options, root: &Path, known: &Known, out: &mut dyn Write) -> Result<()> {
    if !options.force && known.files.iter().all(|file| is_complete(root, file)) {
        writeln!(out, "all files are there already, and right")?;
        return Ok(());
    }
    let agent = options.agent();
    let archive_url = options.address(known.archive);
    let archive_path = root.join(known.files[0].path).with_extension("zip");
    let archive = Download {
        url: &archive_url,
        target: &archive_path,
        max_size: options.max_size,
        expected: None,
        remedy: "",
    };
    let unpacked = archive.run(&agent).and_then(|fetched| {
        report(out, &archive_path, &fetched)?;
        let unpacked = unpack(&archive_path, root, known.files);
        // Right or wrong, the archive has done its work.
        fs::remove_file(&archive_path).context("the archive cannot be removed")?;
        unpacked
    });
    if let Err(archive_error) = unpacked {
        writeln!(out, "{archive_error:#}\ntrying the files one by one")?;
        one_by_one(options, root, known, &agent, out).with_context(|| {
            format!("the archive failed ({archive_error:#}), and so did the files one by one")
        })?;
    }
    download::discard(&archive_path);
    for file in known.files {
        writeln!(
            out,
            "{}: {}, SHA-256 as expected",
            root.join(file.path).display(),
            DecimalBytes(file.bytes)
        )?;
    }
    Ok(())
}

fn one_by_one(
    options: &Options,
    root: &Path,
    known: &Known,
    agent: &Agent,
    out: &mut dyn Write,
) -> Result<()> {
    for file in known.files {
        if !options.force && is_complete(root, file) {
            continue;
        }
        let url = options.address(known.folder) + file.name();
        let target = root.join(file.path);
        let expected = Some(Expected::Sha256(file.sha256.to_owned()));
        let fetched =
            Download { url: &url, target: &target, max_size: options.max_size, expected, remedy: "" }
                .run(agent)?;
        report(out, &target, &fetched)?;
    }
    Ok(())
}

/// Whether a known file is there with the right sum.
fn is_complete(root: &Path, file: &KnownFile) -> bool {
    let expected = Expected::Sha256(file.sha256.to_owned());
    digest::of_file(&root.join(file.path)).is_ok_and(|sums| expected.matches(&sums))
}

/// Fetches the words of the Wikipedia experiments.
pub(crate) fn vocabulary(options: &Options, root: &Path, out: &mut dyn Write) -> Result<()> {
    let target = root.join(VOCABULARY.path);
    if !options.force && is_there(&target, out)? {
        return Ok(());
    }
    let url = options.address(VOCABULARY_HOME);
    // Not yet in its place: first it must read as a vocabulary of the right size.
    let fresh = target.with_extension("vocab.new");
    let fetched = Download {
        url: &url,
        target: &fresh,
        max_size: options.max_size,
        expected: None,
        remedy: "",
    }
    .run(&options.agent())
    .context(
        "the vocabulary has no other home; build one from your articles with `scir_data::VocabularyRules`",
    )?;
    let words = Vocabulary::open(&fresh).map(|vocabulary| vocabulary.len());
    if !matches!(words, Ok(VOCABULARY_WORDS)) {
        fs::remove_file(&fresh)?;
        match words {
            Ok(words) => {
                bail!("{url}: {words} words, expected {VOCABULARY_WORDS}; what came was thrown away")
            }
            Err(error) => return Err(error).with_context(|| format!("{url} is no vocabulary")),
        }
    }
    fs::rename(&fresh, &target)?;
    report(out, &target, &fetched)?;
    if fetched.sums.sha256 != VOCABULARY.sha256 {
        writeln!(
            out,
            "note: {VOCABULARY_WORDS} words, but not byte for byte the file that the numbers of this project were made \
             with; word ids may differ from theirs"
        )?;
    }
    Ok(())
}

/// Fetches a Wikipedia dump, compared with the sums that are published beside it.
pub(crate) fn wikipedia(options: &Options, root: &Path, name: &str, out: &mut dyn Write) -> Result<()> {
    let dump = Dump::parse(name)?;
    let target = root.join("wikipedia").join(dump.name());
    if !options.force && is_there(&target, out)? {
        return Ok(());
    }
    let agent = options.agent();
    let sums_url = options.url(DUMPS, &dump.sums_path());
    let expected = match download::text(&agent, &sums_url) {
        Ok(list) => dump.sum_in(&list).map(|sum| Expected::Sha1(sum.to_owned())),
        Err(error) => {
            writeln!(out, "note: no published checksums ({error:#})")?;
            None
        }
    };
    let published = expected.is_some();
    let url = options.url(DUMPS, &dump.path());
    let remedy = if dump.is_latest() {
        " (`latest` may be a dump in the making: give a date that the server lists)"
    } else {
        ""
    };
    let download = Download { url: &url, target: &target, max_size: options.max_size, expected, remedy };
    let fetched = download.run(&agent)?;
    report(out, &target, &fetched)?;
    if published {
        writeln!(out, "SHA-1 {} as published", fetched.sums.sha1)?;
    } else {
        writeln!(out, "not compared with any published sum; SHA-256 {}", fetched.sums.sha256)?;
    }
    writeln!(
        out,
        "read it with scir_data::wikipedia::MediaWiki; `cargo xtask data --check` counts its articles"
    )?;
    Ok(())
}

fn is_there(target: &Path, out: &mut dyn Write) -> Result<bool> {
    let there = target.exists();
    if there {
        writeln!(out, "{} is there already (--force fetches it again)", target.display())?;
    }
    Ok(there)
}

fn report(out: &mut dyn Write, target: &Path, fetched: &Fetched) -> Result<()> {
    let resumed = match fetched.resumed {
        0 => String::new(),
        bytes => format!(", of which {} had come before", DecimalBytes(bytes)),
    };
    writeln!(out, "{}: fetched {}{resumed}", target.display(), DecimalBytes(fetched.bytes))?;
    Ok(())
}
