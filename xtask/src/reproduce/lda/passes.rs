//! `--passes`: many passes over few documents, where control variates have something to remember.

use super::corpus::Documents;
use super::tables::{finals, last_points, mean, print};
use super::training::{Point, Row};
use super::{Plan, figures, train_all};
use crate::reproduce::Run;
use crate::reproduce::finished::{Finished, corpus_sum};
use crate::reproduce::summary::Claim;
use anyhow::Result;
use indicatif::HumanCount;

/// Passes over the documents.
const PASSES: usize = 10;

/// Runs SCIR with control variates and without, and collapsed Gibbs, on a tenth of the documents.
pub(super) fn run(run: &Run<'_>, plan: &Plan, documents: &Documents) -> Result<Claim> {
    let part = documents.train.slice(0..documents.train.len().div_ceil(10)).compact();
    let batches = part.len().div_ceil(plan.batch);
    // As many evaluations in a pass whatever its length, and at the end of each.
    let every = (batches as u64).div_ceil(5);
    let plan = Plan { updates: PASSES as u64 * 5 * every, every, ..*plan };
    println!(
        "lda: {PASSES} passes over {} of the documents, with control variates and without",
        HumanCount(part.len() as u64)
    );
    let documents = Documents {
        label: documents.label.clone(),
        generated: documents.generated,
        train: part,
        validation: documents.validation.clone(),
        test: documents.test.clone(),
    };
    let sum = corpus_sum(documents.train.docs().chain(documents.test.docs()));
    let finished = Finished::open(run.out, &[run.program, &plan.decides(), &sum])?;
    let trained = train_all(run, &plan, &documents, &finished, &Row::PASSES, "passes.csv")?;
    figures::passes(run.out, &documents, &trained)?;
    print(&trained);
    for row in Row::PASSES.iter().filter(|row| row.remembering.is_some()) {
        let of = |value: fn(&Point) -> f64| mean(&last_points(&trained, row).map(value).collect::<Vec<_>>());
        let mb = of(|point| point.bytes as f64) / f64::from(1 << 20);
        println!(
            "  {:<18} remembers {mb:.1} MB; at its last update {:.2} % of the counts were below 0, and taken as 0",
            row.name,
            100.0 * of(|point| point.below_zero)
        );
    }
    let [scir, cv, .., long, cv_long, gibbs, _] = Row::PASSES.map(|row| {
        let (averaged, draw) = finals(&trained, &row);
        (mean(&averaged), mean(&draw))
    });
    Ok(Claim::new(
        "lda-control-variates",
        "not in the paper",
        "over ten passes, remembering what each document contributed lowers the perplexity of SCIR",
        cv.0 < scir.0 && cv.1 < scir.1,
        format!(
            "averaged / last draw: SCIR {:.0} / {:.0}, with control variates {:.0} / {:.0}; with steps of ten times the length {:.0} / \
             {:.0} and {:.0} / {:.0}; collapsed Gibbs at draws of φ {:.0} / {:.0}",
            scir.0, scir.1, cv.0, cv.1, long.0, long.1, cv_long.0, cv_long.1, gibbs.0, gibbs.1
        ),
        &[
            ("scir", scir.0),
            ("scir_draw", scir.1),
            ("cv", cv.0),
            ("cv_draw", cv.1),
            ("long_steps_draw", long.1),
            ("cv_long_steps_draw", cv_long.1),
            ("gibbs_draw", gibbs.1),
        ],
    ))
}
