//! The Rosenblatt transform of a Dirichlet distribution, and the averaged KS distance built on it.

use crate::error::{Error, Result, at_least, check_each};
use crate::ks::ks_uniform;
use ndarray::ArrayView2;
use statrs::function::beta::{beta_reg, ln_beta};

/// The Rosenblatt transform of a point ω of the simplex under Dir(`alpha`): d − 1 numbers that are independent and
/// uniform on [0, 1] if ω ~ Dir(α).
///
/// Given the coordinates before it, ω_j / Σ_{l≥j} ω_l is Beta(α_j, Σ_{l>j} α_l), so that
///
/// ```text
/// u_j = I( ω_j / Σ_{l≥j} ω_l ; α_j, Σ_{l>j} α_l ),   j = 1 … d−1,
/// ```
///
/// with I the regularised incomplete beta function. (The last coordinate is determined by the others: its conditional
/// law is a constant, and it has no u.) The sums run from the back, not as 1 − Σ_{l<j} ω_l, so that nothing is lost
/// where the leading coordinates hold nearly all of the mass. ω need not be normalised.
pub fn rosenblatt(alpha: &[f64], omega: &[f64], u: &mut [f64]) -> Result<()> {
    check_lengths(alpha, omega, u)?;
    check_each("omega", omega, |x| (0.0..f64::INFINITY).contains(&x), "finite and at least 0")?;
    let d = omega.len();
    let (mut after, mut alpha_after) = (omega[d - 1], alpha[d - 1]);
    for j in (0..d - 1).rev() {
        u[j] = if omega[j] + after > 0.0 {
            beta_cdf(omega[j], after, alpha[j], alpha_after)
        } else {
            // Nothing is left for the coordinates from here on, so how it is divided carries no information.
            0.5
        };
        after += omega[j];
        alpha_after += alpha[j];
    }
    if after > 0.0 { Ok(()) } else { Err(Error::NoMass { draw: 0 }) }
}

/// As [`rosenblatt`], from ln ω: right also where ω underflows, which is common below shapes of 0.01.
pub fn rosenblatt_ln(alpha: &[f64], ln_omega: &[f64], u: &mut [f64]) -> Result<()> {
    check_lengths(alpha, ln_omega, u)?;
    check_each("ln_omega", ln_omega, |x| x < f64::INFINITY, "less than infinity")?;
    let d = ln_omega.len();
    let (mut ln_after, mut alpha_after) = (ln_omega[d - 1], alpha[d - 1]);
    for j in (0..d - 1).rev() {
        let top = ln_omega[j].max(ln_after);
        if top == f64::NEG_INFINITY {
            u[j] = 0.5;
        } else {
            let (ln_x, ln_y) = (ln_omega[j] - top, ln_after - top);
            u[j] = if ln_x < -600.0 {
                // There only the first term of I(x; a, b) = x^a / (a B(a, b)) · (1 + …) counts.
                (alpha[j] * (ln_x - ln_y.exp().ln_1p().max(0.0))
                    - alpha[j].ln()
                    - ln_beta(alpha[j], alpha_after))
                .exp()
                .min(1.0)
            } else if ln_y < -600.0 {
                1.0 - (alpha_after * ln_y - alpha_after.ln() - ln_beta(alpha[j], alpha_after)).exp().min(1.0)
            } else {
                beta_cdf(ln_x.exp(), ln_y.exp(), alpha[j], alpha_after)
            };
            ln_after = top + (ln_x.exp() + ln_y.exp()).ln();
        }
        alpha_after += alpha[j];
    }
    if ln_after > f64::NEG_INFINITY { Ok(()) } else { Err(Error::NoMass { draw: 0 }) }
}

/// P(Beta(a, b) ≤ x/(x+y)), from the side on which the argument keeps its digits.
fn beta_cdf(x: f64, y: f64, a: f64, b: f64) -> f64 {
    if x < y { beta_reg(a, b, x / (x + y)) } else { 1.0 - beta_reg(b, a, y / (x + y)) }
}

fn check_lengths(alpha: &[f64], point: &[f64], u: &[f64]) -> Result<()> {
    at_least("alpha", alpha.len(), 2)?;
    check_each("alpha", alpha, |a| a > 0.0 && a < f64::INFINITY, "finite and greater than 0")?;
    if point.len() != alpha.len() {
        return Err(Error::Length { name: "omega", len: point.len(), expected: alpha.len() });
    }
    if u.len() != alpha.len() - 1 {
        return Err(Error::Length { name: "u", len: u.len(), expected: alpha.len() - 1 });
    }
    Ok(())
}

/// The averaged Kolmogorov–Smirnov distance of a sample from Dir(α), fed one draw at a time:
///
/// ```text
/// d_KS = 1/(d−1) Σ_{j<d} sup_x | F̂_j(x) − x |,
/// ```
///
/// F̂_j the empirical distribution function of the j-th coordinate of the [`rosenblatt`] transforms. It is 0 at best and
/// about 0.87/√n for n independent draws. (The paper divides by the number of coordinates; the last one has no
/// distribution, so the average is over the d − 1 others.) Keeps d − 1 numbers for each draw.
#[derive(Debug, Clone)]
pub struct DirichletKs {
    alpha: Vec<f64>,
    /// For each coordinate, its transformed values.
    transformed: Vec<Vec<f64>>,
    u: Vec<f64>,
}

impl DirichletKs {
    /// Measures the distance from Dir(`alpha`), at least two coordinates.
    pub fn new(alpha: &[f64]) -> Result<Self> {
        at_least("alpha", alpha.len(), 2)?;
        check_each("alpha", alpha, |a| a > 0.0 && a < f64::INFINITY, "finite and greater than 0")?;
        let others = alpha.len() - 1;
        Ok(Self { alpha: alpha.to_vec(), transformed: vec![Vec::new(); others], u: vec![0.0; others] })
    }

    /// Adds one draw ω (normalised or not).
    pub fn push(&mut self, omega: &[f64]) -> Result<()> {
        let draw = self.draws();
        rosenblatt(&self.alpha, omega, &mut self.u).map_err(|error| at_draw(error, draw))?;
        self.keep();
        Ok(())
    }

    /// Adds one draw through ln ω.
    pub fn push_ln(&mut self, ln_omega: &[f64]) -> Result<()> {
        let draw = self.draws();
        rosenblatt_ln(&self.alpha, ln_omega, &mut self.u).map_err(|error| at_draw(error, draw))?;
        self.keep();
        Ok(())
    }

    fn keep(&mut self) {
        self.transformed.iter_mut().zip(&self.u).for_each(|(values, &u)| values.push(u));
    }

    /// How many draws have been added.
    pub fn draws(&self) -> usize {
        self.transformed[0].len()
    }

    /// The KS distance of each transformed coordinate.
    pub fn distances(&self) -> Result<Vec<f64>> {
        self.transformed.iter().map(|values| ks_uniform(&mut values.clone())).collect()
    }

    /// d_KS, the average of [`distances`](Self::distances). At least one draw is needed.
    pub fn distance(&self) -> Result<f64> {
        let distances = self.distances()?;
        Ok(distances.iter().sum::<f64>() / distances.len() as f64)
    }
}

fn at_draw(error: Error, draw: usize) -> Error {
    if matches!(error, Error::NoMass { .. }) { Error::NoMass { draw } } else { error }
}

/// d_KS of a matrix of draws, one in each row, from Dir(`alpha`): see [`DirichletKs`].
pub fn dirichlet_ks(alpha: &[f64], draws: ArrayView2<'_, f64>) -> Result<f64> {
    let mut ks = DirichletKs::new(alpha)?;
    let mut row = vec![0.0; draws.ncols()];
    for draw in draws.rows() {
        row.iter_mut().zip(draw).for_each(|(x, &y)| *x = y);
        ks.push(&row)?;
    }
    ks.distance()
}
