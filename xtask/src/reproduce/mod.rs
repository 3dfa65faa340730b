//! `cargo xtask reproduce`: which experiments, at which size, into which folder.

mod dp;
mod finished;
mod lda;
mod map;
mod report;
mod summary;
mod synthetic;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use summary::Summary;

/// What is run, and how large.
#[derive(Args)]
#[command(after_help = "\
Examples:
  cargo xtask reproduce                          everything, in about half an hour on 2 cores
  cargo xtask reproduce --data DIR               the same on the real data in DIR (see cargo xtask data)
  cargo xtask reproduce synthetic --seeds 50     Figures 1 and 2 with ten times the seeds
  cargo xtask reproduce --scale smoke            a quick check that everything works

The results do not depend on the number of threads: the same seeds give the same numbers. A run that was interrupted goes on
when the same command is given again.")]
pub(crate) struct Arguments {
    /// The experiments to run [default: all]
    #[arg(value_enum)]
    experiments: Vec<Experiment>,

    /// How large
    #[arg(long, value_enum, default_value_t = Scale::Default)]
    scale: Scale,

    /// The folder of the real data; without it, data are generated in their place, and the results say so
    #[arg(long, value_name = "DIR", env = "SCIR_DATA")]
    data: Option<PathBuf>,

    /// For lda: first search for step sizes and priors on validation documents, and run these settings, too
    #[arg(long)]
    tune: bool,

    /// For lda: also make many passes over a tenth of the documents, with control variates (about twenty minutes)
    #[arg(long)]
    passes: bool,

    /// For dp: also compare SCIR and Gibbs on up to 10 million generated users (some minutes, 1 GB of memory)
    #[arg(long)]
    growth: bool,

    /// How many random seeds, from 1 to N [default: 5, smoke: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: Option<u64>,

    /// The folder for the results; what an earlier run with the same settings finished there is not run again
    #[arg(long, value_name = "DIR", default_value = "target/reproduce")]
    out: PathBuf,

    /// Start over: run again what an earlier run into the same folder has finished
    #[arg(long)]
    fresh: bool,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Experiment {
    /// Sparse and dense Dirichlet posteriors: Figures 1, 2a and 2b, Table 1
    Synthetic,
    /// Topics of Wikipedia: Figures 3a and 4a, Table 2
    Lda,
    /// Clusters of the users of MS-web: Figures 3b and 4b, Table 3
    Dp,
}

impl Experiment {
    fn name(self) -> &'static str {
        match self {
            Self::Synthetic => "synthetic",
            Self::Lda => "lda",
            Self::Dp => "dp",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scale {
    /// A quick check that everything works: small generated data, few iterations
    Smoke,
    /// The size of the paper where that takes minutes, else a shorter run
    Default,
    /// The size of the paper
    Paper,
}

impl Experiment {
    /// What it takes on two cores, for whoever waits.
    fn expected(self, scale: Scale, tune: bool) -> &'static str {
        match (self, scale) {
            (Self::Lda, Scale::Default) if tune => "about 35 minutes",
            (Self::Lda, Scale::Default) => "about 20 minutes",
            (Self::Lda, Scale::Paper) if tune => "about 3 hours and a half",
            (Self::Lda, Scale::Paper) => "about 3 hours",
            (Self::Dp, Scale::Default | Scale::Paper) => "about seven minutes",
            _ => "seconds",
        }
    }
}

impl Scale {
    fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Default => "default",
            Self::Paper => "paper",
        }
    }
}

/// What an experiment needs to know.
pub(crate) struct Run<'a> {
    pub(crate) scale: Scale,
    pub(crate) seeds: u64,
    pub(crate) out: &'a Path,
    /// The folder of the real data; never at the scale of a quick check.
    pub(crate) data: Option<&'a Path>,
    /// Whether settings are to be searched for.
    pub(crate) tune: bool,
    /// Whether to make many passes over few documents, too.
    pub(crate) passes: bool,
    /// Whether to go through ever larger data, too.
    pub(crate) growth: bool,
    /// What the program is, to the bit.
    pub(crate) program: &'a str,
}

impl Run<'_> {
    /// Stands for all that the results depend on; the data by the names, sizes and times of its files.
    fn key(&self) -> Result<String> {
        let mut files = Vec::new();
        if let Some(data) = self.data {
            list(data, &mut files).with_context(|| format!("--data {}", data.display()))?;
            files.sort_unstable();
        }
        let settings =
            format!("{} {} {} {} {}", self.scale.name(), self.seeds, self.tune, self.passes, self.growth);
        Ok(finished::hash(&[self.program, &settings, &files.join("\n")]))
    }
}

/// Every file under a folder, with its size and the time of its last change.
fn list(folder: &Path, files: &mut Vec<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let about = fs::metadata(&path)?;
        if about.is_dir() {
            list(&path, files)?;
        } else {
            files.push(format!("{} {} {:?}", path.display(), about.len(), about.modified()?));
        }
    }
    Ok(())
}

/// Runs what was asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let out = &arguments.out;
    if out.exists() && !out.is_dir() {
        bail!("--out {}: this is a file; give a folder", out.display());
    }
    let data = arguments.data.as_deref().filter(|_| arguments.scale != Scale::Smoke);
    if let Some(data) = data.filter(|data| !data.is_dir()) {
        bail!(
            "--data {}: there is no such folder; give one that `cargo xtask data` finds complete",
            data.display()
        );
    }
    fs::create_dir_all(out).with_context(|| format!("--out {}: the folder cannot be made", out.display()))?;
    let mut builder = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = arguments.threads {
        builder = builder.num_threads(usize::try_from(threads)?);
    }
    builder.build_global().context("the threads cannot be started")?;

    let chosen: &[Experiment] =
        if arguments.experiments.is_empty() { Experiment::value_variants() } else { &arguments.experiments };
    let seeds = arguments.seeds.unwrap_or(if arguments.scale == Scale::Smoke { 2 } else { 5 });
    crate::interrupt::catch()?;
    let program = finished::program()?;
    let mut summary = Summary::open(out)?;
    let names: Vec<String> = chosen
        .iter()
        .map(|experiment| {
            format!("{} ({})", experiment.name(), experiment.expected(arguments.scale, arguments.tune))
        })
        .collect();
    println!("at scale {}, on 2 cores: {}; into {}", arguments.scale.name(), names.join(", "), out.display());
    for &experiment in chosen {
        let (started, name) = (Instant::now(), experiment.name());
        let folder = out.join(name);
        let Arguments { scale, tune, passes, growth, .. } = *arguments;
        let run = Run { scale, seeds, out: &folder, data, tune, passes, growth, program: &program };
        if arguments.fresh && folder.join("parts").exists() {
            fs::remove_dir_all(folder.join("parts"))?;
        }
        let key = run.key()?;
        if let Some(outcome) = summary.finished(name, &key).filter(|_| !arguments.fresh) {
            println!("{name}: finished earlier with these settings and data (--fresh starts over)");
            outcome.print();
            continue;
        }
        fs::create_dir_all(run.out).with_context(|| format!("{} cannot be made", run.out.display()))?;
        crate::interrupt::check()?;
        let outcome = match experiment {
            Experiment::Synthetic => synthetic::run(&run)?,
            Experiment::Lda => lda::run(&run)?,
            Experiment::Dp => dp::run(&run)?,
        };
        outcome.print();
        let seconds = started.elapsed().as_secs_f64();
        summary.record(name, scale.name(), seeds, seconds, key, outcome)?;
        println!("\n{name}: {seconds:.1} s on {} threads", rayon::current_num_threads());
    }
    report::write(out)?;
    println!("results in {0}, to read in {0}/report.html", out.display());
    Ok(())
}
