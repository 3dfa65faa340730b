//! A search for step sizes and base measures by the score of validation users, a tenth of the training users.
//!
//! A full grid over (h_θ, h_DP, a), in two rounds: every candidate is run for a quarter of the iterations, and the best
//! third for all of them. The test users are not looked at.

use super::Plan;
use super::sampling::{Chain, Row};
use super::users::Users;
use crate::reproduce::summary::write_csv;
use anyhow::Result;
use rayon::prelude::*;
use scir_core::Method;
use scir_models::dp::Multinomials;
use std::path::Path;

/// The score of a candidate is the mean of the scores of so many draws, the last ones.
const DRAWS: usize = 5;

/// One candidate in one round: a line of `tune.csv`.
struct Trial {
    row: Row,
    iterations: u64,
    score: f64,
}

/// The best settings for SCIR and for SGRLD. Writes `tune.csv`.
pub(crate) fn search(plan: &Plan, users: &Users, out: &Path) -> Result<Vec<Row>> {
    let users = users.for_validation()?;
    let (mut best, mut trials) = (Vec::new(), Vec::new());
    for row in [Row { name: "scir-tuned", ..Row::SCIR }, Row { name: "sgrld-tuned", ..Row::SGRLD }] {
        let mut rows = grid(plan, row);
        println!("dp: {} settings of {} on {} validation users", rows.len(), row.method, users.test.len());
        for iterations in [plan.iterations / 4, plan.iterations] {
            let mut round = round(plan, &users, &rows, iterations)?;
            round.sort_by(|a, b| a.score.total_cmp(&b.score));
            rows = round.iter().take(rows.len().div_ceil(3)).map(|trial| trial.row).collect();
            trials.append(&mut round);
        }
        println!("    the best has {}", rows[0]);
        best.push(rows[0]);
    }
    let header = ["method", "h_theta", "h_dp", "a", "initial", "iterations", "validation_score"];
    let line = |Trial { row, iterations, score }: &Trial| {
        let numbers = [row.h_theta, row.h_dp, row.base, row.initial as f64, *iterations as f64, *score];
        std::iter::once(row.method.to_string()).chain(numbers.map(|x| x.to_string())).collect::<Vec<_>>()
    };
    write_csv(&out.join("tune.csv"), &header, trials.iter().map(line))?;
    Ok(best)
}

fn grid(plan: &Plan, row: Row) -> Vec<Row> {
    let (h_thetas, h_dps, bases) = match row.method {
        Method::Sgrld => ([1e-4, 3e-4, 0.001, 0.003], [1e-4, 0.001, 0.005, 0.02], [0.001, 0.1, 0.5]),
        _ => ([0.02, 0.05, 0.1, 0.3], [0.02, 0.1, 0.3, 1.0], [0.05, 0.2, 0.5]),
    };
    let mut rows = Vec::new();
    for (h_theta, h_dp) in h_thetas.into_iter().flat_map(|h_theta| h_dps.map(|h_dp| (h_theta, h_dp))) {
        rows.extend(bases.map(|base| Row { h_theta, h_dp, base, ..row }));
    }
    // A quick check tries a few of them.
    rows.into_iter().step_by(plan.thin).collect()
}

fn round(plan: &Plan, users: &Users, rows: &[Row], iterations: u64) -> Result<Vec<Trial>> {
    let trial = |&row: &Row| {
        let atoms = Multinomials::new(users.train.words(), row.base)?;
        let mut chain = Chain::new(plan, users, row, atoms, 1)?;
        let points = chain.run((iterations, plan.every), users, &mut |_| Ok(()));
        // A step so large that the run fails is a bad setting, and no reason to stop.
        let score = points.map_or(f64::INFINITY, |points| {
            let last = &points[points.len().saturating_sub(DRAWS)..];
            last.iter().map(|point| point.score).sum::<f64>() / last.len() as f64
        });
        Ok(Trial { row, iterations, score })
    };
    rows.par_iter().map(trial).collect()
}
