//! Control variates and moves at work: sums that stay right, local modes that are left, states that go on.

use super::exact::records;
use super::recovery::truth;
use super::wrong::{Mistake, Wrong};
use super::{run, settings};
use scir_core::rand::Rng;
use scir_core::{Coordinates, Exact, Report, Scir, StepSize, Target, Transition};
use scir_data::{BatchOrder, Batching, Corpus};
use scir_eval::adjusted_rand_index;
use scir_models::dp::{Alpha, Atoms, DpMixture, DpSettings, Estimator, Moves, Multinomials, Start, Sums};
use scir_models::{Error, Sampler};
use std::sync::Mutex;

const PRIOR: Alpha = Alpha::Gamma { shape: 1.0, rate: 1.0 };
const ALL: Moves = Moves { splits: 4, merges: 0.1, scans: 4, part: 60, rest: 1, swaps: 2, relabel: true };

fn with(moves: Moves, initial: usize) -> DpSettings {
    DpSettings { counts: Estimator::ControlVariates, moves, ..settings(PRIOR, initial) }
}

fn atoms(corpus: &Corpus, mistake: Mistake) -> Wrong {
    Wrong { atoms: Multinomials::new(corpus.words(), 0.1).unwrap(), mistake }
}

/// The sums of every cluster, from scratch.
fn recount<A: Atoms<Batch = scir_data::Minibatch>>(mixture: &DpMixture<A>, corpus: &Corpus) -> Vec<Sums> {
    let mut sums = vec![mixture.atoms().no_sums().unwrap(); mixture.sizes().len()];
    for (item, &z) in corpus.docs().zip(mixture.allocations()) {
        mixture.atoms().add(item, 1.0, &mut sums[z as usize]);
    }
    sums
}

#[test]
fn sums_are_what_a_recount_finds() {
    let (corpus, _) = truth();
    let [mut right, mut wrong] = [Mistake::None, Mistake::Leaving]
        .map(|mistake| DpMixture::new(with(ALL, 3), atoms(&corpus, mistake), 600, 1).unwrap());
    let order = BatchOrder::Shuffled;
    let batches = Batching { size: 90, order, seed: 1, ..Batching::default() }.over(&corpus).unwrap();
    let mut sampler = Sampler::new(Scir, StepSize::constant(0.5).unwrap(), 600, 1).unwrap();
    for iteration in 0..150 {
        sampler.step(&mut right, &batches.batch(iteration)).unwrap();
        let mut order = right.order().to_vec();
        order.sort_unstable();
        order.dedup();
        assert_eq!(order.len(), right.sticks().len());
        if iteration >= 6 {
            assert_eq!(right.sums().unwrap(), recount(&right, &corpus));
        }
        let mut sizes = vec![0; right.sizes().len()];
        right.allocations().iter().for_each(|&z| sizes[z as usize] += 1);
        assert_eq!(right.sizes(), sizes);
    }
    let counts = right.moves();
    assert!(counts.splits_accepted > 0 && counts.swaps_accepted > 0, "{counts:?}");
    run(&mut wrong, Scir, 0.5, &corpus, 600, 5, 1).unwrap();
    assert_ne!(wrong.sums().unwrap(), recount(&wrong, &corpus));
}

/// Exact draws, and what they were asked for.
struct Spy<'a>(&'a Mutex<Vec<Vec<f64>>>);

impl Transition for Spy<'_> {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> scir_core::Result<Report> {
        self.0.lock().unwrap().push(target.counts().to_vec());
        Exact.step(theta, target, h, rng)
    }
}

/// Until all items have been seen, those that have not are taken to be like those that have; then nothing is left to chance.
#[test]
fn the_estimate_is_exact_once_every_item_was_seen() {
    let (corpus, _) = truth();
    for start in [Start::Dealt, Start::OnSight] {
        let settings = DpSettings { start, ..with(Moves::NONE, 4) };
        let mut mixture = DpMixture::new(settings, atoms(&corpus, Mistake::None), 600, 1).unwrap();
        let order = BatchOrder::Shuffled;
        let batches = Batching { size: 100, order, seed: 1, ..Batching::default() }.over(&corpus).unwrap();
        for iteration in 0..12 {
            let asked = Mutex::default();
            let mut sampler = Sampler::new(Spy(&asked), StepSize::constant(1.0).unwrap(), 600, 1)
                .unwrap()
                .starting_at(iteration);
            let batch = batches.batch(iteration);
            let expected = (iteration >= 6).then(|| recount(&mixture, &corpus));
            sampler.step(&mut mixture, &batch).unwrap();
            let asked: Vec<Vec<f64>> = std::mem::take(&mut asked.lock().unwrap());
            let (sticks, mut atoms): (Vec<_>, Vec<_>) =
                asked.into_iter().partition(|counts| counts.len() == 2);
            assert!((sticks.iter().map(|s| s[0]).sum::<f64>() - 600.0).abs() < 1e-9);
            let all: f64 = atoms.iter().flatten().sum();
            // Every record has 12 entries.
            assert!((all - 600.0 * 12.0).abs() < 1e-6, "{all}");
            if let Some(sums) = expected {
                let mut sums: Vec<Vec<f64>> = sums.into_iter().map(|sums| sums.counts).collect();
                let by_value = |a: &Vec<f64>, b: &Vec<f64>| a.partial_cmp(b).unwrap();
                sums.sort_by(by_value);
                atoms.sort_by(by_value);
                assert_eq!(atoms, sums);
            }
        }
    }
}

/// From one cluster, where all items are alike to a sampler of single ones.
#[test]
fn splits_find_the_clusters_that_single_items_do_not() {
    let (corpus, truth) = truth();
    let index = |moves: Moves, size: usize, iterations: usize| {
        let atoms = Multinomials::new(corpus.words(), 0.5).unwrap();
        let mut mixture = DpMixture::new(with(moves, 1), atoms, 600, 1).unwrap();
        let mut sampler = Sampler::new(Exact, StepSize::constant(1.0).unwrap(), 600, 1).unwrap();
        let order = BatchOrder::Shuffled;
        let batches = Batching { size, order, seed: 1, ..Batching::default() }.over(&corpus).unwrap();
        for i in 0..iterations as u64 {
            sampler.step(&mut mixture, &batches.batch(i)).unwrap();
        }
        adjusted_rand_index(mixture.allocations(), &truth).unwrap()
    };
    let splits = Moves { splits: 5, part: 60, rest: 3, ..Moves::NONE };
    let [without, gibbs, minibatches] =
        [index(Moves::NONE, 600, 60), index(splits, 600, 60), index(splits, 100, 360)];
    assert!(without < 0.05, "without moves: {without}");
    assert!(gibbs > 0.85, "all items at a time: {gibbs}");
    assert!(minibatches > 0.85, "minibatches: {minibatches}");
}

#[test]
fn threads_do_not_change_the_bits_of_moves() {
    let (corpus, _) = truth();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let atoms = Multinomials::new(corpus.words(), 0.5).unwrap();
            let mut mixture = DpMixture::new(with(ALL, 1), atoms, 600, 1).unwrap();
            run(&mut mixture, Scir, 0.5, &corpus, 300, 40, 1).unwrap();
            mixture
        })
    };
    assert!(run(1) == run(2));
}

#[test]
fn splits_without_sums_are_refused() {
    let settings = DpSettings { counts: Estimator::Minibatch, ..with(ALL, 1) };
    let refused = DpMixture::new(settings, atoms(&records(), Mistake::None), 5, 1).err().unwrap();
    assert!(matches!(refused, Error::Setting { name: "splits", .. }), "{refused}");
    let settings = with(Moves { scans: 0, ..ALL }, 1);
    assert!(DpMixture::new(settings, atoms(&records(), Mistake::None), 5, 1).is_err());
}

/// Also in the middle of a scan.
#[cfg(feature = "serde")]
#[test]
fn a_state_with_sums_and_a_split_under_way_goes_on_with_the_same_bits() {
    let (corpus, _) = truth();
    let batches = Batching { size: 90, order: BatchOrder::Shuffled, seed: 1, ..Batching::default() };
    let batches = batches.over(&corpus).unwrap();
    let mut sampler = Sampler::new(Scir, StepSize::constant(0.5).unwrap(), 600, 1).unwrap();
    let atoms = Multinomials::new(corpus.words(), 0.5).unwrap();
    let mut one = DpMixture::new(with(ALL, 3), atoms, 600, 1).unwrap();
    for stop in [3, 15, 31, 50] {
        while sampler.iteration() < stop {
            let batch = batches.batch(sampler.iteration());
            sampler.step(&mut one, &batch).unwrap();
        }
        let text = serde_json::to_string(&one).unwrap();
        let mut two: DpMixture = serde_json::from_str(&text).unwrap();
        assert!(one == two, "at iteration {stop}");
        let mut other =
            Sampler::new(Scir, StepSize::constant(0.5).unwrap(), 600, 1).unwrap().starting_at(stop);
        for iteration in stop..stop + 10 {
            other.step(&mut two, &batches.batch(iteration)).unwrap();
            sampler.step(&mut one, &batches.batch(iteration)).unwrap();
        }
        assert!(one == two, "at iteration {stop}");
        for (was, becomes) in [("\"order\":[", "\"order\":[77,"), ("\"left\":", "\"left\":9")] {
            let spoilt = text.replacen(was, becomes, 1);
            assert!(spoilt == text || serde_json::from_str::<DpMixture>(&spoilt).is_err(), "{becomes}");
        }
    }
}
