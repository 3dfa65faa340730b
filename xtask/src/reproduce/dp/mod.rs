//! The Dirichlet-process experiment: Figures 3b and 4b, and Table 3.
//!
//! SCIR and SGRLD at the settings of the paper and at settings that were searched for on validation users, and Gibbs, on the
//! users of MS-web: the score of test users every few iterations, for several seeds. The paper's own figure was made with
//! an indexing mistake; what that does is shown beside it.

mod claims;
mod figures;
mod growth;
mod released;
mod sampling;
mod starts;
mod tables;
mod tune;
mod users;

use super::finished::corpus_sum;
use super::summary::Outcome;
use super::{Run, Scale};
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use sampling::{Kind, Row, Trained};
use scir_core::rand::seq::index;
use scir_core::{Purpose, Streams};
use scir_data::generate::DpSettings;
use scir_eval::CoClustering;
use std::path::Path;
use users::{SPLIT_SEED, Users};

/// How large the experiment is.
pub(crate) struct Plan {
    /// Users in a minibatch.
    batch: usize,
    iterations: u64,
    /// Sweeps of Gibbs.
    sweeps: u64,
    /// Iterations between evaluations; Gibbs is evaluated after every sweep.
    every: u64,
    seeds: u64,
    /// How many users a part of a split begins with.
    part: usize,
    /// Of how many settings one is tried.
    thin: usize,
    /// For how many users clusters are written down.
    sample: usize,
    /// What stands in for MS-web, and how many of it are for testing.
    stand_in: (DpSettings, usize),
    /// What it takes on two cores, for whoever waits.
    expected: &'static str,
}

impl Plan {
    fn new(run: &Run<'_>) -> Self {
        let stand_in = DpSettings { alpha: 3.0, base: 0.05, seed: 1, ..DpSettings::default() };
        let paper = Self {
            batch: 1000,
            iterations: 1000,
            sweeps: 300,
            every: 10,
            seeds: run.seeds,
            part: 1000,
            thin: 1,
            sample: 50,
            stand_in: (DpSettings { records: 32_711 + 5_000, ..stand_in }, 5_000),
            expected: "about seven minutes",
        };
        if run.scale != Scale::Smoke {
            return paper;
        }
        Self {
            batch: 100,
            iterations: 80,
            sweeps: 40,
            part: 100,
            thin: 12,
            sample: 10,
            stand_in: (DpSettings { records: 2_300, categories: 60, ..stand_in }, 300),
            expected: "a few seconds",
            ..paper
        }
    }

    /// How many iterations a row runs for, and after how many of them it is evaluated.
    fn iterations(&self, row: &Row) -> (u64, u64) {
        match row.kind {
            Kind::AllUsers => (self.sweeps, 1),
            // As many passes over the users, and evaluated after each.
            Kind::Exact { part_of_users, .. } => (self.sweeps * part_of_users as u64, part_of_users as u64),
            _ => (self.iterations, self.every),
        }
    }
}

/// Runs the experiment and writes its files.
pub(crate) fn run(run: &Run<'_>) -> Result<Outcome> {
    let plan = Plan::new(run);
    let users = Users::load(run.data, plan.stand_in.0, plan.stand_in.1)?;
    println!(
        "dp: {}\n    {} iterations of {} users, {} sweeps of Gibbs, {} seeds, scale {}: {} on 2 cores",
        users.label,
        plan.iterations,
        plan.batch,
        plan.sweeps,
        plan.seeds,
        run.scale.name(),
        plan.expected
    );
    let mut rows = Row::TABLE.to_vec();
    rows.extend(tune::search(&plan, &users, run.out)?);
    rows.extend(Row::MATCHED);
    rows.extend(Row::STARTS);
    let trained = train_all(run.out, &plan, &users, &rows)?;
    let one_cluster = users.one_cluster(Row::SCIR.base)?;
    tables::write(run.out, &trained)?;
    tables::clusters(run.out, &users, &trained)?;
    figures::write(run.out, &users, &trained, &rows, one_cluster)?;
    starts::write(run.out, &users, &trained)?;
    tables::print(&trained, &rows, one_cluster);
    let mut claims = claims::judge(&trained, one_cluster);
    claims.extend(starts::judge(&trained, users.train.len()));
    if run.growth {
        claims.extend(growth::run(run.out, run.scale)?);
    }
    Ok(Outcome {
        data: users.label.clone(),
        stand_in: users.generated,
        data_sum: Some(corpus_sum(users.train.docs().chain(users.test.docs()))),
        claims,
    })
}

/// Every row from every seed, one after the other, so that each has all threads and the times can be compared.
fn train_all(out: &Path, plan: &Plan, users: &Users, rows: &[Row]) -> Result<Vec<Trained>> {
    let style = ProgressStyle::with_template("dp {wide_bar} {msg}, {eta} left")?;
    // Drawn on the terminal only if there is one.
    let bar = ProgressBar::new(plan.seeds * rows.len() as u64).with_style(style);
    let mut trained = Vec::new();
    for &row in rows {
        for seed in 1..=plan.seeds {
            bar.set_message(format!("{} seed {seed}", row.name));
            let done = if row == Row::GIBBS && seed == 1 {
                train_watched(out, plan, users)?
            } else {
                sampling::train(plan, users, row, seed, &mut |_| Ok(()))?
            };
            trained.push(done);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(trained)
}

/// Gibbs from the first seed, with a look at the clusters of some users.
fn train_watched(out: &Path, plan: &Plan, users: &Users) -> Result<Trained> {
    let train = &users.train;
    let mut rng = Streams::new(SPLIT_SEED).rng(Purpose::new("dp: users to look at"), 0, 0);
    let mut sample = index::sample(&mut rng, train.len(), plan.sample).into_vec();
    sample.sort_unstable();
    let named = |&i: &usize| (i, train.doc(i).name().map_or_else(|| format!("user {i}"), str::to_owned));
    let named: Vec<(usize, String)> = sample.iter().map(named).collect();
    let (mut evaluations, mut shares) = (0, Vec::new());
    let mut together = CoClustering::new(plan.sample)?;
    let trained = sampling::train(plan, users, Row::GIBBS, 1, &mut |mixture| {
        shares = mixture.infer(sample.iter().map(|&i| train.doc(i)))?;
        evaluations += 1;
        if evaluations > plan.sweeps / 2 {
            together.push(&shares)?;
        }
        Ok(())
    })?;
    tables::users(out, &named, &shares, &together)?;
    Ok(trained)
}
