//! `scir dp eval`: how well records are predicted, and where they belong.

use super::model_file::ModelFile;
use crate::input::{InputArguments, Inputs};
use crate::output::{self, Format, usage};
use anyhow::Result;
use clap::Args;
use scir_data::{Corpus, CorpusBuilder};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A mixture, or a checkpoint
    model: PathBuf,
    #[command(flatten)]
    input: InputArguments,
    /// How results are written; csv is a row for each record
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

const EXAMPLES: &str =
    "The score is minus the mean of ln p over the records, p = Σ ω_j f(record | cluster j); lower is better.
As csv, each record has its ln p and its most probable cluster. Records are held in memory.

Examples:
  scir dp eval m.scir test.csv
  scir dp eval m.scir test.csv --format csv > clusters.csv";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let model = ModelFile::read(&arguments.model)?;
    let inputs = Inputs::open(&arguments.input)?;
    let builder = CorpusBuilder::with_words(model.words.len()?);
    let corpus = Corpus::collect_into(builder, inputs.documents(&model.words))?;
    if corpus.is_empty() {
        return Err(usage("there are no records to measure on"));
    }
    let ln_p = model.mixture.ln_predictive(corpus.docs())?;
    let score = -ln_p.iter().sum::<f64>() / ln_p.len() as f64;
    let mut out = output::stdout();
    match arguments.format {
        Format::Text => {
            writeln!(out, "records         {}", corpus.len())?;
            writeln!(out, "words           {}", corpus.tokens())?;
            writeln!(out, "clusters        {}", model.mixture.occupied())?;
            writeln!(out, "−ln predictive  {score:.4}  (mean over records)")?;
        }
        Format::Json => {
            let (records, words) = (corpus.len(), corpus.tokens());
            let clusters = model.mixture.occupied();
            let result = json!({"records": records, "words": words, "clusters": clusters, "score": score});
            writeln!(out, "{result}")?;
        }
        Format::Csv => {
            writeln!(out, "number,ln_predictive,cluster,probability")?;
            let probabilities = model.mixture.infer(corpus.docs())?;
            for (i, (ln_p, clusters)) in ln_p.iter().zip(&probabilities).enumerate() {
                let largest = |best: usize, j: usize| if clusters[j] > clusters[best] { j } else { best };
                let best = (0..clusters.len()).fold(0, largest);
                writeln!(out, "{},{ln_p},{best},{}", i + 1, clusters[best])?;
            }
        }
    }
    Ok(out.flush()?)
}
