//! The numbers of the experiment as files and on the terminal: perplexities, topics, what was searched through.

use super::corpus::Documents;
use super::describe::TOP_WORDS;
use super::training::{Point, Row, Trained};
use super::tune::Trial;
use crate::reproduce::summary::{write_csv, write_whole};
use anyhow::Result;
use scir_core::Method;
use std::fmt::Write;
use std::path::Path;

/// The perplexities on the way, as `file`; with what is remembered, where something is.
pub(crate) fn write(out: &Path, file: &str, trained: &[Trained]) -> Result<()> {
    let header = [
        "method",
        "seed",
        "update",
        "documents",
        "seconds",
        "perplexity",
        "perplexity_draw",
        "bytes",
        "below_zero",
    ];
    let columns = if trained.iter().any(|run| run.row.remembering.is_some()) { 9 } else { 7 };
    let line = |run: &Trained, point: &Point| {
        let Point { update, documents, seconds, averaged, draw, bytes, below_zero } = point;
        let all = [
            run.row.name.to_owned(),
            run.seed.to_string(),
            update.to_string(),
            documents.to_string(),
            format!("{seconds:.3}"),
            averaged.to_string(),
            draw.to_string(),
            bytes.to_string(),
            below_zero.to_string(),
        ];
        all.into_iter().take(columns).collect::<Vec<_>>()
    };
    let lines = trained.iter().flat_map(|run| run.points.iter().map(move |point| line(run, point)));
    write_csv(&out.join(file), &header[..columns], lines)
}

/// `tune.csv`.
pub(crate) fn trials(out: &Path, trials: &[(Method, Trial)]) -> Result<()> {
    let header = ["method", "h", "tau", "kappa", "alpha", "beta", "updates", "perplexity", "kept"];
    write_csv(&out.join("tune.csv"), &header, trials.iter().map(|(method, trial)| trial.line(*method)))
}

/// A line when a run is finished.
pub(crate) fn progress(done: &Trained, known: bool) {
    if let Some(Point { documents, seconds, averaged, draw, .. }) = done.points.last() {
        println!(
            "  {:<18} seed {}  {documents:>9} documents in {seconds:>6.1} s: perplexity {averaged:.1}, last draw {draw:.1}{}",
            done.row.name,
            done.seed,
            if known { " (from an earlier start)" } else { "" }
        );
    }
}

/// The last perplexities of the runs of a row, averaged and of single draws.
pub(crate) fn finals(trained: &[Trained], row: &Row) -> (Vec<f64>, Vec<f64>) {
    let points = || last_points(trained, row);
    (points().map(|point| point.averaged).collect(), points().map(|point| point.draw).collect())
}

pub(crate) fn last_points<'a>(trained: &'a [Trained], row: &Row) -> impl Iterator<Item = &'a Point> {
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
    println!("  {:<18} {:>24} {:>24} {:>9}  settings", "method", "averaged", "single draw", "seconds");
    for row in rows(trained) {
        let (averaged, draw) = finals(trained, &row);
        let seconds: Vec<f64> = last_points(trained, &row).map(|point| point.seconds).collect();
        let range = |values: &[f64]| {
            let (low, high) =
                values.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &x| (low.min(x), high.max(x)));
            format!("{:.1} ({low:.1} – {high:.1})", mean(values))
        };
        println!(
            "  {:<18} {:>24} {:>24} {:>9.1}  {row}",
            row.name,
            range(&averaged),
            range(&draw),
            mean(&seconds)
        );
    }
}

/// `topics.txt`: for the first seed of each method, the topics by size, with their coherence; and `topics.json`, the same
/// with more words for each topic.
pub(crate) fn topics(out: &Path, documents: &Documents, trained: &[Trained]) -> Result<()> {
    let mut text = format!("{}\n", documents.label);
    let mut models = Vec::new();
    for run in trained {
        let Some(topics) = &run.topics else { continue };
        let npmi: Vec<f64> = topics.iter().map(|topic| topic.npmi).collect();
        writeln!(
            text,
            "\n== {} ({}), seed {}\n   {} topics, mean NPMI of their {TOP_WORDS} top words in the training documents {:.3}\n   \
             share of the tokens of test documents, NPMI, words",
            run.row.name,
            run.row,
            run.seed,
            topics.len(),
            mean(&npmi)
        )?;
        for topic in topics {
            let words: Vec<&str> =
                topic.words.iter().take(TOP_WORDS).map(|word| word.word.as_str()).collect();
            writeln!(text, "{:>6.2} % {:>6.3}  {}", 100.0 * topic.share, topic.npmi, words.join(" "))?;
        }
        let settings = run.row.to_string();
        models.push(serde_json::json!({ "method": run.row.name, "settings": settings, "topics": topics }));
    }
    write_whole(&out.join("topics.json"), &serde_json::to_vec(&models)?)?;
    write_whole(&out.join("topics.txt"), text.as_bytes())
}
