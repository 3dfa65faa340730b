//! What the paper says about LDA, and what we found.

use super::tables::{finals, mean};
use super::training::{Row, Trained};
use crate::reproduce::summary::Claim;

/// Two perplexities are close if they differ by less than this share.
const CLOSE: f64 = 0.05;

/// A verdict on each claim.
pub(crate) fn judge(trained: &[Trained]) -> Vec<Claim> {
    let [scir, sgrld, gibbs] = Row::TABLE.map(|row| Curve::of(trained, &row));
    vec![
        better(&scir, &sgrld),
        better_single_draw(&scir, &sgrld),
        flattens(&scir, &sgrld),
        competitive(&scir, &gibbs),
    ]
}

/// Means over the seeds.
struct Curve {
    /// At the end, averaged over evaluations.
    last: f64,
    /// At the end, of a single draw.
    last_draw: f64,
    /// Averaged over evaluations, in the middle of the run.
    middle: f64,
    /// The first evaluation.
    first: f64,
}

impl Curve {
    fn of(trained: &[Trained], row: &Row) -> Self {
        let (last, last_draw) = finals(trained, row);
        let at = |share: f64| {
            let runs = trained.iter().filter(|run| run.row == *row);
            let values: Vec<f64> = runs
                .map(|run| run.points[(share * (run.points.len() - 1) as f64) as usize].averaged)
                .collect();
            mean(&values)
        };
        Self { last: mean(&last), last_draw: mean(&last_draw), middle: at(0.5), first: at(0.0) }
    }
}

fn better(scir: &Curve, sgrld: &Curve) -> Claim {
    Claim::new(
        "lda-scir-below-sgrld",
        "Figure 3a",
        "SCIR ends at a lower perplexity than SGRLD, each at its settings in Table 2",
        scir.last < sgrld.last,
        format!("averaged over evaluations, SCIR ends at {:.0}, SGRLD at {:.0}", scir.last, sgrld.last),
        &[("scir", scir.last), ("sgrld", sgrld.last)],
    )
}

fn better_single_draw(scir: &Curve, sgrld: &Curve) -> Claim {
    Claim::new(
        "lda-scir-below-sgrld-single-draw",
        "Figure 3a",
        "the same for the last draw alone, which averaging over evaluations hides",
        scir.last_draw < sgrld.last_draw,
        format!("the last draw of SCIR has {:.0}, that of SGRLD {:.0}", scir.last_draw, sgrld.last_draw),
        &[("scir", scir.last_draw), ("sgrld", sgrld.last_draw)],
    )
}

fn flattens(scir: &Curve, sgrld: &Curve) -> Claim {
    let fall = |curve: &Curve| 1.0 - curve.last / curve.middle;
    let (first, second) = (fall(scir), fall(sgrld));
    Claim::new(
        "lda-scir-keeps-descending",
        "Figure 3a",
        "after a similar start SCIR keeps descending where SGRLD flattens",
        first > second,
        format!(
            "first evaluation {:.0} and {:.0}; in the second half of the run SCIR falls by {:.1} %, SGRLD by {:.1} %",
            scir.first,
            sgrld.first,
            100.0 * first,
            100.0 * second
        ),
        &[
            ("scir_first", scir.first),
            ("sgrld_first", sgrld.first),
            ("scir_fall", first),
            ("sgrld_fall", second),
        ],
    )
}

fn competitive(scir: &Curve, gibbs: &Curve) -> Claim {
    let ratio = scir.last / gibbs.last;
    Claim::new(
        "lda-scir-near-gibbs",
        "Figure 4a",
        "SCIR is competitive with collapsed Gibbs on all documents",
        ratio < 1.0 + CLOSE,
        format!(
            "SCIR ends at {:.0}, collapsed Gibbs at {:.0}: {:.3} times as high (competitive: below {:.2} times)",
            scir.last,
            gibbs.last,
            ratio,
            1.0 + CLOSE
        ),
        &[("scir", scir.last), ("gibbs", gibbs.last), ("ratio", ratio)],
    )
}
