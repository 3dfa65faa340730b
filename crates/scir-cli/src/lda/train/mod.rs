//! `scir lda train`: from documents to a model file, through interruptions.

mod documents;
mod gibbs;
mod online;
mod options;
mod run;
mod settings;

pub(crate) use settings::Settings;

use crate::input::{InputArguments, Inputs};
use crate::output::usage;
use anyhow::Result;
use clap::Args;
use options::Options;
use run::Run;
use scir_models::checkpoint::Every;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Where the model goes
    #[arg(long, short, value_name = "MODEL")]
    out: PathBuf,
    /// Read settings from a TOML file: `topics = 50`, names as those of the flags; flags win
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// The folder for checkpoints [default: MODEL.checkpoints]
    #[arg(long, value_name = "FOLDER", help_heading = "Run")]
    checkpoint: Option<PathBuf>,
    /// How often: a number of updates, a time such as 30s or 5m, or never
    #[arg(long, value_name = "N|TIME", default_value = "60s", help_heading = "Run")]
    checkpoint_every: Every,
    /// Forget checkpoints and the model that is there, and start over
    #[arg(long, help_heading = "Run")]
    fresh: bool,
    /// Write a row for each update to a file: .csv, or JSON lines for any other name
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    log: Option<PathBuf>,
}

const EXAMPLES: &str = "Documents are streamed, and never all in memory, except for --order shuffled and --method gibbs.
Inputs are read once to count them and to choose the words, then again for training.

A run that was stopped, by Ctrl-C or a power failure, goes on when the same command is run again, and ends with the same
model, bit by bit, as if it had not been stopped. Other settings or other data are refused; --fresh starts over.
A finished model goes on to learn with more --updates or --passes.

Examples:
  scir lda train articles.txt --topics 50 --out a.scir
  scir lda train dump.xml.bz2 --topics 100 --vocab words.txt --tokenizer a-z --passes 1 --out wiki.scir
  scir lda train ap.ldac.gz --vocab ap.vocab.txt --topics 20 --held-out 200 --log ap.csv --out ap.scir
  zcat *.gz | scir lda train - --topics 50 --out a.scir
  scir lda train texts/ --method gibbs --topics 20 --passes 500 --out t.scir";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let options = options::merged(&arguments.options, arguments.config.as_deref())?;
    let inputs = Inputs::open(&arguments.input)?;
    let settings = Settings::resolve(&options, &inputs)?;
    if arguments.out.is_dir() {
        return Err(usage(format!("--out {} is a folder: give the name of a file", arguments.out.display())));
    }
    let folder = arguments.checkpoint.clone().unwrap_or_else(|| {
        let mut name = arguments.out.clone().into_os_string();
        name.push(".checkpoints");
        name.into()
    });
    let run = Run {
        settings,
        options,
        inputs,
        out: arguments.out.clone(),
        folder,
        every: arguments.checkpoint_every,
        fresh: arguments.fresh,
        log: arguments.log.clone(),
    };
    run.start()
}
