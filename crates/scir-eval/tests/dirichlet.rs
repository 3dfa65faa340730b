//! Rosenblatt–KS on real draws: right ones pass, wrong ones do not, and tiny shapes neither break nor fool it.

use ndarray::Array2;
use scir_core::{Exact, Purpose, Simplex, Streams, Target};
use scir_eval::{DirichletKs, Error, dirichlet_ks, rosenblatt, rosenblatt_ln};

const DRAWS: usize = 20_000;

/// Exact draws of Dir(alpha) as ln ω.
fn draws(alpha: &[f64], seed: u64) -> Vec<Vec<f64>> {
    let mut rng = Streams::new(seed).rng(Purpose::new("eval tests"), 0, 0);
    let mut simplex = Simplex::uniform(alpha.len()).unwrap();
    let zeros = vec![0.0; alpha.len()];
    let mut draw = || {
        simplex.step(&Exact, Target::new(alpha, &zeros).unwrap(), 1.0, &mut rng).unwrap();
        let mut ln_omega = vec![0.0; alpha.len()];
        simplex.ln_omega(&mut ln_omega).unwrap();
        ln_omega
    };
    (0..DRAWS).map(|_| draw()).collect()
}

fn distances(alpha: &[f64], sample: &[Vec<f64>]) -> Vec<f64> {
    let mut ks = DirichletKs::new(alpha).unwrap();
    sample.iter().for_each(|ln_omega| ks.push_ln(ln_omega).unwrap());
    ks.distances().unwrap()
}

const SPARSE: [f64; 10] = [800.1, 100.1, 100.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1];

#[test]
fn exact_draws_are_close_in_every_coordinate() {
    // 2 exp(−2k²) = 1e-6 at k = 2.694.
    let limit = 2.694 / (DRAWS as f64).sqrt();
    let tiny = [1e-3, 2.0, 1e-4, 0.01, 1e-3];
    let huge = [1e6, 3e5, 2e-3, 40.0];
    for (index, alpha) in [&SPARSE[..], &tiny, &huge, &[0.5, 0.5]].into_iter().enumerate() {
        for (j, distance) in distances(alpha, &draws(alpha, index as u64)).into_iter().enumerate() {
            assert!(distance < limit, "{alpha:?}, coordinate {j}: {distance} (limit {limit})");
        }
    }
}

#[test]
fn wrong_draws_are_far() {
    let mut wrong = SPARSE;
    wrong[5] = 0.11;
    let sample = draws(&wrong, 7);
    let worst = distances(&SPARSE, &sample).into_iter().fold(0.0, f64::max);
    assert!(worst > 2.694 / (DRAWS as f64).sqrt(), "a shape of 0.11 instead of 0.1 goes unnoticed: {worst}");
}

#[test]
fn logarithms_and_numbers_agree() {
    let mut from_ln = [0.0; 9];
    let mut from_numbers = [0.0; 9];
    for ln_omega in draws(&SPARSE, 8).iter().take(500) {
        let omega: Vec<f64> = ln_omega.iter().map(|x| x.exp()).collect();
        rosenblatt_ln(&SPARSE, ln_omega, &mut from_ln).unwrap();
        rosenblatt(&SPARSE, &omega, &mut from_numbers).unwrap();
        for (x, y) in from_ln.iter().zip(&from_numbers) {
            approx::assert_relative_eq!(x, y, max_relative = 1e-8, epsilon = 1e-12);
        }
    }
}

/// d = 2 is a Beta distribution; Dir(1, 1, 1) has conditional laws that can be written down.
#[test]
fn the_transform_is_the_conditional_distribution_function() {
    let mut u = [0.0];
    rosenblatt(&[1.0, 1.0], &[0.3, 0.7], &mut u).unwrap();
    approx::assert_relative_eq!(u[0], 0.3, max_relative = 1e-12);
    let mut u = [0.0; 2];
    rosenblatt(&[1.0, 1.0, 1.0], &[2.0, 3.0, 5.0], &mut u).unwrap(); // unnormalised
    approx::assert_relative_eq!(u[0], 1.0 - 0.8f64.powi(2), max_relative = 1e-12);
    approx::assert_relative_eq!(u[1], 3.0 / 8.0, max_relative = 1e-12);
}

#[test]
fn streaming_equals_the_matrix() {
    let sample = draws(&SPARSE, 9);
    let matrix = Array2::from_shape_fn((1000, 10), |(i, j)| sample[i][j].exp());
    let mut ks = DirichletKs::new(&SPARSE).unwrap();
    matrix.rows().into_iter().for_each(|row| ks.push(row.as_slice().unwrap()).unwrap());
    assert_eq!(ks.draws(), 1000);
    assert_eq!(dirichlet_ks(&SPARSE, matrix.view()).unwrap(), ks.distance().unwrap());
}

#[test]
fn bad_draws_are_refused() {
    let mut ks = DirichletKs::new(&[1.0, 2.0]).unwrap();
    assert!(ks.distance().is_err());
    ks.push(&[0.5, 0.5]).unwrap();
    assert_eq!(ks.push(&[0.0, 0.0]), Err(Error::NoMass { draw: 1 }));
    assert_eq!(ks.push(&[0.5]), Err(Error::Length { name: "omega", len: 1, expected: 2 }));
    assert!(ks.push(&[0.5, f64::NAN]).is_err() && ks.push(&[0.5, -0.1]).is_err());
    assert_eq!(ks.draws(), 1, "a refused draw is not kept");
    assert!(DirichletKs::new(&[1.0]).is_err() && DirichletKs::new(&[1.0, 0.0]).is_err());
}
