//! Bad parameters of every kind: typed errors, never a panic, and nothing accepted that should not be.
mod common;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use scir_core::theory::{ScirChain, minibatch_ln_mgf, minibatch_variance};
use scir_core::{
    BetaProcess, Cir, Coordinates, ExpOu, GenGamma, Method, Simplex, StepSize, Target, Transition,
    estimate_counts, scale_counts,
};

/// Numbers with a taste for the edges.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-0.0),
        Just(f64::MIN_POSITIVE),
        Just(5e-324),
        Just(f64::MAX),
        Just(-1.0),
        -1e3..1e3,
        (-320.0..308.0f64).prop_map(|e| 10f64.powf(e)),
        any::<f64>(),
    ]
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![4 => 0.0..1e4f64, 1 => number()], 0..6)
}

fn positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

/// Many cases, the same ones in every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn processes(a in number(), b in number(), sigma in number(), theta in number(), h in number(), x in number()) {
        prop_assert_eq!(Cir::standard(a).is_ok(), positive(a));
        if Cir::new(a, b, sigma).is_ok() {
            prop_assert!(positive(a) && positive(b) && positive(sigma));
        }
        prop_assert!(Cir::targeting(a, b).is_err() || (positive(a) && positive(b)));
        if let Ok(cir) = Cir::standard(a) {
            let law = cir.transition(theta, h);
            let legal = theta >= 0.0 && theta.is_finite() && h > 0.0;
            // Only the promised range is fast and exact; there nothing is refused and nothing may be NaN.
            let promised = legal && (1e-4..=1e9).contains(&a) && h >= 1e-8 && theta <= 1e12;
            let expected = if law.is_ok() { legal } else { !promised };
            prop_assert!(expected);
            if let (Ok(law), true) = (law, promised) {
                prop_assert!(law.mean() >= 0.0 && law.variance() >= 0.0);
                prop_assert_eq!(law.ln_pdf(x).is_nan(), x.is_nan());
                prop_assert!(x.is_nan() || (0.0..=1.0).contains(&law.cdf(x)));
                prop_assert!(x.is_nan() || (law.cdf(x) + law.sf(x) - 1.0).abs() < 1e-9);
                let draw = law.sample(&mut common::rng(1));
                prop_assert!(draw >= 0.0 && draw.is_finite());
                prop_assert!(law.sample_ln(&mut common::rng(1)).is_finite());
            }
        }
        prop_assert_eq!(ExpOu::new(a, b).is_ok(), a.is_finite() && positive(b));
        if let Ok(process) = ExpOu::new(a, b) {
            prop_assert_eq!(process.transition(theta, h).is_ok(), positive(theta) && h > 0.0);
        }
    }

    #[test]
    fn functions_of_processes(a in number(), b in number(), p in number(), x in number(), h in number()) {
        prop_assert_eq!(BetaProcess::new(a, b).is_ok(), positive(a) && positive(b));
        if let Ok(process) = BetaProcess::new(a, b) {
            let law = process.stationary();
            prop_assert!((0.0..=1.0).contains(&law.mean()) && (0.0..=0.25).contains(&law.variance()));
            let state = process.state(x);
            prop_assert_eq!(state.is_ok(), (0.0..=1.0).contains(&x) && (a + b).is_finite());
            if let (Ok(mut state), true) = (state, (1e-4..=1e9).contains(&a) && (1e-4..=1e9).contains(&b)) {
                let stepped = process.step(&mut state, h, &mut common::rng(3));
                prop_assert_eq!(stepped.is_ok(), h > 0.0);
                prop_assert!((0.0..=1.0).contains(&state.x()) && state.ln_x() <= 0.0);
            }
        }
        prop_assert!(GenGamma::new(a, b, p).is_err() || [a, b, p].into_iter().all(positive));
        let promised = [a, b, p].into_iter().all(|x| (1e-3..=1e3).contains(&x));
        if let (Ok(process), true) = (GenGamma::new(a, b, p), promised) {
            let law = process.transition(x, h);
            prop_assert!(law.is_err() || (x >= 0.0 && h > 0.0));
            if let (Ok(law), true) = (law, h >= 1e-8) {
                prop_assert!(!law.mean().is_nan() && law.mean() >= 0.0 && !law.variance().is_nan());
                prop_assert!(!law.ln_pdf(1.0).is_nan() && (0.0..=1.0).contains(&law.cdf(1.0)));
                prop_assert!(!law.sample_ln(&mut common::rng(4)).is_nan());
            }
        }
    }

    #[test]
    fn steps_and_theory(h in number(), tau in number(), kappa in number(), a in number(), s in number(), m in any::<u64>()) {
        prop_assert_eq!(StepSize::constant(h).is_ok(), h > 0.0);
        let decreasing = StepSize::decreasing(h, tau, kappa);
        prop_assert_eq!(decreasing.is_ok(), positive(h) && positive(tau) && kappa >= 0.0 && kappa.is_finite());
        if let Ok(step) = decreasing {
            prop_assert!(step.at(m) > 0.0 && step.at(m) <= h);
        }
        if let Ok(chain) = ScirChain::new(a, 1.0, h) {
            if let Ok(ln_mgf) = chain.ln_mgf_exact(3, s) {
                prop_assert!(!ln_mgf.is_nan() && s.is_finite());
            }
        }
        let _ = minibatch_variance(m, m / 2, m % 7);
        let _ = minibatch_ln_mgf(s, a, m, m / 2, m % 7);
    }

    #[test]
    fn simplexes(theta in numbers(), alpha in numbers(), counts in numbers(), h in number(), one in number()) {
        let fine = |values: &[f64]| !values.is_empty() && values.iter().all(|x| *x >= 0.0 && x.is_finite());
        prop_assert_eq!(Simplex::new(theta.clone()).is_ok(), fine(&theta));
        let mut copy = theta.clone();
        prop_assert_eq!(Coordinates::plain(&mut copy).is_ok(), fine(&theta));
        prop_assert_eq!(Target::new(one, &counts).is_ok(), positive(one) && fine(&counts));
        let target = Target::new(&alpha, &counts);
        let good_alpha = alpha.len() == counts.len() && alpha.iter().all(|&x| positive(x));
        prop_assert_eq!(target.is_ok(), good_alpha && fine(&counts));
        if let (Ok(mut simplex), Ok(target)) = (Simplex::new(theta), target) {
            for method in Method::ALL {
                let before = simplex.clone();
                let outcome = method.step(&mut simplex.coordinates(), target, h, &mut common::rng(2));
                let legal = h > 0.0 && target.len() == before.len();
                match outcome {
                    Ok(report) => {
                        prop_assert!(legal);
                        if report.non_finite > 0 {
                            simplex = before;
                        }
                    }
                    Err(_) => {
                        prop_assert!(!legal || h == f64::INFINITY);
                        prop_assert!(simplex == before);
                    }
                }
            }
        }
    }

    #[test]
    fn counts(batch in prop::collection::vec(0usize..8, 0..5), population in 0usize..5, len in 0usize..8) {
        let mut out = vec![0.0; len];
        let legal = !batch.is_empty() && population > 0 && batch.iter().all(|&z| z < len);
        prop_assert_eq!(estimate_counts(&batch, population, &mut out).is_ok(), legal);
        prop_assert!(scale_counts(&mut out, 0, population).is_err());
    }
}

#[test]
fn messages_name_the_value_and_the_remedy() {
    let message = |error: scir_core::Error| error.to_string();
    assert_eq!(
        message(Cir::standard(f64::NAN).unwrap_err()),
        "a = NaN is not valid: a must be finite and greater than 0"
    );
    assert_eq!(
        message(StepSize::constant(-0.5).unwrap_err()),
        "h = -0.5 is not valid: h must be greater than 0 (infinity is allowed)"
    );
    assert_eq!(
        message(Target::new(0.1, &[1.0, f64::NAN]).unwrap_err()),
        "counts[1] = NaN is not valid: every element of counts must be finite and at least 0"
    );
    assert_eq!(
        message(estimate_counts(&[4], 10, &mut [0.0; 3]).unwrap_err()),
        "minibatch contains category 4, but there are only 3 categories (0 to 2)"
    );
    assert_eq!(message(Simplex::new(vec![]).unwrap_err()), "theta is empty: at least one element is needed");
}
