//! `scir lda eval`: how good a model is on documents.

use super::model_file::ModelFile;
use crate::input::{InputArguments, Inputs};
use crate::output::{self, Format, usage};
use anyhow::{Context, Result};
use clap::Args;
use scir_data::{Completion, Corpus, CorpusBuilder, TestSet};
use scir_eval::Coherence;
use scir_models::lda::HeldOutPerplexity;
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
    /// Hold out every N-th word of a document, and predict it from the others
    #[arg(long, value_name = "N", default_value_t = 10)]
    every: u32,
    /// How many words of a topic count for its coherence
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    words: usize,
    /// The seed of the random numbers [default: that of the model]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How results are written; csv is a row for each topic
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

const EXAMPLES: &str = "Perplexity: exp(− mean of ln p) over the held-out words; lower is better, and the number of words is what knowing
nothing gives. Coherence: do the top words of a topic occur in the same documents? NPMI from −1 to 1, and UMass; higher is better.
The documents are held in memory. Use such that the model was not trained on.

Examples:
  scir lda eval m.scir test.txt
  scir lda eval m.scir test.ldac --format json";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.every < 2 || arguments.words < 2 {
        return Err(usage("--every and --words must be at least 2"));
    }
    let model = ModelFile::read(&arguments.model)?;
    let inputs = Inputs::open(&arguments.input)?;
    let builder = CorpusBuilder::with_words(model.lda.words());
    let corpus = Corpus::collect_into(builder, inputs.documents(&model.words))?;
    let top = model.lda.top_words(arguments.words)?;
    let ids: Vec<Vec<u32>> = top.iter().map(|words| words.iter().map(|&(id, _)| id).collect()).collect();
    let mut coherence = Coherence::new(&ids)?;
    corpus.docs().try_for_each(|document| coherence.push(document.ids()))?;
    let (npmi, umass) = (coherence.npmi(), coherence.umass());

    let (documents, tokens) = (corpus.len(), corpus.tokens());
    let parts = TestSet::new(corpus).complete(Completion::EveryNth(arguments.every))?;
    let held_out = parts.held_out.tokens();
    let nothing = || {
        format!(
            "nothing to predict in {documents} documents with {tokens} known words: use longer documents, or a smaller --every"
        )
    };
    let mut perplexity =
        HeldOutPerplexity::new(parts, arguments.seed.unwrap_or(model.seed)).with_context(nothing)?;
    let perplexity = perplexity.evaluate(&model.lda)?.draw;

    let mean = |values: &[f64]| {
        let defined: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
        defined.iter().sum::<f64>() / defined.len() as f64
    };
    let mut out = output::stdout();
    match arguments.format {
        Format::Text => {
            writeln!(out, "documents    {documents}")?;
            writeln!(out, "tokens       {tokens}, {held_out} held out")?;
            writeln!(out, "perplexity   {perplexity:.2}")?;
            writeln!(out, "NPMI         {:.4}  (mean over topics)", mean(&npmi))?;
            writeln!(out, "UMass        {:.4}", mean(&umass))?;
        }
        Format::Json => {
            let result = json!({
                "documents": documents, "tokens": tokens, "held_out": held_out, "perplexity": perplexity,
                "npmi": mean(&npmi), "umass": mean(&umass), "npmi_of_topics": npmi, "umass_of_topics": umass,
            });
            writeln!(out, "{result}")?;
        }
        Format::Csv => {
            writeln!(out, "topic,npmi,umass")?;
            for (k, (npmi, umass)) in npmi.iter().zip(&umass).enumerate() {
                writeln!(out, "{k},{npmi},{umass}")?;
            }
        }
    }
    Ok(out.flush()?)
}
