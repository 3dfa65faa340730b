//! The numbers of the experiment as tables: CSV files and a printed summary.

use super::posterior::Posterior;
use super::sampling::{BoxSample, Job, Sampler};
use crate::reproduce::summary::write_csv;
use anyhow::Result;
use std::path::Path;

/// d_KS of one chain.
pub(crate) struct Distance {
    pub(crate) job: Job,
    pub(crate) dks: f64,
}

/// d_KS over the seeds for one posterior, method, minibatch size and step size, such as the best one.
pub(crate) struct Best {
    pub(crate) posterior: Posterior,
    pub(crate) sampler: Sampler,
    pub(crate) n: usize,
    pub(crate) h: f64,
    pub(crate) mean: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Best {
    /// Picks the step size with the smallest mean over the seeds, for every group of `steps`.
    pub(crate) fn choose(steps: Vec<Self>) -> Vec<Self> {
        let mut best: Vec<Self> = Vec::new();
        for candidate in steps {
            match best.last_mut() {
                Some(last) if last.same_group(&candidate) => {
                    if candidate.mean < last.mean {
                        *last = candidate;
                    }
                }
                _ => best.push(candidate),
            }
        }
        best
    }

    fn same_group(&self, other: &Self) -> bool {
        (self.posterior, self.sampler, self.n) == (other.posterior, other.sampler, other.n)
    }

    /// Summarises the seeds of every step size.
    pub(crate) fn of_steps(distances: &[Distance]) -> Vec<Self> {
        let same_step = |a: &Distance, b: &Distance| Job { seed: 0, ..a.job } == Job { seed: 0, ..b.job };
        let summarise = |chains: &[Distance]| {
            let Job { posterior, sampler, n, h, .. } = chains[0].job;
            let values = || chains.iter().map(|chain| chain.dks);
            Self {
                posterior,
                sampler,
                n,
                h,
                mean: values().sum::<f64>() / chains.len() as f64,
                min: values().fold(f64::INFINITY, f64::min),
                max: values().fold(0.0, f64::max),
            }
        };
        distances.chunk_by(same_step).map(summarise).collect()
    }
}

/// Exact draws use no minibatch, and some methods no step: these fields are empty.
fn n_and_h(sampler: Sampler, n: usize, h: f64) -> [String; 2] {
    let n = if sampler == Sampler::Exact { String::new() } else { n.to_string() };
    [n, if h.is_finite() { h.to_string() } else { String::new() }]
}

/// The beginning of the names of the files that a method is in: those of the paper's comparison hold the paper's three
/// methods only.
fn prefix(sampler: Sampler) -> &'static str {
    match sampler {
        Sampler::SgrldPriorScale => "fair_",
        Sampler::ScirVm | Sampler::ScirVmNoiseLimited => "vm_",
        _ => "",
    }
}

/// Writes the tables.
pub(crate) fn write(out: &Path, distances: &[Distance], best: &[Best], boxes: &[BoxSample]) -> Result<()> {
    // Table 1 of the paper lists the step sizes that are tried; ours adds what each of them gave.
    let steps = Best::of_steps(distances);
    for wanted in ["", "fair_", "vm_"] {
        let rows =
            distances.iter().filter(|row| prefix(row.job.sampler) == wanted).map(|Distance { job, dks }| {
                let [n, h] = n_and_h(job.sampler, job.n, job.h);
                let (posterior, method) = (job.posterior.name.to_owned(), job.sampler.name().to_owned());
                vec![posterior, method, n, h, job.seed.to_string(), dks.to_string()]
            });
        write_csv(
            &out.join(format!("{wanted}ks.csv")),
            &["posterior", "method", "n", "h", "seed", "dks"],
            rows,
        )?;
        for (name, table) in [("best", best), ("table1", &steps)] {
            let rows = table.iter().filter(|row| prefix(row.sampler) == wanted).map(|row| {
                let [n, h] = n_and_h(row.sampler, row.n, row.h);
                let (posterior, method) = (row.posterior.name.to_owned(), row.sampler.name().to_owned());
                vec![posterior, method, n, h, row.mean.to_string(), row.min.to_string(), row.max.to_string()]
            });
            let header = ["posterior", "method", "n", "h", "dks_mean", "dks_min", "dks_max"];
            write_csv(&out.join(format!("{wanted}{name}.csv")), &header, rows)?;
        }
    }
    let rows = boxes.iter().map(|sample| {
        let [n, h] = n_and_h(sample.sampler, sample.n, sample.h);
        let summary = quantiles(&sample.log10_omega).map(|log10| 10f64.powf(log10).to_string());
        [vec![sample.sampler.name().to_owned(), n, h], summary.to_vec()].concat()
    });
    let header = ["method", "n", "h", "min", "q1", "median", "q3", "max"];
    write_csv(&out.join("boxplot.csv"), &header, rows)?;
    let rows = boxes.iter().flat_map(|sample| {
        let draw = |(i, log10): (usize, &f64)| {
            vec![sample.sampler.name().to_owned(), (i + 1).to_string(), log10.to_string()]
        };
        sample.log10_omega.iter().enumerate().map(draw).collect::<Vec<_>>()
    });
    write_csv(&out.join("boxplot_draws.csv"), &["method", "draw", "log10_omega5"], rows)
}

/// Minimum, quartiles and maximum, by linear interpolation between order statistics.
pub(crate) fn quantiles(sample: &[f64]) -> [f64; 5] {
    let mut sorted = sample.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|p| {
        let position = p * (sorted.len() - 1) as f64;
        let (below, above) = (position.floor() as usize, position.ceil() as usize);
        sorted[below] + (position - position.floor()) * (sorted[above] - sorted[below])
    })
}

/// Prints the best distances: methods as rows, minibatch sizes as columns.
pub(crate) fn print(best: &[Best]) {
    for rows in best.chunk_by(|a, b| a.posterior == b.posterior) {
        println!("\nd_KS, {} posterior: mean over the seeds at the best h", rows[0].posterior.name);
        let sizes: Vec<usize> =
            rows.iter().filter(|row| row.sampler == Sampler::Scir).map(|row| row.n).collect();
        print!("  {:<21}", "");
        sizes.iter().for_each(|n| print!("  {:>15}", format!("n = {n}")));
        println!();
        for method in rows.chunk_by(|a, b| a.sampler == b.sampler) {
            print!("  {:<21}", method[0].sampler.name());
            for row in method {
                let step = if row.h.is_finite() { format!(" ({})", row.h) } else { String::new() };
                print!("  {:>15}", format!("{:.3}{step}", row.mean));
            }
            println!();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_interpolate() {
        assert_eq!(quantiles(&[4.0, 1.0, 3.0, 2.0]), [1.0, 1.75, 2.5, 3.25, 4.0]);
        assert_eq!(quantiles(&[7.0]), [7.0; 5]);
    }

    #[test]
    fn the_best_step_is_chosen_by_the_mean() {
        let job = |h, seed| Job { posterior: Posterior::sparse(), sampler: Sampler::Scir, n: 10, h, seed };
        let rows = [(0.5, 1, 0.1), (0.5, 2, 0.5), (0.1, 1, 0.2), (0.1, 2, 0.3)];
        let distances: Vec<Distance> =
            rows.into_iter().map(|(h, seed, dks)| Distance { job: job(h, seed), dks }).collect();
        let best = Best::choose(Best::of_steps(&distances));
        assert_eq!(best.len(), 1);
        assert_eq!((best[0].h, best[0].mean, best[0].min, best[0].max), (0.1, 0.25, 0.2, 0.3));
    }
}
