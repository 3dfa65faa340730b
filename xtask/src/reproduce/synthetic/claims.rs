//! What the paper says about the synthetic experiment, and whether our numbers agree.

use super::sampling::{Bias, BoxSample, Sampler};
use super::tables::{Best, quantiles};
use crate::reproduce::summary::Claim;

/// The verdict on every claim.
pub(crate) fn judge(best: &[Best], boxes: &[BoxSample], bias: &Bias) -> Vec<Claim> {
    let mut claims = Vec::new();
    claims.extend(small_values(boxes));
    claims.push(sparse_is_better(best, Sampler::Sgrld));
    claims.push(approaches_exact(best));
    claims.push(dense_is_similar(best, Sampler::Sgrld));
    claims.push(unbiased(bias));
    claims.push(sparse_is_better(best, Sampler::SgrldPriorScale));
    claims.push(dense_is_similar(best, Sampler::SgrldPriorScale));
    claims.push(matched(best));
    claims
}

/// Variance-matched SCIR, which has no step size, against SCIR with the best one in hindsight.
fn matched(best: &[Best]) -> Claim {
    let cells: Vec<(&Best, &Best)> =
        ["sparse", "dense"].into_iter().flat_map(|name| pairs(best, name, Sampler::ScirVm)).collect();
    let ratios: Vec<f64> = cells.iter().map(|(scir, matched)| matched.mean / scir.mean).collect();
    let (least, most) = range(&ratios);
    let better = ratios.iter().filter(|&&ratio| ratio <= 1.0).count();
    Claim::new(
        "matched",
        "not in the paper",
        "variance-matched SCIR needs no step size, and is at or below SCIR at its best one",
        most <= 1.0,
        format!(
            "its d_KS is {least:.2} to {most:.2} times that of SCIR at the best step size; at or below it at {better} of {} \
             minibatch sizes of two posteriors",
            ratios.len()
        ),
        &[("least_ratio", least), ("largest_ratio", most)],
    )
}

/// Figure 1. Judged by the share of draws below the median of the exact ones, which should be one half.
fn small_values(boxes: &[BoxSample]) -> Option<Claim> {
    let find =
        |sampler| boxes.iter().find(|sample| sample.sampler == sampler).map(|sample| &sample.log10_omega);
    let (sgrld, scir, exact) = (find(Sampler::Sgrld)?, find(Sampler::Scir)?, find(Sampler::Exact)?);
    let median = quantiles(exact)[2];
    let share = |draws: &[f64]| draws.iter().filter(|&&x| x < median).count() as f64 / draws.len() as f64;
    let (sgrld, scir) = (share(sgrld), share(scir));
    Some(Claim::new(
        "small-values",
        "Figure 1",
        "SGRLD rarely proposes small ω₅, SCIR does",
        sgrld < 0.25 && (scir - 0.5).abs() < 0.2,
        format!("share of draws below the exact median: SGRLD {sgrld:.3}, SCIR {scir:.3}, exact 0.5"),
        &[("sgrld", sgrld), ("scir", scir)],
    ))
}

/// SCIR and its rival at every minibatch size.
fn pairs<'a>(
    best: &'a [Best],
    posterior: &'a str,
    rival: Sampler,
) -> impl Iterator<Item = (&'a Best, &'a Best)> {
    let of = move |sampler| {
        best.iter().filter(move |row| row.posterior.name == posterior && row.sampler == sampler)
    };
    of(Sampler::Scir).filter_map(move |scir| of(rival).find(|row| row.n == scir.n).map(|rival| (scir, rival)))
}

/// Figure 2a, and the same against SGRLD at its best.
fn sparse_is_better(best: &[Best], rival: Sampler) -> Claim {
    let ratios: Vec<f64> = pairs(best, "sparse", rival).map(|(scir, rival)| rival.mean / scir.mean).collect();
    let separate = pairs(best, "sparse", rival).filter(|(scir, rival)| scir.max < rival.min).count();
    let (least, most) = range(&ratios);
    let measured = format!(
        "SGRLD's d_KS is {least:.1} to {most:.1} times SCIR's; every seed apart at {separate} of {} sizes",
        ratios.len()
    );
    let (id, source, text) = if rival == Sampler::Sgrld {
        ("sparse", "Figure 2a", "sparse: SCIR far below SGRLD at every minibatch size")
    } else {
        (
            "sparse-fair",
            "not in the paper",
            "sparse: the same with SGRLD started at the prior's scale and steps down to 1e-6",
        )
    };
    Claim::new(id, source, text, least > 1.5, measured, &[("least_ratio", least), ("largest_ratio", most)])
}

/// Figure 2a: the distance to the exact sampler shrinks with n.
fn approaches_exact(best: &[Best]) -> Claim {
    let scir: Vec<f64> = pairs(best, "sparse", Sampler::Scir).map(|(scir, _)| scir.mean).collect();
    let exact = best.iter().find(|row| row.posterior.name == "sparse" && row.sampler == Sampler::Exact);
    let exact = exact.map_or(f64::NAN, |row| row.mean);
    let (first, last) = (scir[0], scir[scir.len() - 1]);
    let confirmed = scir.windows(2).all(|pair| pair[1] < pair[0]) && (last - exact) < 0.5 * (first - exact);
    Claim::new(
        "approaches-exact",
        "Figure 2a",
        "sparse: SCIR approaches the exact sampler as n grows",
        confirmed,
        format!("d_KS falls from {first:.3} to {last:.3}; exact draws have {exact:.3}"),
        &[("smallest_n", first), ("largest_n", last), ("exact", exact)],
    )
}

/// Figure 2b, and the same against SGRLD at its best.
fn dense_is_similar(best: &[Best], rival: Sampler) -> Claim {
    let ratios: Vec<f64> = pairs(best, "dense", rival).map(|(scir, rival)| rival.mean / scir.mean).collect();
    let (least, most) = range(&ratios);
    let (id, source, text) = if rival == Sampler::Sgrld {
        ("dense", "Figure 2b", "dense: SCIR and SGRLD are similar")
    } else {
        ("dense-fair", "not in the paper", "dense: the same with SGRLD started at the prior's scale")
    };
    let measured = format!("SGRLD's d_KS is {least:.2} to {most:.2} times SCIR's");
    let similar = least > 0.5 && most < 2.0;
    Claim::new(id, source, text, similar, measured, &[("least_ratio", least), ("largest_ratio", most)])
}

/// Corollary 4.2: no bias, and a variance that is inflated by what the theory says.
fn unbiased(bias: &Bias) -> Claim {
    let deviation = (bias.mean - bias.predicted_mean) / bias.standard_error;
    let ratio = bias.variance / bias.predicted_variance;
    Claim::new(
        "unbiased",
        "Corollary 4.2",
        "SCIR is asymptotically unbiased, its variance inflated by tanh(h/2) Var[â]",
        deviation.abs() < 4.0 && (ratio - 1.0).abs() < 0.15,
        format!(
            "θ₁ over {} iterations (n = 10, h = 0.1): mean {:.1} ± {:.1}, predicted {:.1}; variance {:.0}, predicted {:.0}, exact process {:.0}",
            bias.iterations,
            bias.mean,
            bias.standard_error,
            bias.predicted_mean,
            bias.variance,
            bias.predicted_variance,
            bias.exact_variance
        ),
        &[("mean", bias.mean), ("standard_error", bias.standard_error), ("variance_ratio", ratio)],
    )
}

fn range(values: &[f64]) -> (f64, f64) {
    (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(0.0, f64::max))
}
