//! Control variates and moves against the posterior itself: five records, whose 52 partitions can be counted.

use super::wrong::{Mistake, Wrong};
use super::{omega, settings, whole};
use scir_core::{Exact, Scir, StepSize, Transition};
use scir_data::{BatchOrder, Batching, Corpus, CorpusBuilder, Document};
use scir_eval::effective_sample_size;
use scir_models::Sampler;
use scir_models::dp::{Alpha, DpMixture, DpSettings, Estimator, Moves, Multinomials};
use statrs::function::gamma::ln_gamma;

const BASE: f64 = 0.4;
const KNOWN: Alpha = Alpha::Fixed(0.8);
/// Far from 1, so that powers of α matter, and the clusters are few enough to be split into several.
const LOW: Alpha = Alpha::Fixed(0.2);
/// So wide that a scale which is still that of an earlier α is noticed.
const WIDE: Alpha = Alpha::Gamma { shape: 1.0, rate: 0.25 };
const PRIOR: Alpha = Alpha::Gamma { shape: 2.0, rate: 2.0 };
const SPLITS: Moves = Moves { splits: 2, merges: 0.5, scans: 1, part: 3, rest: 0, ..Moves::NONE };

pub(super) fn records() -> Corpus {
    let records: [&[u32]; 5] = [&[0, 0, 0], &[0, 1], &[], &[2, 2, 1, 2], &[2]];
    let mut corpus = CorpusBuilder::with_words(3);
    records.iter().for_each(|r| corpus.push(Document::from_tokens(r.to_vec()).view()).unwrap());
    corpus.finish()
}

/// All partitions of n items, each item with the number of its cluster in the order of their first items.
fn partitions(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        let longer = |p: &Vec<usize>| {
            let clusters = p.iter().max().map_or(0, |&c| c + 1);
            let p = p.clone();
            (0..=clusters).map(move |c| [&p[..], &[c]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn canonical<T: PartialEq + Copy>(clusters: &[T]) -> Vec<usize> {
    let mut names: Vec<T> = Vec::new();
    let number = |&z: &T| {
        names.iter().position(|&name| name == z).unwrap_or_else(|| {
            names.push(z);
            names.len() - 1
        })
    };
    clusters.iter().map(number).collect()
}

/// What is looked at, in a state: the partition, whether the first record is at the first stick, α, the first stick, and Σω² of
/// the atom of the first record. And the same as the posterior has it.
struct Truth {
    partitions: Vec<(Vec<usize>, f64)>,
    others: [f64; 4],
}

fn truth(alpha: Alpha) -> Truth {
    let corpus = records();
    let n = corpus.len() as f64;
    let grid: Vec<(f64, f64)> = match alpha {
        Alpha::Fixed(alpha) => vec![(alpha, 1.0)],
        Alpha::Gamma { shape, rate } => {
            let points = (0..15_000).map(|i| (f64::from(i) + 0.5) * 4e-3);
            points.map(|a| (a, ((shape - 1.0) * a.ln() - rate * a).exp())).collect()
        }
    };
    let (mut found, mut others, mut total) = (Vec::new(), [0.0; 4], 0.0);
    for partition in partitions(corpus.len()) {
        let clusters = partition.iter().max().unwrap() + 1;
        let mut counts = vec![vec![0.0; 3]; clusters];
        let mut sizes = vec![0.0; clusters];
        for (i, &c) in partition.iter().enumerate() {
            sizes[c] += 1.0;
            corpus.doc(i).iter().for_each(|(w, x)| counts[c][w as usize] += f64::from(x));
        }
        let mut ln = 0.0;
        for c in 0..clusters {
            let all: f64 = counts[c].iter().sum();
            ln += ln_gamma(sizes[c]) + ln_gamma(3.0 * BASE) - ln_gamma(3.0 * BASE + all);
            ln += counts[c].iter().map(|x| ln_gamma(BASE + x) - ln_gamma(BASE)).sum::<f64>();
        }
        let first: Vec<f64> = counts[0].iter().map(|x| x + BASE).collect();
        let sum: f64 = first.iter().sum();
        let squares = first.iter().map(|a| a * (a + 1.0)).sum::<f64>() / (sum * (sum + 1.0));
        let mut p = 0.0;
        for &(a, density) in &grid {
            let p_a = density * (ln + clusters as f64 * a.ln() + ln_gamma(a) - ln_gamma(a + n)).exp();
            p += p_a;
            let at_first = sizes.iter().map(|m| m / (a + n) * (1.0 + m)).sum::<f64>() + a / (a + n);
            let seen = [sizes[0] / (a + n), a, at_first / (1.0 + a + n), squares];
            others.iter_mut().zip(seen).for_each(|(sum, x)| *sum += p_a * x);
        }
        total += p;
        found.push((partition, p));
    }
    found.iter_mut().for_each(|(_, p)| *p /= total);
    Truth { partitions: found, others: others.map(|x| x / total) }
}

/// How many standard errors a chain is from the posterior; the largest. And how many splits and merges it accepted.
fn worst<T: Transition + Sync>(
    transition: T,
    h: f64,
    size: usize,
    (alpha, moves, mistake): (Alpha, Moves, Mistake),
    iterations: u64,
) -> (f64, u64) {
    let corpus = records();
    let settings = DpSettings { counts: Estimator::ControlVariates, moves, ..settings(alpha, 2) };
    let atoms = Wrong { atoms: Multinomials::new(3, BASE).unwrap(), mistake };
    let mut mixture = DpMixture::new(settings, atoms, corpus.len(), 1).unwrap();
    let mut sampler = Sampler::new(transition, StepSize::constant(h).unwrap(), corpus.len(), 1).unwrap();
    let batching = Batching { size, order: BatchOrder::Shuffled, seed: 3, ..Batching::default() };
    let batches = batching.over(&corpus).unwrap();
    let truth = truth(alpha);
    let mut series = vec![Vec::new(); truth.partitions.len() + 4];
    for iteration in 0..iterations {
        sampler.step(&mut mixture, &batches.batch(iteration)).unwrap();
        let z = mixture.allocations();
        let partition = canonical(z);
        for ((of, _), series) in truth.partitions.iter().zip(&mut series) {
            series.push(f64::from(u8::from(*of == partition)));
        }
        let atom = omega(&mixture.atoms().atoms.atom(z[0] as usize)[0]);
        let others = [
            f64::from(u8::from(mixture.order()[0] == z[0])),
            mixture.alpha(),
            omega(&mixture.sticks()[0])[0],
            atom.iter().map(|x| x * x).sum(),
        ];
        series[truth.partitions.len()..].iter_mut().zip(others).for_each(|(series, x)| series.push(x));
    }
    let truths = truth.partitions.iter().map(|(_, p)| *p).chain(truth.others);
    let mut worst: f64 = 0.0;
    for (values, truth) in series.iter().zip(truths).filter(|(_, truth)| *truth > 0.01) {
        if values.iter().all(|x| *x == values[0]) {
            assert!((values[0] - truth).abs() < 1e-9, "{} never moves, and should be {truth}", values[0]);
            continue;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        worst = worst.max((mean - truth).abs() / (variance / effective_sample_size(values).unwrap()).sqrt());
    }
    (worst, mixture.moves().splits_accepted + mixture.moves().merges_accepted)
}

#[test]
fn minibatches_with_control_variates_have_the_posterior() {
    // At any step, and with a prior of α: the scale of sticks and atoms is drawn anew.
    for (h, alpha, iterations) in [(f64::INFINITY, PRIOR, 25_000), (0.3, WIDE, 80_000), (1.0, KNOWN, 25_000)]
    {
        let (worst, _) = worst(Scir, h, 2, (alpha, Moves::NONE, Mistake::None), iterations);
        assert!(worst < 4.0, "h = {h}, {alpha:?}: {worst} standard errors");
    }
}

#[test]
fn splits_and_merges_leave_the_posterior() {
    // Three parts for five items, of which some are dropped.
    let many = Moves { part: 2, ..SPLITS };
    for (size, moves, alpha) in [(5, SPLITS, LOW), (2, SPLITS, PRIOR), (5, many, LOW)] {
        let (worst, accepted) = worst(Exact, 1.0, size, (alpha, moves, Mistake::None), 40_000);
        assert!(worst < 4.0, "minibatches of {size}, {moves:?}: {worst} standard errors");
        assert!(accepted > 150, "{moves:?}: {accepted}");
    }
    let (worst, _) = worst(Scir, 0.7, 2, (PRIOR, SPLITS, Mistake::None), 25_000);
    assert!(worst < 4.0, "SCIR at h = 0.7: {worst} standard errors");
}

#[test]
fn swaps_and_new_labels_leave_the_posterior() {
    for moves in [Moves { swaps: 2, ..Moves::NONE }, Moves { relabel: true, ..Moves::NONE }] {
        let (worst, _) = worst(Exact, 1.0, 2, (PRIOR, moves, Mistake::None), 25_000);
        assert!(worst < 4.0, "{moves:?}: {worst} standard errors");
    }
}

#[test]
fn mistakes_are_noticed() {
    let (ratio, _) = worst(Exact, 1.0, 5, (KNOWN, SPLITS, Mistake::Marginal), 25_000);
    assert!(ratio > 6.0, "a wrong ratio: {ratio} standard errors");
    let (sums, _) = worst(Exact, 1.0, 5, (KNOWN, Moves::NONE, Mistake::Leaving), 10_000);
    assert!(sums > 6.0, "wrong sums: {sums} standard errors");
}

/// Given who is with whom, which cluster is at which stick: by counting all labels up to far behind.
#[test]
fn the_law_of_labels_is_what_the_sticks_make_of_it() {
    // p(z | α) of three items in two clusters of sizes 2 and 1, at sticks j and l.
    let (alpha, sizes) = (0.7f64, [2.0, 1.0]);
    let ln_p = |j: usize, l: usize| {
        let m =
            |stick| sizes[0] * f64::from(u8::from(stick == j)) + sizes[1] * f64::from(u8::from(stick == l));
        let after = |stick| (stick + 1..=j.max(l)).map(m).sum::<f64>();
        let factor = |stick| {
            let (m, s) = (m(stick), after(stick));
            alpha.ln() + ln_gamma(1.0 + m) + ln_gamma(alpha + s) - ln_gamma(1.0 + alpha + m + s)
        };
        (0..=j.max(l)).map(factor).sum::<f64>()
    };
    let far = 60;
    let pairs = || (0..far).flat_map(|j| (0..far).map(move |l| (j, l))).filter(|(j, l)| j != l);
    let total: f64 = pairs().map(|(j, l)| ln_p(j, l).exp()).sum();
    let restaurant = alpha * alpha * (ln_gamma(alpha) - ln_gamma(alpha + 3.0)).exp();
    approx::assert_relative_eq!(total, restaurant, max_relative = 1e-6);
    // The first stick has the larger cluster with probability 2/(α + 3), and is empty with α/(α + 3).
    let first = |cluster: usize| {
        let at = |&(j, l): &(usize, usize)| [j, l][cluster] == 0;
        pairs().filter(at).map(|(j, l)| ln_p(j, l).exp()).sum::<f64>() / total
    };
    approx::assert_relative_eq!(first(0), 2.0 / (alpha + 3.0), max_relative = 1e-6);
    approx::assert_relative_eq!(first(1), 1.0 / (alpha + 3.0), max_relative = 1e-6);
}

#[test]
fn whole_data_in_one_minibatch_is_gibbs_with_either_estimator() {
    let corpus = records();
    let run = |counts| {
        let settings = DpSettings { counts, ..settings(PRIOR, 3) };
        let mut mixture =
            DpMixture::new(settings, Multinomials::new(3, BASE).unwrap(), corpus.len(), 1).unwrap();
        let mut sampler = Sampler::new(Exact, StepSize::constant(1.0).unwrap(), corpus.len(), 1).unwrap();
        for _ in 0..50 {
            sampler.step(&mut mixture, &whole(&corpus)).unwrap();
        }
        (mixture.allocations().to_vec(), mixture.sticks().to_vec(), mixture.alpha())
    };
    assert_eq!(run(Estimator::Minibatch), run(Estimator::ControlVariates));
}
