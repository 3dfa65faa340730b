//! Shows: the bias of SGRLD near the boundary of the simplex, as numbers, beside SCIR at the same step sizes.
//!
//! One coordinate of a sparse posterior has no counts: ω₄ ~ Beta(0.1, 1000.9), mean 1e-4, median 6e-7. Both samplers get
//! the true counts, so that all of the error is discretisation (and Monte Carlo). Checks that SGRLD rarely
//! reaches what should be half of the draws, and that SCIR is off in neither.
//!
//! cargo run --release --example boundary_bias

use scir::prelude::*;

/// Mean of ω₄ and the share of draws below the true median.
fn measure(method: Method, h: f64) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    const MEDIAN: f64 = 5.9e-7;
    let counts = [800.0, 100.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    // Σθ at the scale that is stationary for each method.
    let scale = if method == Method::Sgrld { 1.0 / 1001.0 } else { 1.0 };
    let start: Vec<f64> = counts.iter().map(|count| (count + 0.1) * scale).collect();
    let mut simplex = Simplex::new(start)?;
    let mut rng = Streams::new(1).rng(Purpose::new("boundary_bias"), 0, 0);
    let (mut sum, mut below, mut omega) = (0.0, 0, [0.0; 10]);
    const DRAWS: usize = 200_000;
    for iteration in 0..DRAWS + 20_000 {
        simplex.step(&method, Target::new(0.1, &counts)?, h, &mut rng)?;
        if iteration >= 20_000 {
            simplex.omega(&mut omega)?;
            sum += omega[3];
            below += usize::from(omega[3] < MEDIAN);
        }
    }
    Ok((sum / DRAWS as f64, below as f64 / DRAWS as f64))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let truth = 0.1 / 1001.0;
    println!("true mean of the empty coordinate {truth:.2e}; half of the draws should be below its median\n");
    println!("            SGRLD                   SCIR");
    println!("      h    mean      below median   mean      below median");
    for h in [1e-3, 1e-4, 1e-5] {
        let (sgrld, sgrld_below) = measure(Method::Sgrld, h)?;
        // SCIR has no granularity to choose: its step only sets how far the chain moves.
        let (scir, scir_below) = measure(Method::Scir, 0.5)?;
        println!("{h:>7}    {sgrld:.2e}  {sgrld_below:>12.3}   {scir:.2e}  {scir_below:>12.3}");
        assert!(sgrld_below < 0.3, "SGRLD should rarely reach small values");
        assert!((scir / truth - 1.0).abs() < 0.05 && (scir_below - 0.5).abs() < 0.02, "SCIR is exact");
    }
    Ok(())
}
