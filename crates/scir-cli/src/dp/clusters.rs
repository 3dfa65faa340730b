//! `scir dp clusters`: what the clusters are.

use super::model_file::ModelFile;
use crate::output::{self, Format, Npy};
use anyhow::{Context, Result};
use clap::Args;
use scir_models::dp::UNSEEN;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A mixture, or a checkpoint
    model: PathBuf,
    /// How many words of each cluster, or values of each variable
    #[arg(long, short = 'n', value_name = "N", default_value_t = 5)]
    words: usize,
    /// How clusters are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write the cluster of each record that was trained on, as CSV
    #[arg(long, value_name = "FILE")]
    assignments: Option<PathBuf>,
    /// Write the probabilities of all words, a row for each cluster, to a NumPy file
    #[arg(long, value_name = "FILE")]
    npy: Option<PathBuf>,
}

const EXAMPLES: &str = "Only clusters that have records are shown, the heaviest first.

Examples:
  scir dp clusters m.scir
  scir dp clusters m.scir -n 1 --format json
  scir dp clusters m.scir --assignments clusters.csv";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let model = ModelFile::read(&arguments.model)?;
    let clusters = model.mixture.describe(arguments.words)?;
    if let Some(path) = &arguments.assignments {
        write_assignments(&model, path)?;
    }
    if let Some(path) = &arguments.npy {
        let mut npy = Npy::create(path, model.mixture.atoms().categories())?;
        for cluster in &clusters {
            let mut row = Vec::new();
            for simplex in model.mixture.atoms().atom(cluster.number) {
                let mut omega = vec![0.0; simplex.len()];
                simplex.omega(&mut omega)?;
                row.extend(omega);
            }
            npy.row(&row)?;
        }
        npy.finish()?;
    }
    let mut out = output::stdout();
    let mut csv = csv::Writer::from_writer(Vec::new());
    match arguments.format {
        Format::Csv => csv.write_record(["cluster", "weight", "size", "word", "probability"])?,
        Format::Text => {
            writeln!(out, "{} clusters, alpha {:.3}", clusters.len(), model.mixture.alpha())?;
        }
        Format::Json => {}
    }
    for cluster in &clusters {
        let top: Vec<(String, f64)> =
            cluster.top.iter().flatten().map(|&(id, p)| (model.words.word(id), p)).collect();
        match arguments.format {
            Format::Text => {
                let names: Vec<&str> = top.iter().map(|(word, _)| word.as_str()).collect();
                let (number, share) = (cluster.number, 100.0 * cluster.weight);
                writeln!(out, "{number:>4} {share:>5.1}% {:>8}  {}", cluster.size, names.join(" "))?;
            }
            Format::Json => {
                let words: Vec<_> =
                    top.iter().map(|(word, p)| json!({"word": word, "probability": p})).collect();
                let (number, weight, size) = (cluster.number, cluster.weight, cluster.size);
                writeln!(
                    out,
                    "{}",
                    json!({"cluster": number, "weight": weight, "size": size, "words": words})
                )?;
            }
            Format::Csv => {
                for (word, p) in top {
                    let [number, size] = [cluster.number, cluster.size].map(|n| n.to_string());
                    csv.write_record([number, cluster.weight.to_string(), size, word, p.to_string()])?;
                }
            }
        }
    }
    out.write_all(&csv.into_inner()?)?;
    Ok(out.flush()?)
}

/// The number of each record, from 1, and its cluster; none if it was in no minibatch yet.
fn write_assignments(model: &ModelFile, path: &std::path::Path) -> Result<()> {
    let mut csv = csv::Writer::from_path(path).with_context(|| path.display().to_string())?;
    csv.write_record(["record", "cluster"])?;
    for (i, &cluster) in model.mixture.allocations().iter().enumerate() {
        let cluster = if cluster == UNSEEN { String::new() } else { cluster.to_string() };
        csv.write_record([(i + 1).to_string(), cluster])?;
    }
    csv.flush().with_context(|| path.display().to_string())
}
