//! The numbers of the experiment as files and on the terminal: perplexities, topics, what was searched through.

use super::corpus::Documents;
use super::training::{Kind, Point, Row, Trained};
use super::tune::Trial;
use crate::reproduce::summary::{write_csv, write_whole};
use anyhow::Result;
use scir_eval::Coherence;
use std::fmt::Write;
use std::path::Path;

/// The words that stand for a topic.
const TOP_WORDS: usize = 10;

/// `perplexity.csv`.
pub(crate) fn write(out: &Path, trained: &[Trained]) -> Result<()> {
    let header = ["method", "seed", "update", "documents", "seconds", "perplexity", "perplexity_draw"];
    let line = |run: &Trained, point: &Point| {
        let Point { update, documents, seconds, averaged, draw } = point;
        [
            run.row.name().to_owned(),
            run.seed.to_string(),
            update.to_string(),
            documents.to_string(),
            format!("{seconds:.3}"),
            averaged.to_string(),
            draw.to_string(),
        ]
    };
    let lines = trained.iter().flat_map(|run| run.points.iter().map(move |point| line(run, point)));
    write_csv(&out.join("perplexity.csv"), &header, lines)
}

/// `tune.csv`.
pub(crate) fn trials(out: &Path, trials: &[Trial]) -> Result<()> {
    let header = ["method", "h", "tau", "kappa", "alpha", "beta", "updates", "perplexity", "kept"];
    let lines = trials.iter().filter_map(|trial| {
        let Kind::Online { method, h, tau, kappa } = trial.row.kind else { return None };
        let numbers = [h, tau, kappa, trial.row.alpha, trial.row.beta].map(|number| number.to_string());
        let [h, tau, kappa, alpha, beta] = numbers;
        let (updates, perplexity) = (trial.updates.to_string(), trial.perplexity.to_string());
        Some([method.to_string(), h, tau, kappa, alpha, beta, updates, perplexity, trial.kept.to_string()])
    });
    write_csv(&out.join("tune.csv"), &header, lines)
}

/// A line when a run is finished.
pub(crate) fn progress(done: &Trained) {
    if let Some(Point { documents, seconds, averaged, draw, .. }) = done.points.last() {
        println!(
            "  {:<11} seed {}  {documents:>9} documents in {seconds:>6.1} s: perplexity {averaged:.1}, last draw {draw:.1}",
            done.row.name(),
            done.seed
        );
    }
}

/// The last perplexities of the runs of a row, averaged and of single draws.
pub(crate) fn finals(trained: &[Trained], row: &Row) -> (Vec<f64>, Vec<f64>) {
    let points = || last_points(trained, row);
    (points().map(|point| point.averaged).collect(), points().map(|point| point.draw).collect())
}

fn last_points<'a>(trained: &'a [Trained], row: &Row) -> impl Iterator<Item = &'a Point> {
    trained.iter().filter(move |run| run.row == *row).filter_map(|run| run.points.last())
}

/// The rows that were run, each once, in their order.
pub(crate) fn rows(trained: &[Trained]) -> Vec<Row> {
    let mut rows: Vec<Row> = trained.iter().map(|run| run.row).collect();
    rows.dedup();
    rows
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// One line for each method.
pub(crate) fn print(trained: &[Trained]) {
    println!("\nperplexity of held-out words at the end, mean over the seeds (lowest – highest)");
    println!("  {:<11} {:>24} {:>24} {:>9}  settings", "method", "averaged", "single draw", "seconds");
    for row in rows(trained) {
        let (averaged, draw) = finals(trained, &row);
        let seconds: Vec<f64> = last_points(trained, &row).map(|point| point.seconds).collect();
        let range = |values: &[f64]| {
            let (low, high) =
                values.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &x| (low.min(x), high.max(x)));
            format!("{:.1} ({low:.1} – {high:.1})", mean(values))
        };
        println!(
            "  {:<11} {:>24} {:>24} {:>9.1}  {row}",
            row.name(),
            range(&averaged),
            range(&draw),
            mean(&seconds)
        );
    }
}

/// `topics.txt`: for the first seed of each method, the topics by size, with their coherence.
pub(crate) fn topics(out: &Path, documents: &Documents, trained: &[Trained]) -> Result<()> {
    let mut text = format!("{}\n", documents.label);
    for run in trained.iter().filter(|run| run.seed == 1) {
        let top = run.model.top_words(TOP_WORDS)?;
        let ids: Vec<Vec<u32>> =
            top.iter().map(|topic| topic.iter().map(|&(word, _)| word).collect()).collect();
        let mut coherence = Coherence::new(&ids)?;
        documents.train.docs().try_for_each(|document| coherence.push(document.ids()))?;
        let npmi = coherence.npmi();
        let shares = shares(documents, run)?;
        writeln!(
            text,
            "\n== {} ({}), seed {}\n   {} topics, mean NPMI of their {TOP_WORDS} top words in the training documents {:.3}\n   \
             share of the tokens of test documents, NPMI, words",
            run.row.name(),
            run.row,
            run.seed,
            top.len(),
            mean(&npmi)
        )?;
        let mut order: Vec<usize> = (0..top.len()).collect();
        order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
        for k in order {
            let words: Vec<String> = ids[k].iter().map(|&word| documents.word(word)).collect();
            writeln!(text, "{:>6.2} % {:>6.3}  {}", 100.0 * shares[k], npmi[k], words.join(" "))?;
        }
    }
    write_whole(&out.join("topics.txt"), text.as_bytes())
}

/// The share of each topic in the tokens of the test documents.
fn shares(documents: &Documents, run: &Trained) -> Result<Vec<f64>> {
    let proportions = run.model.infer(documents.test.docs(), run.seed)?;
    let mut shares = vec![0.0; run.model.topics().len()];
    for (document, proportions) in documents.test.docs().zip(&proportions) {
        let weight = document.tokens() as f64 / documents.test.tokens() as f64;
        shares.iter_mut().zip(proportions).for_each(|(share, p)| *share += weight * p);
    }
    Ok(shares)
}
