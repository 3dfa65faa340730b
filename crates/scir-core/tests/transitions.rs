//! The transitions on whole simplexes: exact targets, what they report, what they refuse, and thread independence.
mod common;

use common::{assert_ks, assert_moments, rng};
use scir_core::{
    Cir, Coordinates, Error, Exact, Method, Place, Purpose, Scir, Sgld, Sgrld, Simplex, Streams, Target,
    Transition, step_block,
};

/// Exact draws are Dirichlet: ln ω through its Beta marginal, for shapes that underflow.
#[test]
fn exact_draws_have_gamma_coordinates_at_tiny_shapes() {
    let mut rng = rng(200);
    let counts = [0.0, 3.0];
    let mut simplex = Simplex::uniform(2).unwrap();
    let mut draws = Vec::new();
    let mut zeros = 0;
    for _ in 0..200_000 {
        zeros += simplex.step(&Exact, Target::new(1e-3, &counts).unwrap(), 1.0, &mut rng).unwrap().zeros;
        draws.push(simplex.ln_theta(0));
    }
    let law = Cir::standard(1e-3).unwrap().stationary();
    assert_ks("ln theta at shape 0.001", draws, |ln_x| law.cdf_at_ln(ln_x));
    // P(Gamma(0.001) < 2^-1075) = 0.475: zeros are reported, not hidden.
    assert!((zeros as f64 / 200_000.0 - 0.475).abs() < 0.01, "zeros: {zeros}");
}

/// SCIR with the true counts leaves the Dirichlet invariant at any step; the marginals say so.
#[test]
fn scir_with_true_counts_is_exact() {
    let counts = [80.0, 10.0, 0.0, 0.0];
    let target = Target::new(0.1, &counts).unwrap();
    for (index, h) in [0.01, 0.3, 2.0].into_iter().enumerate() {
        let mut rng = rng(210 + index as u64);
        let mut last = vec![Vec::new(); 4];
        for _ in 0..20_000 {
            let mut simplex = Simplex::uniform(4).unwrap();
            simplex.step(&Exact, target, 1.0, &mut rng).unwrap();
            for _ in 0..5 {
                simplex.step(&Scir, target, h, &mut rng).unwrap();
            }
            (0..4).for_each(|j| last[j].push(simplex.ln_theta(j)));
        }
        for (j, draws) in last.into_iter().enumerate() {
            let law = Cir::standard(target.shape(j)).unwrap().stationary();
            assert_ks(&format!("h = {h}, coordinate {j}"), draws, |ln_x| law.cdf_at_ln(ln_x));
        }
    }
}

/// One SGRLD step has the mean and variance of its formula, away from the boundary.
#[test]
fn sgrld_follows_its_formula() {
    let (theta, counts, alpha, h): ([f64; 2], _, _, f64) = ([30.0, 50.0], [10.0, 40.0], 0.5, 0.01);
    let mut rng = rng(220);
    let mut draws = vec![Vec::new(); 2];
    for _ in 0..200_000 {
        let mut state = theta;
        let mut coordinates = Coordinates::plain(&mut state).unwrap();
        Sgrld.step(&mut coordinates, Target::new(alpha, &counts).unwrap(), h, &mut rng).unwrap();
        (0..2).for_each(|j| draws[j].push(state[j]));
    }
    for j in 0..2 {
        let drift = alpha - theta[j] + counts[j] - theta[j] / 80.0 * 50.0;
        assert_moments("sgrld", &draws[j], theta[j] + h * drift, 2.0 * h * theta[j]);
    }
}

/// One SGLD step is normal in ln θ, with the mean and variance of its formula.
#[test]
fn sgld_follows_its_formula() {
    let mut rng = rng(221);
    let draws: Vec<f64> = (0..200_000)
        .map(|_| {
            let mut simplex = Simplex::new(vec![3.0]).unwrap();
            simplex.step(&Sgld, Target::new(0.5, &[4.0]).unwrap(), 0.05, &mut rng).unwrap();
            simplex.ln_theta(0)
        })
        .collect();
    assert_moments("sgld", &draws, 3f64.ln() + 0.05 * (4.5 - 3.0), 0.1);
}

#[test]
fn reports_tell_what_happened() {
    let mut rng = rng(230);
    let counts = [0.0; 1000];
    let target = Target::new(0.01, &counts).unwrap();
    let mut near_zero = Simplex::new(vec![1e-3; 1000]).unwrap();
    let report = near_zero.step(&Sgrld, target, 0.1, &mut rng).unwrap();
    assert!(report.reflections > 300 && report.non_finite == 0, "{report:?}");
    // An unstable SGLD step overshoots to infinity, and says where.
    let mut high = Simplex::new(vec![1.0, 1.0]).unwrap();
    let report = high.step(&Sgld, Target::new(1.0, &[0.0, 1e6]).unwrap(), 1.0, &mut rng).unwrap();
    assert_eq!((report.non_finite, report.first_non_finite), (1, Some(1)));
    // θ = 0 is a legal state of SCIR, and leaves it.
    let mut zero = Simplex::new(vec![0.0; 3]).unwrap();
    let report = zero.step(&Scir, Target::new(2.0, &[0.0; 3]).unwrap(), 0.1, &mut rng).unwrap();
    assert_eq!(report, Default::default());
    assert!(zero.theta().iter().all(|&x| x > 0.0));
}

#[test]
fn refused_steps_move_nothing() {
    let counts = [1.0, 2.0];
    let target = Target::new(0.1, &counts).unwrap();
    for method in Method::ALL {
        for h in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
            let mut simplex = Simplex::uniform(2).unwrap();
            let error = simplex.step(&method, target, h, &mut rng(0)).unwrap_err();
            assert!(matches!(error, Error::OutOfRange { name: "h", .. }), "{error}");
            assert_eq!(simplex.theta(), [1.0, 1.0]);
        }
        let mut longer = Simplex::uniform(3).unwrap();
        let error = longer.step(&method, target, 0.1, &mut rng(0)).unwrap_err();
        assert_eq!(error.to_string(), "counts has 2 elements, but theta has 3: they must match");
    }
    for method in [Method::Sgrld, Method::Sgld] {
        let mut simplex = Simplex::uniform(2).unwrap();
        assert!(simplex.step(&method, target, f64::INFINITY, &mut rng(0)).is_err());
    }
}

/// Tiny shapes and every method: no NaN, and ln ω finite wherever a transition draws it.
#[test]
fn tiny_shapes_never_break_the_state() {
    let counts = [0.0, 0.0, 5.0, 0.0];
    let target = Target::new(1e-4, &counts).unwrap();
    for method in [Method::Scir, Method::Exact] {
        let mut simplex = Simplex::uniform(4).unwrap();
        let mut rng = rng(240);
        let (mut omega, mut ln_omega) = ([0.0; 4], [0.0; 4]);
        for _ in 0..20_000 {
            simplex.step(&method, target, 0.2, &mut rng).unwrap();
            simplex.omega(&mut omega).unwrap();
            simplex.ln_omega(&mut ln_omega).unwrap();
            assert!((omega.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(ln_omega.iter().all(|x| x.is_finite() && *x <= 0.0), "{method}: {ln_omega:?}");
        }
    }
}

/// The same bits at 1, 2 and 3 threads, and without threads.
#[test]
fn blocks_do_not_depend_on_threads() {
    let counts: Vec<Vec<f64>> = (0..37).map(|k| (0..50).map(|j| f64::from((k * j) % 7)).collect()).collect();
    let run = |method: Method| {
        let mut block = vec![Simplex::uniform(50).unwrap(); 37];
        for iteration in 0..20 {
            let place = Place { streams: Streams::new(9), purpose: Purpose::new("block test"), iteration };
            step_block(&mut block, &method, |k| Target::new(0.05, &counts[k]), 0.01, place).unwrap();
        }
        block
    };
    for method in Method::ALL {
        let reference = run(method);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| run(method)), reference, "{method} at {threads} threads");
        }
        let mut row = Simplex::uniform(50).unwrap();
        for iteration in 0..20 {
            let mut rng = Streams::new(9).rng(Purpose::new("block test"), iteration, 36);
            row.step(&method, Target::new(0.05, &counts[36]).unwrap(), 0.01, &mut rng).unwrap();
        }
        assert_eq!(row, reference[36], "a row alone moves as it does in the block");
    }
}

#[test]
fn the_first_error_of_a_block_is_reported() {
    let mut block = vec![Simplex::uniform(2).unwrap(); 5];
    let (good, bad) = ([1.0, 1.0], [1.0, -2.0]);
    let place = Place { streams: Streams::new(9), purpose: Purpose::new("block test"), iteration: 0 };
    let target = |k| Target::new(0.1, if k >= 3 { &bad } else { &good });
    let error = step_block(&mut block, &Scir, target, 0.1, place).unwrap_err();
    assert_eq!(
        error,
        Error::ElementOutOfRange { name: "counts", index: 1, value: -2.0, expected: "finite and at least 0" }
    );
}
