//! `cargo xtask`: runs the experiments of the paper, writes their numbers and figures, and fetches their data.

mod data;
mod interrupt;
mod plot;
mod reproduce;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

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

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Data(arguments) => data::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // What went wrong and why, for the person at the terminal: a backtrace would bury it.
            eprintln!("error: {error}");
            error.chain().skip(1).for_each(|cause| eprintln!("  because: {cause}"));
            ExitCode::FAILURE
        }
    }
}
