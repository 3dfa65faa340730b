//! The law of the token samplers: against enumeration on tiny documents, and against each other by χ².

use super::super::Lda;
use super::super::settings::Gibbs;
use super::*;
use scir_core::{Purpose, Simplex, StreamRng, Streams};
use scir_data::Document as Words;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use statrs::function::gamma::ln_gamma;

fn rng(index: u64) -> StreamRng {
    Streams::new(5).rng(Purpose::new("gibbs tests"), 0, index)
}

fn settings(alpha: Vec<f64>, sampler: TokenSampler) -> LdaSettings {
    let gibbs = Gibbs { sweeps: 10, burn_in: 5, sampler };
    LdaSettings { topics: alpha.len(), alpha: alpha.into(), beta: 0.1.into(), gibbs }
}

/// Topics over two words, all different.
fn topics(count: usize) -> Vec<Simplex> {
    let topic =
        |k: usize| Simplex::new(vec![1.0 + (k * k % 7) as f64, 1.5 + (k * 3 % 5) as f64 * 2.0]).unwrap();
    (0..count).map(topic).collect()
}

/// P(χ² > observed) for counts against expected numbers; cells that expect fewer than 8 are put together.
fn p_value(observed: &[f64], expected: &[f64]) -> f64 {
    let (mut statistic, mut cells, mut rest) = (0.0, 0, (0.0, 0.0));
    for (&o, &e) in observed.iter().zip(expected) {
        if e >= 8.0 {
            statistic += (o - e).powi(2) / e;
            cells += 1;
        } else {
            rest = (rest.0 + o, rest.1 + e);
        }
    }
    if rest.1 > 0.0 {
        statistic += (rest.0 - rest.1).powi(2) / rest.1;
        cells += 1;
    }
    ChiSquared::new(f64::from(cells - 1)).unwrap().sf(statistic)
}

/// p(z) ∝ Π_i φ_{z_i w_i} · Π_k Γ(α_k + n_k) for all K³ values of z.
fn enumerate(words: [usize; 3], alpha: &[f64]) -> Vec<f64> {
    let k = alpha.len();
    let phi: Vec<Vec<f64>> = topics(k)
        .iter()
        .map(|topic| topic.theta().iter().map(|x| x / topic.theta().iter().sum::<f64>()).collect())
        .collect();
    let mut law: Vec<f64> = (0..k.pow(3))
        .map(|state| {
            let z = [state / k / k, state / k % k, state % k];
            let ln_prior: f64 = (0..k)
                .map(|topic| ln_gamma(alpha[topic] + z.iter().filter(|&&z| z == topic).count() as f64))
                .sum();
            (0..3).map(|i| phi[z[i]][words[i]]).product::<f64>() * ln_prior.exp()
        })
        .collect();
    let sum: f64 = law.iter().sum();
    law.iter_mut().for_each(|p| *p /= sum);
    law
}

#[test]
fn both_samplers_have_the_enumerated_law() {
    for (topic_count, sampler, n) in [
        (12, TokenSampler::Sparse, TopicCounts::listed(12)),
        (3, TokenSampler::Sparse, TopicCounts::all(3)),
        (3, TokenSampler::Dense, TopicCounts::all(3)),
    ] {
        let alpha: Vec<f64> = (0..topic_count).map(|k| 0.2 + 0.1 * k as f64).collect();
        let settings = settings(alpha.clone(), sampler);
        let lda = Lda::with_topics(settings.clone(), topics(topic_count)).unwrap();
        let text = Words::from_tokens(vec![0, 0, 1]);
        let table = WordTable::new(&lda, [text.view()].into_iter()).unwrap();
        let document = Document::new(text.view(), &table);
        let (mut chain, mut rng, draws) =
            (Chain::new(&document, &table, &settings), rng(topic_count as u64), 60_000);
        chain.n = n;
        chain.sweep(&mut rng, true);
        let mut observed = vec![0.0; topic_count.pow(3)];
        for _ in 0..draws {
            // Far enough apart to be nearly independent: three tokens forget fast.
            (0..6).for_each(|_| chain.sweep(&mut rng, false));
            observed[chain.z().iter().fold(0, |state, &z| state * topic_count + z as usize)] += 1.0;
        }
        let expected = |law: Vec<f64>| law.into_iter().map(|p| p * f64::from(draws)).collect::<Vec<_>>();
        let p = p_value(&observed, &expected(enumerate([0, 0, 1], &alpha)));
        assert!(p > 1e-3, "{topic_count} topics, {sampler:?}: p = {p}");
        let wrong: Vec<f64> = alpha.iter().map(|alpha| alpha * 1.3).collect();
        let p = p_value(&observed, &expected(enumerate([0, 0, 1], &wrong)));
        assert!(p < 1e-3, "a wrong alpha is not noticed: p = {p}");
    }
}

/// One token drawn again and again, the others fixed, against (α_k + n_k) φ_kw; few and many topics in the document.
#[test]
fn one_draw_has_its_law() {
    let topic_count = 40;
    let alpha: Vec<f64> = (0..topic_count).map(|k| 0.05 + 0.01 * k as f64).collect();
    for others in [0, 1, 5, 20, 100] {
        for (sampler, n) in [
            (TokenSampler::Sparse, TopicCounts::listed(topic_count)),
            (TokenSampler::Sparse, TopicCounts::all(topic_count)),
            (TokenSampler::Dense, TopicCounts::all(topic_count)),
        ] {
            let settings = settings(alpha.clone(), sampler);
            let lda = Lda::with_topics(settings.clone(), topics(topic_count)).unwrap();
            let text = Words::from_tokens(vec![1; others + 1]);
            let table = WordTable::new(&lda, [text.view()].into_iter()).unwrap();
            let document = Document::new(text.view(), &table);
            let mut chain = Chain::new(&document, &table, &settings);
            chain.n = n;
            let token = others / 2;
            for i in 0..=others {
                chain.z[i] = (i * 7 % 40) as u32;
                chain.n.add(chain.z[i]);
            }
            let phi = |k: usize| {
                let theta = topics(topic_count)[k].theta().to_vec();
                theta[1] / theta.iter().sum::<f64>()
            };
            let own = |k: usize| if chain.z[token] as usize == k { 1.0 } else { 0.0 };
            let weight = |k: usize| (alpha[k] + f64::from(chain.n.of(k)) - own(k)) * phi(k);
            let weights: Vec<f64> = (0..topic_count).map(weight).collect();
            let (mut rng, draws, sum) = (rng(others as u64), 100_000, weights.iter().sum::<f64>());
            let mut observed = vec![0.0; topic_count];
            for _ in 0..draws {
                let k = match sampler {
                    TokenSampler::Sparse => chain.draw(token, 0, false, &mut rng),
                    TokenSampler::Dense => chain.draw_dense(token, 0, false, &mut rng),
                };
                chain.z[token] = k;
                observed[k as usize] += 1.0;
            }
            let expected: Vec<f64> = weights.iter().map(|w| w / sum * f64::from(draws)).collect();
            let p = p_value(&observed, &expected);
            assert!(p > 1e-3, "{others} other tokens, {sampler:?}: p = {p}");
        }
    }
}
