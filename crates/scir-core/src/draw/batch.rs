//! Many draws of Gamma(s + N), N ~ Poisson(λ), with one shape s below 1: the inner loop of a sparse simplex.
//!
//! The same law as drawing one at a time, but in stages over a slice. What rarely happens comes from two Poisson
//! processes of unit rate: think of an axis on which each draw takes up a stretch, so long that an event falls into it
//! with the probability that is needed. The distance to the next event is one exponential variable, and a draw
//! without an event costs a subtraction and no random number.
//!
//! 1. Proposals x = U^{1/s} of the body of Gamma(s) (see [`Gamma`]), U uniform. If s = k/m with whole numbers, as for
//!    the usual priors 0.1 or 0.01 (k = 1) and 0.3 (k = 3), this is the largest of k uniforms, which has the law of
//!    U^{1/k}, to the power m: a few multiplications. Otherwise x = e^{−E/s} with E = −ln U drawn directly.
//! 2. On the first axis the stretch of a proposal is τ + x. An event in the part τ = −ln(share of the body) makes it
//!    a proposal of the tail instead; one in the part x refuses it, which has to happen with probability 1 − e^{−x}.
//!    The place of a refused one is taken by another proposal.
//! 3. On the second axis the stretch is λ. If there are events in it, and the first one leaves λ' of the stretch behind
//!    it, Gamma(1 + Poisson(λ')) is added: two normals, however many events there are (see [`draw`](super)).

use super::exp::exp_nonpositive;
use super::gamma::{Gamma, unit_interval};
use super::one_or_more;
use rand::Rng;
use rand_distr::{Distribution, Exp1};

/// How many draws are made at a time.
pub(crate) const BATCH: usize = 256;

/// A source of draws with one shape below 1.
#[derive(Debug)]
pub(crate) struct SmallGammas {
    gamma: Gamma,
    proposal: Proposal,
    /// −ln(share of the body).
    tau: f64,
    until_refusal: f64,
    until_event: f64,
}

/// How a proposal x is made.
#[derive(Debug, Clone, Copy)]
enum Proposal {
    /// For shape `uniforms`/`power`: the largest of so many uniforms, to this power.
    Power { uniforms: u32, power: u32 },
    /// e^{−E/shape}.
    Exponential,
}

impl Proposal {
    fn new(shape: f64) -> Self {
        /// With more of them, an exponential function costs less.
        const UNIFORMS: u32 = 4;
        let power = |uniforms: u32| {
            let m = (f64::from(uniforms) / shape).round();
            // Up to the rounding of the shape itself.
            let whole = (m * shape / f64::from(uniforms) - 1.0).abs() <= f64::EPSILON && m < 1e5;
            whole.then_some(Self::Power { uniforms, power: m as u32 })
        };
        (1..=UNIFORMS).find_map(power).unwrap_or(Self::Exponential)
    }
}

impl SmallGammas {
    /// For 0 < shape < 1.
    pub(crate) fn new<R: Rng + ?Sized>(shape: f64, rng: &mut R) -> Self {
        debug_assert!(shape < 1.0);
        let gamma = Gamma::new(shape);
        Self {
            gamma,
            proposal: Proposal::new(shape),
            tau: -gamma.body_share().ln(),
            until_refusal: Exp1.sample(rng),
            until_event: Exp1.sample(rng),
        }
    }

    /// Writes a draw of Gamma(shape) into each y; in place of the ones below the smallest normal f64, some such number.
    pub(crate) fn fill<R: Rng + ?Sized>(&mut self, y: &mut [f64], rng: &mut R) {
        let mut done = 0;
        while done < y.len() {
            self.propose(&mut y[done..], rng);
            done = self.accept(y, done, rng);
        }
    }

    /// Accepts or refuses the proposals from `start` on. The accepted ones are moved to the front: up to which place,
    /// is returned.
    fn accept<R: Rng + ?Sized>(&mut self, y: &mut [f64], start: usize, rng: &mut R) -> usize {
        let (tau, mut i, mut end) = (self.tau, start, y.len());
        while let Some(passed) = pass(&mut self.until_refusal, y[i..end].iter().map(|x| tau + x)) {
            i += passed;
            let in_tail = if self.until_refusal < tau { self.gamma.tail(rng) } else { None };
            self.until_refusal = Exp1.sample(rng);
            if let Some(x) = in_tail {
                y[i] = x;
                i += 1;
            } else {
                // The last one comes here, and is looked at next.
                end -= 1;
                y[i] = y[end];
            }
        }
        end
    }

    /// Proposals of the body.
    #[inline]
    fn propose<R: Rng + ?Sized>(&self, x: &mut [f64], rng: &mut R) {
        match self.proposal {
            Proposal::Power { uniforms, power } => {
                for x in x.iter_mut() {
                    let mut word = rng.next_u64();
                    for _ in 1..uniforms {
                        word = word.max(rng.next_u64());
                    }
                    *x = unit_interval(word);
                }
                powers(power, x);
            }
            Proposal::Exponential => {
                let factor = -1.0 / self.gamma.shape();
                for x in x.iter_mut() {
                    let e: f64 = Exp1.sample(rng);
                    *x = e * factor;
                }
                x.iter_mut().for_each(|x| *x = exp_nonpositive(*x));
            }
        }
    }

    /// Adds Gamma(N) with N ~ Poisson(λ) to each y.
    pub(crate) fn add_events<R: Rng + ?Sized>(&mut self, lambda: &[f64], y: &mut [f64], rng: &mut R) {
        let mut i = 0;
        while let Some(passed) = pass(&mut self.until_event, lambda[i..].iter().copied()) {
            i += passed;
            y[i] += one_or_more(lambda[i] - self.until_event, rng);
            // The process may be started anew at the end of the stretch: it has no memory.
            self.until_event = Exp1.sample(rng);
            i += 1;
        }
    }
}

/// Passes along the axis until a stretch has the event in it: how many stretches lie before that one, if there is one.
/// `until` is then the place of the event in it, and otherwise the distance from the end to the event.
///
/// A loop of its own, without any call in it, so that the distance stays in a register.
#[inline(always)]
fn pass(until: &mut f64, stretches: impl Iterator<Item = f64>) -> Option<usize> {
    let mut rest = *until;
    let mut passed = None;
    for (i, stretch) in stretches.enumerate() {
        if rest < stretch {
            passed = Some(i);
            break;
        }
        rest -= stretch;
    }
    *until = rest;
    passed
}

/// Each x to the power m.
fn powers(m: u32, x: &mut [f64]) {
    let mut eights = x.chunks_exact_mut(8);
    for x in &mut eights {
        if let Ok(x) = <&mut [f64; 8]>::try_from(x) {
            *x = power(m, *x);
        }
    }
    for x in eights.into_remainder() {
        [*x] = power(m, [*x]);
    }
}

/// Each x to the power m, by squaring, all in step.
#[inline]
fn power<const LANES: usize>(m: u32, mut x: [f64; LANES]) -> [f64; LANES] {
    let mut product = [1.0; LANES];
    let mut bits = m;
    loop {
        if bits & 1 == 1 {
            (0..LANES).for_each(|k| product[k] *= x[k]);
        }
        bits >>= 1;
        if bits == 0 {
            return product;
        }
        (0..LANES).for_each(|k| x[k] *= x[k]);
    }
}
