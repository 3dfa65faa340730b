//! Several variables that share records: the exact posterior, what minibatches do to it, and step sizes of their own.

use scir_core::theory::{ScirChain, minibatch_variance};
use scir_core::{Exact, Scir, StepSize};
use scir_data::{BatchOrder, Batching, Corpus, CorpusBuilder, Document};
use scir_models::{Categorical, Concentration, Error, Sampler};
use statrs::function::beta::beta_reg;

const RECORDS: usize = 200;
/// Counts of the categories of three variables; of the third, half of the values are missing.
const COUNTS: [&[f64]; 3] = [&[150.0, 50.0], &[0.0, 40.0, 160.0, 0.0], &[100.0]];

fn records() -> Corpus {
    let record = |i: u32| {
        let mut ids = vec![u32::from(i.is_multiple_of(4)), if i.is_multiple_of(5) { 3 } else { 4 }];
        ids.extend(i.is_multiple_of(2).then_some(6));
        Document::from_tokens(ids)
    };
    let mut builder = CorpusBuilder::with_words(7);
    (0..RECORDS as u32).for_each(|i| builder.push(record(i).view()).unwrap());
    builder.finish()
}

fn priors() -> Vec<(usize, Concentration)> {
    vec![(2, 0.5.into()), (4, vec![0.1, 0.2, 0.3, 0.4].into()), (1, 1.0.into())]
}

fn alpha(variable: usize, category: usize) -> f64 {
    priors()[variable].1.at(category)
}

/// The model after every `thin` iterations, `draws` times, with minibatches of `size` drawn with replacement, or all records.
fn draws(steps: Vec<f64>, size: usize, thin: usize, draws: usize, mut take: impl FnMut(&Categorical)) {
    let records = records();
    let mut model = Categorical::new(priors()).unwrap();
    let steps: Vec<StepSize> = steps.into_iter().map(|h| StepSize::constant(h).unwrap()).collect();
    let mut sampler = Sampler::new(Scir, steps, RECORDS, 3).unwrap();
    let order = if size == RECORDS { BatchOrder::Sequential } else { BatchOrder::WithReplacement };
    let batches = Batching { size, order, seed: 5, ..Batching::default() }.over(&records).unwrap();
    for (i, batch) in batches.starting_at(0).take(thin * (draws + 20)).enumerate() {
        sampler.step(&mut model, &batch.documents).unwrap();
        if (i + 1).is_multiple_of(thin) && i >= 20 * thin {
            take(&model);
        }
    }
}

/// √n times the Kolmogorov–Smirnov distance to Beta(a, b).
fn ks(mut values: Vec<f64>, a: f64, b: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len() as f64;
    let distance = |(i, x): (usize, &f64)| {
        let f = beta_reg(a, b, *x);
        (f - i as f64 / n).abs().max((f - (i + 1) as f64 / n).abs())
    };
    values.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}

/// All records at once: the posterior, whatever the step sizes.
#[test]
fn whole_batches_give_the_exact_posterior() {
    let mut values = vec![Vec::new(); 4];
    draws(vec![1.0, 2.0, 0.5], RECORDS, 10, 10_000, |model| {
        let (first, second) = (model.omega(0).unwrap(), model.omega(1).unwrap());
        [first[0], second[1], second[0], second[3]].into_iter().zip(&mut values).for_each(|(x, v)| v.push(x));
        assert_eq!(model.omega(2).unwrap(), [1.0]);
    });
    let truth = [(150.5, 50.5), (40.2, 160.8), (0.1, 200.9), (0.4, 200.6)];
    for (values, (a, b)) in values.iter().zip(truth) {
        let right = ks(values.clone(), a, b);
        assert!(right < 2.694, "Beta({a}, {b}): {right}");
        let wrong = ks(values.clone(), 1.15 * a, b);
        assert!(wrong > 2.694, "Beta({a}, {b}): a shape 15 % too large goes unnoticed ({wrong})");
    }
}

/// Minibatches: the mean is right, and the variance what the theory says, with each block's own step size.
#[test]
fn minibatches_have_the_predicted_moments_in_every_block() {
    let (steps, size) = ([0.2, 1.0, 0.5], 20);
    let mut theta = vec![Vec::new(); 2];
    draws(steps.to_vec(), size, 30, 8_000, |model| {
        theta[0].push(model.simplex(0).theta()[1]);
        theta[1].push(model.simplex(1).theta()[1]);
    });
    for (variable, values) in theta.iter().enumerate() {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let fourth = values.iter().map(|x| (x - mean).powi(4)).sum::<f64>() / n;
        let count = COUNTS[variable][1];
        let a = count + alpha(variable, 1);
        let predicted = |h: f64| {
            let noise = minibatch_variance(count as u64, RECORDS as u64, size as u64).unwrap();
            ScirChain::new(a, 1.0, h).unwrap().variance(1_000_000, noise)
        };
        let right = predicted(steps[variable]);
        assert!((mean - a).abs() < 4.9 * (right / n).sqrt(), "variable {variable}: mean {mean} and not {a}");
        let error = 4.9 * ((fourth - variance * variance) / n).sqrt();
        assert!(
            (variance - right).abs() < error,
            "variable {variable}: {variance} and not {right} ± {error}"
        );
        // The step of the other block, or no noise at all, would give another variance.
        let other = predicted(steps[1 - variable]);
        assert!((variance - other).abs() > error, "variable {variable}: the wrong step goes unnoticed");
        assert!((variance - a).abs() > error, "variable {variable}: the noise goes unnoticed");
    }
}

#[test]
fn a_block_with_a_tiny_step_stays_while_others_move() {
    let records = records();
    let mut model = Categorical::new(priors()).unwrap();
    let start = model.clone();
    let steps = [1e-12, f64::INFINITY, 1e-12].map(|h| StepSize::constant(h).unwrap()).to_vec();
    Sampler::new(Scir, steps, RECORDS, 1).unwrap().step(&mut model, &records).unwrap();
    let moved = |v: usize| {
        let pairs = model.simplex(v).theta().iter().zip(start.simplex(v).theta());
        pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    };
    assert!(moved(0) < 1e-4 && moved(2) < 1e-4 && moved(1) > 100.0);
}

/// Two variables alike must not move by the same random numbers.
#[test]
fn variables_have_random_numbers_of_their_own() {
    let twins = (0..50u32).map(|i| Ok(Document::from_tokens(vec![i % 2, 2 + i % 2])));
    let twins = Corpus::collect(twins).unwrap();
    let mut model = Categorical::new(vec![(2, 1.0.into()), (2, 1.0.into())]).unwrap();
    Sampler::new(Exact, StepSize::constant(1.0).unwrap(), 50, 1).unwrap().step(&mut model, &twins).unwrap();
    assert_ne!(model.omega(0).unwrap(), model.omega(1).unwrap());
}

#[test]
fn what_cannot_be_is_refused() {
    let message = |variables| Categorical::new(variables).unwrap_err().to_string();
    assert!(message(vec![]).starts_with("variables = 0"));
    assert!(message(vec![(0, 1.0.into())]).starts_with("categories = 0"));
    assert!(message(vec![(2, f64::NAN.into())]).starts_with("prior = NaN"));
    assert!(message(vec![(2, vec![1.0; 3].into())]).starts_with("prior = 3 numbers"));
    let mut narrow = Categorical::new(vec![(2, 1.0.into())]).unwrap();
    let refused =
        Sampler::new(Exact, StepSize::constant(1.0).unwrap(), 9, 1).unwrap().step(&mut narrow, &records());
    assert!(matches!(refused, Err(Error::Words { found: 7, expected: 2 })));
    let mut model = Categorical::new(priors()).unwrap();
    let two = vec![StepSize::constant(1.0).unwrap(); 2];
    let refused = Sampler::new(Exact, two, 9, 1).unwrap().step(&mut model, &records());
    assert!(matches!(refused, Err(Error::StepSizes { given: 2, blocks: 3 })));
}

#[cfg(feature = "serde")]
#[test]
fn a_model_can_be_written_and_read() {
    let model = Categorical::new(priors()).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    assert_eq!(serde_json::from_str::<Categorical>(&text).unwrap(), model);
    assert!(serde_json::from_str::<Categorical>(&text.replace("0.5", "-0.5")).is_err());
}
