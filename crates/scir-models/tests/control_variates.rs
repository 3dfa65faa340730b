//! Control variates: unbiased by enumeration, with the variance that theory leaves; the posterior where it is known; memory
//! that is bounded; the same bits at any number of threads.

#[allow(dead_code)]
mod common;

use common::{settings, truth};
use scir_core::rand::RngExt;
use scir_core::theory::{control_variate_variance, without_replacement};
use scir_core::{Exact, Prior, Purpose, Scir, Simplex, StepSize};
use scir_data::{BatchOrder, Batching, Corpus, Document};
use scir_models::{
    At, Block, Categorical, ControlVariates, Counts, CvSettings, Error, Lda, Model, Numbered, Priors, Result,
    Sampler,
};
use statrs::function::gamma::gamma_lr;
use std::ops::Range;

const N: usize = 6;
/// What each item contributes to the first of two coordinates, in iteration 0 and later.
const BEFORE: [f64; N] = [0.0, 3.0, 1.5, 0.0, 8.0, 2.0];
const AFTER: [f64; N] = [1.0, 3.0, 0.25, 0.0, 6.0, 2.5];

/// Contributions that change once.
#[derive(Clone, Debug, PartialEq)]
struct Changing(Vec<Simplex>);

impl Model for Changing {
    type Batch = Vec<usize>;
    type Prepared = ();
    type Latent = ();

    fn prepare(&mut self, _: &Vec<usize>, _: At) -> Result<()> {
        Ok(())
    }

    fn latent(
        &self,
        (): &(),
        batch: &Vec<usize>,
        part: Range<usize>,
        at: At,
        counts: &mut Counts,
    ) -> Result<()> {
        let table = if at.iteration == 0 { BEFORE } else { AFTER };
        for &item in &batch[part] {
            // In two parts, which have to be put together.
            counts.add(0, 0, 0, 0.25 * table[item]);
            counts.add(0, 0, 1, 1.0);
            counts.add(0, 0, 0, 0.75 * table[item]);
        }
        Ok(())
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        vec![Block::new("changing", &mut self.0, Priors::Shared(Prior::Symmetric(1.0)))]
    }
}

fn numbered(items: &[usize]) -> Numbered<Vec<usize>> {
    Numbered::new(items.to_vec(), items.to_vec()).unwrap()
}

/// One iteration on `items`; the estimate of the first coordinate, and how many were below 0.
fn step(model: &mut ControlVariates<Changing>, items: &[usize], iteration: u64) -> (f64, usize) {
    let sampler = Sampler::new(Exact, StepSize::constant(1.0).unwrap(), N, 1).unwrap();
    let step = sampler.starting_at(iteration).step(model, &numbered(items)).unwrap();
    (model.estimate(0)[0], step.clamped)
}

/// A model that has seen `seen` in iteration 0.
fn after(seen: &[usize], weight: f64) -> ControlVariates<Changing> {
    let inner = Changing(vec![Simplex::uniform(2).unwrap()]);
    let cv = CvSettings { weight, ..CvSettings::default() };
    let mut model = ControlVariates::new(inner, N, cv).unwrap();
    if !seen.is_empty() {
        step(&mut model, seen, 0);
    }
    assert_eq!(model.remembered(), seen.len());
    model
}

/// All minibatches of three, with and without replacement.
fn minibatches(replace: bool) -> Vec<[usize; 3]> {
    let all = (0..N).flat_map(|i| (0..N).flat_map(move |j| (0..N).map(move |k| [i, j, k])));
    all.filter(|[i, j, k]| replace || (i != j && j != k && i != k)).collect()
}

/// By enumeration, with all, some and none of the items remembered: the mean is the truth, and the variance what is left of
/// it when an item that is not remembered is taken for the mean of those that are.
#[test]
fn the_estimate_is_unbiased_and_has_the_variance_that_is_left() {
    let truth: f64 = AFTER.iter().sum();
    for seen in [&[0, 1, 2, 3, 4, 5][..], &[1, 4, 5], &[2], &[]] {
        for replace in [true, false] {
            let estimates: Vec<f64> = minibatches(replace)
                .iter()
                .map(|items| {
                    let mut model = after(seen, 1.0);
                    let (estimate, _) = step(&mut model, items, 1);
                    assert!((model.estimate(0)[1] - N as f64).abs() < 1e-12, "all items count once in it");
                    estimate
                })
                .collect();
            let number = estimates.len() as f64;
            let mean = estimates.iter().sum::<f64>() / number;
            assert!((mean - truth).abs() < 1e-10, "{seen:?}: mean {mean} and not {truth}");
            let variance = estimates.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / number;
            let of_seen = seen.iter().map(|&i| BEFORE[i]).sum::<f64>() / seen.len().max(1) as f64;
            let remembered: Vec<f64> =
                (0..N).map(|i| if seen.contains(&i) { BEFORE[i] } else { of_seen }).collect();
            let fewer = if replace { 1.0 } else { without_replacement(N as u64, 3).unwrap() };
            let left = fewer * control_variate_variance(&AFTER, &remembered, 3).unwrap();
            assert!((variance - left).abs() < 1e-9, "{seen:?}: variance {variance} and not {left}");
            // Nearly right is wrong: the sum taken as it is though not all are remembered, or scaled as a minibatch is.
            if seen.len() == 3 {
                let wrong = |scale: f64| {
                    let total: f64 = seen.iter().map(|&i| BEFORE[i]).sum();
                    let difference = |items: &[usize; 3]| {
                        let g = |i: &usize| if seen.contains(i) { BEFORE[*i] } else { 0.0 };
                        2.0 * items.iter().map(|i| AFTER[*i] - g(i)).sum::<f64>()
                    };
                    let all = minibatches(replace);
                    let sum: f64 = all.iter().map(|items| scale * total + difference(items)).sum();
                    sum / all.len() as f64 - truth
                };
                assert!(wrong(2.0).abs() > 1.0, "forgetting that some are unseen");
                assert!(wrong(1.0).abs() < 1e-9, "though this one is unbiased as well, it is not ours");
            }
        }
    }
}

/// Weight 0: the last contributions of all items, never below 0; weight 1 may be, and says so.
#[test]
fn the_smooth_estimate_is_the_sum_of_last_contributions() {
    for items in minibatches(false) {
        let (estimate, clamped) = step(&mut after(&[0, 1, 2, 3, 4, 5], 0.0), &items, 1);
        let last = (0..N).map(|i| if items.contains(&i) { AFTER[i] } else { BEFORE[i] }).sum::<f64>();
        assert_eq!((estimate, clamped), (last, 0));
        // With some unseen: the mean of the last contributions of all that have been seen, for each item.
        let (estimate, _) = step(&mut after(&[0, 4], 0.0), &items, 1);
        let known: Vec<f64> = (0..N)
            .filter_map(|i| {
                if items.contains(&i) { Some(AFTER[i]) } else { [0, 4].contains(&i).then_some(BEFORE[i]) }
            })
            .collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        assert!((estimate - N as f64 * mean).abs() < 1e-12);
    }
    // Three times the item that lost most: 14.5 + 2 · 3 · (6 − 8) is positive, but of a sum of 8 + 0 it is not.
    let mut model = after(&[3, 4], 1.0);
    let (estimate, clamped) = step(&mut model, &[4, 4, 4], 1);
    assert!(estimate > 0.0 && clamped == 0);
    let (estimate, clamped) = step(&mut after(&[2, 3], 1.0), &[2, 2, 2], 1);
    assert!(estimate < 0.0 && clamped == 1, "{estimate}");
    // Between the two ends.
    let half = step(&mut after(&[0, 1, 2, 3, 4, 5], 0.75), &[4, 1, 0], 1).0;
    assert!((half - (14.5 + 0.75 * 2.0 * (-2.0 + 0.0 + 1.0))).abs() < 1e-12);
}

/// Answers to two questions.
fn answers(number: u32) -> Corpus {
    Corpus::collect(
        (0..number).map(|i| Ok(Document::from_tokens(vec![u32::from(i.is_multiple_of(4)), 2 + i % 3]))),
    )
    .unwrap()
}

/// √n times the Kolmogorov–Smirnov distance of θ of a rare answer to its Gamma law.
fn ks_of_answers(most_bytes: usize, weight: f64) -> f64 {
    let data = answers(240);
    let inner = Categorical::new(vec![(2, 1.0.into()), (3, 0.1.into())]).unwrap();
    let mut model = ControlVariates::new(inner, 240, CvSettings { weight, most_bytes }).unwrap();
    let mut sampler = Sampler::new(Scir, StepSize::constant(1.0).unwrap(), 240, 3).unwrap();
    let batching = Batching { size: 24, order: BatchOrder::Shuffled, seed: 5, ..Batching::default() };
    let mut theta = Vec::new();
    for batch in batching.over(&data).unwrap().starting_at(0).take(60_000) {
        let iteration = batch.iteration;
        sampler.step(&mut model, &batch.into()).unwrap();
        // Some time after the first pass, and far enough apart.
        if iteration >= 100 && iteration.is_multiple_of(6) {
            theta.push(model.inner().simplex(0).theta()[1]);
        }
    }
    theta.sort_unstable_by(f64::total_cmp);
    let n = theta.len() as f64;
    let distance = |(i, x): (usize, &f64)| (gamma_lr(61.0, *x) - (i as f64 + 0.5) / n).abs();
    theta.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}

/// Where nothing is latent, what is remembered after the first pass is all there is to know: the exact posterior at a
/// large step from minibatches. Without memory it is far from that.
#[test]
fn without_latent_variables_minibatches_are_exact() {
    for weight in [0.0, 0.3, 1.0] {
        let with = ks_of_answers(1 << 20, weight);
        assert!(with < 2.694, "weight {weight}: {with}");
    }
    let without = ks_of_answers(16 * 240 + 1, 1.0);
    assert!(without > 10.0, "{without}");
    let half = ks_of_answers(16 * 240 + 16 * 120, 1.0);
    assert!(half > 2.694 && half < without, "half of the records remembered: {half}");
}

/// A mixture of two unknown laws over three categories, of known weights; the component of an item is drawn.
struct Mixture(Vec<Simplex>);

const WEIGHTS: [f64; 2] = [0.3, 0.7];
const PRIOR: [f64; 3] = [0.6, 1.0, 0.4];
const ITEMS: [u32; 8] = [0, 0, 0, 1, 1, 2, 0, 2];

impl Model for Mixture {
    type Batch = Vec<u32>;
    type Prepared = Vec<Vec<f64>>;
    type Latent = ();

    fn prepare(&mut self, _: &Vec<u32>, _: At) -> Result<Vec<Vec<f64>>> {
        let omega = |simplex: &Simplex| {
            let mut omega = vec![0.0; 3];
            simplex.omega(&mut omega).unwrap();
            omega
        };
        Ok(self.0.iter().map(omega).collect())
    }

    fn latent(
        &self,
        omega: &Vec<Vec<f64>>,
        batch: &Vec<u32>,
        part: Range<usize>,
        at: At,
        counts: &mut Counts,
    ) -> Result<()> {
        for i in part {
            let x = batch[i];
            let p = [0, 1].map(|k| WEIGHTS[k] * omega[k][x as usize]);
            let u: f64 = at.rng(Purpose::new("test: component"), i as u64).random();
            counts.add(0, u32::from(u * (p[0] + p[1]) >= p[0]), x, 1.0);
        }
        Ok(())
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        vec![Block::new("components", &mut self.0, Priors::Shared(Prior::Each(&PRIOR)))]
    }
}

/// Mean of ω, and of its square, for the first category of each component, by the 256 allocations.
fn exact_moments() -> [f64; 4] {
    let ln_gamma = statrs::function::gamma::ln_gamma;
    let (mut sums, mut norm) = ([0.0; 4], 0.0);
    for allocation in 0..1u32 << ITEMS.len() {
        let mut n = [[0.0; 3]; 2];
        let mut ln_weight = 0.0;
        for (i, &x) in ITEMS.iter().enumerate() {
            let k = (allocation >> i & 1) as usize;
            n[k][x as usize] += 1.0;
            ln_weight += f64::ln(WEIGHTS[k]);
        }
        let shape = |k: usize, x: usize| PRIOR[x] + n[k][x];
        let total = |k: usize| (0..3).map(|x| shape(k, x)).sum::<f64>();
        ln_weight += (0..2)
            .map(|k| (0..3).map(|x| ln_gamma(shape(k, x))).sum::<f64>() - ln_gamma(total(k)))
            .sum::<f64>();
        let weight = ln_weight.exp();
        norm += weight;
        for k in 0..2 {
            let mean = shape(k, 0) / total(k);
            sums[2 * k] += weight * mean;
            sums[2 * k + 1] += weight * mean * (shape(k, 0) + 1.0) / (total(k) + 1.0);
        }
    }
    sums.map(|sum| sum / norm)
}

/// With draws for the latent variables and weight 0 this is Gibbs sampling, two items at a time: the exact posterior, at
/// a finite step. With plain minibatches, or weight 1, it is not. The largest deviation in standard errors, of four moments.
fn deviation(weight: f64, most_bytes: usize) -> f64 {
    let inner = Mixture(vec![Simplex::uniform(3).unwrap(); 2]);
    let mut model = ControlVariates::new(inner, ITEMS.len(), CvSettings { weight, most_bytes }).unwrap();
    let mut sampler = Sampler::new(Scir, StepSize::constant(0.7).unwrap(), ITEMS.len(), 9).unwrap();
    let mut series = vec![Vec::new(); 4];
    let streams = scir_core::Streams::new(8);
    for iteration in 0..80_000 {
        let mut rng = streams.rng(Purpose::new("test: batches"), iteration, 0);
        let first = rng.random_range(0..ITEMS.len());
        let items = [first, (first + rng.random_range(1..ITEMS.len())) % ITEMS.len()];
        let batch = Numbered::new(items.iter().map(|&i| ITEMS[i]).collect(), items.to_vec()).unwrap();
        sampler.step(&mut model, &batch).unwrap();
        if iteration >= 1000 {
            let mut omega = [0.0; 3];
            for k in 0..2 {
                model.inner().0[k].omega(&mut omega).unwrap();
                series[2 * k].push(omega[0]);
                series[2 * k + 1].push(omega[0] * omega[0]);
            }
        }
    }
    let deviations = series.iter().zip(exact_moments()).map(|(values, truth)| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let error = (variance / scir_eval::effective_sample_size(&values[..]).unwrap()).sqrt();
        ((mean - truth) / error).abs()
    });
    deviations.fold(0.0, f64::max)
}

#[test]
fn draws_with_weight_zero_are_gibbs_sampling() {
    let gibbs = deviation(0.0, 1 << 20);
    assert!(gibbs < 4.0, "{gibbs} standard errors");
    let plain = deviation(1.0, 16 * ITEMS.len() + 1);
    assert!(plain > 6.0, "plain minibatches: {plain} standard errors");
    let unbiased = deviation(1.0, 1 << 20);
    assert!(unbiased > 6.0, "weight 1: {unbiased} standard errors");
}

/// Estimates for LDA are nearer to those of all documents than plain ones are; and threads change nothing.
#[test]
fn topics_get_better_estimates_and_the_same_bits_at_any_number_of_threads() {
    let (_, corpus) = truth(300, 30);
    let batches = Batching { size: 15, order: BatchOrder::Shuffled, seed: 2, ..Batching::default() };
    let batches = batches.over(&corpus).unwrap();
    let run = |threads: usize, weight: f64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let lda = Lda::new(settings(5, 0.1, 0.1, 20), 50, 1).unwrap();
            let cv = CvSettings { weight, ..CvSettings::default() };
            let mut model = ControlVariates::new(lda, 300, cv).unwrap();
            let mut sampler = Sampler::new(Scir, StepSize::constant(0.3).unwrap(), 300, 1).unwrap();
            let batches = batches.starting_at(0).take(61).map(|batch| Ok::<_, Error>(batch.into()));
            sampler.run(&mut model, batches, &mut []).unwrap();
            model
        })
    };
    for weight in [0.0, 1.0] {
        let one = run(1, weight);
        assert!(one == run(2, weight) && one == run(3, weight));
        let estimate = |mut model: ControlVariates<Lda>, batch: Numbered<Corpus>| {
            let mut sampler = Sampler::new(Exact, StepSize::constant(1.0).unwrap(), 300, 5).unwrap();
            sampler.step(&mut model, &batch).unwrap();
            model.estimate(0).to_vec()
        };
        let fresh = || ControlVariates::new(one.inner().clone(), 300, CvSettings::default()).unwrap();
        let all = estimate(fresh(), Numbered::new(corpus.clone(), (0..300).collect()).unwrap());
        let error = |estimate: Vec<f64>| estimate.iter().zip(&all).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
        let (plain, with) = (
            error(estimate(fresh(), batches.batch(61).into())),
            error(estimate(one, batches.batch(61).into())),
        );
        assert!(with < 0.2 * plain, "weight {weight}: {with} against {plain}");
    }
}

/// However long it runs, the sum is that of what is remembered, and what is remembered stays within its bounds.
#[test]
fn memory_is_bounded_and_does_not_drift() {
    let (_, corpus) = truth(100, 40);
    let most_bytes = 16 * 100 + 8 * 1200;
    let cv = CvSettings { weight: 1.0, most_bytes };
    let mut model =
        ControlVariates::new(Lda::new(settings(5, 0.1, 0.1, 6), 50, 1).unwrap(), 100, cv).unwrap();
    let mut sampler = Sampler::new(Scir, StepSize::constant(0.3).unwrap(), 100, 1).unwrap();
    let batching = Batching { size: 10, order: BatchOrder::WithReplacement, ..Batching::default() };
    for batch in batching.over(&corpus).unwrap().starting_at(0).take(200) {
        sampler.step(&mut model, &batch.into()).unwrap();
        assert!(model.bytes() <= most_bytes && model.items() == 100);
    }
    assert!((5..95).contains(&model.remembered()), "{}", model.remembered());
    // The sum that is made anew from what was written is the one that was kept: equal to the last bit.
    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(&model).unwrap();
        let read: ControlVariates<Lda> = serde_json::from_str(&text).unwrap();
        assert!(read == model);
        let refused = |from: &str, to: &str, expected: &str| {
            let error =
                serde_json::from_str::<ControlVariates<Lda>>(&text.replacen(from, to, 1)).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        };
        refused("\"items\":100", "\"items\":2", "item number");
        refused("\"key\":", "\"key\":9", "coordinate");
        refused("\"count\":", "\"count\":1e-9,\"ignored\":", "2^-16");
        refused("\"weight\":1.0", "\"weight\":1.5", "weight = 1.5");
        refused("\"most_bytes\":11200", "\"most_bytes\":1700", "most_bytes");
    }
}

/// Opens a simplex with every minibatch.
struct Growing(Vec<Simplex>);

impl Model for Growing {
    type Batch = Vec<u32>;
    type Prepared = ();
    type Latent = ();

    fn prepare(&mut self, _: &Vec<u32>, _: At) -> Result<()> {
        self.0.push(Simplex::uniform(2)?);
        Ok(())
    }

    fn latent(&self, (): &(), _: &Vec<u32>, _: Range<usize>, _: At, _: &mut Counts) -> Result<()> {
        Ok(())
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        vec![Block::new("growing", &mut self.0, Priors::Shared(Prior::Symmetric(1.0)))]
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let new = |items, weight, most_bytes| {
        let inner = Changing(vec![Simplex::uniform(2).unwrap()]);
        ControlVariates::new(inner, items, CvSettings { weight, most_bytes })
    };
    let message = |result: Result<ControlVariates<Changing>>| result.unwrap_err().to_string();
    assert!(message(new(0, 0.0, 100)).starts_with("items = 0"));
    assert!(message(new(6, -0.1, 1000)).starts_with("weight = -0.1"));
    assert!(message(new(6, f64::NAN, 1000)).starts_with("weight = NaN"));
    assert!(message(new(6, 0.0, 96)).starts_with("most_bytes = 96"));
    assert!(new(6, 0.0, 97).is_ok());
    assert!(Numbered::new(vec![1, 2], vec![0]).is_err());

    let mut sampler = Sampler::new(Exact, StepSize::constant(1.0).unwrap(), N, 1).unwrap();
    let beyond = Numbered::new(vec![0, 1], vec![0, 6]).unwrap();
    let refused = sampler.step(&mut new(6, 0.0, 1000).unwrap(), &beyond);
    assert!(matches!(refused, Err(Error::Position { position: 6, items: 6 })));
    let mut growing = ControlVariates::new(Growing(vec![]), 6, CvSettings::default()).unwrap();
    let refused = sampler.step(&mut growing, &Numbered::new(vec![1], vec![0]).unwrap());
    assert!(matches!(refused, Err(Error::ShapeChanged { iteration: 0 })));
    let twice = ControlVariates::new(new(6, 0.0, 1000).unwrap(), 6, CvSettings::default());
    assert!(matches!(twice, Err(Error::KnowsAlready { block: "changing" })));
}
