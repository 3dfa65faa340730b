//! Variance-matched SCIR: minibatch noise takes the place of diffusion, instead of adding to it.

use super::batches::{Moves, move_all};
use super::{Report, Transition, check_step};
use crate::error::{Error, Result, positive};
use crate::moments::Next;
use crate::simplex::Coordinates;
use crate::target::Target;
use rand::Rng;

/// SCIR whose stationary law has the right variance in spite of noisy estimates.
///
/// Let â be an unbiased estimate of a, with variance V. Plain [`Scir`](super::Scir) has the stationary mean a, but the
/// variance a + c·V with c = tanh(h/2). So less is to be diffused: with s = 1 − c·V/a,
///
/// ```text
/// θ' = s · (exact CIR transition of θ/s over h, with parameter â/s)
/// ```
///
/// has the stationary mean a and variance s·a + c·V = a (see [`theory`](crate::theory)). The first two moments match
/// exactly, whatever the noise is like, if a and V are known and estimates are independent; the rest of the law is near
/// when it is nearly normal, that is, for large a. A coordinate without noise has s = 1: SCIR, and exact.
///
/// a and V are not known but measured: the running [`Moments`](crate::Moments) of the estimates are kept in the
/// [`Simplex`](crate::Simplex). (Coordinates that are a plain slice have no room for them, and are refused.)
///
/// There are three ways to choose the step. None has a step size that must be tuned:
///
/// - [`noise_limited`](Self::noise_limited): each coordinate takes the longest step that its own noise allows,
///   c = min(1, ρ·a/V). Where V = 0, as for a category that never receives counts, that is an independent draw in every
///   step. The h of the loop is the most; give ∞.
/// - [`pooled`](Self::pooled), for a target that stays the same while estimates of it come in (no latent variables): all
///   estimates are averaged, and Gamma(α + mean) is drawn. After m estimates the mean is off by V/m in variance, and by
///   nothing in the limit.
/// - [`scheduled`](Self::scheduled): the step h of the loop for all coordinates, and s = max(1 − ρ, 1 − c·V/a). For noise
///   of another order than a, as in topic models, where a step limited by noise would take for ever: what cannot be
///   taken out of the diffusion stays as an excess of variance.
///
/// In the first iterations, while there is little to average, noise-limited steps are at least 1/m of the way to the
/// estimate: θ then follows the mean of the estimates.
///
/// ```
/// use scir_core::{Purpose, ScirVm, Simplex, Streams, Target, estimate_counts, rand::RngExt};
///
/// // 1000 items, 300 of them in category 0 and the others in category 1; minibatches of 10.
/// let vm = ScirVm::noise_limited().with_memory(f64::INFINITY)?.with_categorical_noise(1000, 10)?;
/// let (mut simplex, mut counts) = (Simplex::uniform(3)?, [0.0; 3]);
/// let mut rng = Streams::new(1).rng(Purpose::new("example"), 0, 0);
/// let (mut sum, mut squares) = (0.0, 0.0);
/// for iteration in 0..60_000 {
///     let minibatch: Vec<usize> = (0..10).map(|_| usize::from(rng.random_range(0..1000) >= 300)).collect();
///     estimate_counts(&minibatch, 1000, &mut counts)?;
///     simplex.step(&vm, Target::new(0.1, &counts)?, f64::INFINITY, &mut rng)?;
///     if iteration >= 10_000 {
///         sum += simplex.theta()[0] / 50_000.0;
///         squares += simplex.theta()[0].powi(2) / 50_000.0;
///     }
/// }
/// let variance = squares - sum * sum;
/// assert!((sum - 300.1).abs() < 5.0 && (variance / 300.1 - 1.0).abs() < 0.15, "{sum} {variance}");
/// # Ok::<(), scir_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScirVm {
    policy: Policy,
    /// The largest share of the variance that noise may make up.
    rho: f64,
    /// How many estimates the moments remember.
    memory: f64,
    noise: Noise,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Policy {
    NoiseLimited,
    Pooled,
    Scheduled,
}

/// Where V comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    Measured,
    /// (N²/n) p (1 − p) with p = mean/N.
    Categorical {
        population: f64,
        batch: f64,
    },
}

/// What is taken out of the diffusion only if it is more than this share of it: less cannot be seen, and costs time.
const WORTH_IT: f64 = 1e-3;

impl ScirVm {
    const DEFAULT: Self =
        Self { policy: Policy::NoiseLimited, rho: 0.9, memory: 100.0, noise: Noise::Measured };

    /// Steps as long as the noise of each coordinate allows.
    pub const fn noise_limited() -> Self {
        Self::DEFAULT
    }

    /// Draws given the average of all estimates: for targets that stay the same.
    pub const fn pooled() -> Self {
        Self { policy: Policy::Pooled, memory: f64::INFINITY, ..Self::DEFAULT }
    }

    /// Steps as long as the loop says.
    pub const fn scheduled() -> Self {
        Self { policy: Policy::Scheduled, ..Self::DEFAULT }
    }

    /// The same, with another largest share ρ of the variance that may be noise: between 0 and 1, both excluded. By
    /// default 0.9.
    ///
    /// # Errors
    /// If it is outside.
    pub fn with_rho(self, rho: f64) -> Result<Self> {
        if rho > 0.0 && rho < 1.0 {
            return Ok(Self { rho, ..self });
        }
        Err(Error::OutOfRange { name: "rho", value: rho, expected: "greater than 0 and less than 1" })
    }

    /// The same, with another number of estimates that the moments remember: at least 2. By default 100, and all of
    /// them (∞) when they are pooled.
    ///
    /// # Errors
    /// If it is less.
    pub fn with_memory(self, estimates: f64) -> Result<Self> {
        if estimates >= 2.0 {
            return Ok(Self { memory: estimates, ..self });
        }
        Err(Error::OutOfRange {
            name: "memory",
            value: estimates,
            expected: "at least 2 (infinity is allowed)",
        })
    }

    /// The same, for estimates that are category counts of minibatches drawn with replacement, `batch` of `population`
    /// items: their variance follows from their mean and need not be measured.
    ///
    /// # Errors
    /// If one of the two is 0.
    pub fn with_categorical_noise(self, population: usize, batch: usize) -> Result<Self> {
        let population = positive("population", population as f64)?;
        let noise = Noise::Categorical { population, batch: positive("batch", batch as f64)? };
        Ok(Self { noise, ..self })
    }

    /// Brings moments up to date, and writes V. Returns the means of the counts.
    #[inline]
    fn measure<'m>(
        &self,
        moments: &'m mut Next<'_>,
        start: usize,
        counts: &[f64],
        variance: &mut [f64],
    ) -> &'m [f64] {
        match self.noise {
            Noise::Measured => moments.add(start, counts, variance),
            Noise::Categorical { population, batch } => {
                let mean = moments.add_mean(start, counts);
                for (variance, &mean) in variance.iter_mut().zip(mean) {
                    *variance = mean * (population - mean).max(0.0) / batch;
                }
                mean
            }
        }
    }

    /// The longest step c = tanh(h/2) after `seen` estimates, and what noise may not fall below.
    fn limits(&self, h: f64, seen: u64) -> Limits {
        // A way of 1/m to the estimate, 1 − e^{−h} = 1/m, as c.
        let first = 1.0 / (2 * seen - 1) as f64;
        let most = (0.5 * h).tanh();
        let least = if self.policy == Policy::Scheduled { most } else { first.min(most) };
        Limits { least, most, rho: self.rho }
    }
}

/// The steps c = tanh(h/2) that coordinates may take.
#[derive(Clone, Copy)]
struct Limits {
    least: f64,
    most: f64,
    rho: f64,
}

impl Limits {
    /// Step c and share s of the diffusion for a coordinate with target `a` and noise `v`.
    #[inline]
    fn choose(&self, a: f64, v: f64) -> (f64, f64) {
        // Noise that is none allows any step: ρ·a/0 = ∞.
        let c = (self.rho * a / v).min(self.most).max(self.least);
        let noise = c * v / a;
        (c, if noise < WORTH_IT { 1.0 } else { (1.0 - noise).max(1.0 - self.rho) })
    }
}

impl Transition for ScirVm {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        target: Target<'_>,
        h: f64,
        rng: &mut R,
    ) -> Result<Report> {
        check_step(theta, target, h)?;
        let mut kept = theta.take_moments()?;
        let mut moments = kept.next(self.memory);
        let limits = self.limits(h, moments.seen);
        let report = move_all(theta, target, rng, |start, theta, moves: &mut Moves<'_>| {
            let counts = &target.counts()[start..start + theta.len()];
            if self.policy == Policy::Pooled {
                let mean = moments.add_mean(start, counts);
                (0..theta.len()).for_each(|i| moves.shape[i] = target.alpha(start + i) + mean[i]);
                moves.lambda.fill(0.0);
                moves.scale.fill(1.0);
                return;
            }
            // V is written where λ will be.
            let mean = self.measure(&mut moments, start, counts, moves.lambda);
            for i in 0..theta.len() {
                let alpha = target.alpha(start + i);
                let (c, s) = limits.choose(alpha + mean[i], moves.lambda[i]);
                // 1 − e^{−h} = 2c/(1 + c), and e^{−h}/(1 − e^{−h}) = (1 − c)/2c.
                moves.shape[i] = (alpha + counts[i]) / s;
                moves.lambda[i] = theta[i] * (1.0 - c) / (2.0 * c * s);
                moves.scale[i] = s * 2.0 * c / (1.0 + c);
            }
        });
        theta.put_moments(kept);
        Ok(report)
    }
}
