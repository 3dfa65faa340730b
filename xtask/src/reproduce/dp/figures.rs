//! Figures 3b and 4b, the number of clusters, and what the released indexing does.

use super::sampling::{Kind, Point, Row, Trained};
use super::users::Users;
use crate::plot::{self, Across, BLUE, GREEN, GREY, Line, LineChart, ORANGE, PURPLE, SKY};
use anyhow::Result;
use plotters::style::RGBColor;
use std::path::Path;

/// Draws them into `out`.
pub(crate) fn write(
    out: &Path,
    users: &Users,
    trained: &[Trained],
    rows: &[Row],
    one_cluster: f64,
) -> Result<()> {
    let data = if users.generated { "generated stand-in for MS-web" } else { "MS-web" };
    let of = |kinds: &[Kind]| -> Vec<&Row> { rows.iter().filter(|row| kinds.contains(&row.kind)).collect() };
    let iterations = |point: &Point| point.iteration as f64;
    let score = |point: &Point| point.score;
    let to = trained.iter().filter(|run| run.row.kind == Kind::Plain).flat_map(|run| &run.points);
    let to = to.map(iterations).fold(0.0, f64::max);
    let chart = |title: &str, x: &str, y: &str, across: Across, up: (f64, f64), decimals, lines| LineChart {
        title: format!("{title}, {data}"),
        x: x.to_owned(),
        y: y.to_owned(),
        across,
        up,
        decimals,
        lines,
    };
    const SCORE: &str = "mean −ln predictive of a test user";

    let lines = curves(trained, &of(&[Kind::Plain]), iterations, score);
    let up = heights(&lines);
    let across = Across::Linear(0.0, to);
    plot::save(
        &chart("SCIR and SGRLD (Figure 3b)", "iteration", SCORE, across, up, 2, lines),
        out,
        "figure3b",
    )?;

    let mut paper = of(&[Kind::Plain, Kind::AllUsers]);
    paper.retain(|row| !Row::STARTS.contains(row));
    let lines = curves(trained, &paper, |point| point.users as f64 / 1000.0, score);
    let across = Across::powers_of_ten(&lines);
    plot::save(
        &chart(
            "With Gibbs on all users (Figure 4b)",
            "thousands of users processed",
            SCORE,
            across,
            up,
            2,
            lines,
        ),
        out,
        "figure4b",
    )?;

    let lines = curves(trained, &of(&[Kind::Plain]), iterations, |point| point.clusters as f64);
    let most = lines.iter().flat_map(|line| line.threads.iter().flatten()).map(|p| p.1).fold(0.0, f64::max);
    let across = Across::Linear(0.0, to);
    let title = "Clusters that have users";
    plot::save(&chart(title, "iteration", "clusters", across, (0.0, 1.3 * most), 0, lines), out, "clusters")?;

    let mut lines = curves(trained, &of(&[Kind::Plain, Kind::Released]), iterations, score);
    lines.retain(|line| !line.label.contains("tuned"));
    lines.push(Line {
        label: "one cluster".to_owned(),
        colour: GREY,
        dashed: true,
        points: vec![(0.0, one_cluster), (to, one_cluster)],
        cloud: Vec::new(),
        threads: Vec::new(),
        band: None,
    });
    let up = heights(&lines);
    let across = Across::Linear(0.0, to);
    let title = "What the released indexing does";
    plot::save(&chart(title, "iteration", SCORE, across, (up.0, up.1 + 0.3), 2, lines), out, "released")
}

/// For each row the mean over the seeds as a line, and each seed as a thin one.
fn curves(
    trained: &[Trained],
    rows: &[&Row],
    x: impl Fn(&Point) -> f64 + Copy,
    y: impl Fn(&Point) -> f64 + Copy,
) -> Vec<Line> {
    let curve = |row: &&Row| {
        let runs = trained.iter().filter(|run| run.row == **row);
        let threads: Vec<Vec<(f64, f64)>> =
            runs.map(|run| run.points.iter().map(|point| (x(point), y(point))).collect()).collect();
        let mean = |i: usize| threads.iter().map(|thread| thread[i].1).sum::<f64>() / threads.len() as f64;
        let points = (0..threads[0].len()).map(|i| (threads[0][i].0, mean(i))).collect();
        let (label, colour) = look(row);
        let dashed = row.kind == Kind::Released;
        Line { label: label.to_owned(), colour, dashed, points, cloud: Vec::new(), threads, band: None }
    };
    rows.iter().map(curve).collect()
}

fn look(row: &Row) -> (&'static str, RGBColor) {
    match row.name {
        "scir" => ("SCIR", BLUE),
        "sgrld" => ("SGRLD", ORANGE),
        "scir-tuned" => ("SCIR, tuned", SKY),
        "sgrld-tuned" => ("SGRLD, tuned", PURPLE),
        "scir-released-indexing" => ("SCIR, released indexing", BLUE),
        "sgrld-released-indexing" => ("SGRLD, released indexing", ORANGE),
        _ => ("Gibbs on all users", GREEN),
    }
}

/// From a little below the lowest point to where the curves begin.
fn heights(lines: &[Line]) -> (f64, f64) {
    let all = || lines.iter().flat_map(|line| line.points.iter().chain(line.threads.iter().flatten()));
    let low = all().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let high = all().map(|point| point.1).fold(low, f64::max);
    let room = 0.04 * (high - low);
    (low - room, high + room)
}
