//! `cargo xtask data`: what data is there, whether it is complete, and fetching it from its home.

pub(crate) mod digest;
mod download;
mod fetch;
mod homes;
mod status;
mod unpack;

pub(crate) use homes::{EXTRACTED, MSWEB, VOCABULARY};

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};

/// What is done with which folder.
#[derive(Args)]
#[command(after_help = "\
Examples:
  cargo xtask data                                       what is there
  cargo xtask data --check                               read all of it and count
  cargo xtask data fetch msweb                           Anonymous Microsoft Web Data, 1.7 MB
  cargo xtask data fetch wikipedia                       a small Wikipedia, some hundred MB
  cargo xtask data fetch wikipedia --dump enwiki-20240501 --max-size 30GB

A download that was interrupted goes on where it stopped when the same command is given again.")]
pub(crate) struct Arguments {
    /// The folder of the data
    #[arg(long, value_name = "DIR", env = "SCIR_DATA", default_value = "data", global = true)]
    data: PathBuf,

    #[command(flatten)]
    status: StatusArguments,

    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Args)]
pub(crate) struct StatusArguments {
    /// Also compare checksums where they are known, read everything and count documents and tokens
    #[arg(long)]
    check: bool,
}

#[derive(Subcommand)]
enum Action {
    /// Show what is there and what is missing (this is what happens without a subcommand)
    Status(StatusArguments),
    /// Download a data set from its home
    Fetch(FetchArguments),
}

#[derive(Args)]
pub(crate) struct FetchArguments {
    /// The data set
    #[arg(value_enum)]
    what: DataSet,

    /// Which Wikipedia dump: WIKI-DATE or WIKI-DATE-FILE, as on dumps.wikimedia.org; DATE may be `latest`
    #[arg(long, value_name = "NAME", default_value = "simplewiki-latest")]
    dump: String,

    /// Fetch from this server (such as a mirror) instead of the home, with the same paths
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// Refuse files that are larger: bytes, or a number with kB, MB or GB
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = parse_size)]
    max_size: u64,

    /// Give up when the server is silent for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// Fetch again what is there already
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DataSet {
    /// Anonymous Microsoft Web Data, from the UCI Machine Learning Repository
    Msweb,
    /// A Wikipedia dump, from dumps.wikimedia.org
    Wikipedia,
    /// The 7,702 words of the Wikipedia experiments, from the authors of online LDA
    Vocabulary,
}

/// A number of bytes, with or without a unit.
fn parse_size(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        _ => bail!("expected a number of bytes, such as 500000, 500kB, 20MB or 30GB"),
    };
    match digits.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(unit)) {
        Some(bytes) if bytes > 0 => Ok(bytes),
        _ => bail!("expected a number of bytes above 0, such as 500000, 500kB, 20MB or 30GB"),
    }
}

/// Does what was asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let root = &arguments.data;
    if root.exists() && !root.is_dir() {
        bail!("--data {}: this is a file; give a folder", root.display());
    }
    let mut out = io::stdout();
    let outcome = match &arguments.action {
        None => status::run(root, arguments.status.check, &mut out),
        Some(Action::Status(status)) => status::run(root, status.check || arguments.status.check, &mut out),
        Some(Action::Fetch(fetch)) => {
            let options = fetch::Options {
                base_url: fetch.base_url.clone(),
                max_size: fetch.max_size,
                timeout: Duration::from_secs(fetch.timeout),
                force: fetch.force,
            };
            match fetch.what {
                DataSet::Msweb => fetch::msweb(&options, root, &homes::MSWEB, &mut out),
                DataSet::Vocabulary => fetch::vocabulary(&options, root, &mut out),
                DataSet::Wikipedia => fetch::wikipedia(&options, root, &fetch.dump, &mut out),
            }
        }
    };
    match outcome {
        // Whoever reads the output has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(()),
        outcome => outcome,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
#[path = "../../tests/common/server.rs"]
mod server;
#[cfg(test)]
mod tests;
