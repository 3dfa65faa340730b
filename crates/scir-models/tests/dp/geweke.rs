//! Geweke's (2004) joint-distribution test: parameters given data and data given parameters, in turn, leave the parameters
//! with their prior. Any mistake in slices, allocations, sticks, atoms or α shows in their moments.

use super::{draw_data, omega, settings, whole};
use scir_core::rand::Rng;
use scir_core::{Coordinates, Exact, Purpose, Report, Scir, StepSize, Streams, Target, Transition};
use scir_data::{BatchOrder, Batching, Corpus};
use scir_eval::effective_sample_size;
use scir_models::Sampler;
use scir_models::dp::{Alpha, DpMixture, DpSettings, Estimator, MoveCounts, Moves, Multinomials};

const BASE: f64 = 0.6;
const CATEGORIES: usize = 3;
const LENGTHS: [usize; 5] = [3, 2, 0, 5, 1];
const PRIOR: Alpha = Alpha::Gamma { shape: 3.0, rate: 2.5 };
const KNOWN: Alpha = Alpha::Fixed(1.3);

/// The mean of f(α) under its prior.
fn mean(alpha: Alpha, f: impl Fn(f64) -> f64) -> f64 {
    match alpha {
        Alpha::Fixed(alpha) => f(alpha),
        Alpha::Gamma { shape, rate } => {
            let grid = || (0..40_000).map(|i| (f64::from(i) + 0.5) * 1e-3);
            let density = |a: f64| a.powf(shape - 1.0) * (-rate * a).exp();
            grid().map(|a| f(a) * density(a)).sum::<f64>() / grid().map(density).sum::<f64>()
        }
    }
}

/// How many standard errors the moments are from those of the prior; the largest.
fn worst<T: Transition + Sync>(transition: T, h: f64, rounds: u64, alpha: Alpha, base_used: f64) -> f64 {
    let mut run = Sampler::new(transition, StepSize::constant(h).unwrap(), LENGTHS.len(), 1).unwrap();
    worst_of(rounds, alpha, base_used, |mut mixture, data, _| {
        run.step(&mut mixture, &whole(data)).unwrap();
        mixture
    })
}

/// The same for any way to go on from a mixture given data.
fn worst_of(
    rounds: u64,
    alpha: Alpha,
    base_used: f64,
    mut go_on: impl FnMut(DpMixture, &Corpus, u64) -> DpMixture,
) -> f64 {
    let atoms = Multinomials::new(CATEGORIES, base_used).unwrap();
    let mut mixture = DpMixture::new(settings(alpha, 2), atoms, LENGTHS.len(), 1).unwrap();
    let mut series = vec![Vec::new(); 9];
    for round in 0..rounds {
        let mut rng = Streams::new(7).rng(Purpose::new("test: data"), round, 0);
        let data = draw_data(&mixture, &LENGTHS, &mut rng);
        mixture = go_on(mixture, &data, round);
        let (z, alpha) = (mixture.allocations(), mixture.alpha());
        let atom = omega(&mixture.atoms().atom(z[0] as usize)[0]);
        let stick = omega(&mixture.sticks()[0])[0];
        let weight: f64 = (0..z[0] as usize).map(|l| omega(&mixture.sticks()[l])[1]).product::<f64>()
            * omega(&mixture.sticks()[z[0] as usize])[0];
        let together = f64::from(u8::from(z[0] == z[1]));
        let seen = [
            alpha,
            alpha * alpha,
            together,
            alpha * together,
            mixture.occupied() as f64,
            f64::from(z[3]),
            stick,
            weight,
            atom.iter().map(|x| x * x).sum::<f64>(),
        ];
        series.iter_mut().zip(seen).for_each(|(series, x)| series.push(x));
    }
    let pair = |a: f64| 1.0 / (1.0 + a);
    let truth = [
        mean(alpha, |a| a),
        mean(alpha, |a| a * a),
        mean(alpha, pair),
        mean(alpha, |a| a * pair(a)),
        mean(alpha, |a| (0..5).map(|i| a / (a + f64::from(i))).sum()),
        mean(alpha, |a| a),
        mean(alpha, pair),
        mean(alpha, pair),
        (BASE + 1.0) / (CATEGORIES as f64 * BASE + 1.0),
    ];
    let mut worst: f64 = 0.0;
    for (values, truth) in
        series.iter().zip(truth).filter(|(values, _)| values.iter().any(|x| *x != values[0]))
    {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let error = (variance / effective_sample_size(values).unwrap()).sqrt();
        worst = worst.max(((mean - truth) / error).abs());
    }
    worst
}

#[test]
fn gibbs_leaves_the_prior() {
    for alpha in [PRIOR, KNOWN] {
        let worst = worst(Exact, 1.0, 15_000, alpha, BASE);
        assert!(worst < 3.5, "{alpha:?}: {worst} standard errors");
    }
}

/// With all items in the minibatch; at h = ∞ always, and at any h where α is known.
#[test]
fn scir_on_all_items_leaves_the_prior() {
    for (h, alpha) in [(f64::INFINITY, PRIOR), (1.0, KNOWN)] {
        let worst = worst(Scir, h, 15_000, alpha, BASE);
        assert!(worst < 3.5, "h = {h}, {alpha:?}: {worst} standard errors");
    }
}

/// With splits, merges, swaps and new labels, and counts that are remembered: what is remembered is that of the data at
/// hand, so the mixture is made anew when these change, and sees all of them once before it goes on.
fn worst_with_moves<T: Transition + Sync>(
    transition: T,
    h: f64,
    alpha: Alpha,
    batch: usize,
) -> (f64, MoveCounts) {
    let moves = Moves { splits: 2, merges: 0.5, scans: 1, part: 3, rest: 0, swaps: 1, relabel: false };
    let settings = DpSettings { counts: Estimator::ControlVariates, moves, ..settings(alpha, 2) };
    let mut run = Sampler::new(transition, StepSize::constant(h).unwrap(), LENGTHS.len(), 1).unwrap();
    let mut done = MoveCounts::default();
    let worst = worst_of(3_000, alpha, BASE, |before, data, round| {
        let mut mixture = in_order(&before, settings);
        run.step(&mut mixture, &whole(data)).unwrap();
        let batching =
            Batching { size: batch, order: BatchOrder::Shuffled, seed: round, ..Batching::default() };
        let batches = batching.over(data).unwrap();
        // As many as it takes to work out a split or merge twice.
        for number in 0..6 * batches.per_epoch() {
            run.step(&mut mixture, &batches.batch(number)).unwrap();
        }
        done.splits_accepted += mixture.moves().splits_accepted;
        done.merges_accepted += mixture.moves().merges_accepted;
        done.swaps_accepted += mixture.moves().swaps_accepted;
        in_order(&mixture, settings)
    });
    (worst, done)
}

/// The same mixture, with nothing remembered, and cluster j at stick j.
fn in_order(mixture: &DpMixture, settings: DpSettings) -> DpMixture {
    let order = mixture.order();
    let atoms = order.iter().map(|&cluster| mixture.atoms().atom(cluster as usize)[0].clone()).collect();
    let atoms = Multinomials::new(CATEGORIES, BASE).unwrap().with_atoms(atoms).unwrap();
    let place = |z: &u32| order.iter().position(|cluster| cluster == z).unwrap() as u32;
    let z = mixture.allocations().iter().map(place).collect();
    DpMixture::with_state(settings, mixture.alpha(), mixture.sticks().to_vec(), atoms, z).unwrap()
}

#[test]
fn moves_leave_the_prior() {
    for (name, (worst, done)) in [
        ("gibbs", worst_with_moves(Exact, 1.0, PRIOR, LENGTHS.len())),
        ("minibatches", worst_with_moves(Scir, 0.4, PRIOR, 2)),
    ] {
        assert!(worst < 3.5, "{name}: {worst} standard errors");
        let enough = done.splits_accepted > 200 && done.merges_accepted > 200 && done.swaps_accepted > 200;
        assert!(enough, "{name}: {done:?}");
    }
}

/// Exact draws, but for sticks as if every cluster had a little more.
struct LongSticks;

impl Transition for LongSticks {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> scir_core::Result<Report> {
        let counts = target.counts();
        if let [own, after] = *counts {
            return Exact.step(theta, Target::new(target.prior(), &[own + 0.2, after])?, h, rng);
        }
        Exact.step(theta, target, h, rng)
    }
}

#[test]
fn wrong_samplers_are_noticed() {
    let sticks = worst(LongSticks, 1.0, 15_000, PRIOR, BASE);
    assert!(sticks > 6.0, "sticks: {sticks} standard errors");
    let base = worst(Exact, 1.0, 15_000, PRIOR, 0.75);
    assert!(base > 6.0, "base measure: {base} standard errors");
}
