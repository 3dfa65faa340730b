//! `scir sample`: draws from a known law by any transition, to see what a transition does.

use crate::output::{self, Format, Npy, usage};
use anyhow::Result;
use clap::{Args, Subcommand};
use scir_core::{ExpOu, Method, Purpose, Simplex, StepSize, StreamRng, Streams, Target};
use scir_eval::effective_sample_size;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

const SAMPLE: Purpose = Purpose::new("scir sample");

#[derive(Subcommand)]
pub(crate) enum Command {
    /// From Dir(α + counts): draws of the simplex
    #[command(after_help = "Examples:
  scir sample dirichlet --alpha 0.1 --counts 800,200,0,0 --draws 1000 --summary
  scir sample dirichlet --alpha 0.1,0.5,2 --method sgrld --step 0.01 --format csv")]
    Dirichlet {
        /// The prior: one number for all coordinates, or one for each
        #[arg(long, value_name = "X,…", value_delimiter = ',', required = true)]
        alpha: Vec<f64>,
        /// The counts, one for each coordinate
        #[arg(long, value_name = "N,…", value_delimiter = ',')]
        counts: Vec<f64>,
        /// scir, scir-vm, scir-vm-scheduled, sgrld, sgld or exact
        #[arg(long, value_name = "METHOD", default_value = "scir")]
        method: Method,
        #[command(flatten)]
        chain: Chain,
    },
    /// From Gamma(shape, rate)
    Gamma {
        /// The shape
        #[arg(long, value_name = "X", allow_negative_numbers = true)]
        shape: f64,
        /// The rate
        #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
        rate: f64,
        /// scir, scir-vm, scir-vm-scheduled, sgrld, sgld or exact
        #[arg(long, value_name = "METHOD", default_value = "scir")]
        method: Method,
        #[command(flatten)]
        chain: Chain,
    },
    /// From LogNormal(mu, sigma²), by the exact transition of the exponential Ornstein–Uhlenbeck process
    Lognormal {
        /// The mean of the logarithm
        #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
        mu: f64,
        /// The standard deviation of the logarithm
        #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
        sigma: f64,
        #[command(flatten)]
        chain: Chain,
    },
}

#[derive(Args)]
pub(crate) struct Chain {
    /// How many draws
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    draws: u64,
    /// The time h between them; inf is independent draws where the transition is exact
    #[arg(long, value_name = "H", default_value_t = 0.5, allow_negative_numbers = true)]
    step: f64,
    /// Draws to leave out at the start
    #[arg(long, value_name = "N", default_value_t = 100)]
    burn_in: u64,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Not the draws, but their mean, standard deviation and effective number
    #[arg(long)]
    summary: bool,
    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write the draws, a row for each, to a NumPy file
    #[arg(long, value_name = "FILE")]
    npy: Option<PathBuf>,
}

pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::Dirichlet { alpha, counts, method, chain } => dirichlet(alpha, counts, *method, chain),
        Command::Gamma { shape, rate, method, chain } => {
            let mut simplex = Simplex::uniform(1)?;
            if !(*rate > 0.0 && *rate < f64::INFINITY) {
                return Err(usage(format!("--rate {rate} must be finite and greater than 0")));
            }
            chain.run(1, |rng, draw| {
                simplex.step(method, Target::new(*shape, &[0.0])?, chain.step, rng)?;
                draw[0] = simplex.theta()[0] / rate;
                Ok(())
            })
        }
        Command::Lognormal { mu, sigma, chain } => {
            let process = ExpOu::new(*mu, *sigma).map_err(|error| usage(error.to_string()))?;
            let mut ln_theta = *mu;
            chain.run(1, |rng, draw| {
                ln_theta = process.transition_ln(ln_theta, chain.step)?.sample_ln(rng);
                draw[0] = ln_theta.exp();
                Ok(())
            })
        }
    }
}

fn dirichlet(alpha: &[f64], counts: &[f64], method: Method, chain: &Chain) -> Result<()> {
    let dimension = counts.len().max(alpha.len());
    let fits = |given: usize| given == dimension;
    if dimension < 2 || !(fits(alpha.len()) || alpha.len() == 1) || !(counts.is_empty() || fits(counts.len()))
    {
        return Err(usage(format!(
            "{} numbers for --alpha and {} for --counts: give as many of both, at least two, or one --alpha for all",
            alpha.len(),
            counts.len()
        )));
    }
    let alpha = if alpha.len() == 1 { vec![alpha[0]; dimension] } else { alpha.to_vec() };
    let counts = if counts.is_empty() { vec![0.0; dimension] } else { counts.to_vec() };
    let mut simplex = Simplex::uniform(dimension)?;
    chain.run(dimension, |rng, draw| {
        simplex.step(&method, Target::new(&alpha, &counts)?, chain.step, rng)?;
        simplex.omega(draw)
    })
}

impl Chain {
    /// Makes the draws with `next`, and writes them.
    fn run(
        &self,
        columns: usize,
        mut next: impl FnMut(&mut StreamRng, &mut [f64]) -> scir_core::Result<()>,
    ) -> Result<()> {
        StepSize::constant(self.step).map_err(|error| usage(format!("--step: {error}")))?;
        let mut npy = self.npy.as_deref().map(|path| Npy::create(path, columns)).transpose()?;
        let mut out = output::stdout();
        let mut kept: Vec<Vec<f64>> = vec![Vec::new(); if self.summary { columns } else { 0 }];
        if self.format == Format::Csv && !self.summary {
            let names: Vec<String> = (0..columns).map(|j| format!("x{j}")).collect();
            writeln!(out, "{}", names.join(","))?;
        }
        let (streams, mut draw) = (Streams::new(self.seed), vec![0.0; columns]);
        for m in 0..self.burn_in.saturating_add(self.draws) {
            next(&mut streams.rng(SAMPLE, m, 0), &mut draw).map_err(|error| usage(error.to_string()))?;
            if m < self.burn_in {
                continue;
            }
            if let Some(npy) = &mut npy {
                npy.row(&draw)?;
            }
            if self.summary {
                kept.iter_mut().zip(&draw).for_each(|(column, &x)| column.push(x));
                continue;
            }
            let row: Vec<String> = draw.iter().map(ToString::to_string).collect();
            match self.format {
                Format::Text => writeln!(out, "{}", row.join(" "))?,
                Format::Csv => writeln!(out, "{}", row.join(","))?,
                Format::Json => writeln!(out, "{}", json!(draw))?,
            }
        }
        npy.map_or(Ok(()), Npy::finish)?;
        if self.summary {
            self.summarise(&mut out, &kept)?;
        }
        Ok(out.flush()?)
    }

    fn summarise(&self, out: &mut impl Write, columns: &[Vec<f64>]) -> Result<()> {
        match self.format {
            Format::Text => writeln!(out, "coordinate        mean          sd  effective draws")?,
            Format::Csv => writeln!(out, "coordinate,mean,sd,effective")?,
            Format::Json => {}
        }
        for (j, column) in columns.iter().enumerate() {
            let n = column.len() as f64;
            let mean = column.iter().sum::<f64>() / n;
            let sd = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
            let effective =
                effective_sample_size(column).map_err(|error| usage(format!("--summary: {error}")))?;
            match self.format {
                Format::Text => writeln!(out, "{j:>10}  {mean:>10.6}  {sd:>10.6}  {effective:>15.1}")?,
                Format::Csv => writeln!(out, "{j},{mean},{sd},{effective}")?,
                Format::Json => writeln!(
                    out,
                    "{}",
                    json!({"coordinate": j, "mean": mean, "sd": sd, "effective": effective})
                )?,
            }
        }
        Ok(())
    }
}
