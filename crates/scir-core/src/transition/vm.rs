//! Variance-matched SCIR: minibatch noise takes the place of diffusion, instead of adding to it.

use super::batches::{Batch, FIXED, Moves, add_prior, move_all};
use super::{Report, Transition, check_step};
use crate::draw::BATCH;
use crate::error::{Error, Result, positive};
use crate::moments::Noise;
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
/// - [`scheduled`](Self::scheduled): the step h of the loop for all coordinates, and s = max(0, 1 − c·V/a). For noise
///   of another order than a, as in topic models, where a step limited by noise would take for ever. Where noise is more
///   than all of the variance, nothing is diffused any more, and what is too much stays.
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
    noise: Source,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Policy {
    NoiseLimited,
    Pooled,
    Scheduled,
}

/// Where V comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    Measured,
    /// From the means of the estimates.
    Categorical {
        population: f64,
        batch: f64,
    },
}

/// A share of the diffusion that is less than this is not taken out, or not kept: it cannot be seen, and costs time.
const WORTH_IT: f64 = 1e-3;

impl ScirVm {
    const DEFAULT: Self =
        Self { policy: Policy::NoiseLimited, rho: 0.9, memory: 30.0, noise: Source::Measured };

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

    /// The same, with another largest share ρ of the variance that may be noise, where noise limits steps: between 0 and
    /// 1, both excluded. By default 0.9.
    ///
    /// # Errors
    /// If it is outside.
    pub fn with_rho(self, rho: f64) -> Result<Self> {
        if rho > 0.0 && rho < 1.0 {
            return Ok(Self { rho, ..self });
        }
        Err(Error::OutOfRange { name: "rho", value: rho, expected: "greater than 0 and less than 1" })
    }

    /// The same, with another number of estimates that the moments remember: at least 2. By default 30, and all of
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
        let noise = Source::Categorical { population, batch: positive("batch", batch as f64)? };
        Ok(Self { noise, ..self })
    }

    /// The steps that are allowed after `seen` estimates, where the loop says h.
    fn limits(&self, h: f64, seen: u64) -> Limits {
        let most = (0.5 * h).tanh();
        if self.policy == Policy::Scheduled {
            return Limits { least: most, most, rho: 1.0 };
        }
        // A way of 1/m to the estimate, 1 − e^{−h} = 1/m, as c.
        let first = 1.0 / (2 * seen - 1) as f64;
        Limits { least: first.min(most), most, rho: self.rho }
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
    /// How coordinates move: `a_hat` has the estimates and `a` their means, and where λ will be, V is.
    ///
    /// Without branches, so that several are worked out at a time, and with few divisions, which take most of that time.
    #[inline]
    fn plan(&self, theta: &[f64], a_hat: &[f64], a: &[f64], moves: &mut Moves<'_>) {
        let len = theta.len();
        let (a_hat, a) = (&a_hat[..len], &a[..len]);
        let Moves { shape, lambda, scale } = moves;
        let (shape, lambda, scale) = (&mut shape[..len], &mut lambda[..len], &mut scale[..len]);
        if self.least == self.most {
            // All coordinates take the same step. 1 − e^{−h} = 2c/(1 + c), and e^{−h}/(1 − e^{−h}) = (1 − c)/2c.
            let c = self.most;
            let (way, ratio) = (2.0 * c / (1.0 + c), (1.0 - c) / (2.0 * c));
            for i in 0..len {
                let s = self.share(c * lambda[i] / a[i]);
                let drawn = s >= WORTH_IT;
                let inverse = 1.0 / s;
                shape[i] = if drawn { a_hat[i] * inverse } else { FIXED };
                lambda[i] = theta[i] * ratio * inverse;
                scale[i] = if drawn { s * way } else { theta[i] + way * (a_hat[i] - theta[i]) };
            }
            return;
        }
        let (rho, share) = (self.rho, 1.0 - self.rho);
        let limited = |i: usize| {
            let c = rho * a[i];
            (c < self.most * lambda[i]) & (c > self.least.max(LEAST) * lambda[i])
        };
        if (0..len).fold(true, |all, i| all & limited(i)) {
            // Noise limits all of them, and makes up the same share of their variances.
            let (inverse_share, half) = (1.0 / share, 0.5 / share);
            for i in 0..len {
                let c = rho * a[i] / lambda[i];
                let inverse = 1.0 / (c * (1.0 + c));
                shape[i] = a_hat[i] * inverse_share;
                lambda[i] = theta[i] * ((1.0 - c) * (1.0 + c) * inverse * half);
                scale[i] = (2.0 * share) * (c * c) * inverse;
            }
            return;
        }
        for i in 0..len {
            let noise = lambda[i] / a[i];
            // Noise that is none allows any step: ρ/0 = ∞.
            let c = (self.rho / noise).min(self.most).max(self.least).max(LEAST);
            let s = self.share(c * noise);
            let inverse = 1.0 / (2.0 * c * (1.0 + c) * s);
            shape[i] = a_hat[i] * (2.0 * c * (1.0 + c) * inverse);
            lambda[i] = theta[i] * ((1.0 - c) * (1.0 + c) * inverse);
            scale[i] = (2.0 * c * s) * (2.0 * c * s) * inverse;
        }
    }

    /// The share s of the diffusion that is kept where noise makes up `noise` of the variance.
    #[inline]
    fn share(&self, noise: f64) -> f64 {
        if noise < WORTH_IT { 1.0 } else { (1.0 - noise).max(1.0 - self.rho) }
    }
}

/// No step is shorter: squares of it must not underflow.
const LEAST: f64 = 1e-100;

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
        kept.add(target.counts(), self.memory);
        let noise = match self.noise {
            Source::Measured => kept.noise(),
            Source::Categorical { population, batch } => Noise::Categorical { population, batch },
        };
        let (limits, mean) = (self.limits(h, kept.seen()), kept.mean());
        let (mut a_hat, mut a) = ([0.0; BATCH], [0.0; BATCH]);
        let report = move_all(theta, target, rng, |start, theta, moves: &mut Moves<'_>| {
            let here = start..start + theta.len();
            let (counts, mean) = (&target.counts()[here.clone()], &mean[here]);
            if self.policy == Policy::Pooled {
                add_prior(target, start, mean, moves.shape);
                moves.lambda.fill(0.0);
                return Batch::Alike(1.0);
            }
            add_prior(target, start, counts, &mut a_hat);
            add_prior(target, start, mean, &mut a);
            noise.variances(start, mean, moves.lambda);
            limits.plan(theta, &a_hat, &a, moves);
            Batch::Mixed
        });
        theta.put_moments(kept);
        Ok(report)
    }
}
