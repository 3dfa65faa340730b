//! `scir dp fit`: from records to a mixture, through interruptions.

use super::model_file::KIND;
use crate::input::{InputArguments, InputFormat, Inputs, TokenizerName, VocabularyOptions};
use crate::interrupt;
use crate::lda::MethodName;
use crate::output::usage;
use crate::training::{
    CountsName, Documents, Evaluation, EvaluationOptions, Kinds, Place, Session, Start, merged,
};
use anyhow::Result;
use clap::Args;
use scir_core::{Method, StepSize};
use scir_data::{BatchOrder, Batching, Prefetch};
use scir_models::dp::{Alpha, Estimator, HeldOutPredictive, Moves, Multinomials};
use scir_models::{DpMixture, DpSettings, Error, Sampler};
use serde::{Deserialize, Serialize};

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

const EXAMPLES: &str = "A record is a line of a CSV file with a header (every column is a variable, every value a category, an empty field is
missing), or a document of any other format as counts of words. The records are held in memory, as counts.

A run that was stopped goes on when the same command is run again, and ends with the same mixture, bit by bit.

With --counts remembered the sums of every cluster are remembered, and an update of SCIR moves by the counts of all records, not of its
minibatch: no noise is left, any step size is exact, and the steps become infinite unless given. With --splits clusters are also split
and merged, so that the result does not depend on --initial.

Examples:
  scir dp fit animals.csv --method gibbs --updates 300 --out animals.scir
  scir dp fit anonymous-msweb.data --held-out 1000 --out msweb.scir
  scir dp fit anonymous-msweb.data --splits 20 --batch-size 8000 --passes 200 --out msweb.scir";

/// Everything may be left out. The defaults are those of Table 3 of the SCIR paper.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct Options {
    /// How clusters are moved: by minibatches with scir, scir-vm (which finds its own steps) or sgrld, or gibbs on all records
    /// at a time [default: scir]
    #[arg(long, value_name = "METHOD", help_heading = "Model")]
    method: Option<MethodName>,
    /// The concentration α, if it is known [default: it is drawn, with the prior below]
    #[arg(long, value_name = "X", conflicts_with_all = ["alpha_shape", "alpha_rate"], help_heading = "Model")]
    alpha: Option<f64>,
    /// The shape of the gamma prior of α [default: 1]
    #[arg(long, value_name = "X", help_heading = "Model")]
    alpha_shape: Option<f64>,
    /// The rate of the gamma prior of α [default: 1]
    #[arg(long, value_name = "X", help_heading = "Model")]
    alpha_rate: Option<f64>,
    /// The base measure: the Dirichlet prior of the words of a cluster [default: 0.5; sgrld: 0.001]
    #[arg(long, value_name = "X", help_heading = "Model")]
    base: Option<f64>,
    /// How many clusters there are at the start [default: 20; sgrld: 30]
    #[arg(long, value_name = "N", help_heading = "Model")]
    initial: Option<usize>,
    /// The step size of the words of clusters [default: 0.1; sgrld: 0.001; scir-vm and remembered counts: infinite]
    #[arg(long, value_name = "H", help_heading = "Model")]
    step: Option<f64>,
    /// The step size of the weights of clusters [default: 0.1; sgrld: 0.005; scir-vm and remembered counts: infinite]
    #[arg(long, value_name = "H", help_heading = "Model")]
    step_weights: Option<f64>,
    /// Where counts come from: minibatch, as in the paper, or remembered: exact sums of all records, kept up to date
    /// [default: minibatch]
    #[arg(long, value_name = "SOURCE", help_heading = "Model")]
    counts: Option<CountsName>,
    /// Work out N splits or merges of clusters at a time, over some passes; 20 is a good number. Implies --counts
    /// remembered [default: 0]
    #[arg(long, value_name = "N", help_heading = "Model")]
    splits: Option<usize>,
    /// How many records a part of a split begins with: about as many as the clusters that are looked for have [default: 1000]
    #[arg(long, value_name = "N", requires = "splits", help_heading = "Model")]
    split_part: Option<usize>,
    /// Try to swap N pairs of clusters in the order of their weights at every update [default: 0]
    #[arg(long, value_name = "N", help_heading = "Model")]
    swaps: Option<usize>,
    /// Stop after N updates [default: 1000]
    #[arg(long, value_name = "N", conflicts_with = "passes", help_heading = "Run")]
    updates: Option<u64>,
    /// Stop after as many updates as make N passes
    #[arg(long, value_name = "N", help_heading = "Run")]
    passes: Option<u64>,
    /// Records in a minibatch, drawn anew each time; with remembered counts each once in a pass [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Run")]
    batch_size: Option<usize>,
    /// The seed of all random numbers [default: 1]
    #[arg(long, value_name = "N", help_heading = "Run")]
    seed: Option<u64>,
    #[command(flatten)]
    #[serde(flatten)]
    evaluation: EvaluationOptions,
    #[command(flatten)]
    #[serde(flatten)]
    vocabulary: VocabularyOptions,
}

/// The settings in full: what changes the numbers, and is stored with the mixture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    method: MethodName,
    mixture: DpSettings,
    base: f64,
    /// None for Gibbs sampling: its draws are exact, on all records.
    online: Option<Online>,
    seed: u64,
    evaluation: Evaluation,
    pub(super) tokenizer: TokenizerName,
    vocabulary: serde_json::Value,
    input_formats: Vec<InputFormat>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Online {
    /// None for an infinite step, which text cannot hold.
    step: Option<f64>,
    step_weights: Option<f64>,
    batch_size: usize,
}

impl Settings {
    fn resolve(options: &Options, inputs: &Inputs) -> Result<Self> {
        let method = options.method.unwrap_or(MethodName::Scir);
        let sgrld = method == MethodName::Sgrld;
        let alpha = match options.alpha {
            Some(alpha) => Alpha::Fixed(alpha),
            None => Alpha::Gamma {
                shape: options.alpha_shape.unwrap_or(1.0),
                rate: options.alpha_rate.unwrap_or(1.0),
            },
        };
        let initial = options.initial.unwrap_or(if sgrld { 30 } else { 20 });
        let splits = options.splits.unwrap_or(0);
        let exact = match options.counts {
            Some(CountsName::Minibatch) if splits > 0 => {
                return Err(usage("--splits needs the sums of --counts remembered"));
            }
            counts => counts == Some(CountsName::Remembered) || splits > 0,
        };
        if exact && sgrld {
            return Err(usage(
                "--counts remembered and --splits are for scir and gibbs: sgrld is not exact anyhow",
            ));
        }
        let matched = method == MethodName::ScirVm;
        if exact && matched {
            return Err(usage(
                "scir-vm takes out noise that remembered counts do not have: use --method scir with them",
            ));
        }
        let counts = if exact { Estimator::ControlVariates } else { Estimator::Minibatch };
        let moves = Moves {
            splits,
            part: options.split_part.unwrap_or(Moves::NONE.part),
            swaps: options.swaps.unwrap_or(0),
            // It costs next to nothing, and clusters that are at the wrong sticks mix slowly.
            relabel: splits > 0,
            ..Moves::NONE
        };
        let step = |given: Option<f64>, usual| given.or(if exact || matched { None } else { Some(usual) });
        let given = [options.step.is_some(), options.step_weights.is_some(), options.batch_size.is_some()];
        let online = if method == MethodName::Gibbs {
            if given.contains(&true) {
                return Err(usage(
                    "--step, --step-weights and --batch-size have no meaning with --method gibbs",
                ));
            }
            None
        } else {
            Some(Online {
                step: step(options.step, if sgrld { 0.001 } else { 0.1 }),
                step_weights: step(options.step_weights, if sgrld { 0.005 } else { 0.1 }),
                batch_size: options.batch_size.unwrap_or(1000),
            })
        };
        if options.batch_size == Some(0) {
            return Err(usage("--batch-size must be at least 1"));
        }
        Ok(Self {
            method,
            mixture: DpSettings { alpha, initial, counts, moves, ..DpSettings::default() },
            base: options.base.unwrap_or(if sgrld { 0.001 } else { 0.5 }),
            online,
            seed: options.seed.unwrap_or(1),
            evaluation: options.evaluation.resolve(50)?,
            tokenizer: options.vocabulary.tokenizer(),
            vocabulary: options.vocabulary.identity(inputs)?,
            input_formats: inputs.0.iter().map(|input| input.format).collect(),
        })
    }

    /// Records in a minibatch.
    fn batch(&self, documents: &Documents) -> usize {
        let all = documents.population();
        self.online.as_ref().map_or(all, |online| online.batch_size.min(all))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let options = merged(&arguments.options, arguments.place.config.as_deref())?;
    let inputs = Inputs::open(&arguments.input)?;
    let settings = Settings::resolve(&options, &inputs)?;
    let session = Session {
        kinds: Kinds { model: KIND, checkpoint: KIND, unit: "update", score: "held-out −ln predictive" },
        settings: serde_json::to_value(&settings)?,
        inputs,
        vocabulary: options.vocabulary.clone(),
        tokenizer: settings.tokenizer,
        evaluation: settings.evaluation.clone(),
        place: arguments.place.clone(),
    };
    let total = |documents: &Documents| {
        let pass = documents.population().div_ceil(settings.batch(documents)) as u64;
        options.updates.or(options.passes.map(|passes| passes.saturating_mul(pass))).unwrap_or(1000)
    };
    match session.begin(total)? {
        Some(start) => fit(&session, &settings, start),
        None => Ok(()),
    }
}

fn fit(session: &Session, settings: &Settings, start: Start) -> Result<()> {
    let (documents, total, done) = (start.documents.clone(), start.total, start.done());
    let predictive = documents.test()?.map(HeldOutPredictive::new).transpose()?;
    let mut watch = session.watch(predictive, total)?;
    let corpus = documents.corpus()?;
    let mut mixture: DpMixture = match &start.snapshot {
        Some(snapshot) => snapshot.get("model")?,
        None => {
            let words = [documents.words.len()?];
            let sizes = documents.words.variables.as_deref().unwrap_or(&words);
            let atoms = Multinomials::product(sizes, settings.base)?;
            DpMixture::new(settings.mixture, atoms, corpus.len(), settings.seed)?
        }
    };
    let mut checkpoints = session.checkpoints(start, &mut watch)?;
    let (method, steps, order) = match &settings.online {
        Some(online) => {
            let steps = vec![
                StepSize::constant(online.step_weights.unwrap_or(f64::INFINITY))
                    .map_err(|error| usage(error.to_string()))?,
                StepSize::constant(online.step.unwrap_or(f64::INFINITY))
                    .map_err(|error| usage(error.to_string()))?,
            ];
            // In a mixture noise is not so much that it would keep steps that it limits from getting anywhere.
            let method = match settings.method {
                MethodName::ScirVm => Method::ScirVm,
                other => other.transition().unwrap_or(Method::Scir),
            };
            // What is remembered of records is exact as soon as all have come: once in each pass, then.
            let order = match settings.mixture.counts {
                Estimator::Minibatch => BatchOrder::WithoutReplacement,
                Estimator::ControlVariates => BatchOrder::Shuffled,
            };
            (method, steps, order)
        }
        None => (
            Method::Exact,
            vec![StepSize::constant(f64::INFINITY).map_err(|error| usage(error.to_string()))?],
            BatchOrder::Sequential,
        ),
    };
    let mut sampler = Sampler::new(method, steps, corpus.len(), settings.seed)?.starting_at(done);
    let size = settings.batch(&documents);
    let batches = Batching { size, order, seed: settings.seed, ..Batching::default() }.over(&corpus)?;
    interrupt::end_after_iteration()?;
    let left = batches.starting_at(done).take(total.saturating_sub(done) as usize);
    let batches = Prefetch::new(1, left)?.map(Ok::<_, Error>);
    let ended = sampler.run(&mut mixture, batches, &mut [&mut checkpoints])?;

    session.save_last(&mut checkpoints, &mixture, sampler.iteration());
    let model = checkpoints.snapshot(&mixture, sampler.iteration())?;
    session.end(ended, model, checkpoints.into_folder(), &watch)
}
