//! `cargo xtask`: runs the experiments of the paper, writes their numbers and figures, and fetches their data.

mod data;
mod plot;
mod reproduce;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about, version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the experiments of the paper: numbers, figures, and a verdict on each claim
    Reproduce(reproduce::Arguments),
    /// Show what data is there, and fetch what is not
    Data(data::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Data(arguments) => data::run(&arguments),
    }
}
