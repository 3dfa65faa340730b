//! Chain diagnostics on processes whose autocorrelation is known.

use rand_distr::{Distribution, StandardNormal};
use scir_core::{Purpose, StreamRng, Streams};
use scir_eval::{Error, effective_sample_size, split_r_hat};

fn rng(index: u64) -> StreamRng {
    Streams::new(17).rng(Purpose::new("chain tests"), 0, index)
}

/// x_t = φ x_{t−1} + noise, started in its stationary law: ESS = n (1 − φ)/(1 + φ).
fn autoregression(phi: f64, n: usize, rng: &mut StreamRng) -> Vec<f64> {
    let mut x: f64 = StandardNormal.sample(rng);
    (0..n)
        .map(|_| {
            let noise: f64 = StandardNormal.sample(rng);
            x = phi * x + (1.0 - phi * phi).sqrt() * noise;
            x
        })
        .collect()
}

#[test]
fn effective_size_of_autoregressions() {
    for (index, phi) in [0.0, 0.5, 0.9, 0.99].into_iter().enumerate() {
        let n = 200_000;
        let ess = effective_sample_size(&autoregression(phi, n, &mut rng(index as u64))).unwrap();
        let truth = n as f64 * (1.0 - phi) / (1.0 + phi);
        assert!((ess / truth - 1.0).abs() < 0.12, "phi = {phi}: {ess} against {truth}");
    }
    let alternating = effective_sample_size(&autoregression(-0.5, 100_000, &mut rng(9))).unwrap();
    assert!(alternating > 200_000.0, "a chain that alternates is worth more than its length: {alternating}");
}

#[test]
fn r_hat_tells_mixed_chains_from_others() {
    let chains: Vec<Vec<f64>> = (0..4).map(|i| autoregression(0.5, 5000, &mut rng(20 + i))).collect();
    let views: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
    let mixed = split_r_hat(&views).unwrap();
    assert!((mixed - 1.0).abs() < 0.01, "{mixed}");
    let shifted: Vec<f64> = chains[3].iter().map(|x| x + 1.0).collect();
    assert!(split_r_hat(&[views[0], views[1], &shifted]).unwrap() > 1.05);
    // One chain with a drift disagrees with itself: that is what the split is for.
    let drifting: Vec<f64> = chains[0].iter().enumerate().map(|(t, x)| x + t as f64 / 2500.0).collect();
    assert!(split_r_hat(&[&drifting]).unwrap() > 1.05);
}

/// By hand: halves (1, 2) and (4, 5), W = ½, B/n = 4.5.
#[test]
fn r_hat_equals_brute_force() {
    let r_hat = split_r_hat(&[&[1.0, 2.0, 4.0, 5.0]]).unwrap();
    approx::assert_relative_eq!(r_hat, ((0.5 * 0.5 + 4.5) / 0.5f64).sqrt(), max_relative = 1e-12);
}

#[test]
fn bad_chains_are_refused() {
    assert_eq!(effective_sample_size(&[1.0, 2.0]), Err(Error::TooFew { name: "chain", len: 2, least: 4 }));
    assert_eq!(effective_sample_size(&[0.1; 100]), Err(Error::Constant { chain: 0 }));
    assert!(effective_sample_size(&[1.0, f64::NAN, 2.0, 3.0]).is_err());
    assert!(split_r_hat(&[]).is_err());
    assert!(split_r_hat(&[&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 3.0, 4.0, 5.0]]).is_err());
}
