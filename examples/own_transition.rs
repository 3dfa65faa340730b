//! Shows: a Transition of one's own, used and measured like those that come with the crate.
//!
//! `ReflectedEuler` takes the CIR equation and discretises it, with a reflection at zero: the step that SCIR replaces by
//! the exact one. Plugged in beside SCIR, it shows what the discretisation costs on a sparse posterior. Checks that
//! the distance of SCIR is that of a good sample, and that ours is far from it.
//!
//! cargo run --release --example own_transition

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use scir::core::{Coordinates, Result, transition::check_step};
use scir::prelude::*;

/// θ' = | θ + h(â − θ) + √(2hθ) ξ |.
struct ReflectedEuler;

impl Transition for ReflectedEuler {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> Result<Report> {
        check_step(theta, target, h)?;
        let mut report = Report::default();
        for j in 0..target.len() {
            let now = theta.theta()[j];
            let xi: f64 = StandardNormal.sample(rng);
            let next = now + h * (target.shape(j) - now) + (2.0 * h * now).sqrt() * xi;
            report.reflections += usize::from(next < 0.0);
            theta.set(j, next.abs());
            report.note(j, next.abs());
        }
        Ok(report)
    }
}

/// d_KS of a chain on Dir(0.1 + counts), with the true counts.
fn distance(transition: &impl Transition, counts: &[f64], h: f64) -> std::result::Result<f64, Box<dyn std::error::Error>> {
    let target = Target::new(0.1, counts)?;
    let parameters: Vec<f64> = (0..target.len()).map(|j| target.shape(j)).collect();
    let (mut simplex, mut ks) = (Simplex::new(parameters.clone())?, DirichletKs::new(&parameters)?);
    let mut ln_omega = vec![0.0; target.len()];
    let mut rng = Streams::new(1).rng(Purpose::new("own_transition"), 0, 0);
    for iteration in 0..6000 {
        simplex.step(transition, target, h, &mut rng)?;
        if iteration >= 1000 {
            simplex.ln_omega(&mut ln_omega)?;
            ks.push_ln(&ln_omega)?;
        }
    }
    Ok(ks.distance()?)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let counts = [800.0, 100.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    println!("d_KS from the sparse posterior, 5000 draws, true counts");
    println!("    h    own Euler step    SCIR");
    for h in [0.5, 0.1, 0.02] {
        let (own, scir) = (distance(&ReflectedEuler, &counts, h)?, distance(&Scir, &counts, h)?);
        println!("{h:>5}    {own:>14.3}    {scir:.3}");
        assert!(own > 0.2, "the discretisation error should be plain to see");
        assert!(scir < 0.15, "SCIR has none, only autocorrelation");
    }
    Ok(())
}
