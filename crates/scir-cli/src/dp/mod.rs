//! `scir dp`: Dirichlet-process mixtures.

mod clusters;
mod eval;
mod fit;
mod model_file;

use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Find clusters of records, and how many there are; run it again to go on where it was stopped
    Fit(Box<fit::Arguments>),
    /// Show the clusters: weight, size, and what is typical
    Clusters(clusters::Arguments),
    /// Measure a mixture on records, and find the cluster of each
    Eval(eval::Arguments),
}

pub(crate) fn run(command: Command) -> Result<()> {
    match command {
        Command::Fit(arguments) => fit::run(&arguments),
        Command::Clusters(arguments) => clusters::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
    }
}
