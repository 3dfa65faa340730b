//! `cargo xtask data status`: one line for each item, with its size, and what it holds if that is asked for.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use indicatif::{DecimalBytes, HumanCount, ProgressBar};
use scir_data::formats::{LdaC, Uci};
use scir_data::wikipedia::{MediaWiki, WikiExtractor};
use scir_data::{DocumentStream, Encoder, TextDocument, TextSource, Tokenizer, Vocabulary, msweb};

use super::digest;
use super::homes::{EXTRACTED, FORMATS, KnownFile, MSWEB, VOCABULARY};

/// How an item is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Present,
    Missing,
    /// A download that was interrupted.
    Partial,
    /// There, but not what it should be.
    Wrong,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Missing => "missing",
            Self::Partial => "partial",
            Self::Wrong => "WRONG",
        }
    }
}

struct Item {
    state: State,
    path: String,
    bytes: u64,
    note: String,
}

impl Item {
    fn missing(path: &str, remedy: &str) -> Self {
        Self { state: State::Missing, path: path.into(), bytes: 0, note: remedy.into() }
    }

    /// Adds what was counted, or what is wrong.
    fn counted(mut self, counts: Result<String>) -> Self {
        match counts {
            Ok(counts) => self.note = counts,
            Err(error) => (self.state, self.note) = (State::Wrong, format!("{error:#}")),
        }
        self
    }
}

/// Writes one line for each item. An error if something is there and wrong.
pub(crate) fn run(root: &Path, check: bool, out: &mut dyn Write) -> Result<()> {
    let doing = if check { ", reading it all" } else { "" };
    writeln!(out, "data in {}{doing}", root.display())?;
    let mut wrong = Vec::new();
    let mut show = |item: Item| -> Result<()> {
        let size = if item.bytes > 0 { DecimalBytes(item.bytes).to_string() } else { String::new() };
        let line = format!("  {:<7}  {:<42} {size:>10}  {}", item.state.word(), item.path, item.note);
        writeln!(out, "{}", line.trim_end())?;
        if item.state == State::Wrong {
            wrong.push(item.path);
        }
        Ok(())
    };
    for file in MSWEB.files {
        let item = known(root, file, "cargo xtask data fetch msweb", check)?;
        let counts = (check && item.state == State::Present).then(|| msweb_counts(root, file)).flatten();
        show(match counts {
            Some(counts) => item.counted(counts),
            None => item,
        })?;
    }
    let item = vocabulary(root)?;
    let vocabulary = Vocabulary::open(root.join(VOCABULARY.path)).ok().map(Arc::new);
    show(item)?;
    show(extracted(root, check, vocabulary.as_ref())?)?;
    for item in dumps(root, check, vocabulary.as_ref())? {
        show(item)?;
    }
    for (file, remedy) in &FORMATS {
        let item = known(root, file, remedy, check)?;
        let counts = (check && item.state == State::Present).then(|| format_counts(&root.join(file.path)));
        show(match counts {
            Some(counts) => item.counted(counts),
            None => item,
        })?;
    }
    if !check {
        writeln!(out, "sizes only; --check reads everything and counts")?;
    }
    if !wrong.is_empty() {
        bail!("not what they should be: {}", wrong.join(", "));
    }
    Ok(())
}

/// A file of which size and sum are known.
fn known(root: &Path, file: &KnownFile, remedy: &str, check: bool) -> Result<Item> {
    let path = root.join(file.path);
    let Some(bytes) = size(&path)? else {
        return Ok(Item::missing(file.path, remedy));
    };
    let mut item = Item { state: State::Present, path: file.path.into(), bytes, note: String::new() };
    if bytes != file.bytes {
        item.state = State::Wrong;
        item.note = format!("{bytes} bytes, expected {}; delete it, then: {remedy}", file.bytes);
    } else if check && digest::of_file(&path)?.sha256 != file.sha256 {
        item.state = State::Wrong;
        item.note = format!("another SHA-256 sum than {}; delete it, then: {remedy}", file.sha256);
    }
    Ok(item)
}

/// The vocabulary; its copy at home may differ from ours in the order of the words.
fn vocabulary(root: &Path) -> Result<Item> {
    let path = root.join(VOCABULARY.path);
    let Some(bytes) = size(&path)? else {
        return Ok(Item::missing(VOCABULARY.path, "cargo xtask data fetch vocabulary"));
    };
    let item = Item { state: State::Present, path: VOCABULARY.path.into(), bytes, note: String::new() };
    let words =
        Vocabulary::open(&path).map(|vocabulary| format!("{} words", HumanCount(vocabulary.len() as u64)));
    Ok(item.counted(words.map_err(Into::into)))
}

/// What wikiextractor wrote.
fn extracted(root: &Path, check: bool, vocabulary: Option<&Arc<Vocabulary>>) -> Result<Item> {
    let path = root.join(EXTRACTED);
    if !path.exists() {
        let remedy = "made from a dump by wikiextractor; a dump can also be read as it is";
        return Ok(Item::missing(EXTRACTED, remedy));
    }
    let (files, bytes) = tree(&path)?;
    let note = format!("{files} files");
    let item = Item { state: State::Present, path: EXTRACTED.into(), bytes, note };
    if !check {
        return Ok(item);
    }
    let counts = WikiExtractor::open(&path)
        .map_err(Into::into)
        .and_then(|articles| count_articles(articles, vocabulary, EXTRACTED));
    Ok(item.counted(counts))
}

/// The MediaWiki dumps, and the beginnings of such.
fn dumps(root: &Path, check: bool, vocabulary: Option<&Arc<Vocabulary>>) -> Result<Vec<Item>> {
    let folder = root.join("wikipedia");
    let mut names: Vec<String> = match fs::read_dir(&folder) {
        Ok(entries) => entries
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_>>()
            .with_context(|| folder.display().to_string())?,
        Err(_) => Vec::new(),
    };
    names.retain(|name| name.contains(".xml") && !name.ends_with(".part.from"));
    names.sort_unstable();
    if names.is_empty() {
        return Ok(vec![Item::missing(
            "wikipedia/*.xml.bz2",
            "cargo xtask data fetch wikipedia [--dump NAME]",
        )]);
    }
    let item = |name: String| -> Result<Item> {
        let path = folder.join(&name);
        let bytes = size(&path)?.unwrap_or(0);
        let shown = format!("wikipedia/{name}");
        if let Some(whole) = name.strip_suffix(".part") {
            let note = format!("interrupted; cargo xtask data fetch wikipedia --dump {whole} goes on");
            return Ok(Item { state: State::Partial, path: shown, bytes, note });
        }
        let item = Item { state: State::Present, path: shown, bytes, note: String::new() };
        if !check {
            return Ok(item);
        }
        let counts = MediaWiki::open(&path)
            .map_err(Into::into)
            .and_then(|pages| count_articles(pages, vocabulary, &name));
        Ok(item.counted(counts))
    };
    names.into_iter().map(item).collect()
}

/// Articles, and the tokens in them that are in the vocabulary, one article in memory at a time.
fn count_articles(
    mut source: impl TextSource,
    vocabulary: Option<&Arc<Vocabulary>>,
    name: &str,
) -> Result<String> {
    let mut encoder = vocabulary.map(|vocabulary| Encoder::new(Tokenizer::a_to_z(), Arc::clone(vocabulary)));
    let bar = ProgressBar::new_spinner().with_message(name.to_owned());
    let (mut text, mut tokens) = (TextDocument::default(), Vec::new());
    let (mut articles, mut total) = (0, 0);
    while source.read_text(&mut text)? {
        articles += 1;
        if let Some(encoder) = &mut encoder {
            tokens.clear();
            encoder.encode_into(&text.text, &mut tokens);
            total += tokens.len() as u64;
        }
        if articles % 256 == 0 {
            bar.tick();
        }
    }
    bar.finish_and_clear();
    let articles = HumanCount(articles);
    Ok(match encoder {
        Some(_) => format!("{articles} articles, {} tokens in the vocabulary", HumanCount(total)),
        None => format!("{articles} articles (tokens are counted over {})", VOCABULARY.path),
    })
}

/// Users and visits, for the two files that have them.
fn msweb_counts(root: &Path, file: &KnownFile) -> Option<Result<String>> {
    let [data, test, _] = MSWEB.files else { return None };
    let users = |part: fn(scir_data::DocumentSplit) -> (usize, u64)| {
        let split = msweb::load(root.join(data.path), root.join(test.path))?;
        let (users, visits) = part(split);
        Ok(format!("{} users, {} visits", HumanCount(users as u64), HumanCount(visits)))
    };
    match file.path {
        path if path == data.path => Some(users(|split| (split.train.len(), split.train.tokens()))),
        path if path == test.path => Some(users(|split| (split.test.len(), split.test.tokens()))),
        _ => None,
    }
}

/// What a file in one of the everyday formats holds.
fn format_counts(path: &Path) -> Result<String> {
    match path.file_name().and_then(|name| name.to_str()) {
        Some(name) if name.contains(".ldac") => count_documents(LdaC::open(path)?),
        Some(name) if name.starts_with("docword.") => count_documents(Uci::open(path)?),
        _ => Ok(format!("{} words", HumanCount(Vocabulary::open(path)?.len() as u64))),
    }
}

fn count_documents(stream: impl DocumentStream) -> Result<String> {
    let (mut documents, mut tokens) = (0, 0);
    for document in stream {
        documents += 1;
        tokens += document?.view().tokens();
    }
    Ok(format!("{} documents, {} tokens", HumanCount(documents), HumanCount(tokens)))
}

/// The size of a file that is there.
fn size(path: &Path) -> Result<Option<u64>> {
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => bail!("{}: is a folder, expected a file", path.display()),
        Ok(data) => Ok(Some(data.len())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// How many files are under a folder, and their size.
fn tree(path: &Path) -> Result<(u64, u64)> {
    let explain = || path.display().to_string();
    let data = fs::metadata(path).with_context(explain)?;
    if !data.is_dir() {
        return Ok((1, data.len()));
    }
    let mut sum = (0, 0);
    for entry in fs::read_dir(path).with_context(explain)? {
        let child: PathBuf = entry.with_context(explain)?.path();
        let (files, bytes) = tree(&child)?;
        sum = (sum.0 + files, sum.1 + bytes);
    }
    Ok(sum)
}
