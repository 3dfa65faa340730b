//! The verdict on each claim of the paper, on the terminal and in `summary.json`.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// One claim and what we found.
#[derive(Serialize, Deserialize)]
pub(crate) struct Claim {
    /// A short name that stays the same.
    pub(crate) id: String,
    /// Where the paper makes it.
    pub(crate) source: String,
    /// What the paper says, in our words.
    pub(crate) claim: String,
    pub(crate) verdict: Verdict,
    /// What we measured, in a sentence.
    pub(crate) measured: String,
    /// The numbers behind it.
    pub(crate) numbers: BTreeMap<String, f64>,
}

impl Claim {
    /// What the paper says in `claim`, and whether what was `measured` confirms it.
    pub(crate) fn new(
        id: &str,
        source: &str,
        claim: &str,
        confirmed: bool,
        measured: String,
        numbers: &[(&str, f64)],
    ) -> Self {
        Self {
            id: id.to_owned(),
            source: source.to_owned(),
            claim: claim.to_owned(),
            verdict: if confirmed { Verdict::Confirmed } else { Verdict::NotConfirmed },
            measured,
            numbers: numbers.iter().map(|&(name, number)| (name.to_owned(), number)).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Confirmed,
    NotConfirmed,
}

/// What an experiment has to say at its end.
#[derive(Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// What the experiment ran on; says so where the data are generated.
    pub(crate) data: String,
    /// Whether the data were generated to stand in for real ones.
    pub(crate) stand_in: bool,
    /// A checksum of the documents or users, where there are any.
    pub(crate) data_sum: Option<String>,
    pub(crate) claims: Vec<Claim>,
}

impl Outcome {
    /// One line for each claim.
    pub(crate) fn print(&self) {
        println!("\ndata: {}\nclaims of the paper:", self.data);
        for claim in &self.claims {
            let verdict = match claim.verdict {
                Verdict::Confirmed => "confirmed    ",
                Verdict::NotConfirmed => "NOT CONFIRMED",
            };
            println!("  {verdict}  {} ({}): {}", claim.claim, claim.source, claim.measured);
        }
    }
}

/// `summary.json`: the last outcome of every experiment that was run into this folder.
pub(crate) struct Summary {
    path: PathBuf,
    content: Content,
}

#[derive(Default, Serialize, Deserialize)]
struct Content {
    experiments: BTreeMap<String, Entry>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) scale: String,
    pub(crate) seeds: u64,
    pub(crate) threads: usize,
    pub(crate) seconds: f64,
    pub(crate) version: String,
    pub(crate) platform: String,
    /// When it was finished, in seconds since 1970.
    pub(crate) finished: u64,
    /// Stands for program, settings and data.
    key: String,
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

impl Summary {
    /// Reads the summary of earlier runs, if there is one.
    pub(crate) fn open(out: &Path) -> Result<Self> {
        let path = out.join("summary.json");
        let content = match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| {
                format!("{} is not a summary of ours: move it away or choose another --out", path.display())
            })?,
            Err(_) if !path.exists() => Content::default(),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        };
        Ok(Self { path, content })
    }

    /// Every experiment with its name, in the order of the paper.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        ["synthetic", "lda", "dp"]
            .into_iter()
            .filter_map(|name| Some((name, self.content.experiments.get(name)?)))
    }

    /// The outcome of an experiment that is finished, if it is the one with this key.
    pub(crate) fn finished(&self, name: &str, key: &str) -> Option<&Outcome> {
        self.content.experiments.get(name).filter(|entry| entry.key == key).map(|entry| &entry.outcome)
    }

    /// Replaces the entry of one experiment and writes the file.
    pub(crate) fn record(
        &mut self,
        name: &str,
        scale: &str,
        seeds: u64,
        seconds: f64,
        key: String,
        outcome: Outcome,
    ) -> Result<()> {
        let entry = Entry {
            scale: scale.to_owned(),
            seeds,
            threads: rayon::current_num_threads(),
            seconds,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            platform: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            finished: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            key,
            outcome,
        };
        self.content.experiments.insert(name.to_owned(), entry);
        let mut text = serde_json::to_string_pretty(&self.content)?;
        text.push('\n');
        write_whole(&self.path, text.as_bytes())
    }
}

/// Writes a file so that it is there whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("tmp");
    fs::write(&temporary, bytes)
        .and_then(|()| fs::rename(&temporary, path))
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// Writes a table.
pub(crate) fn write_csv<R>(path: &Path, header: &[&str], rows: impl Iterator<Item = R>) -> Result<()>
where
    R: IntoIterator<Item = String>,
{
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row)?;
    }
    write_whole(path, &writer.into_inner()?)
}
