//! Geweke's (2004) joint-distribution test: if parameters are drawn given data, and data given parameters, in turn, then
//! the parameters follow their prior. Any mistake in the latent step, the scaling or the moves shows in their moments.

use scir_core::{Exact, Simplex, StepSize, Transition};
use scir_eval::effective_sample_size;
use scir_models::lda::{Gibbs, TokenSampler};
use scir_models::{Lda, LdaSettings, Sampler};

const BETA: f64 = 0.5;

/// How many standard errors the moments of φ are from those of Dir(β), over `rounds` rounds; the largest.
fn worst<T: Transition + Sync>(
    transition: T,
    h: f64,
    rounds: usize,
    beta_used: f64,
    sampler: TokenSampler,
) -> f64 {
    // Only the last of the sweeps counts, and the others make it a draw of z given φ and the words.
    let gibbs = Gibbs { sweeps: 12, burn_in: 11, sampler };
    let settings = LdaSettings { topics: 3, alpha: 0.7.into(), beta: beta_used.into(), gibbs };
    let mut lda = Lda::new(settings, 4, 1).unwrap();
    let mut run = Sampler::new(transition, StepSize::constant(h).unwrap(), 4, 1).unwrap();
    let mut series = vec![Vec::new(); 4];
    for round in 0..rounds {
        let documents = lda.generate([6, 3, 0, 9], round as u64).unwrap();
        run.step(&mut lda, &documents).unwrap();
        let phi: Vec<Vec<f64>> = lda.topics().iter().map(omega).collect();
        series[0].push(phi[0][0]);
        series[1].push(phi[0][0] * phi[0][0]);
        series[2].push(phi.iter().map(|row| row.iter().map(|x| x * x).sum::<f64>()).sum::<f64>());
        series[3].push(phi[0].iter().zip(&phi[1]).map(|(x, y)| x * y).sum::<f64>());
    }
    let square = (BETA + 1.0) / (4.0 * (4.0 * BETA + 1.0));
    let truth = [0.25, square, 12.0 * square, 0.25];
    let mut worst: f64 = 0.0;
    for (values, truth) in series.iter().zip(truth) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let error = (variance / effective_sample_size(&values[..]).unwrap()).sqrt();
        worst = worst.max(((mean - truth) / error).abs());
    }
    worst
}

fn omega(topic: &Simplex) -> Vec<f64> {
    let mut omega = vec![0.0; topic.len()];
    topic.omega(&mut omega).unwrap();
    omega
}

#[test]
fn topics_follow_their_prior() {
    for sampler in [TokenSampler::Sparse, TokenSampler::Dense] {
        let worst = worst(Exact, 1.0, 8_000, BETA, sampler);
        assert!(worst < 3.5, "{sampler:?}: {worst} standard errors");
    }
}

#[test]
fn a_wrong_prior_is_noticed() {
    let worst = worst(Exact, 1.0, 8_000, 0.65, TokenSampler::Sparse);
    assert!(worst > 6.0, "{worst} standard errors");
}
