//! Runs that stop and go on: the same bits as runs that did not, with their observers, at any number of threads.

#[allow(dead_code)]
mod common;

use common::{settings, truth};
use scir_core::{Method, StepSize};
use scir_data::{BatchOrder, Batching, Completion, Corpus, DocumentSplit, TestDocuments};
use scir_models::checkpoint::{About, Checkpointing, Every, Folder, Found, Problem};
use scir_models::dp::{HeldOutPredictive, Multinomials};
use scir_models::lda::{CollapsedState, HeldOutPerplexity};
use scir_models::observe::{EarlyStopping, Evaluate, Log, LogFormat, Progress, Score, Status};
use scir_models::{CollapsedLda, ControlVariates, CvSettings, DpMixture, DpSettings};
use scir_models::{Ended, Error, Lda, Observer, Sampler, Step};
use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

const ITERATIONS: u64 = 12;

fn data() -> DocumentSplit {
    truth(120, 20).1.split(TestDocuments::First(20)).unwrap()
}

/// What a run ends with: the model, the last score, and the log without its times.
#[derive(Debug, PartialEq)]
struct Outcome {
    model: Lda,
    score: Option<f64>,
    log: Vec<String>,
}

/// Stops after iteration number `at`, counted from 1.
fn stop<M>(
    at: u64,
) -> impl FnMut(&M, &Step) -> Result<ControlFlow<()>, Box<dyn std::error::Error + Send + Sync>> {
    move |_, step| {
        Ok(if step.iteration + 1 == at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Runs, or goes on, until `until`.
fn online(folder: &Path, until: u64, every: Every) -> Outcome {
    let data = data();
    let parts = data.test.complete(Completion::default()).unwrap();
    let score = Score::default();
    let log_path = folder.join("log.csv");
    let mut evaluate = Evaluate::every(3, HeldOutPerplexity::new(parts, 1).unwrap(), score.clone()).unwrap();
    let mut log = Log::new(&log_path, LogFormat::Csv, 2, score.clone()).unwrap();
    let mut stopping = EarlyStopping::new(score.clone(), 50, 0.0).unwrap();
    let mut ends = stop(until);
    let about = About::new("lda", "these", "those").unwrap();
    let checkpoints = Folder::open(folder.join("run"), 2).unwrap();
    let mut checkpoints = Checkpointing::new(checkpoints, about, every)
        .keeping_best(score.clone())
        .around(vec![&mut evaluate, &mut log, &mut stopping, &mut ends]);
    let mut model = Lda::new(settings(3, 0.1, 1e-3, 6), 50, 1).unwrap();
    // Of all transitions, one that has something to remember.
    let method = Method::ScirVmScheduled;
    let mut sampler = Sampler::new(method, StepSize::constant(0.3).unwrap(), 100, 4).unwrap();
    if let Some(Found { snapshot: saved, .. }) = checkpoints.resume().unwrap() {
        model = saved.get("model").unwrap();
        sampler = sampler.starting_at(saved.iteration());
    }
    let batching = Batching { size: 10, order: BatchOrder::Shuffled, seed: 3, ..Batching::default() };
    let batches = batching.over(&data.train).unwrap().starting_at(sampler.iteration());
    let batches = batches.map(|batch| Ok::<_, Error>(batch.documents));
    assert_eq!(sampler.run(&mut model, batches, &mut [&mut checkpoints]).unwrap(), Ended::Stopped);
    assert_eq!(sampler.iteration(), until);
    drop(checkpoints);
    let score = score.latest().map(|scored| scored.value);
    let times_left_out = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        [&columns[..3], &columns[4..]].concat().join(",")
    };
    let log = fs::read_to_string(&log_path).unwrap_or_default();
    Outcome { model, score, log: log.lines().map(times_left_out).collect() }
}

#[test]
fn a_run_resumed_anywhere_and_twice_has_the_same_bits() {
    let folder = || tempfile::tempdir().unwrap();
    let whole = pool(1).install(|| online(folder().path(), ITERATIONS, Every::Never));
    assert_eq!(whole.log.len(), 1 + 8, "the header, six even iterations, and two odd ones with a score");
    assert!(whole.log[3].starts_with("4,10,200,"), "{:?}", whole.log);
    for first in 1..ITERATIONS {
        let folder = folder();
        let second = first + (ITERATIONS - first) / 2;
        pool(2).install(|| online(folder.path(), first, Every::Never));
        if second > first {
            pool(1).install(|| online(folder.path(), second, Every::Iterations(1)));
        }
        let resumed = pool(3).install(|| online(folder.path(), ITERATIONS, Every::Iterations(5)));
        assert_eq!(resumed, whole, "stopped after {first} and {second}");
    }
}

#[test]
fn what_was_done_after_the_checkpoint_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = online(folder.path(), ITERATIONS, Every::Iterations(5));
    // As after a kill: the newest checkpoint is older than what the log has.
    fs::remove_file(folder.path().join("run/000000000012.scir")).unwrap();
    assert_eq!(online(folder.path(), ITERATIONS, Every::Never), whole);
    // And if the one that is left is damaged as well, the one before.
    fs::remove_file(folder.path().join("run/000000000012.scir")).unwrap();
    let path = folder.path().join("run/000000000010.scir");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let refused = Folder::open(folder.path().join("run"), 2)
        .unwrap()
        .newest(&About::new("lda", "these", "those").unwrap())
        .unwrap_err();
    assert!(matches!(refused.problem, Problem::NoneIsGood(_)), "{refused}");
}

fn collapsed(
    folder: &Path,
    corpus: &Corpus,
    topics: usize,
    until: u64,
) -> (CollapsedState, Lda, Option<f64>) {
    let parts = data().test.complete(Completion::default()).unwrap();
    let score = Score::default();
    let mut evaluate = Evaluate::every(2, HeldOutPerplexity::new(parts, 1).unwrap(), score.clone()).unwrap();
    let mut ends = stop(until);
    let about = About::new("lda-gibbs", "these", "those").unwrap();
    let mut checkpoints = Checkpointing::new(Folder::open(folder, 1).unwrap(), about, Every::Never)
        .around(vec![&mut evaluate, &mut ends]);
    let mut sampler = match checkpoints.resume().unwrap() {
        Some(Found { snapshot: saved, .. }) => {
            saved.get::<CollapsedState>("model").unwrap().resume(corpus).unwrap()
        }
        None => CollapsedLda::new(settings(topics, 0.1, 0.1, 6), corpus, 3, 5).unwrap(),
    };
    sampler.run(until, &mut [&mut checkpoints]).unwrap();
    drop(checkpoints);
    (sampler.state(), sampler.model().unwrap(), score.latest().map(|scored| scored.value))
}

#[test]
fn collapsed_gibbs_resumes_to_the_same_bits() {
    let corpus = data().train;
    let folder = || tempfile::tempdir().unwrap();
    // Few topics are kept in rows, many in lists.
    for topics in [4, 300] {
        let whole = collapsed(folder().path(), &corpus, topics, 7);
        for first in [1, 3, 6] {
            let folder = folder();
            pool(1).install(|| collapsed(folder.path(), &corpus, topics, first));
            let resumed = pool(2).install(|| collapsed(folder.path(), &corpus, topics, 7));
            assert!(resumed == whole, "{topics} topics, stopped after {first}");
        }
        let refused = whole.0.clone().resume(&corpus.slice(0..50)).unwrap_err().to_string();
        assert!(refused.contains("those of the corpus that the sampler was made for"), "{refused}");
        let mut other: Vec<usize> = (0..corpus.len()).collect();
        other.rotate_left(1);
        assert!(whole.0.resume(&corpus.select(&other)).is_err());
    }
}

fn mixture(folder: &Path, until: u64) -> (DpMixture, Option<f64>) {
    let (data, score) = (data(), Score::default());
    let predictive = HeldOutPredictive::new(data.test.clone()).unwrap();
    let mut evaluate = Evaluate::every(2, predictive, score.clone()).unwrap();
    let mut ends = stop(until);
    let about = About::new("dp", "these", "those").unwrap();
    let mut checkpoints = Checkpointing::new(Folder::open(folder, 1).unwrap(), about, Every::Never)
        .around(vec![&mut evaluate, &mut ends]);
    let steps = vec![StepSize::constant(0.1).unwrap(), StepSize::constant(0.2).unwrap()];
    let mut sampler = Sampler::new(Method::Scir, steps, data.train.len(), 4).unwrap();
    let mut mixture = match checkpoints.resume().unwrap() {
        Some(Found { snapshot: saved, .. }) => {
            sampler = sampler.starting_at(saved.iteration());
            saved.get("model").unwrap()
        }
        None => {
            let atoms = Multinomials::new(50, 0.5).unwrap();
            DpMixture::new(DpSettings::default(), atoms, data.train.len(), 4).unwrap()
        }
    };
    let batching =
        Batching { size: 30, order: BatchOrder::WithoutReplacement, seed: 3, ..Batching::default() };
    let batches = batching.over(&data.train).unwrap().starting_at(sampler.iteration());
    sampler.run(&mut mixture, batches.map(Ok::<_, Error>), &mut [&mut checkpoints]).unwrap();
    drop(checkpoints);
    (mixture, score.latest().map(|scored| scored.value))
}

#[test]
fn mixtures_resume_to_the_same_bits() {
    let folder = || tempfile::tempdir().unwrap();
    let whole = mixture(folder().path(), 9);
    for first in 1..9 {
        let folder = folder();
        pool(1).install(|| mixture(folder.path(), first));
        assert_eq!(pool(2).install(|| mixture(folder.path(), 9)), whole, "stopped after {first}");
    }
}

fn remembering(folder: &Path, until: u64, weight: f64) -> (ControlVariates<Lda>, Option<f64>) {
    let (data, score) = (data(), Score::default());
    let parts = data.test.complete(Completion::default()).unwrap();
    let mut evaluate = Evaluate::every(2, HeldOutPerplexity::new(parts, 1).unwrap(), score.clone()).unwrap();
    let mut ends = stop(until);
    let about = About::new("lda-cv", "these", "those").unwrap();
    let mut checkpoints = Checkpointing::new(Folder::open(folder, 1).unwrap(), about, Every::Never)
        .around(vec![&mut evaluate, &mut ends]);
    let mut sampler = Sampler::new(Method::Scir, StepSize::constant(0.3).unwrap(), 100, 4).unwrap();
    let mut model = match checkpoints.resume().unwrap() {
        Some(Found { snapshot: saved, .. }) => {
            sampler = sampler.starting_at(saved.iteration());
            saved.get("model").unwrap()
        }
        None => {
            // Room for a part of the documents, so that some are forgotten again.
            let cv = CvSettings { weight, most_bytes: 16 * 100 + 8 * 1500 };
            ControlVariates::new(Lda::new(settings(3, 0.1, 1e-3, 6), 50, 1).unwrap(), 100, cv).unwrap()
        }
    };
    let batching = Batching { size: 30, order: BatchOrder::Shuffled, seed: 3, ..Batching::default() };
    let batches = batching.over(&data.train).unwrap().starting_at(sampler.iteration());
    let batches = batches.map(|batch| Ok::<_, Error>(batch.into()));
    sampler.run(&mut model, batches, &mut [&mut checkpoints]).unwrap();
    drop(checkpoints);
    assert!(model.bytes() <= model.settings().most_bytes);
    (model, score.latest().map(|scored| scored.value))
}

#[test]
fn what_is_remembered_survives() {
    let folder = || tempfile::tempdir().unwrap();
    for weight in [0.0, 0.4, 1.0] {
        let whole = pool(3).install(|| remembering(folder().path(), 9, weight));
        assert!((20..100).contains(&whole.0.remembered()), "{} documents", whole.0.remembered());
        for first in 1..9 {
            let folder = folder();
            pool(1).install(|| remembering(folder.path(), first, weight));
            let resumed = pool(2).install(|| remembering(folder.path(), 9, weight));
            assert!(resumed == whole, "weight {weight}, stopped after {first}");
        }
    }
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_told() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let data = data();
    let about = || About::new("lda", "these", "those").unwrap();
    let run = |checkpoints: &mut Checkpointing<'_, Lda>, break_it: bool| {
        let mut model = Lda::new(settings(3, 0.1, 0.1, 4), 50, 1).unwrap();
        let mut sampler = Sampler::new(Method::Scir, StepSize::constant(0.3).unwrap(), 100, 4).unwrap();
        let batches = Batching { size: 10, ..Batching::default() }.over(&data.train).unwrap();
        if break_it {
            // In the place of the folder there is now a file.
            fs::rename(&path, temporary.path().join("moved")).unwrap();
            fs::write(&path, "").unwrap();
        }
        let batches = batches.starting_at(0).map(|batch| Ok::<_, Error>(batch.documents)).take(3);
        sampler.run(&mut model, batches, &mut [checkpoints])
    };
    let warnings = Cell::new(0);
    let folder = Folder::open(&path, 2).unwrap();
    let mut tolerant = Checkpointing::new(folder, about(), Every::Iterations(1))
        .tolerating(|_| warnings.set(warnings.get() + 1));
    run(&mut tolerant, true).unwrap();
    drop(tolerant);
    assert_eq!(warnings.get(), 3);
    fs::remove_file(&path).unwrap();
    let folder = Folder::open(&path, 2).unwrap();
    let mut strict = Checkpointing::new(folder, about(), Every::Iterations(1));
    fs::remove_dir_all(temporary.path().join("moved")).unwrap();
    let refused = run(&mut strict, true).unwrap_err().to_string();
    assert!(refused.contains("000000000001.scir"), "{refused}");
}

#[test]
fn observers_of_other_runs_are_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let about = || About::new("lda", "these", "those").unwrap();
    let model = Lda::new(settings(3, 0.1, 0.1, 4), 50, 1).unwrap();
    let folder = || Folder::open(temporary.path(), 2).unwrap();
    Checkpointing::<Lda>::new(folder(), about(), Every::Never).save_now(&model, 3).unwrap();
    let mut closure = stop::<Lda>(1);
    let mut other = Checkpointing::new(folder(), about(), Every::Never).around(vec![&mut closure]);
    let refused = other.resume().unwrap_err().to_string();
    assert!(refused.ends_with("it is of 0 observers, and here are 1"), "{refused}");
}

#[test]
fn runs_end_early_and_tell_how_far_they_are() {
    let score = Score::default();
    // Better, better, then not by a tenth.
    let scores = [100.0, 50.0, 48.0, 47.0];
    let mut values = scores.iter().copied();
    let mut evaluate =
        Evaluate::every(2, move |_: &Lda| Ok(values.next().unwrap_or(0.0)), score.clone()).unwrap();
    let mut stopping = EarlyStopping::new(score.clone(), 2, 0.1).unwrap();
    let mut seen = Vec::new();
    let mut progress = Progress::new(Some(8), score.clone(), |status: &Status| seen.push(*status));
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("log.jsonl");
    let mut log = Log::new(&path, LogFormat::JsonLines, 100, score).unwrap();
    let data = data();
    let mut model = Lda::new(settings(3, 0.1, 0.1, 4), 50, 1).unwrap();
    let mut sampler = Sampler::new(Method::Scir, StepSize::constant(0.3).unwrap(), 100, 4).unwrap();
    let batches = Batching { size: 10, ..Batching::default() }.over(&data.train).unwrap();
    let batches = batches.starting_at(0).map(|batch| Ok::<_, Error>(batch.documents));
    let observers: &mut [&mut dyn Observer<Lda>] =
        &mut [&mut evaluate, &mut stopping, &mut progress, &mut log];
    assert_eq!(sampler.run(&mut model, batches, observers).unwrap(), Ended::Stopped);
    assert_eq!(sampler.iteration(), 8);
    let last = seen.last().unwrap();
    assert_eq!((last.done, last.documents, last.tokens, last.score), (8, 80, 1600, Some(47.0)));
    let rows = fs::read_to_string(path).unwrap();
    let rows: Vec<serde_json::Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let got: Vec<f64> = rows.iter().map(|row| row["score"].as_f64().unwrap()).collect();
    assert_eq!((got, &rows[3]["iteration"]), (scores.to_vec(), &serde_json::json!(8)));
}
