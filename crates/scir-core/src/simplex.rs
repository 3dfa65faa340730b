//! The state of one simplex: unnormalised coordinates θ, and ω = θ/Σθ and ln ω that survive underflow.

use crate::error::{Error, Result, same_len};
use crate::moments::Moments;
use crate::target::{Target, check_each};
use crate::transition::{Report, Transition};
use rand::Rng;

/// Below this, θ is kept as ln θ: subnormal numbers have lost their digits, and smaller ones are zero.
const TINY: f64 = f64::MIN_POSITIVE;

/// One point of the simplex, as unnormalised coordinates θ with ω_j = θ_j / Σ_k θ_k.
///
/// A Gamma(0.001) variable is below the smallest positive f64 half of the time, and still its logarithm is a
/// perfectly good number. So where θ_j would underflow, ln θ_j is kept beside it: [`ln_omega`](Simplex::ln_omega)
/// is then finite and right in law, whatever the shapes.
///
/// ```
/// use scir_core::{Exact, Purpose, Simplex, Streams, Target};
///
/// let mut simplex = Simplex::uniform(5)?;
/// let mut rng = Streams::new(3).rng(Purpose::new("example"), 0, 0);
/// simplex.step(&Exact, Target::new(1e-4, &[0.0; 5])?, 1.0, &mut rng)?;
/// let mut ln_omega = [0.0; 5];
/// simplex.ln_omega(&mut ln_omega)?;
/// assert!(ln_omega.iter().all(|x| x.is_finite()) && ln_omega.iter().any(|&x| x < -1000.0));
/// # Ok::<(), scir_core::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts", into = "Parts"))]
pub struct Simplex {
    theta: Vec<f64>,
    /// ln θ_j where θ_j < TINY; elsewhere whatever was there last, and never read.
    ln_tiny: Vec<f64>,
    /// What a transition that corrects for noise has seen of the estimates.
    moments: Option<Box<Moments>>,
}

impl Simplex {
    /// From unnormalised coordinates: at least one, all finite and at least 0. They may all be 0.
    pub fn new(theta: Vec<f64>) -> Result<Self> {
        let ln_tiny = theta.iter().map(|&x| if x < TINY { x.ln() } else { 0.0 }).collect();
        Self::from_parts(theta, ln_tiny, None)
    }

    /// From the logarithms of unnormalised coordinates, each finite and at most 700.
    pub fn from_ln(ln_theta: &[f64]) -> Result<Self> {
        check_each("ln_theta", ln_theta, |&x| x > f64::NEG_INFINITY && x <= 700.0, "finite and at most 700")?;
        let mut simplex = Self::new(vec![0.0; ln_theta.len()])?;
        let mut coordinates = simplex.coordinates();
        ln_theta.iter().enumerate().for_each(|(j, &ln)| coordinates.set_ln(j, ln));
        Ok(simplex)
    }

    /// The centre: θ_j = 1 in all of `dimension` coordinates.
    pub fn uniform(dimension: usize) -> Result<Self> {
        Self::new(vec![1.0; dimension])
    }

    fn from_parts(theta: Vec<f64>, ln_tiny: Vec<f64>, moments: Option<Box<Moments>>) -> Result<Self> {
        if theta.is_empty() {
            return Err(Error::Empty { name: "theta" });
        }
        same_len("ln_tiny", ln_tiny.len(), "theta", theta.len())?;
        check_each("theta", &theta, |&x| x >= 0.0 && x < f64::INFINITY, "finite and at least 0")?;
        check_each("ln_tiny", &ln_tiny, |&x| x <= 0.0, "at most 0")?;
        if let Some(moments) = &moments {
            same_len("moments.mean", moments.mean().len(), "theta", theta.len())?;
        }
        Ok(Self { theta, ln_tiny, moments })
    }

    /// The number of coordinates, at least 1.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.theta.len()
    }

    /// The unnormalised coordinates; 0 where only ln θ can tell.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// ln θ_j, finite also where `theta()[j]` is 0 by underflow; −∞ only for a true zero.
    #[inline]
    pub fn ln_theta(&self, j: usize) -> f64 {
        ln_theta(self.theta[j], self.ln_tiny[j])
    }

    /// Writes ω. A coordinate below the smallest positive f64 is written as 0; its logarithm is in `ln_omega`.
    ///
    /// If all coordinates are true zeros, ω is the centre of the simplex.
    pub fn omega(&self, omega: &mut [f64]) -> Result<()> {
        same_len("omega", omega.len(), "theta", self.len())?;
        let sum: f64 = self.theta.iter().sum();
        if sum >= TINY && sum < f64::INFINITY {
            omega.iter_mut().zip(&self.theta).for_each(|(omega, theta)| *omega = theta / sum);
        } else {
            self.ln_omega(omega)?;
            omega.iter_mut().for_each(|x| *x = x.exp());
        }
        Ok(())
    }

    /// Writes ln ω, finite for every coordinate that is not a true zero.
    pub fn ln_omega(&self, ln_omega: &mut [f64]) -> Result<()> {
        same_len("ln_omega", ln_omega.len(), "theta", self.len())?;
        let ln_sum = self.ln_sum();
        if ln_sum == f64::NEG_INFINITY {
            ln_omega.fill(-(self.len() as f64).ln());
            return Ok(());
        }
        ln_omega.iter_mut().enumerate().for_each(|(j, x)| *x = self.ln_theta(j) - ln_sum);
        Ok(())
    }

    /// ln Σθ, by log-sum-exp where the sum itself would underflow or overflow; −∞ if all coordinates are true zeros.
    pub fn ln_sum(&self) -> f64 {
        let sum: f64 = self.theta.iter().sum();
        if sum >= TINY && sum < f64::INFINITY {
            return sum.ln();
        }
        let largest = (0..self.len()).map(|j| self.ln_theta(j)).fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return largest;
        }
        largest + (0..self.len()).map(|j| (self.ln_theta(j) - largest).exp()).sum::<f64>().ln()
    }

    /// The coordinates, to be moved in place.
    pub fn coordinates(&mut self) -> Coordinates<'_> {
        Coordinates {
            theta: &mut self.theta,
            ln_tiny: Some(&mut self.ln_tiny),
            moments: Some(&mut self.moments),
        }
    }

    /// The moments of the estimates so far, if it has been moved by a transition that keeps them.
    pub fn moments(&self) -> Option<&Moments> {
        self.moments.as_deref()
    }

    /// Forgets the moments: the next estimate is the first of another target.
    pub fn forget_moments(&mut self) {
        self.moments = None;
    }

    /// One step of `transition` towards `target`, over a time `h`.
    pub fn step<T, R>(&mut self, transition: &T, target: Target<'_>, h: f64, rng: &mut R) -> Result<Report>
    where
        T: Transition + ?Sized,
        R: Rng + ?Sized,
    {
        transition.step(&mut self.coordinates(), target, h, rng)
    }
}

/// Equal in θ, in ln θ where that underflowed, and in what is kept of the estimates.
impl PartialEq for Simplex {
    fn eq(&self, other: &Self) -> bool {
        self.theta == other.theta
            && self.moments == other.moments
            && (0..self.len()).all(|j| self.theta[j] >= TINY || self.ln_tiny[j] == other.ln_tiny[j])
    }
}

#[inline]
fn ln_theta(theta: f64, ln_tiny: f64) -> f64 {
    if theta < TINY { ln_tiny } else { theta.ln() }
}

/// The coordinates θ of one simplex, borrowed from a [`Simplex`] or from a plain slice, as a transition moves them.
#[derive(Debug)]
pub struct Coordinates<'a> {
    theta: &'a mut [f64],
    ln_tiny: Option<&'a mut [f64]>,
    moments: Option<&'a mut Option<Box<Moments>>>,
}

impl<'a> Coordinates<'a> {
    /// Borrows a plain slice of θ (finite, at least 0). There is nowhere to keep ln θ: what underflows becomes 0.
    pub fn plain(theta: &'a mut [f64]) -> Result<Self> {
        if theta.is_empty() {
            return Err(Error::Empty { name: "theta" });
        }
        check_each("theta", theta, |&x| x >= 0.0 && x < f64::INFINITY, "finite and at least 0")?;
        Ok(Self { theta, ln_tiny: None, moments: None })
    }

    /// The number of coordinates, at least 1.
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> usize {
        self.theta.len()
    }

    /// All of θ.
    #[inline]
    pub fn theta(&self) -> &[f64] {
        self.theta
    }

    /// ln θ_j, also where θ_j underflowed (unless the coordinates are a plain slice: then −∞).
    #[inline]
    pub fn ln_theta(&self, j: usize) -> f64 {
        ln_theta(self.theta[j], self.ln_tiny.as_ref().map_or(f64::NEG_INFINITY, |tail| tail[j]))
    }

    /// Takes out the moments of the estimates, or new ones; to be [put back](Self::put_moments).
    pub(crate) fn take_moments(&mut self) -> Result<Box<Moments>> {
        let len = self.len();
        match &mut self.moments {
            Some(moments) => Ok(moments.take().unwrap_or_else(|| Box::new(Moments::new(len)))),
            None => Err(Error::NoMoments),
        }
    }

    pub(crate) fn put_moments(&mut self, kept: Box<Moments>) {
        if let Some(moments) = &mut self.moments {
            **moments = Some(kept);
        }
    }

    /// Sets θ_j.
    #[inline]
    pub fn set(&mut self, j: usize, theta: f64) {
        self.theta[j] = theta;
        if theta < TINY {
            self.keep_ln(j, theta.ln());
        }
    }

    /// Sets θ_{start+i} to scale(i) · y_i, none of which underflows.
    #[inline]
    pub(crate) fn set_products(&mut self, start: usize, y: &[f64], scale: impl Fn(usize) -> f64) {
        let theta = &mut self.theta[start..start + y.len()];
        for (i, (theta, y)) in theta.iter_mut().zip(y).enumerate() {
            *theta = scale(i) * y;
        }
    }

    /// Sets θ_j through its logarithm.
    #[inline]
    pub fn set_ln(&mut self, j: usize, ln_theta: f64) {
        self.theta[j] = ln_theta.exp();
        if self.theta[j] < TINY {
            self.keep_ln(j, ln_theta);
        }
    }

    #[cold]
    fn keep_ln(&mut self, j: usize, ln_theta: f64) {
        if let Some(tail) = &mut self.ln_tiny {
            tail[j] = ln_theta;
        }
    }
}

/// How a simplex is written down: the arrays, checked again when they are read.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Parts {
    theta: Vec<f64>,
    ln_tiny: Vec<f64>,
    moments: Option<Box<Moments>>,
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Simplex {
    type Error = Error;
    fn try_from(parts: Parts) -> Result<Self> {
        Self::from_parts(parts.theta, parts.ln_tiny, parts.moments)
    }
}

#[cfg(feature = "serde")]
impl From<Simplex> for Parts {
    fn from(simplex: Simplex) -> Self {
        let mut ln_tiny = simplex.ln_tiny;
        // What is never read is not written either: equal states are equal bytes.
        ln_tiny
            .iter_mut()
            .zip(&simplex.theta)
            .filter(|(_, theta)| **theta >= TINY)
            .for_each(|(ln, _)| *ln = 0.0);
        Self { theta: simplex.theta, ln_tiny, moments: simplex.moments }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn logarithms_survive_where_numbers_do_not() {
        let simplex = Simplex::from_ln(&[-2000.0, -1999.0, -9000.0]).unwrap();
        assert_eq!(simplex.theta(), [0.0; 3]);
        let (mut omega, mut ln_omega) = ([0.0; 3], [0.0; 3]);
        simplex.omega(&mut omega).unwrap();
        simplex.ln_omega(&mut ln_omega).unwrap();
        let e = std::f64::consts::E;
        assert_relative_eq!(omega[0], 1.0 / (1.0 + e), max_relative = 1e-12);
        assert_relative_eq!(omega[1], e / (1.0 + e), max_relative = 1e-12);
        assert_relative_eq!(ln_omega[2], -7001.0 - (1.0 + 1.0 / e).ln(), max_relative = 1e-12);
    }

    #[test]
    fn degenerate_states_are_defined() {
        let mut omega = [0.0; 2];
        Simplex::new(vec![0.0, 0.0]).unwrap().omega(&mut omega).unwrap();
        assert_eq!(omega, [0.5, 0.5]);
        Simplex::new(vec![f64::MAX, f64::MAX]).unwrap().omega(&mut omega).unwrap();
        assert_relative_eq!(omega[0], 0.5, max_relative = 1e-12);
        assert!(Simplex::new(vec![]).is_err());
        assert!(Simplex::new(vec![1.0, f64::NAN]).is_err());
        assert!(Simplex::from_ln(&[f64::NEG_INFINITY]).is_err());
    }

    #[test]
    fn stale_logarithms_are_not_read() {
        let mut simplex = Simplex::from_ln(&[-5000.0, 0.0]).unwrap();
        simplex.coordinates().set(0, 1.0);
        assert_eq!(simplex.ln_theta(0), 0.0);
        simplex.coordinates().set(0, 0.0);
        assert_eq!(simplex.ln_theta(0), f64::NEG_INFINITY);
    }
}
