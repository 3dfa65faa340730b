//! Tests of the collapsed sampler's state: counts always agree with the topics of tokens.

use super::*;
use scir_data::Document;

fn corpus() -> Corpus {
    let documents = (0..40u32).map(|d| {
        let tokens = (0..d % 7 * 5).map(|i| (d * 3 + i * i) % 11).collect();
        Ok(Document::from_tokens(tokens))
    });
    Corpus::collect(documents).unwrap()
}

#[test]
fn counts_are_those_of_the_tokens() {
    for parts in [1, 2, 3, 50] {
        let settings = LdaSettings { topics: 5, ..LdaSettings::default() };
        let mut sampler = CollapsedLda::new(settings, &corpus(), parts, 7).unwrap();
        for _ in 0..3 {
            sampler.sweep().unwrap();
        }
        let mut totals = vec![0i64; 5];
        for &z in sampler.tokens.iter().flatten().flat_map(Tokens::z) {
            totals[z as usize] += 1;
        }
        assert_eq!(totals, sampler.totals, "{parts} parts");
        assert_eq!(totals.iter().sum::<i64>() as u64, corpus().tokens());
        let mut by_word = vec![0i64; 5];
        for word in 0..11 {
            let (group, row) = sampler.partition.place(word);
            let counts = sampler.words[group].row(row);
            by_word.iter_mut().zip(counts).for_each(|(sum, &count)| *sum += i64::from(count));
            let expected: u64 = corpus()
                .docs()
                .flat_map(|doc| doc.iter())
                .filter(|&(id, _)| id as usize == word)
                .map(|(_, n)| u64::from(n))
                .sum();
            assert_eq!(counts.iter().map(|&n| u64::from(n)).sum::<u64>(), expected, "word {word}");
        }
        assert_eq!(by_word, totals);
    }
}

/// The exact law of z of a tiny corpus, with vector priors, against the chain.
#[test]
fn the_chain_has_the_enumerated_law() {
    let (alpha, beta) = ([0.3, 0.8], [0.2, 0.5, 0.4]);
    // As the sampler keeps its tokens: word 0 twice in document 0; words 0 and 2 in document 1.
    let documents = [vec![0, 0], vec![0, 2]].map(|tokens| Ok(Document::from_tokens(tokens)));
    let mut builder = scir_data::CorpusBuilder::with_words(3);
    documents.into_iter().for_each(|d: scir_data::Result<_>| builder.push(d.unwrap().view()).unwrap());
    let corpus = builder.finish();
    let settings = LdaSettings {
        topics: 2,
        alpha: alpha.to_vec().into(),
        beta: beta.to_vec().into(),
        ..LdaSettings::default()
    };
    let tokens = [(0, 0), (0, 0), (1, 0), (1, 2)];
    let ln_gamma = statrs::function::gamma::ln_gamma;
    let mut law: Vec<f64> = (0..16usize)
        .map(|state| {
            let z = |i: usize| state >> i & 1;
            let count = |keep: &dyn Fn(usize) -> bool| (0..4).filter(|&i| keep(i)).count() as f64;
            let mut ln = 0.0;
            for k in 0..2 {
                for d in 0..2 {
                    ln += ln_gamma(alpha[k] + count(&|i| z(i) == k && tokens[i].0 == d));
                }
                for w in 0..3 {
                    ln += ln_gamma(beta[w] + count(&|i| z(i) == k && tokens[i].1 == w));
                }
                ln -= ln_gamma(1.1 + count(&|i| z(i) == k));
            }
            ln.exp()
        })
        .collect();
    let sum: f64 = law.iter().sum();
    law.iter_mut().for_each(|p| *p /= sum);
    // With both forms of n_dk, whatever is usual for so few topics.
    for lists in [false, true] {
        let (mut sampler, draws) = (CollapsedLda::new(settings.clone(), &corpus, 1, 3).unwrap(), 40_000);
        if lists {
            sampler.tokens[0][0].use_lists(2);
        }
        let mut observed = [0.0; 16];
        for _ in 0..draws {
            (0..8).for_each(|_| sampler.sweep().unwrap());
            let z = sampler.tokens[0][0].z();
            observed[(0..4).map(|i| (z[i] as usize) << i).sum::<usize>()] += 1.0;
        }
        let expected = law.iter().map(|p| p * f64::from(draws));
        let statistic: f64 = observed.iter().zip(expected).map(|(o, e)| (o - e).powi(2) / e).sum();
        // The 99.9 % point of χ² with 15 degrees of freedom.
        assert!(statistic < 37.7, "lists: {lists}, χ² = {statistic}: {observed:?}, {law:?}");
    }
}

/// φ_kw given z has the mean (n_kw + β)/(n_k + Wβ) and the variance of a Dirichlet; the next sweep has another draw.
#[test]
fn draws_have_the_law_of_phi_given_the_topics() {
    let settings = LdaSettings { topics: 2, ..LdaSettings::default() };
    let mut sampler = CollapsedLda::new(settings, &corpus(), 1, 7).unwrap();
    sampler.sweep().unwrap();
    let shapes = sampler.model().unwrap().topics()[0].theta().to_vec();
    let sum: f64 = shapes.iter().sum();
    assert_eq!(sampler.draw().unwrap(), sampler.draw().unwrap());
    let (draws, mut moments) = (4000u64, vec![[0.0; 2]; shapes.len()]);
    for number in 0..draws {
        // Another draw of the same topics of tokens.
        sampler.sweeps = number;
        let drawn = sampler.draw().unwrap();
        let theta = drawn.topics()[0].theta();
        let total: f64 = theta.iter().sum();
        for (moment, x) in moments.iter_mut().zip(theta) {
            let omega = x / total;
            moment[0] += omega / draws as f64;
            moment[1] += omega * omega / draws as f64;
        }
    }
    for (shape, [mean, square]) in shapes.iter().zip(moments) {
        let expected = shape / sum;
        let variance = expected * (1.0 - expected) / (sum + 1.0);
        assert!((mean - expected).abs() < 4.5 * (variance / draws as f64).sqrt(), "{mean} for {expected}");
        assert!(((square - mean * mean) / variance - 1.0).abs() < 0.2, "variance of {expected}");
    }
}
