//! Figures 3a and 4a.

use super::corpus::Documents;
use super::tables::rows;
use super::training::{Point, Row, Trained};
use crate::plot::{self, Across, BLUE, GREEN, Line, LineChart, ORANGE, PURPLE, SKY};
use anyhow::Result;
use plotters::style::RGBColor;
use std::path::Path;

/// Draws them into `out`.
pub(crate) fn write(out: &Path, documents: &Documents, trained: &[Trained]) -> Result<()> {
    let (matched, rows): (Vec<Row>, Vec<Row>) =
        rows(trained).into_iter().partition(|row| Row::MATCHED.contains(row));
    let online: Vec<Row> = rows.iter().copied().filter(Row::is_online).collect();
    let figure = |title: &str, across, lines| figure(documents, title, across, lines);
    // Single draws of the methods of the paper: what averaging over evaluations hides.
    let lines = with_draws(trained, &online, |row| Row::TABLE.contains(row));
    let figure3a = figure("SCIR and SGRLD (Figure 3a)", along(&lines), lines);
    plot::save(&figure3a, out, "figure3a")?;
    let lines: Vec<Line> = rows.iter().map(|row| line(trained, row, |point| point.averaged)).collect();
    let figure4a = figure("With collapsed Gibbs (Figure 4a)", Across::powers_of_ten(&lines), lines);
    plot::save(&figure4a, out, "figure4a")?;
    let lines = with_draws(trained, &[&[rows[0]], matched.as_slice()].concat(), |_| true);
    plot::save(&figure("Variance-matched SCIR", along(&lines), lines), out, "matched")
}

/// Many passes over few documents: single draws, which is where noise shows. Not those that are no draws, nor those of SCIR
/// with long steps, which would flatten the rest.
pub(crate) fn passes(out: &Path, documents: &Documents, trained: &[Trained]) -> Result<()> {
    let rows = rows(trained).into_iter().filter(|row| !["gibbs", "scir-long-steps"].contains(&row.name));
    let lines: Vec<Line> = rows.map(|row| line(trained, &row, |point| point.draw)).collect();
    let across = Across::powers_of_ten(&lines);
    let chart = LineChart {
        y: "perplexity of held-out words, single draws".to_owned(),
        ..figure(documents, "Ten passes", across, lines)
    };
    plot::save(&chart, out, "passes")
}

fn figure(documents: &Documents, title: &str, across: Across, lines: Vec<Line>) -> LineChart {
    let data = if documents.generated { "generated stand-in for Wikipedia" } else { "Wikipedia" };
    LineChart {
        title: format!("{title}, {data}"),
        x: "documents processed".to_owned(),
        y: "perplexity of held-out words".to_owned(),
        across,
        up: heights(&lines),
        decimals: 0,
        lines,
    }
}

/// Averages over evaluations, and single draws of those rows that are `wanted`, dashed.
fn with_draws(trained: &[Trained], rows: &[Row], wanted: impl Fn(&Row) -> bool) -> Vec<Line> {
    let mut lines: Vec<Line> = rows.iter().map(|row| line(trained, row, |point| point.averaged)).collect();
    lines.extend(rows.iter().filter(|row| wanted(row)).map(|row| {
        let line = line(trained, row, |point| point.draw);
        Line { label: format!("{}, single draw", line.label), dashed: true, threads: Vec::new(), ..line }
    }));
    lines
}

/// From nothing to the last point.
fn along(lines: &[Line]) -> Across {
    let points = lines.iter().flat_map(|line| &line.points);
    Across::Linear(0.0, points.map(|point| point.0).fold(0.0, f64::max))
}

/// The mean over the seeds as a line, each seed as a thin one.
fn line(trained: &[Trained], row: &Row, value: impl Fn(&Point) -> f64) -> Line {
    let runs: Vec<&Trained> = trained.iter().filter(|run| run.row == *row).collect();
    let at = |point: &Point| (point.documents as f64, value(point));
    let threads: Vec<Vec<(f64, f64)>> = runs.iter().map(|run| run.points.iter().map(at).collect()).collect();
    let mean = |i: usize| threads.iter().map(|thread| thread[i].1).sum::<f64>() / threads.len() as f64;
    let points = threads[0].iter().enumerate().map(|(i, &(x, _))| (x, mean(i))).collect();
    let (label, colour) = look(row);
    let dashed = row.name.ends_with("long-steps");
    Line { label: label.to_owned(), colour, dashed, points, cloud: Vec::new(), threads, band: None }
}

fn look(row: &Row) -> (&'static str, RGBColor) {
    match row.name {
        "scir" => ("SCIR", BLUE),
        "sgrld" => ("SGRLD", ORANGE),
        "scir-tuned" => ("SCIR, tuned", SKY),
        "sgrld-tuned" => ("SGRLD, tuned", PURPLE),
        "scir-vm" => ("variance-matched", PURPLE),
        "scir-cv" => ("SCIR, remembering", PURPLE),
        "scir-cv-unbiased" => ("the same, unbiased", ORANGE),
        "scir-cv-smooth" => ("the same, smooth", plot::GREY),
        "scir-vm-cv" => ("the same, variance-matched", SKY),
        "scir-cv-long-steps" => ("the same, h = 5", PURPLE),
        "scir-fast" => ("SCIR, κ = 0.6", SKY),
        "scir-vm-fast" => ("variance-matched, κ = 0.6", GREEN),
        "gibbs-tuned" => ("collapsed Gibbs, priors of tuned SCIR", plot::GREY),
        _ => ("collapsed Gibbs", GREEN),
    }
}

/// From a little below the lowest point to where most curves begin; the first points of a run would flatten the rest.
fn heights(lines: &[Line]) -> (f64, f64) {
    let low = lines.iter().flat_map(|line| &line.points).map(|point| point.1).fold(f64::INFINITY, f64::min);
    let high = lines.iter().filter_map(|line| line.points.first()).map(|point| point.1).fold(low, f64::max);
    (0.97 * low, low + 1.02 * (high.min(2.2 * low) - low))
}
