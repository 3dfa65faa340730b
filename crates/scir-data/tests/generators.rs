//! Whether generated data has the law that it claims. Every check is sharp enough to refuse a generator that is a little
//! wrong, and shows it. The seeds are fixed: what passes once passes always.

use std::sync::Arc;

use scir_data::generate::{
    Categories, CategoriesSettings, DpSettings, LdaSettings, Length, Probabilities, Provenance,
};
use scir_data::{Batching, Corpus, Generator, Prefetch, StreamBatching};

/// Pearson's χ², standardised: categories of fewer than 10 expected counts are put together. About N(0, 1) if the
/// counts have the law.
fn misfit(counts: &[u64], probabilities: &[f64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let (mut chi2, mut cells, mut rest, mut rest_expected) = (0.0, 0.0, 0.0, 0.0);
    for (&count, &p) in counts.iter().zip(probabilities) {
        let (count, expected) = (count as f64, p * total);
        if expected < 10.0 {
            (rest, rest_expected) = (rest + count, rest_expected + expected);
        } else {
            chi2 += (count - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    if rest_expected > 1e-9 {
        chi2 += (rest - rest_expected).powi(2) / rest_expected.max(1.0);
        cells += 1.0;
    } else {
        assert_eq!(rest, 0.0, "a category that has no probability");
    }
    let freedom = f64::max(cells - 1.0, 1.0);
    (chi2 - freedom) / (2.0 * freedom).sqrt()
}

/// Beyond this many standard deviations a law is refused.
const LIMIT: f64 = 4.5;

fn word_counts(corpus: &Corpus) -> Vec<u64> {
    let mut counts = vec![0; corpus.words()];
    for doc in corpus.docs() {
        doc.iter().for_each(|(id, count)| counts[id as usize] += u64::from(count));
    }
    counts
}

/// The mean and the standard error of numbers.
fn mean(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    numbers.for_each(|x| (n, sum, squares) = (n + 1.0, sum + x, squares + x * x));
    let mean: f64 = sum / n;
    (mean, ((squares / n - mean * mean) / n).sqrt())
}

#[track_caller]
fn assert_mean(numbers: impl Iterator<Item = f64>, expected: f64, what: &str) {
    let (mean, error) = mean(numbers);
    assert!((mean - expected).abs() < LIMIT * error, "{what}: {mean} ± {error}, expected {expected}");
}

const LDA: LdaSettings = LdaSettings {
    topics: 4,
    words: 300,
    documents: 3000,
    alpha: 0.3,
    concentration: 40.0,
    exponent: 1.1,
    length: Length::Poisson(80.0),
    seed: 11,
};

/// The words of the corpus that each document's own mixture of topics expects, as a law over the words.
fn expected_words(lda: &scir_data::generate::Lda, corpus: &Corpus, topics: &[Vec<f64>]) -> Vec<f64> {
    let mut law = vec![0.0; corpus.words()];
    for (d, doc) in corpus.docs().enumerate() {
        for (theta, topic) in lda.proportions(d as u64).iter().zip(topics) {
            let weight = theta * doc.tokens() as f64 / corpus.tokens() as f64;
            law.iter_mut().zip(topic).for_each(|(law, phi)| *law += weight * phi);
        }
    }
    law
}

#[test]
fn lda_words_follow_the_mixture_of_topics() {
    let lda = LDA.generator().unwrap();
    let corpus = lda.corpus().unwrap();
    let counts = word_counts(&corpus);
    // Given the proportions, words are independent and the sum is multinomial or tighter; 240,000 tokens.
    let law = expected_words(&lda, &corpus, lda.topics());
    assert!(misfit(&counts, &law) < LIMIT, "{}", misfit(&counts, &law));
    // One document at a time: the log-likelihood of long documents has the mean and variance of the law.
    let long = LdaSettings { length: Length::Fixed(400), documents: 500, ..LDA }.generator().unwrap();
    let z_scores = |proportions_of: fn(u64) -> u64| {
        let long = &long;
        (0..500).map(move |d| {
            let theta = long.proportions(proportions_of(d));
            let p: Vec<f64> =
                (0..300).map(|w| theta.iter().zip(long.topics()).map(|(t, phi)| t * phi[w]).sum()).collect();
            let ln = |w: usize| p[w].max(1e-300).ln();
            let expected: f64 = (0..300).map(|w| p[w] * ln(w)).sum();
            let variance: f64 = (0..300).map(|w| p[w] * (ln(w) - expected).powi(2)).sum();
            let found: f64 = long.document(d).view().iter().map(|(w, n)| f64::from(n) * ln(w as usize)).sum();
            (found - 400.0 * expected) / (400.0 * variance).sqrt()
        })
    };
    assert_mean(z_scores(|d| d), 0.0, "standardised log-likelihood");
    assert_mean(z_scores(|d| d).map(|z| z * z), 1.0, "its variance");
    let (found, error) = mean(z_scores(|d| d + 1));
    assert!(found.abs() > LIMIT * error, "the proportions of another document are refused");

    // Other topics are refused.
    let other = LdaSettings { seed: 12, ..LDA }.generator().unwrap();
    assert!(misfit(&counts, &expected_words(&lda, &corpus, other.topics())) > 100.0);
}

#[test]
fn lda_topics_and_proportions_have_their_laws() {
    // E φ_kw = p_w and var φ_kw = p_w (1 − p_w)/(c + 1), for frequent words and one far down.
    let many = LdaSettings { topics: 4000, words: 50, ..LDA }.generator().unwrap();
    let zipf = many.settings().zipf();
    assert!((zipf[0] / zipf[9] - 10f64.powf(1.1)).abs() < 1e-9);
    for w in [0, 3, 49] {
        assert_mean(many.topics().iter().map(|topic| topic[w]), zipf[w], "mean of a word");
        let variance = |c: f64| zipf[w] * (1.0 - zipf[w]) / (c + 1.0);
        let squares = || many.topics().iter().map(|topic| (topic[w] - zipf[w]).powi(2));
        assert_mean(squares(), variance(40.0), "variance of a word");
        let (found, error) = mean(squares());
        // Far down the law the variance is heavy-tailed and tells little.
        assert!(w > 3 || (found - variance(30.0)).abs() > LIMIT * error, "another concentration is refused");
    }
    // E θ_k = 1/K and E θ_k² = (α + 1)/(K (K α + 1)).
    let lda = LDA.generator().unwrap();
    let theta: Vec<Vec<f64>> = (0..20_000).map(|d| lda.proportions(d)).collect();
    assert!(theta.iter().all(|theta| (theta.iter().sum::<f64>() - 1.0).abs() < 1e-12));
    let second = |alpha: f64| (alpha + 1.0) / (4.0 * (4.0 * alpha + 1.0));
    for k in 0..4 {
        assert_mean(theta.iter().map(|theta| theta[k]), 0.25, "mean of a proportion");
        let squares = || theta.iter().map(|theta| theta[k] * theta[k]);
        assert_mean(squares(), second(0.3), "second moment of a proportion");
        let (found, error) = mean(squares());
        assert!((found - second(0.4)).abs() > LIMIT * error, "another alpha is refused");
    }
    // Sparse: ten words of 300 carry most of a topic.
    for topic in lda.topics() {
        let mut sorted = topic.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        assert!(sorted[..10].iter().sum::<f64>() > 0.5);
    }
}

#[test]
fn lengths_have_their_laws() {
    let lengths = |length| {
        let lda = LdaSettings { length, documents: 20_000, ..LDA }.generator().unwrap();
        lda.stream().map(|doc| doc.unwrap().view().tokens() as f64).collect::<Vec<_>>()
    };
    let poisson = lengths(Length::Poisson(6.0));
    assert_mean(poisson.iter().copied(), 6.0, "Poisson mean");
    assert_mean(poisson.iter().map(|n| (n - 6.0).powi(2)), 6.0, "Poisson variance");
    assert!(lengths(Length::Fixed(7)).iter().all(|&n| n == 7.0));
    // Half are below the median, and 15.87 % above m e^σ = 191.6.
    let lognormal = lengths(Length::LogNormal { median: 35.0, sigma: 1.7 });
    assert_mean(lognormal.iter().map(|&n| f64::from(u8::from(n < 35.5))), 0.503_3, "share below the median");
    assert_mean(lognormal.iter().map(|&n| f64::from(u8::from(n > 191.5))), 0.158_7, "share above one sigma");
}

const DP: DpSettings = DpSettings {
    records: 60_000,
    categories: 30,
    alpha: 2.0,
    base: 0.4,
    length: Length::Poisson(3.0),
    seed: 5,
};

#[test]
fn clusters_have_their_weights_and_records_their_atoms() {
    let dp = DP.generator().unwrap();
    let weights: Vec<f64> = (0..dp.clusters()).map(|j| dp.weight(j)).collect();
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let mut sizes = vec![0; dp.clusters()];
    let mut pages = vec![vec![0; 30]; dp.clusters()];
    for (i, record) in dp.stream().enumerate() {
        let j = dp.cluster(i as u64);
        sizes[j] += 1;
        record.unwrap().view().iter().for_each(|(id, n)| pages[j][id as usize] += u64::from(n));
    }
    assert!(misfit(&sizes, &weights) < LIMIT);
    let large: Vec<usize> = (0..dp.clusters()).filter(|&j| sizes[j] > 2000).collect();
    assert!(large.len() >= 3, "{large:?}");
    for &j in &large {
        assert!((dp.atom(j).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(misfit(&pages[j], dp.atom(j)) < LIMIT);
        assert!(misfit(&pages[j], dp.atom(j + 1)) > 100.0, "the atom of another cluster is refused");
    }
    let mut wrong = weights.clone();
    wrong.swap(large[0], large[1]);
    assert!(misfit(&sizes, &wrong) > LIMIT, "the weights of other clusters are refused");
}

#[test]
fn clusters_are_a_dirichlet_process() {
    // Over many seeds: two records share a cluster with probability 1/(1 + α), and 100 records fall into
    // Σ α/(α + i) clusters in the mean, as in a Chinese restaurant.
    let seeds = |alpha: f64| {
        let draw = move |seed| {
            let dp = DpSettings { alpha, seed, ..DP }.generator().unwrap();
            let z: Vec<usize> = (0..100).map(|i| dp.cluster(i)).collect();
            let mut distinct = z.clone();
            distinct.sort_unstable();
            distinct.dedup();
            (f64::from(u8::from(z[0] == z[1])), distinct.len() as f64)
        };
        (0..4000).map(draw).collect::<Vec<_>>()
    };
    let tables = |alpha: f64| (0..100).map(|i| alpha / (alpha + f64::from(i))).sum::<f64>();
    for alpha in [0.5, 2.0, 10.0] {
        let draws = seeds(alpha);
        assert_mean(draws.iter().map(|d| d.0), 1.0 / (1.0 + alpha), "sharing a cluster");
        assert_mean(draws.iter().map(|d| d.1), tables(alpha), "number of clusters");
        let (found, error) = mean(draws.iter().map(|d| d.1));
        assert!((found - tables(1.1 * alpha)).abs() > LIMIT * error, "another alpha is refused");
    }
    // Atoms: E θ_w² = (a + 1)/(W (W a + 1)), over seeds and categories far apart.
    let atoms = (0..2000).map(|seed| DpSettings { seed, ..DP }.generator().unwrap().atom(0)[7].powi(2));
    assert_mean(atoms, 1.4 / (30.0 * 13.0), "second moment of an atom");
}

#[test]
fn categories_have_their_probabilities() {
    let given = |weights: &[f64]| {
        let probabilities = Probabilities::Given(weights.to_vec());
        CategoriesSettings { items: 100_000, probabilities, seed: 2 }.generator().unwrap()
    };
    // Those of the sparse synthetic posterior: a category of no weight never comes.
    let sparse = given(&[800.0, 100.0, 100.0, 0.0, 0.0]);
    let counts = sparse.counts();
    assert_eq!(counts.iter().sum::<u64>(), 100_000);
    assert!(misfit(&counts, sparse.omega()) < LIMIT);
    assert!(misfit(&counts, given(&[0.81, 0.095, 0.095, 0.0, 0.0]).omega()) > LIMIT);
    assert_eq!(word_counts(&sparse.corpus().unwrap()), counts);

    let drawn = |seed| -> Categories {
        let probabilities = Probabilities::Dirichlet { categories: 10, alpha: 0.1 };
        CategoriesSettings { items: 1000, probabilities, seed }.generator().unwrap()
    };
    assert!(misfit(&drawn(1).counts(), drawn(1).omega()) < LIMIT);
    // E ω_j² = (α + 1)/(d (d α + 1)) = 1.1/20.
    assert_mean((0..4000).map(|seed| drawn(seed).omega()[4].powi(2)), 0.055, "second moment");
}

#[test]
fn documents_do_not_depend_on_how_they_are_asked_for() {
    let lda = LdaSettings { documents: 50, ..LDA }.generator().unwrap();
    let dp = DpSettings { records: 50, ..DP }.generator().unwrap();
    let corpus = lda.corpus().unwrap();
    assert_eq!(lda.stream().nth(31).unwrap().unwrap().view(), corpus.doc(31));
    assert_eq!(LdaSettings { documents: 51, ..LDA }.generator().unwrap().document(49).view(), corpus.doc(49));
    // Backwards, on other threads, in batches.
    std::thread::scope(|scope| {
        for half in 0..2 {
            let (lda, corpus) = (&lda, &corpus);
            scope.spawn(move || {
                (half * 25..half * 25 + 25).rev().for_each(|i| {
                    assert_eq!(lda.document(i).view(), corpus.doc(i as usize));
                });
            });
        }
    });
    let again = dp.clone();
    let batches = StreamBatching { size: 8, ..StreamBatching::default() };
    let batches = Prefetch::new(2, batches.over(dp.words(), move || Ok(again.stream())).unwrap()).unwrap();
    let memory = Batching { size: 8, ..Batching::default() }.over(&dp.corpus().unwrap()).unwrap();
    assert_eq!(batches.zip(memory.starting_at(0)).filter(|(a, b)| a.as_ref().unwrap() == b).count(), 7);
}

/// The last of ten million records is there at once, and none is kept on the way.
#[test]
fn ten_million_records_cost_nothing_until_they_are_read() {
    let dp = DpSettings { records: 10_000_000, ..DP }.generator().unwrap();
    let mut stream = dp.stream();
    assert_eq!(stream.size_hint(), (10_000_000, Some(10_000_000)));
    assert_eq!(stream.nth(9_999_999).unwrap().unwrap(), dp.document(9_999_999));
    assert!(stream.next().is_none());
}

#[test]
fn generated_data_says_so() {
    let generators: [(Arc<dyn Said>, &str); 3] = [
        (
            Arc::new(LDA.generator().unwrap()),
            "generated: LDA with 4 topics over 300 words, 3000 documents, Poisson(80) tokens each, alpha 0.3, \
             concentration 40, Zipf exponent 1.1, seed 11",
        ),
        (
            Arc::new(DP.generator().unwrap()),
            "generated: Dirichlet-process mixture with alpha 2 and base Dir(0.4) over 30 categories, 60000 records, \
             Poisson(3) tokens each, seed 5",
        ),
        (
            Arc::new(
                CategoriesSettings { items: 9, probabilities: Probabilities::Given(vec![1.0; 3]), seed: 1 }
                    .generator()
                    .unwrap(),
            ),
            "generated: 9 items of 3 categories of given probabilities, seed 1",
        ),
    ];
    for (generator, text) in generators {
        let provenance = generator.said();
        assert_eq!(provenance.to_string(), text);
        assert!(provenance.is_generated() && provenance.label() == "generated");
        let json = serde_json::to_string(&provenance).unwrap();
        assert!(json.starts_with("{\"generated\":"), "{json}");
    }
}

/// A generator as far as its label goes.
trait Said {
    fn said(&self) -> Provenance;
}

impl<G: Generator> Said for G {
    fn said(&self) -> Provenance {
        self.provenance()
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let lda = |change: fn(&mut LdaSettings)| {
        let mut settings = LDA;
        change(&mut settings);
        settings.generator().unwrap_err().to_string()
    };
    assert_eq!(lda(|s| s.topics = 0), "topics = 0: expected 1 to 4294967295");
    assert_eq!(lda(|s| s.words = 0), "words = 0: expected 1 to 4294967295");
    assert_eq!(lda(|s| s.alpha = f64::NAN), "alpha = NaN: expected finite and greater than 0");
    assert_eq!(lda(|s| s.concentration = 0.0), "concentration = 0: expected finite and greater than 0");
    assert_eq!(lda(|s| s.exponent = -1.0), "exponent = -1: expected finite and greater than 0");
    assert_eq!(lda(|s| s.length = Length::Fixed(u32::MAX)), "length = 4294967295: expected at most 10000000");
    assert_eq!(
        lda(|s| s.length = Length::Poisson(0.0)),
        "mean length = 0: expected finite and greater than 0"
    );
    assert_eq!(
        lda(|s| s.length = Length::LogNormal { median: 0.5, sigma: 1.0 }),
        "median length = 0.5: expected 1 to 10000000"
    );
    let dp = DpSettings { alpha: 1e5, ..DP }.generator().unwrap_err();
    assert_eq!(dp.to_string(), "alpha = 100000: expected at most 10000");
    let dp = DpSettings { base: f64::INFINITY, ..DP }.generator().unwrap_err();
    assert_eq!(dp.to_string(), "base = inf: expected finite and greater than 0");
    for weights in [vec![0.0, 0.0], vec![0.5, -0.5], vec![f64::NAN], vec![f64::INFINITY]] {
        let settings = CategoriesSettings { items: 1, probabilities: Probabilities::Given(weights), seed: 0 };
        let refused = settings.generator().unwrap_err().to_string();
        assert!(
            refused.ends_with("expected weights of at least 0 with a positive and finite sum"),
            "{refused}"
        );
    }
    // All words alike, tiny parameters and a single category are fine.
    assert!(LdaSettings { exponent: 0.0, ..LDA }.generator().is_ok());
    let far = LdaSettings { exponent: 200.0, alpha: 1e-4, concentration: 1e-3, ..LDA }.generator().unwrap();
    assert_eq!(far.document(3).view().ids().last(), Some(&0));
    assert!(DpSettings { categories: 1, ..DP }.generator().is_ok());
}
