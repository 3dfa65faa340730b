//! `scir lda`: latent Dirichlet allocation.

mod eval;
mod infer;
mod model_file;
mod topics;
mod train;

pub(crate) use train::MethodName;

use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Learn topics from documents; run it again to go on where it was stopped
    Train(Box<train::Arguments>),
    /// Show the words of each topic
    Topics(topics::Arguments),
    /// Find the topics of documents, also of such that were not trained on
    Infer(infer::Arguments),
    /// Measure a model on documents: held-out perplexity and coherence of topics
    Eval(eval::Arguments),
}

pub(crate) fn run(command: Command) -> Result<()> {
    match command {
        Command::Train(arguments) => train::run(&arguments),
        Command::Topics(arguments) => topics::run(&arguments),
        Command::Infer(arguments) => infer::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
    }
}
