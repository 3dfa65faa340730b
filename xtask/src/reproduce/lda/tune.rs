//! `--tune`: a search for step sizes and priors by the perplexity of validation documents.
//!
//! A full grid over (h, τ, κ, α, β), by successive halving: every candidate is run for some updates, the best third goes
//! on, and so on. The test documents are not looked at.

use super::corpus::Documents;
use super::training::{Kind, Online, Row};
use super::{Plan, tables};
use crate::reproduce::finished::Finished;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use scir_core::Method;
use scir_data::Completion;
use scir_models::lda::HeldOutPerplexity;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One candidate in one round: a line of `tune.csv`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Trial {
    /// h, τ, κ, α, β.
    settings: [f64; 5],
    pub(crate) updates: u64,
    pub(crate) perplexity: f64,
    /// Whether it went on to the next round, or won the last one.
    pub(crate) kept: bool,
}

impl Trial {
    /// The settings as a row of the table of methods.
    pub(crate) fn row(&self, method: Method) -> Row {
        let [h, tau, kappa, alpha, beta] = self.settings;
        tuned(method, h, tau, kappa, alpha, beta)
    }

    /// Its line in `tune.csv`.
    pub(crate) fn line(&self, method: Method) -> Vec<String> {
        let settings = self.settings.iter().map(f64::to_string);
        let outcome = [self.updates.to_string(), self.perplexity.to_string(), self.kept.to_string()];
        std::iter::once(method.to_string()).chain(settings).chain(outcome).collect()
    }
}

/// The best settings for SCIR and SGRLD, and collapsed Gibbs with the priors of the former. Writes `tune.csv`.
pub(crate) fn search(
    plan: &Plan,
    documents: &Documents,
    out: &Path,
    finished: &Finished,
) -> Result<Vec<Row>> {
    let (mut trials, mut best) = (Vec::new(), Vec::new());
    for method in [Method::Scir, Method::Sgrld] {
        let (tried, _): (Vec<Trial>, _) =
            finished.or_run(&format!("tune-{method}"), || search_one(plan, documents, method))?;
        // The last one that was kept won the last round.
        best.extend(tried.iter().rfind(|trial| trial.kept).map(|trial| trial.row(method)));
        trials.extend(tried.into_iter().map(|trial| (method, trial)));
        tables::trials(out, &trials)?;
    }
    for row in &best {
        println!("tuned: {} has {row}", row.name);
    }
    best.push(Row { name: "gibbs-tuned", kind: Kind::Collapsed { drawn: false }, ..best[0] });
    Ok(best)
}

fn tuned(method: Method, h: f64, tau: f64, kappa: f64, alpha: f64, beta: f64) -> Row {
    let name = if method == Method::Sgrld { "sgrld-tuned" } else { "scir-tuned" };
    Row { name, ..Row::online(method, h, tau, kappa, alpha, beta) }
}

fn grid(method: Method) -> Vec<Row> {
    let (hs, taus, alphas, betas) = match method {
        Method::Sgrld => ([0.01, 0.1, 0.5], [100.0, 1000.0], [0.01, 0.1], [0.0001, 0.02, 0.1]),
        _ => ([0.1, 0.5, 2.0], [10.0, 100.0], [0.03, 0.1], [0.02, 0.1, 0.5]),
    };
    let mut rows = Vec::new();
    for (h, tau) in hs.into_iter().flat_map(|h| taus.map(|tau| (h, tau))) {
        for (kappa, alpha) in [0.33, 0.6].into_iter().flat_map(|kappa| alphas.map(|alpha| (kappa, alpha))) {
            rows.extend(betas.map(|beta| tuned(method, h, tau, kappa, alpha, beta)));
        }
    }
    rows
}

fn search_one(plan: &Plan, documents: &Documents, method: Method) -> Result<Vec<Trial>> {
    let rows: Vec<Row> = grid(method).into_iter().step_by(plan.thin).collect();
    let mut trials = Vec::new();
    println!("tune: {} settings of {method}, on {} documents", rows.len(), documents.validation.len());
    let mut candidates =
        rows.into_iter().map(|row| Candidate::new(plan, documents, row)).collect::<Result<Vec<_>>>()?;
    for (round, &updates) in plan.rounds.iter().enumerate() {
        let template =
            format!("tune {method}, round {} {{wide_bar}} {{pos}}/{{len}}, {{eta}} left", round + 1);
        let bar =
            ProgressBar::new(candidates.len() as u64).with_style(ProgressStyle::with_template(&template)?);
        let mut scored = Vec::with_capacity(candidates.len());
        for mut candidate in candidates {
            scored.push((candidate.score(plan, updates)?, candidate));
            bar.inc(1);
        }
        bar.finish_and_clear();
        scored.sort_by(|a, b| a.0.total_cmp(&b.0));
        let last = round + 1 == plan.rounds.len();
        let keep = if last { 1 } else { scored.len().div_ceil(3) };
        trials.extend(scored.iter().enumerate().map(|(place, (perplexity, candidate))| Trial {
            settings: candidate.row.numbers(),
            updates,
            perplexity: *perplexity,
            kept: place < keep,
        }));
        println!(
            "  after {updates} updates: {} to {}, {keep} of {} go on; best {}",
            scored[0].0.round(),
            scored[scored.len() - 1].0.round(),
            scored.len(),
            scored[0].1.row
        );
        scored.truncate(keep);
        candidates = scored.into_iter().map(|(_, candidate)| candidate).collect();
    }
    Ok(trials)
}

/// A candidate on its way.
struct Candidate {
    row: Row,
    online: Online,
    evaluator: HeldOutPerplexity,
}

impl Candidate {
    fn new(plan: &Plan, documents: &Documents, row: Row) -> Result<Self> {
        let parts = documents.validation.complete(Completion::default())?;
        let evaluator = HeldOutPerplexity::new(parts, 1)?.with_gibbs(plan.evaluation)?;
        Ok(Self { row, online: Online::new(plan, documents, row, 1)?, evaluator })
    }

    /// Runs on to `updates`; the perplexity of probabilities averaged over all evaluations so far, as in the experiment.
    fn score(&mut self, plan: &Plan, updates: u64) -> Result<f64> {
        let mut perplexity = f64::INFINITY;
        while self.online.sampler.iteration() < updates {
            crate::interrupt::check()?;
            self.online.update()?;
            if self.online.sampler.iteration().is_multiple_of(2 * plan.every) {
                perplexity = self.evaluator.evaluate(self.online.model())?.averaged;
            }
        }
        Ok(perplexity)
    }
}
