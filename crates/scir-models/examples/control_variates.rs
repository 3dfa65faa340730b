//! Shows: LDA with control variates, which remember what each document contributed last, beside LDA without.
//!
//! Without arguments: generated documents, and a check that after the first pass the estimates of counts are closer to the
//! truth than those of plain minibatches. With the folder of the data: perplexity of held-out words of Wikipedia, for plain SCIR,
//! for several weights of the difference, and for collapsed Gibbs.
//!
//! cargo run --release -p scir-models --example control_variates -- data=FOLDER \
//!     documents=5000 topics=50 passes=10 seeds=3 sweeps=50 h=0.5 rows=plain,1,0.5,0,gibbs

use scir_core::{Exact, Place, Purpose, Scir, StepSize, Streams, Target, step_block};
use scir_data::wikipedia::WikiExtractor;
use scir_data::{BatchOrder, Batching, Completion, Corpus, CorpusBuilder, DocumentSplit, Encoder};
use scir_data::{TestDocuments, TextSource, Tokenizer, Vocabulary};
use scir_models::lda::{Gibbs, HeldOutPerplexity};
use scir_models::{CollapsedLda, ControlVariates, CvSettings, Lda, LdaSettings, Numbered, Sampler};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const DRAWN: Purpose = Purpose::new("example: topics of collapsed Gibbs");

type AnyError = Box<dyn std::error::Error>;

/// `name=value` arguments, with defaults for the generated documents.
struct Arguments(HashMap<String, String>);

impl Arguments {
    fn number(&self, name: &str, default: f64) -> Result<f64, AnyError> {
        self.0.get(name).map_or(Ok(default), |text| Ok(text.parse()?))
    }

    fn text<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.0.get(name).map_or(default, String::as_str)
    }
}

fn main() -> Result<(), AnyError> {
    let pair = |text: String| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let arguments = Arguments(std::env::args().skip(1).filter_map(pair).collect());
    let data = arguments.0.get("data");
    let real = data.is_some();
    let sweeps = arguments.number("sweeps", 50.0)? as u32;
    let burn_in = arguments.number("burn_in", f64::from(sweeps / 2))? as u32;
    let settings = LdaSettings {
        topics: arguments.number("topics", if real { 50.0 } else { 8.0 })? as usize,
        beta: arguments.number("beta", 0.5)?.into(),
        gibbs: Gibbs { sweeps, burn_in, ..Gibbs::default() },
        ..LdaSettings::default()
    };
    let split = match data {
        Some(folder) => wikipedia(Path::new(folder), arguments.number("documents", 5000.0)? as usize)?,
        None => {
            let truth = Lda::new(LdaSettings { beta: 0.05.into(), ..settings.clone() }, 300, 7)?;
            truth.generate((0..700).map(|d| 30 + d % 30), 7)?.split(TestDocuments::First(100))?
        }
    };
    let run = Run {
        steps: StepSize::decreasing(
            arguments.number("h", 0.5)?,
            arguments.number("tau", 10.0)?,
            arguments.number("kappa", 0.33)?,
        )?,
        batch: arguments.number("batch", 50.0)? as usize,
        passes: arguments.number("passes", if real { 10.0 } else { 4.0 })? as u64,
        settings,
        split,
    };
    println!("{} documents with {} tokens", run.split.train.len(), run.split.train.tokens());
    println!(
        "row    seed  averaged  last draw  seconds  below 0, and what they lack       bytes  error of estimates, plain and with memory"
    );
    for row in arguments.text("rows", "plain,1,0").split(',') {
        for seed in 1..=arguments.number("seeds", 1.0)? as u64 {
            match row {
                "gibbs" => run.gibbs(seed, arguments.number("gibbs", 100.0)? as u64)?,
                "plain" => run.online(row, None, seed, false)?,
                weight => run.online(row, Some(weight.parse()?), seed, !real)?,
            }
        }
    }
    Ok(())
}

struct Run {
    settings: LdaSettings,
    split: DocumentSplit,
    steps: StepSize,
    batch: usize,
    passes: u64,
}

impl Run {
    /// SCIR; without a weight, with plain minibatches. Averages over the second half of the run.
    fn online(&self, row: &str, weight: Option<f64>, seed: u64, check: bool) -> Result<(), AnyError> {
        let Self { settings, split, steps, .. } = self;
        let documents = split.train.len();
        let lda = Lda::new(settings.clone(), split.train.words(), seed)?;
        // A memory with room for nothing is no memory: these are the plain estimates.
        let most_bytes = if weight.is_some() { 1 << 32 } else { 16 * documents + 1 };
        let cv = CvSettings { weight: weight.unwrap_or(1.0), most_bytes };
        let mut model = ControlVariates::new(lda, documents, cv)?;
        let mut sampler = Sampler::new(Scir, *steps, documents, seed)?;
        let order = BatchOrder::Shuffled;
        let batches = Batching { size: self.batch, order, seed, ..Batching::default() }.over(&split.train)?;
        let total = self.passes * batches.per_epoch();
        let mut perplexity = self.perplexity(seed)?;
        let (mut seconds, mut clamped, mut last) = (0.0, 0, None);
        for batch in batches.starting_at(0).take(total as usize) {
            let done = sampler.iteration();
            let step = sampler.step(&mut model, &batch.into())?;
            seconds += step.time().as_secs_f64();
            if done >= total / 2 {
                clamped += step.clamped;
                if (done + 1 - total / 2).is_multiple_of((batches.per_epoch() / 2).max(1)) {
                    last = Some(perplexity.evaluate(model.inner())?);
                }
            }
        }
        let last = last.ok_or("a run needs at least two passes")?;
        let share = clamped as f64 / (total - total / 2) as f64;
        let share = share / (settings.topics * split.train.words()) as f64;
        let errors = self.errors(&model, &batches.batch(total))?;
        println!(
            "{row:<6} {seed:>4} {:>9.1} {:>10.1} {seconds:>8.1} {:>7.3} % {:>15.3} %  {:>10}  {:.4} {:.4}",
            last.averaged,
            last.draw,
            100.0 * share,
            100.0 * errors[2],
            model.bytes(),
            errors[0],
            errors[1]
        );
        assert!(!check || errors[1] < 0.5 * errors[0], "what is remembered should help: {errors:?}");
        Ok(())
    }

    /// How far the estimates of counts from the next minibatch are from those of all documents at the same topics, as a part of
    /// the latter: plain, and with what is remembered. Last, what the latter lack where they are below 0, as a part of all counts.
    fn errors(
        &self,
        model: &ControlVariates<Lda>,
        batch: &scir_data::Minibatch,
    ) -> Result<[f64; 3], AnyError> {
        let all = self.split.train.len();
        let estimate =
            |mut model: ControlVariates<Lda>, batch: Numbered<Corpus>| -> Result<Vec<f64>, AnyError> {
                Sampler::new(Exact, StepSize::constant(1.0)?, all, 77)?.step(&mut model, &batch)?;
                Ok(model.estimate(0).to_vec())
            };
        let fresh = || ControlVariates::new(model.inner().clone(), all, *model.settings());
        let whole = Numbered::new(self.split.train.clone(), (0..all).collect())?;
        // With all documents in the minibatch there is nothing to estimate.
        let roomy = CvSettings { most_bytes: 1 << 32, ..*model.settings() };
        let truth = estimate(ControlVariates::new(model.inner().clone(), all, roomy)?, whole)?;
        let plain = estimate(fresh()?, batch.clone().into())?;
        let remembering = estimate(model.clone(), batch.clone().into())?;
        let norm: f64 = truth.iter().map(|x| x * x).sum();
        let error = |estimate: &[f64]| {
            let square: f64 = estimate.iter().zip(&truth).map(|(x, y)| (x.max(0.0) - y).powi(2)).sum();
            (square / norm).sqrt()
        };
        let lack = remembering.iter().map(|x| (-x).max(0.0)).sum::<f64>() / truth.iter().sum::<f64>();
        Ok([error(&plain), error(&remembering), lack])
    }

    /// Collapsed Gibbs. It has no φ: it is evaluated at the mean of φ given all z, and, as SCIR is, at draws of φ.
    fn gibbs(&self, seed: u64, sweeps: u64) -> Result<(), AnyError> {
        let mut sampler = CollapsedLda::new(self.settings.clone(), &self.split.train, 2, seed)?;
        let (mut of_means, mut of_draws) = (self.perplexity(seed)?, self.perplexity(seed)?);
        let (mut seconds, mut last) = (0.0, None);
        for sweep in 0..sweeps {
            let started = Instant::now();
            sampler.sweep()?;
            seconds += started.elapsed().as_secs_f64();
            if sweep >= sweeps / 2 && (sweep + 1).is_multiple_of(5) {
                let mean = sampler.model()?;
                let place = Place { streams: Streams::new(seed), purpose: DRAWN, iteration: sweep };
                let (mut topics, none) = (mean.topics().to_vec(), vec![0.0; mean.words()]);
                let shapes = |k: usize| Target::new(mean.topics()[k].theta(), &none);
                step_block(&mut topics, &Exact, shapes, 1.0, place)?;
                let drawn = Lda::with_topics(self.settings.clone(), topics)?;
                last = Some((of_means.evaluate(&mean)?, of_draws.evaluate(&drawn)?));
            }
        }
        let (means, draws) = last.ok_or("collapsed Gibbs needs ten sweeps")?;
        println!(
            "gibbs  {seed:>4} {:>9.1} {:>10.1} {seconds:>8.1}  at draws of φ",
            draws.averaged, draws.draw
        );
        println!("gibbs  {seed:>4} {:>9.1} {:>10.1} {seconds:>8.1}  at its mean", means.averaged, means.draw);
        Ok(())
    }

    fn perplexity(&self, seed: u64) -> Result<HeldOutPerplexity, AnyError> {
        let parts = self.split.test.complete(Completion::default())?;
        let gibbs = Gibbs { sweeps: 50, burn_in: 25, ..Gibbs::default() };
        Ok(HeldOutPerplexity::new(parts, seed)?.with_gibbs(gibbs)?)
    }
}

/// Articles as `cargo xtask data` lays them out; 500 of them for testing.
fn wikipedia(folder: &Path, documents: usize) -> Result<DocumentSplit, AnyError> {
    let vocabulary = Arc::new(Vocabulary::open(folder.join("wikipedia/wiki.vocab"))?);
    let encoder = Encoder::new(Tokenizer::a_to_z(), Arc::clone(&vocabulary));
    let articles = WikiExtractor::open(folder.join("wikipedia/extracted"))?.documents(encoder);
    let corpus =
        Corpus::collect_into(CorpusBuilder::with_vocabulary(vocabulary), articles.take(documents + 500))?;
    Ok(corpus.split(TestDocuments::Random { count: 500, seed: 1 })?)
}
