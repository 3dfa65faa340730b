//! Streams are independent of each other, and draws are pinned to the bit.
mod common;

use common::assert_ks;
use rand::{Rng, RngExt};
use scir_core::{Cir, ExpOu, Method, Purpose, Simplex, Streams, Target};

const PURPOSE: Purpose = Purpose::new("stream test");

/// The first number of neighbouring streams, along each of the four words: uniform, and uncorrelated with the next.
#[test]
fn neighbouring_streams_look_independent() {
    const N: u64 = 200_000;
    let first = |word: usize, i: u64| -> f64 {
        let mut words = [5, 6, 7];
        let purpose = if word == 3 { Purpose::new(&i.to_string()) } else { PURPOSE };
        if word < 3 {
            words[word] = i;
        }
        Streams::new(words[0]).rng(purpose, words[1], words[2]).random()
    };
    for word in 0..4 {
        let draws: Vec<f64> = (0..N).map(|i| first(word, i)).collect();
        let n = N as f64;
        for lag in [1, 2, 64, 1024] {
            let products = draws.iter().zip(&draws[lag..]).map(|(x, y)| 12.0 * (x - 0.5) * (y - 0.5));
            let correlation = products.sum::<f64>() / n;
            assert!(correlation.abs() < 4.9 / n.sqrt(), "word {word}, lag {lag}: correlation {correlation}");
        }
        assert_ks(&format!("word {word}"), draws, |x| x);
    }
}

/// Bits of neighbouring streams differ in half of their places: one flipped input bit flips every output bit.
#[test]
fn one_bit_changes_everything() {
    let reference: [u64; 4] = std::array::from_fn({
        let mut rng = Streams::new(0).rng(PURPOSE, 0, 0);
        move |_| rng.next_u64()
    });
    let mut flipped = 0;
    for bit in 0..64 {
        for (seed, iteration, index) in [(1 << bit, 0, 0), (0, 1 << bit, 0), (0, 0, 1 << bit)] {
            let mut rng = Streams::new(seed).rng(PURPOSE, iteration, index);
            flipped += reference.iter().map(|word| (word ^ rng.next_u64()).count_ones()).sum::<u32>();
        }
    }
    let (bits, share) = (64.0 * 3.0 * 256.0, f64::from(flipped) / (64.0 * 3.0 * 256.0));
    assert!((share - 0.5).abs() < 4.9 * 0.5 / f64::sqrt(bits), "share of flipped bits: {share}");
}

#[test]
fn children_are_streams_of_their_own() {
    let parent = Streams::new(4);
    let seeds: std::collections::HashSet<u64> =
        (0..10_000).map(|i| parent.child(PURPOSE, i).seed()).collect();
    assert_eq!(seeds.len(), 10_000);
    assert!(!seeds.contains(&4));
}

/// Value stability of the draws: a change here is a change that users see, and belongs into the changelog.
#[test]
fn draws_are_pinned() {
    let mut rng = Streams::new(1).rng(PURPOSE, 2, 3);
    let mut got = Vec::new();
    for (a, h, theta) in
        [(0.1, 0.3, 0.2), (0.5, 0.3, 0.2), (0.8, 0.1, 4.0), (300.1, 0.3, 280.0), (1e-3, 1e-6, 0.3)]
    {
        got.push(Cir::standard(a).unwrap().transition(theta, h).unwrap().sample_ln(&mut rng));
    }
    got.push(ExpOu::new(0.5, 0.25).unwrap().transition(2.0, 0.7).unwrap().sample(&mut rng));
    for method in [Method::Scir, Method::Sgrld, Method::Sgld, Method::Exact] {
        let mut simplex = Simplex::new(vec![0.3, 2.0, 40.0]).unwrap();
        simplex.step(&method, Target::new(0.1, &[0.0, 3.0, 50.0]).unwrap(), 0.01, &mut rng).unwrap();
        got.extend_from_slice(simplex.theta());
    }
    // Rows long enough to be moved in batches: sparse, with each way of drawing the coordinates without counts, and dense.
    for (beta, every) in [(0.1, 30), (0.13, 30), (0.5, 30), (1.2, 30), (2.0, 30), (0.1, 1)] {
        let counts: Vec<f64> = (0..300).map(|j| if j % every == 0 { 200.0 } else { 0.0 }).collect();
        let mut row = Simplex::new(counts.iter().map(|count| 0.2 + count).collect()).unwrap();
        row.step(&Method::Scir, Target::new(beta, &counts).unwrap(), 0.3, &mut rng).unwrap();
        got.extend([0, 1, 299].map(|j| row.ln_theta(j)));
    }
    for method in [Method::ScirVm, Method::ScirVmScheduled] {
        let mut simplex = Simplex::new(vec![0.3, 2.0, 40.0]).unwrap();
        for counts in [[0.0, 3.0, 50.0], [0.0, 1.0, 60.0]] {
            simplex.step(&method, Target::new(0.1, &counts).unwrap(), 0.4, &mut rng).unwrap();
        }
        got.extend_from_slice(simplex.theta());
    }
    for (i, (value, pinned)) in got.iter().zip(PINNED).enumerate() {
        // The mathematics library of another platform may differ in the last bits.
        assert!(
            (value - pinned).abs() <= 1e-13 * pinned.abs(),
            "draw {i} changed: {value:?}, pinned {pinned:?}\nall: {got:?}"
        );
    }
    assert_eq!(got.len(), PINNED.len(), "{got:?}");
}
const PINNED: [f64; 42] = [
    -0.2463854068075284,
    -2.3497321625031526,
    0.8271382196166317,
    5.60326551918354,
    -1.2004111128610209,
    1.923801723164773,
    0.36754377731961835,
    2.2074355182745102,
    39.04496699272449,
    0.11624479899071696,
    2.3057683885266442,
    39.59091266040043,
    0.26770623371317936,
    2.3225381134955385,
    48.53285863377178,
    0.0015853161815415676,
    4.592124465274299,
    46.05349469168841,
    5.308552007670462,
    -3.0464857097166194,
    -3.423121716025416,
    5.335572187940018,
    -11.13125489835416,
    -7.842706912002835,
    5.365390497953131,
    -0.7767684260349884,
    -0.2601164517009477,
    5.272217499662875,
    -1.728531679237309,
    -2.007678527865689,
    5.187287923722417,
    0.09970660511507758,
    -1.0952788704840704,
    5.336998956146647,
    5.346593777279659,
    5.27744755486606,
    1.171839381690727e-10,
    2.1568886009073496,
    62.196652961798755,
    0.0006103959774862482,
    1.4561945187789436,
    43.13310726666202,
];
