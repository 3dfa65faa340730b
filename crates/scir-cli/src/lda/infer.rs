//! `scir lda infer`: the topics of documents, as a stream.

use super::model_file::ModelFile;
use crate::input::{InputArguments, Inputs};
use crate::output::{self, Format, Npy};
use anyhow::Result;
use clap::Args;
use scir_data::Document;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A model, or a checkpoint
    model: PathBuf,
    #[command(flatten)]
    input: InputArguments,
    /// As text: how many topics of each document
    #[arg(long, short = 'n', value_name = "N", default_value_t = 3)]
    top: usize,
    /// The seed of the random numbers [default: that of the model]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How topics are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write the proportions of all topics, a row for each document, to a NumPy file
    #[arg(long, value_name = "FILE")]
    npy: Option<PathBuf>,
}

const EXAMPLES: &str =
    "The answer for a document depends on the model, the seed and its words, and on no other document.
A document without known words gets the prior: all topics alike.

Examples:
  scir lda infer m.scir new.txt
  echo 'the river and its banks' | scir lda infer m.scir - --format json
  scir lda infer m.scir articles.jsonl --npy theta.npy --format csv > theta.csv";

/// How many documents are in memory at a time.
const CHUNK: usize = 256;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let model = ModelFile::read(&arguments.model)?;
    let inputs = Inputs::open(&arguments.input)?;
    let topics = model.lda.topics().len();
    let mut npy = arguments.npy.as_deref().map(|path| Npy::create(path, topics)).transpose()?;
    let mut out = output::stdout();
    if arguments.format == Format::Csv {
        let header = (0..topics).map(|k| format!("topic{k}"));
        write_csv(&mut out, ["number".to_owned(), "document".to_owned()].into_iter().chain(header))?;
    }
    let mut documents = inputs.documents(&model.words);
    let (mut chunk, mut number): (Vec<Document>, u64) = (Vec::new(), 0);
    loop {
        chunk.clear();
        for document in documents.by_ref().take(CHUNK) {
            chunk.push(document?);
        }
        if chunk.is_empty() {
            break;
        }
        let seed = arguments.seed.unwrap_or(model.seed);
        let proportions = model.lda.infer(chunk.iter().map(Document::view), seed)?;
        for (document, theta) in chunk.iter().zip(&proportions) {
            number += 1;
            let name = document.name().map_or_else(|| number.to_string(), str::to_owned);
            match arguments.format {
                Format::Text => {
                    let mut order: Vec<usize> = (0..topics).collect();
                    order.sort_by(|&a, &b| theta[b].total_cmp(&theta[a]).then(a.cmp(&b)));
                    let shares = order.iter().take(arguments.top).map(|&k| format!("{k}:{:.3}", theta[k]));
                    writeln!(out, "{name}\t{}", shares.collect::<Vec<_>>().join(" "))?;
                }
                Format::Json => {
                    writeln!(out, "{}", json!({"number": number, "document": name, "topics": theta}))?;
                }
                Format::Csv => {
                    let row = theta.iter().map(ToString::to_string);
                    write_csv(&mut out, [number.to_string(), name].into_iter().chain(row))?;
                }
            }
            if let Some(npy) = &mut npy {
                npy.row(theta)?;
            }
        }
    }
    npy.map_or(Ok(()), Npy::finish)?;
    Ok(out.flush()?)
}

fn write_csv(out: &mut impl Write, fields: impl Iterator<Item = String>) -> Result<()> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(fields)?;
    Ok(out.write_all(&csv.into_inner()?)?)
}
