//! `report.html`: every claim, figure and number of a folder of results on one page that needs nothing else.

mod parts;

use super::summary::{Summary, write_whole};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A figure, what it shows, and the tables with its numbers.
struct Figure {
    experiment: &'static str,
    file: &'static str,
    title: &'static str,
    shows: &'static str,
    tables: &'static [&'static str],
}

const FIGURES: [Figure; 15] = [
    Figure {
        experiment: "synthetic",
        file: "figure1",
        title: "Figure 1",
        shows: "A component of a sparse posterior that is almost always next to zero: SGRLD hardly ever gets there, SCIR does.",
        tables: &["boxplot.csv"],
    },
    Figure {
        experiment: "synthetic",
        file: "figure2a",
        title: "Figure 2a",
        shows: "Distance between sample and posterior on the sparse posterior, each method at its best step size. Lower is better.",
        tables: &["best.csv", "ks.csv"],
    },
    Figure {
        experiment: "synthetic",
        file: "figure2b",
        title: "Figure 2b",
        shows: "The same on the dense posterior.",
        tables: &["best.csv", "ks.csv"],
    },
    Figure {
        experiment: "synthetic",
        file: "matched-sparse",
        title: "Without tuning, sparse",
        shows: "Variance-matched SCIR, which has no step size, against SCIR at the best one in hindsight. Lower is better.",
        tables: &["vm_best.csv", "vm_ks.csv"],
    },
    Figure {
        experiment: "synthetic",
        file: "matched-dense",
        title: "Without tuning, dense",
        shows: "The same on the dense posterior.",
        tables: &["vm_best.csv", "vm_ks.csv"],
    },
    Figure {
        experiment: "lda",
        file: "figure3a",
        title: "Figure 3a",
        shows: "Perplexity of held-out words under LDA: averaged over evaluations (solid; thin lines are single seeds) and of \
                single draws (dashed). Lower is better.",
        tables: &["perplexity.csv", "tune.csv"],
    },
    Figure {
        experiment: "lda",
        file: "figure4a",
        title: "Figure 4a",
        shows: "The same with collapsed Gibbs, which goes through all documents again and again; logarithmic axis.",
        tables: &["perplexity.csv"],
    },
    Figure {
        experiment: "lda",
        file: "matched",
        title: "Variance-matched SCIR",
        shows: "SCIR with what the minibatch puts in taken out of the diffusion, at the step sizes of Table 2 and at others \
                that get shorter faster: averaged over evaluations (solid) and single draws (dashed). Lower is better.",
        tables: &["perplexity.csv"],
    },
    Figure {
        experiment: "lda",
        file: "passes",
        title: "Control variates",
        shows: "Ten passes over a tenth of the documents: SCIR with estimates that remember what each document contributed last, \
                SCIR without, and collapsed Gibbs at draws of its topics. Single draws; lower is better.",
        tables: &["passes.csv"],
    },
    Figure {
        experiment: "dp",
        file: "figure3b",
        title: "Figure 3b",
        shows: "Mean −ln predictive of test users under the Dirichlet-process mixture. Lower is better.",
        tables: &["score.csv", "tune.csv"],
    },
    Figure {
        experiment: "dp",
        file: "figure4b",
        title: "Figure 4b",
        shows: "The same with Gibbs on all users.",
        tables: &["score.csv"],
    },
    Figure {
        experiment: "dp",
        file: "clusters",
        title: "Clusters",
        shows: "The number of clusters that have users.",
        tables: &["score.csv"],
    },
    Figure {
        experiment: "dp",
        file: "released",
        title: "The released indexing",
        shows: "What becomes of the result if positions inside the minibatch are taken for positions in the data, as in the \
                program that was published with the paper: every cluster is fitted to the same users.",
        tables: &["score.csv"],
    },
    Figure {
        experiment: "dp",
        file: "starts",
        title: "From few clusters and from many",
        shows: "Gibbs, and SCIR with exact counts, with splits and merges of clusters and without, from 1 to 60 initial clusters. \
                Single draws, the mean over the seeds. Lower is better.",
        tables: &["starts.csv", "score.csv"],
    },
    Figure {
        experiment: "dp",
        file: "growth",
        title: "Growing data",
        shows: "SCIR and Gibbs on generated users, the same mixture and the same test users for every size: a sweep of Gibbs \
                costs every user, an iteration of SCIR does not.",
        tables: &["growth.csv"],
    },
];

/// Writes the page for what is in `out`.
pub(crate) fn write(out: &Path) -> Result<()> {
    let summary = Summary::open(out)?;
    let mut page = PAGE.to_owned();
    let pieces = [
        ("style", STYLE.to_owned()),
        ("script", SCRIPT.to_owned()),
        ("notice", parts::notice(&summary)),
        ("claims", parts::claims(&summary)),
        ("figures", figures(out)?),
        ("run", parts::run_information(&summary)),
        ("topics", json(&out.join("lda/topics.json"))?),
        ("clusters", json(&out.join("dp/clusters.json"))?),
        ("tables", tables(out)?),
    ];
    for (name, piece) in pieces {
        let slot = format!("<!-- {name} -->");
        debug_assert!(page.contains(&slot), "{name} has no place on the page");
        page = page.replacen(&slot, &piece, 1);
    }
    write_whole(&out.join("report.html"), page.as_bytes())
}

/// The figures that are there, each with its numbers.
fn figures(out: &Path) -> Result<String> {
    let mut html = String::new();
    for figure in &FIGURES {
        let path = out.join(figure.experiment).join(format!("{}.svg", figure.file));
        if !path.exists() {
            continue;
        }
        let svg = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        html.push_str(&parts::figure(figure, &svg, &existing(out, figure)));
    }
    Ok(html)
}

fn existing(out: &Path, figure: &Figure) -> Vec<String> {
    let names = figure.tables.iter().map(|table| format!("{}/{table}", figure.experiment));
    names.filter(|name| out.join(name).exists()).collect()
}

/// The tables behind the figures, each once, as text for the script.
fn tables(out: &Path) -> Result<String> {
    let mut names: Vec<String> = FIGURES.iter().flat_map(|figure| existing(out, figure)).collect();
    names.sort_unstable();
    names.dedup();
    let mut html = String::new();
    for name in names {
        let text = fs::read_to_string(out.join(&name)).with_context(|| format!("{name} cannot be read"))?;
        html.push_str(&format!(
            "<script type=\"text/csv\" data-name=\"{name}\">\n{}</script>\n",
            inert(&text)
        ));
    }
    Ok(html)
}

/// A file of JSON, or nothing at all.
fn json(path: &Path) -> Result<String> {
    if !path.exists() {
        return Ok("null".to_owned());
    }
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(inert(&text))
}

/// Text that cannot end the element that it is in.
fn inert(text: &str) -> String {
    text.replace("</", "<\\/").replace("<!--", "<\\!--")
}
