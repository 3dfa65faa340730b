//! `scir lda topics`: the words of each topic.

use super::model_file::ModelFile;
use crate::output::{self, Format, Npy};
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A model, or a checkpoint
    model: PathBuf,
    /// How many words of each topic
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    words: usize,
    /// How topics are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write the probabilities of all words, a row for each topic, to a NumPy file
    #[arg(long, value_name = "FILE")]
    npy: Option<PathBuf>,
    /// Write the words, one a line, in the order of the columns of --npy
    #[arg(long, value_name = "FILE")]
    vocab_out: Option<PathBuf>,
}

const EXAMPLES: &str = "The share of a topic is the part of all words that it has, about.

Examples:
  scir lda topics m.scir
  scir lda topics m.scir -n 20 --format json
  scir lda topics m.scir --npy phi.npy --vocab-out words.txt";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let model = ModelFile::read(&arguments.model)?;
    if let Some(path) = &arguments.npy {
        let mut npy = Npy::create(path, model.lda.words())?;
        let mut phi = vec![0.0; model.lda.words()];
        for topic in model.lda.topics() {
            topic.omega(&mut phi)?;
            npy.row(&phi)?;
        }
        npy.finish()?;
    }
    if let Some(path) = &arguments.vocab_out {
        match &model.words.vocabulary {
            Some(vocabulary) => vocabulary.write(path)?,
            None => {
                anyhow::bail!("--vocab-out: the words of {} have numbers only", arguments.model.display())
            }
        }
    }
    let top = model.lda.top_words(arguments.words)?;
    // θ of a topic adds up to the number of tokens that it has, in the mean.
    let sizes: Vec<f64> = model.lda.topics().iter().map(|topic| topic.theta().iter().sum()).collect();
    let all: f64 = sizes.iter().sum();
    let mut out = output::stdout();
    let mut csv = csv::Writer::from_writer(Vec::new());
    if arguments.format == Format::Csv {
        csv.write_record(["topic", "share", "rank", "word", "probability"])?;
    }
    for (k, words) in top.iter().enumerate() {
        let share = sizes[k] / all;
        let named: Vec<(String, f64)> = words.iter().map(|&(id, p)| (model.words.word(id), p)).collect();
        match arguments.format {
            Format::Text => {
                let names: Vec<&str> = named.iter().map(|(word, _)| word.as_str()).collect();
                writeln!(out, "{k:>4} {:>5.1}%  {}", 100.0 * share, names.join(" "))?;
            }
            Format::Json => {
                let words: Vec<_> =
                    named.iter().map(|(word, p)| json!({"word": word, "probability": p})).collect();
                writeln!(out, "{}", json!({"topic": k, "share": share, "words": words}))?;
            }
            Format::Csv => {
                for (rank, (word, p)) in named.iter().enumerate() {
                    csv.write_record([
                        k.to_string(),
                        share.to_string(),
                        (rank + 1).to_string(),
                        word.clone(),
                        p.to_string(),
                    ])?;
                }
            }
        }
    }
    out.write_all(&csv.into_inner()?)?;
    Ok(out.flush()?)
}
