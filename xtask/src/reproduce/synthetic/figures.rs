//! Figures 1, 2a and 2b.

use super::posterior::ITEMS;
use super::sampling::{BoxSample, Sampler};
use super::tables::{Best, Distance, quantiles};
use crate::plot::{self, Across, BLUE, BoxChart, BoxOf, GREEN, GREY, Line, LineChart, ORANGE, PURPLE};
use anyhow::Result;
use plotters::style::RGBColor;
use std::path::Path;

/// Draws them into `out`.
pub(crate) fn write(out: &Path, distances: &[Distance], best: &[Best], boxes: &[BoxSample]) -> Result<()> {
    let chart = BoxChart {
        title: "ω₅ of the sparse posterior, minibatches of 10 (Figure 1)".to_owned(),
        y: "ω₅".to_owned(),
        boxes: boxes.iter().map(box_of).collect(),
        quartiles: |sample| {
            let [_, q1, median, q3, _] = quantiles(sample);
            (q1, median, q3)
        },
    };
    plot::save(&chart, out, "figure1")?;
    let paper = [Sampler::Scir, Sampler::Sgrld, Sampler::SgrldPriorScale, Sampler::Exact];
    let matched = [Sampler::Scir, Sampler::ScirVm, Sampler::ScirVmNoiseLimited, Sampler::Exact];
    for (posterior, label) in [("sparse", "2a"), ("dense", "2b")] {
        let distance = Distances { posterior, distances, best };
        let title = format!("Distance from the {posterior} posterior (Figure {label})");
        plot::save(&distance.chart(title, &paper), out, &format!("figure{label}"))?;
        let title = format!("Distance from the {posterior} posterior without tuning");
        plot::save(&distance.chart(title, &matched), out, &format!("matched-{posterior}"))?;
    }
    Ok(())
}

/// The distances from one posterior.
struct Distances<'a> {
    posterior: &'a str,
    distances: &'a [Distance],
    best: &'a [Best],
}

impl Distances<'_> {
    /// The rows of some methods.
    fn rows(&self, samplers: &[Sampler]) -> impl Iterator<Item = &Best> {
        self.best.iter().filter(|row| row.posterior.name == self.posterior && samplers.contains(&row.sampler))
    }

    fn chart(&self, title: String, samplers: &[Sampler]) -> LineChart {
        let mut ticks: Vec<f64> =
            self.rows(samplers).filter(|row| row.n > 0).map(|row| share(row.n)).collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        LineChart {
            title,
            x: "share of the data in a minibatch".to_owned(),
            y: "d_KS, where there is a step size at the best".to_owned(),
            up: (0.0, 1.1 * self.rows(samplers).map(|row| row.max).fold(0.0, f64::max)),
            decimals: 2,
            lines: samplers.iter().map(|&sampler| self.line(sampler, &ticks)).collect(),
            across: Across::Log(ticks),
        }
    }

    /// The mean over the seeds as a line, each seed as a point; for exact draws a level with a band.
    fn line(&self, sampler: Sampler, ticks: &[f64]) -> Line {
        let (label, colour) = look(sampler);
        let one = [sampler];
        let mut line = Line {
            label: label.to_owned(),
            colour,
            dashed: matches!(sampler, Sampler::SgrldPriorScale | Sampler::ScirVmNoiseLimited),
            points: self.rows(&one).map(|row| (share(row.n), row.mean)).collect(),
            cloud: Vec::new(),
            threads: Vec::new(),
            band: None,
        };
        if sampler == Sampler::Exact {
            if let Some(row) = self.rows(&one).next() {
                line.points = [ticks[0] * 0.8, ticks[ticks.len() - 1] * 1.25].map(|x| (x, row.mean)).to_vec();
                line.band = Some((row.min, row.max));
            }
            return line;
        }
        for row in self.rows(&one) {
            let same = |chain: &&Distance| {
                let job = &chain.job;
                job.posterior == row.posterior && job.sampler == sampler && job.n == row.n && job.h == row.h
            };
            line.cloud.extend(self.distances.iter().filter(same).map(|chain| (share(row.n), chain.dks)));
        }
        line
    }
}

fn share(n: usize) -> f64 {
    n as f64 / ITEMS as f64
}

/// How a method is called and drawn.
fn look(sampler: Sampler) -> (&'static str, RGBColor) {
    match sampler {
        Sampler::Scir => ("SCIR", BLUE),
        Sampler::Sgrld => ("SGRLD", ORANGE),
        Sampler::SgrldPriorScale => ("SGRLD, prior's scale", GREY),
        Sampler::ScirVm => ("SCIR-VM, pooled", PURPLE),
        Sampler::ScirVmNoiseLimited => ("SCIR-VM, noise-limited", PURPLE),
        Sampler::Exact => ("exact draws", GREEN),
    }
}

fn box_of(sample: &BoxSample) -> BoxOf {
    let (label, colour) = look(sample.sampler);
    let label = if sample.h.is_finite() { format!("{label}, h = {}", sample.h) } else { label.to_owned() };
    BoxOf { label, colour, log10: sample.log10_omega.clone() }
}
