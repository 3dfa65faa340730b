//! The LDA experiment: Figures 3a and 4a, and Table 2.
//!
//! SCIR and SGRLD at the settings of the paper, and collapsed Gibbs, on articles of Wikipedia: perplexity of held-out
//! words by document completion every few updates, for several seeds. Beside them variance-matched SCIR. With `--tune` also SCIR
//! and SGRLD at settings that were searched for on validation documents, since our articles are not those of the paper.

mod claims;
mod corpus;
mod describe;
mod figures;
mod passes;
mod tables;
mod training;
mod tune;

use super::finished::{Finished, corpus_sum, hash};
use super::summary::Outcome;
use super::{Run, Scale};
use anyhow::Result;
use corpus::{Documents, Sizes};
use indicatif::{ProgressBar, ProgressStyle};
use scir_data::generate::{LdaSettings, Length};
use scir_models::lda::Gibbs;
use training::{Kind, Row, Trained};

/// How large the experiment is.
pub(crate) struct Plan {
    topics: usize,
    sizes: Sizes,
    /// Documents in a minibatch.
    batch: usize,
    updates: u64,
    /// Updates, and sweeps of collapsed Gibbs, between evaluations.
    every: u64,
    collapsed_sweeps: u64,
    /// In how many parts collapsed Gibbs works: fixed, so that its result does not depend on the number of threads.
    parts: usize,
    gibbs: Gibbs,
    /// The sweeps over test documents.
    evaluation: Gibbs,
    seeds: u64,
    /// Of how many candidates for settings one is tried.
    thin: usize,
    /// The updates after which the search for settings drops two thirds of the candidates.
    rounds: &'static [u64],
}

impl Plan {
    fn new(run: &Run<'_>) -> Self {
        let paper = Self {
            topics: 100,
            sizes: Sizes { train: usize::MAX / 2, validation: 300, test: 1000 },
            batch: 50,
            updates: 1000,
            every: 5,
            collapsed_sweeps: 100,
            parts: 2,
            gibbs: Gibbs::default(),
            evaluation: Gibbs::default(),
            seeds: run.seeds,
            thin: 1,
            rounds: &[40, 120, 360],
        };
        let sweeps = |sweeps| Gibbs { sweeps, burn_in: sweeps / 2, ..Gibbs::default() };
        match run.scale {
            Scale::Paper => paper,
            Scale::Default => Self {
                sizes: Sizes { train: 20_000, ..paper.sizes },
                updates: 400,
                gibbs: sweeps(50),
                evaluation: sweeps(50),
                ..paper
            },
            Scale::Smoke => Self {
                topics: 10,
                sizes: Sizes { train: 1000, validation: 50, test: 100 },
                updates: 60,
                collapsed_sweeps: 20,
                gibbs: sweeps(20),
                evaluation: sweeps(20),
                thin: 8,
                rounds: &[10, 20],
                ..paper
            },
        }
    }

    /// How many updates, or sweeps, a run has.
    fn length(&self, row: &Row) -> u64 {
        match row.kind {
            Kind::Online { .. } => self.updates,
            Kind::Collapsed { .. } => self.collapsed_sweeps,
        }
    }

    /// All that a run from one seed depends on, besides program and documents.
    fn decides(&self) -> String {
        let Self { topics, batch, updates, every, collapsed_sweeps, parts, thin, rounds, .. } = self;
        let (gibbs, evaluation) = (self.gibbs, self.evaluation);
        format!(
            "{topics} {batch} {updates} {every} {collapsed_sweeps} {parts} {thin} {rounds:?} {gibbs:?} {evaluation:?}"
        )
    }

    /// What stands in for Wikipedia. On all of it `sizes` sets no limit, so the stand-in has to.
    fn stand_in(&self, scale: Scale) -> (Sizes, LdaSettings) {
        let sizes = Sizes { train: self.sizes.train.min(98_000), ..self.sizes };
        let stand_in = corpus::stand_in();
        if scale != Scale::Smoke {
            return (sizes, stand_in);
        }
        (sizes, LdaSettings { topics: 10, words: 500, length: Length::Poisson(80.0), ..stand_in })
    }
}

/// Runs the experiment and writes its files.
pub(crate) fn run(run: &Run<'_>) -> Result<Outcome> {
    let mut plan = Plan::new(run);
    let (stand_in_sizes, stand_in) = plan.stand_in(run.scale);
    if run.data.is_none() {
        plan.sizes = stand_in_sizes;
    }
    let documents = Documents::load(run.data, plan.sizes, stand_in)?;
    println!(
        "lda: {}\n     {} topics, {} updates of {} documents, {} sweeps of collapsed Gibbs, {} seeds",
        documents.label, plan.topics, plan.updates, plan.batch, plan.collapsed_sweeps, plan.seeds
    );
    let sum = corpus_sum(documents.train.docs().chain(documents.test.docs()));
    let finished = Finished::open(run.out, &[run.program, &plan.decides(), &sum])?;
    let mut rows = [Row::TABLE, Row::MATCHED].concat();
    if run.tune {
        rows.extend(tune::search(&plan, &documents, run.out, &finished)?);
    }
    let trained = train_all(run, &plan, &documents, &finished, &rows, "perplexity.csv")?;
    tables::topics(run.out, &documents, &trained)?;
    figures::write(run.out, &documents, &trained)?;
    tables::print(&trained);
    let mut claims = claims::judge(&trained);
    if run.passes {
        claims.push(passes::run(run, &plan, &documents)?);
    }
    Ok(Outcome { data: documents.label.clone(), stand_in: documents.generated, data_sum: Some(sum), claims })
}

/// Every row from every seed. What is finished is written to `file` at once, so that an interruption costs one run.
fn train_all(
    run: &Run<'_>,
    plan: &Plan,
    documents: &Documents,
    finished: &Finished,
    rows: &[Row],
    file: &str,
) -> Result<Vec<Trained>> {
    let evaluations = |row: &Row| plan.length(row) / plan.every;
    let total = plan.seeds * rows.iter().map(evaluations).sum::<u64>();
    let style = ProgressStyle::with_template("lda {wide_bar} {msg}, {eta} left")?;
    // Drawn on the terminal only if there is one.
    let bar = ProgressBar::new(total).with_style(style);
    let mut trained = Vec::new();
    for seed in 1..=plan.seeds {
        for &row in rows {
            // Rows of other tables may have the same names.
            let part = format!("{}-{seed}-{}", row.name, &hash(&[file, &row.to_string()])[..12]);
            let ((points, topics), known) = finished.or_run(&part, || {
                let done = training::train(plan, documents, row, seed, &finished.saved(&part)?, &|point| {
                    bar.inc(1);
                    bar.set_message(format!("{} seed {seed}: {:.0}", row.name, point.averaged));
                })?;
                Ok((done.points, done.topics))
            })?;
            if known {
                bar.inc(evaluations(&row));
            }
            let done = Trained { row, seed, points, topics };
            bar.suspend(|| tables::progress(&done, known));
            trained.push(done);
            tables::write(run.out, file, &trained)?;
        }
    }
    bar.finish_and_clear();
    trained.sort_by_key(|done| rows.iter().position(|row| *row == done.row));
    tables::write(run.out, file, &trained)?;
    Ok(trained)
}
