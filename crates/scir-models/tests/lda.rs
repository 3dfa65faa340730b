//! LDA as a user runs it: recovery of topics, perplexity, underflow, odd documents, threads, stop and resume.

mod common;

use common::{batches, distance, settings, truth};
use scir_core::{Method, Simplex, StepSize};
use scir_data::{Completion, Corpus, CorpusBuilder, Document, TestDocuments, TestSet};
use scir_models::lda::{Gibbs, HeldOutPerplexity, TokenSampler};
use scir_models::{CollapsedLda, Ended, Error, Lda, LdaSettings, Sampler, Step};
use std::ops::ControlFlow;

fn trained(method: Method, corpus: &Corpus, settings: LdaSettings, iterations: usize) -> Lda {
    let h = if method == Method::Scir { 0.5 } else { 0.01 };
    let mut lda = Lda::new(settings, corpus.words(), 1).unwrap();
    let mut sampler =
        Sampler::new(method, StepSize::decreasing(h, 10.0, 0.33).unwrap(), corpus.len(), 1).unwrap();
    sampler.run(&mut lda, batches(corpus, 25, iterations), &mut []).unwrap();
    lda
}

#[test]
fn true_topics_are_recovered() {
    let (truth, corpus) = truth(400, 60);
    let scir = trained(Method::Scir, &corpus, settings(5, 0.1, 0.1, 20), 160);
    let mut collapsed = CollapsedLda::new(settings(5, 0.1, 0.1, 20), &corpus, 2, 1).unwrap();
    (0..60).for_each(|_| collapsed.sweep().unwrap());
    let collapsed = collapsed.model().unwrap();
    for (name, lda) in [("scir", &scir), ("collapsed", &collapsed)] {
        let found = distance(truth.topics(), lda.topics());
        assert!(found < 0.12, "{name}: mean total variation {found}");
        // The same topics with the words moved by five are no recovery.
        let shuffled: Vec<Simplex> = lda
            .topics()
            .iter()
            .map(|topic| {
                let mut theta = topic.theta().to_vec();
                theta.rotate_left(5);
                Simplex::new(theta).unwrap()
            })
            .collect();
        assert!(distance(truth.topics(), &shuffled) > 0.3, "{name}: a shuffled model passes");
    }
    // Documents of one topic are told apart, and top words are those of a topic.
    let document = |k: u32| Document::from_tokens((0..30).map(|i| k * 10 + i % 10).collect());
    let documents: Vec<Document> = (0..5).map(document).collect();
    let proportions = scir.infer(documents.iter().map(Document::view), 1).unwrap();
    let best = |p: &Vec<f64>| (0..5).max_by(|&a, &b| p[a].total_cmp(&p[b])).unwrap();
    let mut topics: Vec<usize> = proportions.iter().map(best).collect();
    for (document, &topic) in topics.iter().enumerate() {
        assert!(proportions[document][topic] > 0.8, "{:?}", proportions[document]);
        let top = &scir.top_words(8).unwrap()[topic];
        assert!(top.iter().all(|&(word, _)| word as usize / 10 == document), "{top:?}");
        assert!(top.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    }
    topics.sort_unstable();
    assert_eq!(topics, [0, 1, 2, 3, 4]);
}

/// E[n_dk | observed] of one observed token is known, and so is the predictive probability.
#[test]
fn perplexity_equals_brute_force() {
    let phi = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]];
    let alpha = [0.4, 0.9];
    let gibbs = Gibbs { sweeps: 40_000, burn_in: 100, sampler: TokenSampler::Sparse };
    let settings = LdaSettings { topics: 2, alpha: alpha.to_vec().into(), gibbs, ..LdaSettings::default() };
    let lda = Lda::with_topics(settings, phi.iter().map(|row| Simplex::new(row.to_vec()).unwrap()).collect())
        .unwrap();
    // Every second token is held out: (0 | 2), (1 | 1), and documents with nothing to look at or nothing to predict.
    let documents = [vec![0, 2], vec![1, 1], vec![], vec![2]].map(|tokens| Ok(Document::from_tokens(tokens)));
    let mut builder = CorpusBuilder::with_words(3);
    documents
        .into_iter()
        .for_each(|document: scir_data::Result<_>| builder.push(document.unwrap().view()).unwrap());
    let parts = TestSet::new(builder.finish()).complete(Completion::EveryNth(2)).unwrap();
    let mut perplexity = HeldOutPerplexity::new(parts, 1).unwrap();
    let got = perplexity.evaluate(&lda).unwrap();
    let p = |seen: usize, held: usize| {
        let posterior = [0, 1].map(|k| alpha[k] * phi[k][seen]);
        let expected = posterior.map(|x| x / (posterior[0] + posterior[1]));
        (0..2).map(|k| (alpha[k] + expected[k]) / (0.4 + 0.9 + 1.0) * phi[k][held]).sum::<f64>()
    };
    let brute = (p(0, 2) * p(1, 1)).powf(-0.5);
    assert!((got.draw / brute - 1.0).abs() < 0.01, "{} against {brute}", got.draw);
    assert_eq!(got.draw, got.averaged);
    // The second evaluation averages with the first: between the two, and not the mean of perplexities.
    let other =
        Lda::with_topics(lda.settings().clone(), lda.topics().iter().rev().cloned().collect()).unwrap();
    let second = perplexity.evaluate(&other).unwrap();
    assert!(second.averaged <= got.draw.max(second.draw) && second.averaged != second.draw);
}

#[test]
fn tiny_priors_give_finite_numbers() {
    let (_, corpus) = truth(100, 30);
    // Words that no document has, and documents that have no words.
    let mut builder = CorpusBuilder::with_words(60);
    for (i, document) in corpus.docs().enumerate() {
        builder.push(document).unwrap();
        if i % 10 == 0 {
            builder.push(Document::default().view()).unwrap();
        }
    }
    let corpus = builder.finish();
    let unseen = Document::from_tokens(vec![55, 57, 55, 3, 59, 58, 57, 56, 55, 51, 50, 52]);
    let mut test = CorpusBuilder::with_words(60);
    test.push(unseen.view()).unwrap();
    let test = TestSet::new(test.finish());
    for method in Method::ALL {
        let lda = trained(method, &corpus, settings(4, 1e-3, 1e-4, 10), 12);
        let parts = test.complete(Completion::EveryNth(3)).unwrap();
        let got = HeldOutPerplexity::new(parts, 1).unwrap().evaluate(&lda).unwrap();
        // Finite as a logarithm; the perplexity of words of probability e^-5000 is beyond f64 and may be infinite.
        assert!(!got.draw.is_nan() && got.draw > 1.0, "{method}: {got:?}");
        let proportions = lda.infer([unseen.view(), Document::default().view()], 1).unwrap();
        assert!(proportions.iter().flatten().all(|x| x.is_finite()), "{method}");
        assert!(proportions[1].iter().all(|x| (x - 0.25).abs() < 1e-12), "the prior mean");
        let split = corpus.split(TestDocuments::First(20)).unwrap();
        let parts = split.test.complete(Completion::EveryNth(5)).unwrap();
        let got = HeldOutPerplexity::new(parts, 1).unwrap().evaluate(&lda).unwrap();
        // SGLD is unstable at any step that this data would need, so its topics may give words probability 0.
        if method != Method::Sgld {
            assert!(got.draw.is_finite(), "{method}: {got:?}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (_, corpus) = truth(120, 40);
    let split = corpus.split(TestDocuments::First(20)).unwrap();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let lda = trained(Method::Scir, &split.train, settings(7, 0.1, 0.1, 10), 6);
            let parts = split.test.complete(Completion::default()).unwrap();
            let evaluation = HeldOutPerplexity::new(parts, 1).unwrap().evaluate(&lda).unwrap();
            let mut collapsed = CollapsedLda::new(settings(7, 0.1, 0.1, 10), &corpus, 3, 1).unwrap();
            (0..5).for_each(|_| collapsed.sweep().unwrap());
            let infer = lda.infer(corpus.docs(), 5).unwrap();
            (lda, evaluation, collapsed.model().unwrap(), infer)
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}

#[test]
fn a_document_is_inferred_alike_in_any_company() {
    let (lda, corpus) = truth(30, 20);
    let together = lda.infer(corpus.docs(), 9).unwrap();
    for (d, expected) in together.iter().enumerate() {
        assert_eq!(&lda.infer([corpus.doc(d)], 9).unwrap()[0], expected);
        assert!((expected.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert_ne!(together, lda.infer(corpus.docs(), 10).unwrap());
}

#[cfg(feature = "serde")]
#[test]
fn a_run_that_stops_and_resumes_is_the_same_run() {
    let (_, corpus) = truth(100, 20);
    let settings = settings(3, 0.1, 1e-3, 6);
    let sampler = || Sampler::new(Method::Scir, StepSize::constant(0.3).unwrap(), 100, 4).unwrap();
    let mut whole = Lda::new(settings.clone(), 50, 1).unwrap();
    sampler().run(&mut whole, batches(&corpus, 10, 8), &mut []).unwrap();

    let mut first = Lda::new(settings, 50, 1).unwrap();
    let mut stop = |_: &Lda, step: &Step| {
        Ok(if step.iteration == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let ended = sampler().run(&mut first, batches(&corpus, 10, 8), &mut [&mut stop]).unwrap();
    assert_eq!(ended, Ended::Stopped);
    let text = serde_json::to_string(&first).unwrap();
    let mut second: Lda = serde_json::from_str(&text).unwrap();
    assert_eq!(first, second);
    sampler().starting_at(5).run(&mut second, batches(&corpus, 10, 8).skip(5), &mut []).unwrap();
    assert_eq!(second, whole);
    let bad = text.replace("\"topics\":3", "\"topics\":4");
    assert!(serde_json::from_str::<Lda>(&bad).unwrap_err().to_string().contains("topics = 3"));
}

#[test]
fn what_cannot_be_is_refused() {
    let (lda, corpus) = truth(10, 5);
    let refused = |settings: LdaSettings, expected: &str| {
        let message = Lda::new(settings, 50, 1).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    };
    refused(settings(0, 0.1, 0.1, 2), "topics = 0");
    refused(settings(2, f64::NAN, 0.1, 2), "alpha = NaN");
    refused(settings(2, 0.1, -1.0, 2), "beta = -1");
    refused(settings(2, 0.1, 0.1, 0), "sweeps = 0");
    refused(LdaSettings { alpha: vec![0.1; 3].into(), ..settings(2, 0.1, 0.1, 2) }, "alpha = 3 numbers");
    let narrow = Lda::new(settings(2, 0.1, 0.1, 2), 40, 1).unwrap();
    assert!(matches!(narrow.infer(corpus.docs(), 1), Err(Error::Words { .. })));
    let mut sampler = Sampler::new(Method::Scir, StepSize::constant(0.1).unwrap(), 10, 1).unwrap();
    let wrong = sampler.step(&mut narrow.clone(), &corpus);
    assert!(matches!(wrong, Err(Error::Words { found: 50, expected: 40 })));
    assert!(sampler.step(&mut lda.clone(), &corpus.slice(0..0)).is_err(), "an empty minibatch");
    assert!(CollapsedLda::new(settings(2, 0.1, 0.1, 2), &corpus, 0, 1).is_err());
    assert!(Lda::with_topics(settings(2, 0.1, 0.1, 2), vec![]).is_err());
}
