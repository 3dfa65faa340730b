//! What the paper says about the Dirichlet-process mixture, and what we found.

use super::sampling::Trained;
use super::tables::{last, spread};
use crate::reproduce::summary::Claim;

/// A verdict on each claim.
pub(crate) fn judge(trained: &[Trained], one_cluster: f64) -> Vec<Claim> {
    let [scir, sgrld, gibbs] = ["scir", "sgrld", "gibbs"].map(|name| End::of(trained, name));
    let [scir_counts, sgrld_counts] =
        ["scir-count-scale", "sgrld-count-scale"].map(|name| End::of(trained, name));
    let [scir_tuned, sgrld_tuned] = ["scir-tuned", "sgrld-tuned"].map(|name| End::of(trained, name));
    let [scir_released, sgrld_released] =
        ["scir-released-indexing", "sgrld-released-indexing"].map(|name| End::of(trained, name));
    vec![
        better(
            "dp-scir-below-sgrld",
            "Figure 3b",
            "SCIR reaches a better score than SGRLD, each at its settings in Table 3",
            &scir,
            &sgrld,
        ),
        less_spread(&scir, &sgrld),
        too_many_clusters(&scir, &sgrld, &gibbs),
        worse_than_gibbs(&scir, &sgrld, &gibbs),
        better(
            "dp-scir-below-sgrld-count-scale",
            "not in the paper",
            "the same if both start with parameters drawn given all users, at the scale of the counts",
            &scir_counts,
            &sgrld_counts,
        ),
        better(
            "dp-scir-below-sgrld-tuned",
            "not in the paper",
            "the same if both have settings that were searched for on validation users",
            &scir_tuned,
            &sgrld_tuned,
        ),
        released(&scir_released, &sgrld_released, &scir, &sgrld, one_cluster),
        matched(trained, &scir),
    ]
}

/// Variance-matched SCIR without a step size, against SCIR with that of Table 3.
fn matched(trained: &[Trained], scir: &End) -> Claim {
    let [vm, scheduled] = ["scir-vm", "scir-vm-scheduled"].map(|name| End::of(trained, name));
    Claim::new(
        "dp-matched-below-scir",
        "not in the paper",
        "single draws of variance-matched SCIR, which needs no step size, score better than those of SCIR",
        vm.score < scir.score,
        format!(
            "single draw and averaged: matched {:.3} and {:.3}, matched with the step of Table 3 {:.3} and {:.3}, SCIR {:.3} and {:.3}",
            vm.score, vm.averaged, scheduled.score, scheduled.averaged, scir.score, scir.averaged
        ),
        &[
            ("matched", vm.score),
            ("matched_averaged", vm.averaged),
            ("scheduled", scheduled.score),
            ("scheduled_averaged", scheduled.averaged),
            ("scir", scir.score),
            ("scir_averaged", scir.averaged),
        ],
    )
}

/// How the runs of a method end.
struct End {
    score: f64,
    low: f64,
    high: f64,
    averaged: f64,
    clusters: f64,
    /// The squared standard error of the score.
    squared_error: f64,
}

impl End {
    fn of(trained: &[Trained], name: &str) -> Self {
        let points = || last(trained, name);
        let [score, low, high] = spread(points().map(|point| point.score));
        let [averaged, ..] = spread(points().map(|point| point.averaged));
        let [clusters, ..] = spread(points().map(|point| point.clusters as f64));
        let seeds = points().count() as f64;
        let squares: f64 = points().map(|point| (point.score - score).powi(2)).sum();
        // Of a single seed no error is known: then any difference counts.
        let squared_error = squares / (seeds - 1.0).max(1.0) / seeds;
        Self { score, low, high, averaged, clusters, squared_error }
    }
}

/// Better by more than two standard errors.
fn better(id: &str, source: &str, claim: &str, scir: &End, sgrld: &End) -> Claim {
    let error = (scir.squared_error + sgrld.squared_error).sqrt();
    Claim::new(
        id,
        source,
        claim,
        sgrld.score - scir.score > 2.0 * error,
        format!(
            "mean over the seeds: SCIR {:.3}, SGRLD {:.3} (standard error of the difference {error:.3}); averaged over \
             draws {:.3} and {:.3}",
            scir.score, sgrld.score, scir.averaged, sgrld.averaged
        ),
        &[
            ("scir", scir.score),
            ("sgrld", sgrld.score),
            ("standard_error", error),
            ("scir_averaged", scir.averaged),
            ("sgrld_averaged", sgrld.averaged),
        ],
    )
}

fn less_spread(scir: &End, sgrld: &End) -> Claim {
    let (first, second) = (scir.high - scir.low, sgrld.high - sgrld.low);
    Claim::new(
        "dp-scir-less-spread",
        "Figure 3b",
        "SCIR's scores differ less between seeds than SGRLD's",
        first < second,
        format!("between the lowest and the highest seed lie {first:.3} for SCIR and {second:.3} for SGRLD"),
        &[("scir", first), ("sgrld", second)],
    )
}

fn too_many_clusters(scir: &End, sgrld: &End, gibbs: &End) -> Claim {
    Claim::new(
        "dp-sgrld-too-many-clusters",
        "Section 4.2",
        "SGRLD opens too many clusters",
        sgrld.clusters > 1.2 * scir.clusters.max(gibbs.clusters),
        format!(
            "at the end {:.1} clusters have users with SGRLD, {:.1} with SCIR, {:.1} with Gibbs (they start with 30, 20, 20)",
            sgrld.clusters, scir.clusters, gibbs.clusters
        ),
        &[("sgrld", sgrld.clusters), ("scir", scir.clusters), ("gibbs", gibbs.clusters)],
    )
}

fn worse_than_gibbs(scir: &End, sgrld: &End, gibbs: &End) -> Claim {
    Claim::new(
        "dp-gibbs-best",
        "Figure 4b",
        "neither SCIR nor SGRLD is as good as Gibbs on all users",
        scir.score.min(sgrld.score) > gibbs.score,
        format!(
            "Gibbs ends at {:.3} ({:.3} averaged over draws), SCIR {:.3} and SGRLD {:.3} above it",
            gibbs.score,
            gibbs.averaged,
            scir.score - gibbs.score,
            sgrld.score - gibbs.score
        ),
        &[("gibbs", gibbs.score), ("scir", scir.score), ("sgrld", sgrld.score)],
    )
}

fn released(scir: &End, sgrld: &End, right_scir: &End, right_sgrld: &End, one_cluster: f64) -> Claim {
    Claim::new(
        "dp-released-indexing",
        "not in the paper",
        "with the indexing of the released code, which fits every cluster to the first users of the data, both are worse than one cluster for everybody",
        scir.score.min(sgrld.score) > one_cluster,
        format!(
            "SCIR {:.3} and SGRLD {:.3}, where the right indexing gives {:.3} and {:.3}, and one cluster {one_cluster:.3}",
            scir.score, sgrld.score, right_scir.score, right_sgrld.score
        ),
        &[("scir", scir.score), ("sgrld", sgrld.score), ("one_cluster", one_cluster)],
    )
}
