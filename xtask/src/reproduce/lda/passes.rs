//! `--passes`: many passes over few documents, where control variates have something to remember.

use super::corpus::Documents;
use super::tables::{finals, mean, print};
use super::training::Row;
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
    let [scir, cv, vm_cv, gibbs] = Row::PASSES.map(|row| {
        let (averaged, draw) = finals(&trained, &row);
        (mean(&averaged), mean(&draw))
    });
    Ok(Claim::new(
        "lda-control-variates",
        "not in the paper",
        "over ten passes, remembering what each document contributed lowers the perplexity of SCIR",
        cv.0 < scir.0 && cv.1 < scir.1,
        format!(
            "averaged / last draw: SCIR {:.0} / {:.0}, with control variates {:.0} / {:.0}, variance-matched as well {:.0} / {:.0}, \
             collapsed Gibbs {:.0} / {:.0}",
            scir.0, scir.1, cv.0, cv.1, vm_cv.0, vm_cv.1, gibbs.0, gibbs.1
        ),
        &[("scir", scir.0), ("scir_draw", scir.1), ("cv", cv.0), ("cv_draw", cv.1), ("gibbs", gibbs.0)],
    ))
}
