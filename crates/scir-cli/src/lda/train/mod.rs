//! `scir lda train`: from documents to a model file, through interruptions.

mod gibbs;
mod online;
mod options;
mod settings;

pub(crate) use options::MethodName;
pub(crate) use settings::Settings;

use super::model_file::{GIBBS_KIND, KIND, REMEMBERING_KIND};
use crate::input::{InputArguments, Inputs};
use crate::training::{Documents, Kinds, Place, Session, merged};
use anyhow::{Context, Result};
use clap::Args;
use options::Options;
use scir_data::Completion;
use scir_models::lda::HeldOutPerplexity;

#[derive(Args)]
#[command(after_help = EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    options: Options,
}

const EXAMPLES: &str = "Documents are streamed, and never all in memory, except for --order shuffled and --method gibbs.
Inputs are read once to count them and to choose the words, then again for training.

A run that was stopped, by Ctrl-C or a power failure, goes on when the same command is run again, and ends with the same
model, bit by bit, as if it had not been stopped. Other settings or other data are refused; --fresh starts over.
A finished model goes on to learn with more --updates or --passes.

With --counts remembered an update has less noise from the second pass on: over ten passes single draws of topics come out about as
good as those of Gibbs sampling. It takes memory for each document (some 30 bytes a token; --remember-mb is the most), and
a finished model does not have it any more, so it cannot go on.

Examples:
  scir lda train articles.txt --topics 50 --out a.scir
  scir lda train dump.xml.bz2 --topics 100 --vocab words.txt --tokenizer a-z --passes 1 --out wiki.scir
  scir lda train ap.ldac.gz --vocab ap.vocab.txt --topics 20 --held-out 200 --log ap.csv --out ap.scir
  zcat *.gz | scir lda train - --topics 50 --out a.scir
  scir lda train texts/ --topics 20 --counts remembered --order shuffled --passes 10 --out t.scir
  scir lda train texts/ --method gibbs --topics 20 --passes 500 --out t.scir";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let options = merged(&arguments.options, arguments.place.config.as_deref())?;
    let inputs = Inputs::open(&arguments.input)?;
    let settings = Settings::resolve(&options, &inputs)?;
    let is_gibbs = settings.method == MethodName::Gibbs;
    let checkpoint = match &settings.online {
        None => GIBBS_KIND,
        Some(online) if online.remembering.is_some() => REMEMBERING_KIND,
        Some(_) => KIND,
    };
    let kinds = Kinds {
        model: KIND,
        checkpoint,
        unit: if is_gibbs { "sweep" } else { "update" },
        score: "held-out perplexity",
    };
    let session = Session {
        kinds,
        settings: serde_json::to_value(&settings)?,
        inputs,
        vocabulary: options.vocabulary.clone(),
        tokenizer: settings.tokenizer,
        evaluation: settings.evaluation.clone(),
        place: arguments.place.clone(),
    };
    let Some(start) = session.begin(|documents| total(&settings, &options, documents))? else {
        return Ok(());
    };
    if is_gibbs { gibbs::run(&session, &settings, start) } else { online::run(&session, &settings, start) }
}

/// How many updates or sweeps there are to be.
fn total(settings: &Settings, options: &Options, documents: &Documents) -> u64 {
    let Some(online) = &settings.online else {
        return options.updates.or(options.passes).unwrap_or(200);
    };
    let pass = documents.population().div_ceil(online.batch_size) as u64;
    match (options.updates, options.passes) {
        (Some(updates), _) => updates,
        (None, Some(passes)) => passes.saturating_mul(pass),
        (None, None) if online.remembering.is_some() => pass.saturating_mul(10),
        (None, None) => pass.max(500),
    }
}

/// Every 10th word of the held-out documents is to be predicted.
fn perplexity(settings: &Settings, documents: &Documents) -> Result<Option<HeldOutPerplexity>> {
    let Some(test) = documents.test()? else { return Ok(None) };
    let parts = test.complete(Completion::default())?;
    let perplexity = HeldOutPerplexity::new(parts, settings.seed).context("--held-out")?;
    Ok(Some(perplexity.with_gibbs(settings.lda.gibbs)?))
}
