//! Shows: several simplexes that share minibatches, each with a step size of its own, and what control variates change.
//!
//! A survey with three questions. Respondents come in minibatches of 50 of 5,000. The first question gets a small step, because
//! its uncertainty is to be right; the last a large one, to follow quickly. Checks the posterior, which is known:
//! means are right at any step; standard deviations are too large by what the theory says for each step; and right at
//! all steps once the answers of every respondent are remembered.
//!
//! cargo run --release --example survey

use scir::core::theory::{minibatch_variance, variance_inflation};
use scir::models::Error;
use scir::prelude::*;

const PEOPLE: usize = 5000;
const BATCH: usize = 50;
/// Questions: the number of answers, and the step.
const QUESTIONS: [(usize, f64); 3] = [(2, 0.002), (4, 0.05), (3, 1.0)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Answers are numbered over all questions: 0–1, 2–5, 6–8. Every tenth person does not answer the second question.
    let person = |i: u32| {
        let mut answers =
            vec![u32::from(i.is_multiple_of(8)), 6 + u32::from(i.is_multiple_of(3)) * (1 + i / 3 % 2)];
        answers.extend((!i.is_multiple_of(10)).then_some(2 + (i * i + i / 7) % 4));
        Ok(Document::from_tokens(answers))
    };
    let people = Corpus::collect((0..PEOPLE as u32).map(person))?;
    let mut counts = [0u64; 9];
    people.docs().for_each(|person| person.ids().iter().for_each(|&id| counts[id as usize] += 1));

    let questions =
        || Categorical::new(QUESTIONS.iter().map(|&(answers, _)| (answers, 0.5.into())).collect());
    let steps = || -> Result<Vec<StepSize>, scir::core::Error> {
        QUESTIONS.iter().map(|&(_, h)| StepSize::constant(h)).collect()
    };
    let batching =
        Batching { size: BATCH, order: BatchOrder::WithReplacement, seed: 1, ..Batching::default() };
    let batches = || batching.over(&people);
    println!("question  step   answer 1: posterior     plain minibatches  predicted   answers remembered");
    let mut plain = [Moments::default(); 3];
    let mut sampler = Sampler::new(Scir, steps()?, PEOPLE, 1)?;
    let mut model = questions()?;
    for batch in batches()?.starting_at(0).take(40_000) {
        sampler.step(&mut model, &batch.documents)?;
        plain.iter_mut().enumerate().try_for_each(|(q, moments)| moments.look(&model, q, batch.iteration))?;
    }
    let mut remembering = [Moments::default(); 3];
    let mut sampler = Sampler::new(Scir, steps()?, PEOPLE, 1)?;
    let mut model = ControlVariates::new(questions()?, PEOPLE, CvSettings::default())?;
    for batch in batches()?.starting_at(0).take(40_000) {
        let iteration = batch.iteration;
        sampler.step(&mut model, &batch.into())?;
        let inner = model.inner();
        remembering.iter_mut().enumerate().try_for_each(|(q, moments)| moments.look(inner, q, iteration))?;
    }

    let mut first = 0;
    for (q, (answers, h)) in QUESTIONS.into_iter().enumerate() {
        let a = counts[first] as f64 + 0.5;
        let noise = minibatch_variance(counts[first], PEOPLE as u64, BATCH as u64)?;
        let predicted = (a + variance_inflation(h, noise)).sqrt();
        let ((mean, sd), (cv_mean, cv_sd)) = (plain[q].get(), remembering[q].get());
        println!(
            "{:>8}  {h:>5}   {a:>8.1} ± {:>5.1}     {mean:>8.1} ± {sd:>5.1}  ±{predicted:>7.1}   {cv_mean:>8.1} ± {cv_sd:>5.1}",
            q + 1,
            a.sqrt()
        );
        // How many draws these are worth: steps of h forget by e^−h.
        let error = predicted * (2.0 / (h * 35_000.0)).sqrt();
        assert!((mean - a).abs() < 4.0 * error && (cv_mean - a).abs() < 4.0 * error, "the means are right");
        assert!((sd / predicted - 1.0).abs() < 0.3, "plain minibatches: {sd} and not {predicted}");
        assert!((cv_sd / a.sqrt() - 1.0).abs() < 0.3, "remembered: {cv_sd} and not {}", a.sqrt());
        first += answers;
    }
    Ok(())
}

/// Mean and standard deviation of θ of the first answer, from iteration 5,000 on.
#[derive(Clone, Copy, Default)]
struct Moments {
    number: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn look(&mut self, model: &Categorical, question: usize, iteration: u64) -> Result<(), Error> {
        let x = model.simplex(question).theta()[0];
        if iteration >= 5000 {
            *self = Self { number: self.number + 1.0, sum: self.sum + x, squares: self.squares + x * x };
        }
        Ok(())
    }

    fn get(&self) -> (f64, f64) {
        let mean = self.sum / self.number;
        (mean, (self.squares / self.number - mean * mean).sqrt())
    }
}
