//! The verdict on each claim of the paper, on the terminal and in `summary.json`.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

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
struct Entry {
    scale: String,
    seeds: u64,
    threads: usize,
    seconds: f64,
    version: String,
    platform: String,
    #[serde(flatten)]
    outcome: Outcome,
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

    /// Replaces the entry of one experiment and writes the file.
    pub(crate) fn record(
        &mut self,
        name: &str,
        scale: &str,
        seeds: u64,
        seconds: f64,
        outcome: Outcome,
    ) -> Result<()> {
        let entry = Entry {
            scale: scale.to_owned(),
            seeds,
            threads: rayon::current_num_threads(),
            seconds,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            platform: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
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
