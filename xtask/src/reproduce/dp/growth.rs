//! `--growth`: SCIR and Gibbs on ever more generated users, from 100,000 to 10 million.
//!
//! An iteration of SCIR costs the same whatever the number of users, a sweep of Gibbs costs each of them. Both start with the
//! same clusters and allocate users when they are first seen. The users of all sizes come from the same mixture, and the
//! test users are the same.

use crate::plot::{self, Across, BLUE, GREEN, Line, LineChart};
use crate::reproduce::Scale;
use crate::reproduce::summary::{Claim, write_csv};
use anyhow::Result;
use indicatif::HumanCount;
use scir_core::{Method, StepSize};
use scir_data::generate::DpSettings as Generate;
use scir_data::{BatchOrder, Batching, DocumentSplit, Generator, TestDocuments};
use scir_models::dp::{Multinomials, Start};
use scir_models::{DpMixture, DpSettings, Sampler};
use std::path::Path;
use std::time::Instant;

const TEST: usize = 5_000;
/// SCIR has as good a score as Gibbs if it is no more than this above.
const AS_GOOD: f64 = 0.005;

/// A method on data of one size.
struct Curve {
    users: usize,
    method: Method,
    /// (iteration, sampling time, score).
    points: Vec<(u64, f64, f64)>,
}

impl Curve {
    fn name(&self) -> &'static str {
        if self.method == Method::Exact { "gibbs" } else { "scir" }
    }

    /// When the score first was `score` or better.
    fn reached(&self, score: f64) -> Option<f64> {
        self.points.iter().find(|point| point.2 <= score).map(|point| point.1)
    }

    fn last(&self) -> (u64, f64, f64) {
        self.points[self.points.len() - 1]
    }
}

/// Runs through the sizes, writes `growth.csv` and `growth.svg`, and judges.
pub(crate) fn run(out: &Path, scale: Scale) -> Result<Vec<Claim>> {
    let sizes: &[u64] =
        if scale == Scale::Smoke { &[2_000, 8_000] } else { &[100_000, 1_000_000, 10_000_000] };
    let mut curves = Vec::new();
    for &users in sizes {
        let settings =
            Generate { records: users + TEST as u64, alpha: 2.0, base: 0.05, seed: 1, ..Generate::default() };
        let split = settings.generator()?.corpus()?.split(TestDocuments::First(TEST))?;
        println!("\ndp: {} generated users", HumanCount(users));
        for method in [Method::Exact, Method::Scir] {
            let curve = curve(&split, method, scale)?;
            let (iterations, seconds, score) = curve.last();
            println!(
                "    {:<5} {iterations:>5} iterations in {seconds:>7.2} s, {:>9.2} ms each: score {score:.4}",
                curve.name(),
                1e3 * seconds / iterations as f64
            );
            curves.push(curve);
        }
    }
    let lines = curves.iter().flat_map(|curve| {
        curve.points.iter().map(|&(iteration, seconds, score)| {
            let method = curve.name().to_owned();
            [
                method,
                curve.users.to_string(),
                iteration.to_string(),
                format!("{seconds:.4}"),
                score.to_string(),
            ]
        })
    });
    write_csv(&out.join("growth.csv"), &["method", "users", "iteration", "seconds", "score"], lines)?;
    figure(out, &curves)?;
    Ok(vec![judge(&curves)])
}

fn curve(split: &DocumentSplit, method: Method, scale: Scale) -> Result<Curve> {
    let train = &split.train;
    let gibbs = method == Method::Exact;
    let (iterations, every, size) = match (gibbs, scale) {
        (true, _) => (15, 1, train.len()),
        (false, Scale::Smoke) => (100, 10, 500),
        (false, _) => (1000, 10, 5_000),
    };
    let order = if gibbs { BatchOrder::Sequential } else { BatchOrder::WithoutReplacement };
    let batches = Batching { size, order, seed: 1, ..Batching::default() }.over(train)?;
    let settings = DpSettings { initial: 60, start: Start::OnSight, ..DpSettings::default() };
    let atoms = Multinomials::new(train.words(), 0.05)?;
    let mut mixture = DpMixture::new(settings, atoms, train.len(), 1)?;
    let mut sampler = Sampler::new(method, StepSize::decreasing(0.5, 20.0, 0.9)?, train.len(), 1)?;
    let (mut seconds, mut points) = (0.0, Vec::new());
    for iteration in 1..=iterations {
        let started = Instant::now();
        sampler.step(&mut mixture, &batches.batch(iteration - 1))?;
        seconds += started.elapsed().as_secs_f64();
        if iteration.is_multiple_of(every) {
            let ln_p = mixture.ln_predictive(split.test.docs())?;
            points.push((iteration, seconds, -ln_p.iter().sum::<f64>() / ln_p.len() as f64));
        }
    }
    Ok(Curve { users: train.len(), method, points })
}

/// At the largest size: when SCIR is as good as Gibbs at its end, and when Gibbs came within the same of its end.
fn judge(curves: &[Curve]) -> Claim {
    let [.., gibbs, scir] = curves else { unreachable!("there are sizes") };
    let target = gibbs.last().2 + AS_GOOD;
    let gibbs_seconds = gibbs.reached(target).unwrap_or(f64::NAN);
    let reached = scir.reached(target);
    let cost = |curve: &Curve| 1e3 * curve.last().1 / curve.last().0 as f64;
    let growth = cost(scir) / cost(&curves[1]);
    let mut numbers = vec![("gibbs_seconds", gibbs_seconds), ("iteration_growth", growth)];
    numbers.extend(reached.map(|seconds| ("scir_seconds", seconds)));
    Claim::new(
        "dp-growth",
        "not in the paper",
        "on data that is large, SCIR is as good as Gibbs in a fraction of its time, and an iteration does not cost more than on small data",
        reached.is_some_and(|seconds| seconds < 0.5 * gibbs_seconds),
        format!(
            "{} generated users: Gibbs has {:.3} after {gibbs_seconds:.1} s, SCIR {}; a sweep takes {:.0} ms, \
             an iteration {:.1} ms, {growth:.1} times what it takes for {} users",
            HumanCount(gibbs.users as u64),
            target,
            reached.map_or("does not get there".to_owned(), |seconds| format!("after {seconds:.1} s")),
            cost(gibbs),
            cost(scir),
            HumanCount(curves[1].users as u64)
        ),
        &numbers,
    )
}

fn figure(out: &Path, curves: &[Curve]) -> Result<()> {
    let largest = curves.iter().map(|curve| curve.users).max().unwrap_or(0);
    let line = |curve: &Curve| {
        let (name, colour) = if curve.method == Method::Exact { ("Gibbs", GREEN) } else { ("SCIR", BLUE) };
        Line {
            label: format!("{name}, {} users", HumanCount(curve.users as u64)),
            colour,
            dashed: curve.users < largest,
            points: curve.points.iter().map(|&(_, seconds, score)| (seconds, score)).collect(),
            cloud: Vec::new(),
            threads: Vec::new(),
            band: None,
        }
    };
    let lines: Vec<Line> = curves.iter().map(line).collect();
    let best =
        curves.iter().flat_map(|curve| &curve.points).map(|point| point.2).fold(f64::INFINITY, f64::min);
    let chart = LineChart {
        title: "SCIR and Gibbs as data grows, generated users".to_owned(),
        x: "seconds of sampling".to_owned(),
        y: "mean −ln predictive of a test user".to_owned(),
        across: Across::powers_of_ten(&lines),
        // The start is far above; what matters is the end.
        up: (best - 0.05, best + 0.95),
        decimals: 1,
        lines,
    };
    plot::save(&chart, out, "growth")
}
