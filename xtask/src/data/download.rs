//! One file over HTTP: resumed where it stopped, within a size, compared with its checksum, there whole or not at all.
//!
//! What has come lies in `NAME.part`; `NAME.part.from` says from where it came, so that parts of two different files are
//! never joined. At the end the part is compared, synced and renamed to `NAME`.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use indicatif::{DecimalBytes, ProgressBar, ProgressStyle};
use ureq::Agent;
use ureq::http::{HeaderMap, Response, StatusCode, header};

use super::digest::{Digests, Expected, Sums};

/// What is to be fetched.
pub(crate) struct Download<'a> {
    pub(crate) url: &'a str,
    pub(crate) target: &'a Path,
    pub(crate) max_size: u64,
    /// The sum it must have, where one is known.
    pub(crate) expected: Option<Expected>,
    /// What to do if it has another sum.
    pub(crate) remedy: &'static str,
}

/// What was fetched.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) bytes: u64,
    /// How many of them had come in an earlier attempt.
    pub(crate) resumed: u64,
    pub(crate) sums: Sums,
}

/// An agent that gives up on a server that is silent for `timeout`, however long the whole takes.
pub(crate) fn agent(timeout: Duration) -> Agent {
    Agent::config_builder()
        .timeout_resolve(Some(timeout))
        .timeout_connect(Some(timeout))
        .timeout_recv_response(Some(timeout))
        .timeout_per_read(Some(timeout))
        .http_status_as_error(false)
        .user_agent(concat!("scir-xtask/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// A short text, such as a list of checksums.
pub(crate) fn text(agent: &Agent, url: &str) -> Result<String> {
    const LIMIT: u64 = 8_000_000;
    let mut response = agent.get(url).call().with_context(|| url.to_owned())?;
    ensure!(response.status() == StatusCode::OK, "{url}: the server answers {}", response.status());
    response.body_mut().with_config().limit(LIMIT).read_to_string().with_context(|| url.to_owned())
}

impl Download<'_> {
    /// Fetches the file; `target` is there afterwards, and only if all went well.
    pub(crate) fn run(&self, agent: &Agent) -> Result<Fetched> {
        if let Some(folder) = self.target.parent() {
            fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        }
        let mut part = Part::open(&beside(self.target, ".part"))?;
        let outcome = self.attempt(agent, &mut part);
        if outcome.is_err() && part.len == 0 {
            discard(self.target);
        }
        outcome
    }

    fn attempt(&self, agent: &Agent, part: &mut Part) -> Result<Fetched> {
        let from_path = beside(self.target, ".part.from");
        let from = Origin::read(&from_path);

        // Without anything that tells whether the file is still the same, joining is safe only if the sum is compared.
        let known = from.as_ref().is_some_and(|from| from.url == self.url);
        let validator = from.and_then(|from| from.validator);
        let joins = known && (validator.is_some() || self.expected.is_some());
        // What cannot be joined is kept until the server gives something better.
        let have = if joins { part.len } else { 0 };
        let mut response = self.request(agent, have, validator.as_deref())?;
        if response.status() == StatusCode::RANGE_NOT_SATISFIABLE && have > 0 {
            if content_range(response.headers()) == Some((None, Some(have))) {
                // All of it had come already.
                return self.finish(part);
            }
            response = self.request(agent, 0, None)?;
        }
        let total = self.begin(part, &response)?;
        Origin { url: self.url.to_owned(), validator: validator_of(response.headers()) }.write(&from_path)?;
        self.receive(part, response, total)?;
        self.finish(part)
    }

    fn request(&self, agent: &Agent, have: u64, validator: Option<&str>) -> Result<Response<ureq::Body>> {
        // Bytes as they are on the server, since ranges count those.
        let mut request = agent.get(self.url).header(header::ACCEPT_ENCODING, "identity");
        if have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
            if let Some(validator) = validator {
                request = request.header(header::IF_RANGE, validator);
            }
        }
        request.call().with_context(|| format!("{}: no answer from the server", self.url))
    }

    /// Looks at the answer and decides where the body goes. The total size, where the server says it.
    fn begin(&self, part: &mut Part, response: &Response<ureq::Body>) -> Result<Option<u64>> {
        let length = response.body().content_length();
        let status = response.status();
        let total = match status {
            StatusCode::OK => length,
            StatusCode::PARTIAL_CONTENT => match content_range(response.headers()) {
                Some((Some(start), total)) if start == part.len => {
                    total.or(length.map(|length| start + length))
                }
                _ => bail!(
                    "{}: asked for the bytes from {} on, and the server sent others; delete {} to start over",
                    self.url,
                    part.len,
                    beside(self.target, ".part").display()
                ),
            },
            status => bail!("{}: the server answers {status}", self.url),
        };
        if let Some(total) = total {
            self.check_size(total)?;
        }
        if status == StatusCode::OK {
            // The whole file, also if only the rest was asked for.
            part.start_over()?;
        }
        Ok(total)
    }

    fn check_size(&self, bytes: u64) -> Result<()> {
        ensure!(
            bytes <= self.max_size,
            "{}: {} or more, above the limit of {}; to allow it, give --max-size",
            self.url,
            DecimalBytes(bytes),
            DecimalBytes(self.max_size)
        );
        Ok(())
    }

    fn receive(&self, part: &mut Part, response: Response<ureq::Body>, total: Option<u64>) -> Result<()> {
        part.resumed = part.len;
        let bar = bar(total, self.target)?;
        bar.set_position(part.len);
        // ureq limits bodies on its own account only when they are read at once.
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error).with_context(|| self.broken(part.len, total)),
            };
            self.check_size(part.len + read as u64)?;
            part.append(&buffer[..read])?;
            bar.set_position(part.len);
        }
        bar.finish_and_clear();
        ensure!(total.is_none_or(|total| total == part.len), self.broken(part.len, total));
        Ok(())
    }

    fn broken(&self, have: u64, total: Option<u64>) -> String {
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        format!(
            "{}: the connection broke after {have}{of} bytes; they are kept, and the same command goes on from there",
            self.url
        )
    }

    /// Compares the sum and puts the file in its place.
    fn finish(&self, part: &mut Part) -> Result<Fetched> {
        let sums = mem::take(&mut part.digests).finish();
        if let Some(expected) = &self.expected
            && !expected.matches(&sums)
        {
            // Nothing of it can be trusted, so there is nothing to resume.
            discard(self.target);
            let (name, expected, found) = expected.compare(&sums);
            bail!(
                "{}: the {name} sum is {found}, expected {expected}; what came was thrown away{}",
                self.url,
                self.remedy
            );
        }
        let explain = || format!("{} cannot be put in its place", self.target.display());
        part.file.sync_all().with_context(explain)?;
        fs::rename(beside(self.target, ".part"), self.target).with_context(explain)?;
        discard(self.target);
        Ok(Fetched { bytes: part.len, resumed: part.resumed, sums })
    }
}

/// Throws away what has come of `target` so far.
pub(crate) fn discard(target: &Path) {
    let _ = (fs::remove_file(beside(target, ".part")), fs::remove_file(beside(target, ".part.from")));
}

/// What has come so far.
struct Part {
    file: File,
    len: u64,
    resumed: u64,
    digests: Digests,
}

impl Part {
    /// Opens the part of an earlier attempt, or a new one, for this process alone.
    fn open(path: &Path) -> Result<Self> {
        let explain = || format!("{} cannot be opened", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(explain)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{}: another fetch is writing it", path.display()),
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let mut digests = Digests::default();
        let len = digests.update_from(&mut file).with_context(explain)?;
        Ok(Self { file, len, resumed: len, digests })
    }

    fn start_over(&mut self) -> Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        (self.len, self.resumed, self.digests) = (0, 0, Digests::default());
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).context("the download cannot be written; is the disk full?")?;
        self.len += bytes.len() as u64;
        self.digests.update(bytes);
        Ok(())
    }
}

/// From where a part came: the address, and what tells whether the file there is still the same.
struct Origin {
    url: String,
    validator: Option<String>,
}

impl Origin {
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let mut lines = text.lines().map(str::to_owned);
        Some(Self { url: lines.next()?, validator: lines.next() })
    }

    fn write(&self, path: &Path) -> Result<()> {
        let lines = [Some(self.url.as_str()), self.validator.as_deref()];
        fs::write(path, lines.into_iter().flatten().collect::<Vec<_>>().join("\n"))
            .with_context(|| format!("{} cannot be written", path.display()))
    }
}

/// A strong entity tag, or else the date of the last change.
fn validator_of(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    text(header::ETAG).filter(|tag| !tag.starts_with("W/")).or_else(|| text(header::LAST_MODIFIED))
}

/// The start and the total of `Content-Range: bytes START-END/TOTAL`, or of `bytes */TOTAL`.
fn content_range(headers: &HeaderMap) -> Option<(Option<u64>, Option<u64>)> {
    let value = headers.get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (range, total) = value.strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split_once('-').and_then(|(start, _)| start.trim().parse().ok());
    Some((start, total.trim().parse().ok()))
}

/// A path with something added to its last name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A progress bar, drawn only if there is a terminal.
fn bar(total: Option<u64>, target: &Path) -> Result<ProgressBar> {
    let template = match total {
        Some(_) => {
            "{msg} {wide_bar} {decimal_bytes}/{decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left"
        }
        None => "{msg} {spinner} {decimal_bytes}, {decimal_bytes_per_sec}",
    };
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(bar.with_style(ProgressStyle::with_template(template)?).with_message(name))
}
