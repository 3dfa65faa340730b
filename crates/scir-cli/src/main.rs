//! The `scir` program: reads the command line, does what it says, and turns errors into messages and exit codes.

mod convert;
mod dp;
mod input;
mod inspect;
mod interrupt;
mod lda;
mod output;
mod sample;
mod shell;
mod training;

use clap::{Parser, Subcommand};
use std::io;
use std::process::ExitCode;

/// Topics of text and clusters of records, by stochastic-gradient MCMC on the simplex without discretisation error
///
/// Inputs are files, folders, or - for standard input, plain or gzip or bzip2, in any format that `scir convert --help` lists;
/// formats are told apart by content. Results are text, or --format json or csv; matrices also go to NumPy files with
/// --npy.
#[derive(Parser)]
#[command(name = "scir", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Work on N threads [default: all processors]; results do not depend on it
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  scir lda train articles.txt --topics 50 --out articles.scir     train; run it again to resume
  scir lda topics articles.scir                                   the words of each topic
  scir lda infer articles.scir new.txt --format csv               the topics of new documents
  scir dp fit records.csv --out records.scir                      clusters of records; scir dp clusters shows them
  scir convert articles.jsonl --to lda-c --out articles.ldac      between data formats
  scir inspect articles.scir                                      settings, data and versions of a model

Exit codes: 0 fine, 1 failed (or stopped by Ctrl-C), 2 wrong usage.";

#[derive(Subcommand)]
enum Command {
    /// Latent Dirichlet allocation: train, show topics, infer, evaluate
    #[command(subcommand)]
    Lda(lda::Command),
    /// Dirichlet-process mixtures: find clusters of records, show them, evaluate
    #[command(subcommand)]
    Dp(dp::Command),
    /// Draw from a Dirichlet, gamma or lognormal law by any transition
    #[command(subcommand)]
    Sample(sample::Command),
    /// Convert between data formats
    Convert(convert::Arguments),
    /// Show what a model file or checkpoint is: settings, data, iteration, versions
    Inspect(inspect::Arguments),
    /// Print completions for a shell
    Completions(shell::Completions),
    /// Print the manual page
    Man,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scir: {}", message(&error));
            ExitCode::from(if error.is::<output::Usage>() { 2 } else { 1 })
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    match cli.command {
        Command::Lda(command) => lda::run(command),
        Command::Dp(command) => dp::run(command),
        Command::Sample(command) => sample::run(&command),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man => shell::man(),
    }
}

/// Whoever read our output has had enough, as `head` has: not an error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(broken))
}

/// The error and its causes on one line; what is said twice is left out.
fn message(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if cause.contains(&text) {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
