//! The numbers of the experiment as files and on the terminal: scores, clusters, users.

use super::sampling::{Point, Row, Trained};
use super::users::Users;
use crate::reproduce::summary::{write_csv, write_whole};
use anyhow::Result;
use scir_eval::CoClustering;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// The pages that stand for a cluster.
const TOP_PAGES: usize = 8;

/// `score.csv`.
pub(crate) fn write(out: &Path, trained: &[Trained]) -> Result<()> {
    let header = ["method", "seed", "iteration", "seconds", "score", "score_averaged", "clusters", "alpha"];
    let line = |run: &Trained, point: &Point| {
        [
            run.row.name.to_owned(),
            run.seed.to_string(),
            point.iteration.to_string(),
            format!("{:.4}", point.seconds),
            point.score.to_string(),
            point.averaged.to_string(),
            point.clusters.to_string(),
            point.alpha.to_string(),
        ]
    };
    let lines = trained.iter().flat_map(|run| run.points.iter().map(move |point| line(run, point)));
    write_csv(&out.join("score.csv"), &header, lines)
}

/// The last points of the runs of a row.
pub(crate) fn last<'a>(trained: &'a [Trained], name: &'a str) -> impl Iterator<Item = &'a Point> + Clone {
    trained.iter().filter(move |run| run.row.name == name).filter_map(|run| run.points.last())
}

/// Mean, lowest and highest.
pub(crate) fn spread(values: impl Iterator<Item = f64> + Clone) -> [f64; 3] {
    let mean = values.clone().sum::<f64>() / values.clone().count() as f64;
    [mean, values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max)]
}

/// The ends of all runs.
pub(crate) fn print(trained: &[Trained], rows: &[Row], one_cluster: f64) {
    println!("\nmean −ln predictive of a test user at the end: mean (lowest to highest) over the seeds");
    println!("  {:<24} {:>25}  {:>8}  {:>8}  {:>6}", "", "single draw", "averaged", "clusters", "alpha");
    for row in rows {
        let last = || last(trained, row.name);
        let [score, low, high] = spread(last().map(|point| point.score));
        let [averaged, ..] = spread(last().map(|point| point.averaged));
        let [clusters, ..] = spread(last().map(|point| point.clusters as f64));
        let [alpha, ..] = spread(last().map(|point| point.alpha));
        println!(
            "  {:<24} {:>25}  {averaged:>8.3}  {clusters:>8.1}  {alpha:>6.2}",
            row.name,
            format!("{score:.3} ({low:.3} to {high:.3})")
        );
    }
    println!("  {:<24} {one_cluster:>8.3}", "one cluster");
}

/// `clusters.txt` and `clusters.json`: the clusters that SCIR and Gibbs found from the first seed, each with its pages.
pub(crate) fn clusters(out: &Path, users: &Users, trained: &[Trained]) -> Result<()> {
    let (mut text, mut models) = (format!("data: {}\n", users.label), Vec::new());
    for run in trained.iter().filter(|run| run.seed == 1 && [Row::SCIR, Row::GIBBS].contains(&run.row)) {
        let Some(mixture) = &run.mixture else { continue };
        let clusters = mixture.describe(TOP_PAGES)?;
        writeln!(text, "\n{}, seed 1, the last draw: {} clusters", run.row.name, clusters.len())?;
        let mut described = Vec::new();
        for cluster in clusters {
            writeln!(text, "\n{:>6.2} %  {} users", 100.0 * cluster.weight, cluster.size)?;
            let mut pages = Vec::new();
            for &(page, probability) in cluster.top.iter().flatten().filter(|(_, p)| *p >= 0.005) {
                writeln!(text, "          {:>5.1} %  {}", 100.0 * probability, users.page(page))?;
                pages.push(json!({ "name": users.page(page), "p": probability }));
            }
            described.push(json!({ "weight": cluster.weight, "size": cluster.size, "pages": pages }));
        }
        models.push(json!({ "method": run.row.name, "clusters": described }));
    }
    write_whole(&out.join("clusters.json"), &serde_json::to_vec(&models)?)?;
    write_whole(&out.join("clusters.txt"), text.as_bytes())
}

/// `users.csv` and `coclustering.csv`: for some users the probabilities of the clusters in the last draw of Gibbs, and how
/// often two of them are in one cluster, over the draws of the second half of its run.
pub(crate) fn users(
    out: &Path,
    sample: &[(usize, String)],
    shares: &[Vec<f64>],
    together: &CoClustering,
) -> Result<()> {
    let lines = sample.iter().zip(shares).flat_map(|((_, name), shares)| {
        let known = shares.iter().enumerate().filter(|(_, share)| **share >= 1e-4);
        known.map(move |(cluster, share)| [name.clone(), cluster.to_string(), share.to_string()])
    });
    write_csv(&out.join("users.csv"), &["user", "cluster", "probability"], lines)?;
    let names: Vec<&str> =
        std::iter::once("user").chain(sample.iter().map(|(_, name)| name.as_str())).collect();
    let lines = sample.iter().enumerate().map(|(i, (_, name))| {
        let row = (0..sample.len()).map(|k| format!("{:.4}", together.probability(i, k)));
        std::iter::once(name.clone()).chain(row).collect::<Vec<_>>()
    });
    write_csv(&out.join("coclustering.csv"), &names, lines)
}
