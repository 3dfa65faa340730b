//! From 1, 5, 20 and 60 clusters, with splits and merges and without: `starts.csv`, `starts.svg`, and what we claim of it.

use super::sampling::{Kind, Row, Trained};
use super::tables::{last, spread};
use super::users::Users;
use crate::plot::{self, Across, BLUE, GREEN, GREY, Line, LineChart, ORANGE, PURPLE, SKY};
use crate::reproduce::summary::{Claim, write_csv};
use anyhow::Result;
use plotters::style::RGBColor;
use std::path::Path;

/// A run has arrived when a draw is first within this of the mean of the last draws of Gibbs from 20 clusters.
const ARRIVED: f64 = 0.01;
/// How many draws at the end of a run are looked at.
const DRAWS: usize = 20;

/// Writes `starts.csv`, the ends of all runs, and draws `starts.svg`, the scores against passes over the users.
pub(crate) fn write(out: &Path, users: &Users, trained: &[Trained]) -> Result<()> {
    let header = [
        "method",
        "initial",
        "seed",
        "passes",
        "score",
        "score_averaged",
        "clusters",
        "splits",
        "splits_accepted",
        "merges",
        "merges_accepted",
    ];
    let population = users.train.len() as f64;
    let line = |run: &Trained| {
        let end = run.points.last()?;
        let numbers = [
            run.row.initial as f64,
            run.seed as f64,
            end.users as f64 / population,
            end.score,
            end.averaged,
            end.clusters as f64,
            end.moves.splits as f64,
            end.moves.splits_accepted as f64,
            end.moves.merges as f64,
            end.moves.merges_accepted as f64,
        ];
        Some(
            std::iter::once(run.row.name.to_owned())
                .chain(numbers.map(|x| x.to_string()))
                .collect::<Vec<_>>(),
        )
    };
    let shown = |run: &&Trained| Row::STARTS.contains(&run.row) || run.row == Row::GIBBS;
    write_csv(&out.join("starts.csv"), &header, trained.iter().filter(shown).filter_map(line))?;

    let lines: Vec<Line> = Row::STARTS
        .iter()
        .filter_map(|row| look(row.name).map(|(label, colour, dashed)| (row, label, colour, dashed)))
        .map(|(row, label, colour, dashed)| {
            let runs: Vec<&Trained> = trained.iter().filter(|run| run.row == *row).collect();
            let mean = |i: usize| {
                let score = runs.iter().map(|run| run.points[i].score).sum::<f64>() / runs.len() as f64;
                (runs[0].points[i].users as f64 / population, score)
            };
            let points = (0..runs[0].points.len()).map(mean).collect();
            let (cloud, threads) = (Vec::new(), Vec::new());
            Line { label: label.to_owned(), colour, dashed, points, cloud, threads, band: None }
        })
        .collect();
    let all = || lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let data = if users.generated { "generated stand-in for MS-web" } else { "MS-web" };
    let chart = LineChart {
        title: format!("From few clusters and from many, {data}"),
        x: "passes over the users".to_owned(),
        y: "mean −ln predictive of a test user".to_owned(),
        across: Across::powers_of_ten(&lines),
        up: (low - 0.04 * (high - low), high + 0.04 * (high - low)),
        decimals: 2,
        lines,
    };
    plot::save(&chart, out, "starts")
}

/// Those that are drawn, and how.
fn look(name: &str) -> Option<(&'static str, RGBColor, bool)> {
    Some(match name {
        "gibbs-from-1" => ("Gibbs from 1", GREY, true),
        "gibbs-from-5" => ("Gibbs from 5", GREEN, true),
        "gibbs-moves-from-1" => ("Gibbs with splits from 1", GREEN, false),
        "gibbs-moves-from-60" => ("Gibbs with splits from 60", SKY, false),
        "scir-cv-from-20" => ("SCIR, exact counts, from 20", PURPLE, true),
        "scir-cv-moves-from-1" => ("SCIR with splits from 1", BLUE, false),
        "scir-cv-moves-from-5" => ("SCIR with splits from 5", ORANGE, false),
        _ => return None,
    })
}

/// Where a method ends from each start, and how many passes it takes.
struct Ends {
    /// The worst of the starts, each the mean over the seeds: of single draws at the end, and of averaged ones.
    score: f64,
    averaged: f64,
    /// From start to start, the mean over the seeds of the passes until a draw arrived; at most those of the run.
    passes: Vec<f64>,
}

fn ends(trained: &[Trained], prefix: &str, splits: bool, target: f64, population: usize) -> Ends {
    let mut found = Ends { score: f64::NEG_INFINITY, averaged: f64::NEG_INFINITY, passes: Vec::new() };
    let rows = Row::STARTS.iter().filter(|row| row.name.starts_with(prefix));
    for row in rows.filter(|row| matches!(row.kind, Kind::Exact { splits: s, .. } if s == splits)) {
        let runs = || trained.iter().filter(|run| run.row == *row);
        let draws = |run: &Trained| {
            let last = &run.points[run.points.len().saturating_sub(DRAWS)..];
            last.iter().map(|point| point.score).sum::<f64>() / last.len() as f64
        };
        let arrived = |run: &Trained| {
            let point = run.points.iter().find(|point| point.score <= target).or(run.points.last());
            point.map_or(f64::NAN, |point| point.users as f64 / population as f64)
        };
        found.score = found.score.max(spread(runs().map(draws).collect::<Vec<_>>().into_iter())[0]);
        found.averaged = found.averaged.max(spread(last(trained, row.name).map(|end| end.averaged))[0]);
        found.passes.push(spread(runs().map(arrived).collect::<Vec<_>>().into_iter())[0]);
    }
    found
}

/// Our own claims.
pub(crate) fn judge(trained: &[Trained], population: usize) -> Vec<Claim> {
    let gibbs = trained.iter().filter(|run| run.row == Row::GIBBS);
    let draws = gibbs.flat_map(|run| &run.points[run.points.len().saturating_sub(DRAWS)..]);
    let reference = spread(draws.map(|point| point.score).collect::<Vec<_>>().into_iter())[0];
    let reference_averaged = spread(last(trained, "gibbs").map(|end| end.averaged))[0];
    let target = reference + ARRIVED;
    let [gibbs, scir] =
        ["gibbs-moves", "scir-cv-moves"].map(|name| ends(trained, name, true, target, population));
    let stuck = spread(last(trained, "gibbs-from-1").map(|end| end.score))[0];
    let list = |passes: &[f64]| passes.iter().map(|x| format!("{x:.0}")).collect::<Vec<_>>().join(", ");
    let slowest = |ends: &Ends| ends.passes.iter().copied().fold(0.0, f64::max);
    let no_worse =
        |ends: &Ends| ends.score < reference + ARRIVED && ends.averaged < reference_averaged + ARRIVED;
    let cv = spread(last(trained, "scir-cv-from-20").map(|end| end.averaged))[0];
    let scir_plain = spread(last(trained, "scir").map(|end| end.averaged))[0];
    vec![
        Claim::new(
            "dp-splits-any-start",
            "not in the paper",
            "with splits and merges it does not matter whether a run starts from 1, 5, 20 or 60 clusters",
            no_worse(&gibbs) && no_worse(&scir),
            format!(
                "the worst start, last {DRAWS} draws and averaged: Gibbs {:.3} and {:.3}, SCIR with exact counts {:.3} and \
                 {:.3}; Gibbs from 20 without splits {reference:.3} and {reference_averaged:.3}, from 1 {stuck:.3}",
                gibbs.score, gibbs.averaged, scir.score, scir.averaged
            ),
            &[
                ("gibbs", gibbs.score),
                ("gibbs_averaged", gibbs.averaged),
                ("scir", scir.score),
                ("scir_averaged", scir.averaged),
                ("without", reference),
                ("without_averaged", reference_averaged),
                ("without_from_1", stuck),
            ],
        ),
        Claim::new(
            "dp-splits-passes",
            "not in the paper",
            "SCIR with exact counts and splits gets there in no more passes over the users than Gibbs with splits",
            slowest(&scir) <= slowest(&gibbs),
            format!(
                "passes until a draw is at {target:.3} or below, from 1, 5, 20 and 60: Gibbs {}, SCIR {}",
                list(&gibbs.passes),
                list(&scir.passes)
            ),
            &[("gibbs", slowest(&gibbs)), ("scir", slowest(&scir))],
        ),
        Claim::new(
            "dp-exact-counts",
            "not in the paper",
            "exact counts make SCIR on minibatches as good as Gibbs, both from 20 clusters without splits",
            cv < reference_averaged + ARRIVED,
            format!(
                "averaged over draws: SCIR with exact counts {cv:.3}, Gibbs {reference_averaged:.3}, SCIR at the settings of \
                 Table 3 {scir_plain:.3}"
            ),
            &[("scir_cv", cv), ("gibbs", reference_averaged), ("scir", scir_plain)],
        ),
    ]
}
