//! Many draws of Gamma(s + N), N ~ Poisson(λ), with one shape s below 1: the inner loop of a sparse simplex.
//!
//! The same law as drawing one at a time, but in stages over a slice. What rarely happens comes from two Poisson
//! processes of unit rate: think of an axis on which each draw takes up a stretch, so long that an event falls into it
//! with the probability that is needed. The distance to the next event is one exponential variable, and a draw
//! without an event costs a subtraction and no random number.
//!
//! 1. Proposals x = U^{1/s} of the body of Gamma(s) (see [`Gamma`]), U uniform. If 1/s is a whole number, as for the
//!    usual priors 0.1, 0.01 or 0.05, this is a few multiplications; otherwise x = e^{−E/s} with E = −ln U drawn directly.
//! 2. On the first axis the stretch of a proposal is τ + x. An event in the part τ = −ln(share of the body) makes it
//!    a proposal of the tail instead; one in the part x refuses it, which has to happen with probability 1 − e^{−x}.
//!    The refused ones are drawn again.
//! 3. On the second axis the stretch is λ. Each event is one of the N and adds a standard exponential variable, because
//!    Gamma(s + N) = Gamma(s) + Gamma(N).

use super::exp::exp_nonpositive;
use super::gamma::{Gamma, unit_interval};
use super::poisson::poisson;
use rand::Rng;
use rand_distr::{Distribution, Exp1};

/// How many draws are made at a time.
pub(crate) const BATCH: usize = 256;

/// A source of draws with one shape below 1, and the buffers for a batch of them.
#[derive(Debug)]
pub(crate) struct SmallGammas {
    gamma: Gamma,
    proposal: Proposal,
    /// −ln(share of the body).
    tau: f64,
    until_refusal: f64,
    until_event: f64,
    /// What the proposals were made from: U, or −E/s.
    source: [f64; BATCH],
    again: [u16; BATCH],
}

/// How a proposal x is made from its source.
#[derive(Debug, Clone, Copy)]
enum Proposal {
    /// x = U^m, for shape 1/m.
    Power(u32),
    /// x = e^l, l = −E/shape.
    Exponential,
}

impl SmallGammas {
    /// For 0 < shape < 1.
    pub(crate) fn new<R: Rng + ?Sized>(shape: f64, rng: &mut R) -> Self {
        debug_assert!(shape < 1.0);
        let gamma = Gamma::new(shape);
        let m = (1.0 / shape).round();
        // Up to the rounding of the shape itself.
        let whole = (m * shape - 1.0).abs() <= f64::EPSILON && m < 1e5;
        Self {
            gamma,
            proposal: if whole { Proposal::Power(m as u32) } else { Proposal::Exponential },
            tau: -gamma.body_share().ln(),
            until_refusal: Exp1.sample(rng),
            until_event: Exp1.sample(rng),
            source: [0.0; BATCH],
            again: [0; BATCH],
        }
    }

    /// Writes a draw of Gamma(shape) into each y, for at most [`BATCH`] of them.
    pub(crate) fn fill<R: Rng + ?Sized>(&mut self, y: &mut [f64], rng: &mut R) {
        self.propose(y, rng);
        let (mut until, mut refused) = (self.until_refusal, 0);
        for (i, x) in y.iter_mut().enumerate() {
            let stretch = self.tau + *x;
            if until >= stretch {
                until -= stretch;
                continue;
            }
            let accepted = until < self.tau && self.gamma.tail(x, rng);
            until = Exp1.sample(rng);
            self.again[refused] = i as u16;
            refused += usize::from(!accepted);
        }
        self.until_refusal = until;
        for k in 0..refused {
            let i = usize::from(self.again[k]);
            let draw = self.gamma.draw(rng);
            y[i] = draw.value();
            if y[i] < f64::MIN_POSITIVE {
                self.source[i] = match self.proposal {
                    Proposal::Power(m) => (draw.ln() / f64::from(m)).exp(),
                    Proposal::Exponential => draw.ln(),
                };
            }
        }
    }

    /// Proposals of the body.
    #[inline]
    fn propose<R: Rng + ?Sized>(&mut self, x: &mut [f64], rng: &mut R) {
        let source = &mut self.source[..x.len()];
        match self.proposal {
            Proposal::Power(m) => {
                for u in source.iter_mut() {
                    // In (0, 1], so that its logarithm is finite.
                    *u = 1.0 - unit_interval(rng.next_u64());
                }
                powers(m, source, x);
            }
            Proposal::Exponential => {
                let factor = -1.0 / self.gamma.shape();
                for l in source.iter_mut() {
                    let e: f64 = Exp1.sample(rng);
                    *l = e * factor;
                }
                for (x, l) in x.iter_mut().zip(source) {
                    *x = exp_nonpositive(*l);
                }
            }
        }
    }

    /// Adds to each y the sum of N standard exponential variables, N ~ Poisson(λ).
    pub(crate) fn add_events<R: Rng + ?Sized>(&mut self, lambda: &[f64], y: &mut [f64], rng: &mut R) {
        let mut until = self.until_event;
        for (y, &lambda) in y.iter_mut().zip(lambda) {
            if until >= lambda {
                until -= lambda;
            } else {
                let sum;
                (sum, until) = events(lambda, until, rng);
                *y += sum;
            }
        }
        self.until_event = until;
    }

    /// ln y_i of the last batch, for a y_i below the smallest normal f64.
    pub(crate) fn ln_if_tiny(&self, i: usize) -> f64 {
        match self.proposal {
            Proposal::Power(m) => f64::from(m) * self.source[i].ln(),
            Proposal::Exponential => self.source[i],
        }
    }
}

/// x_i = u_i^m, by squaring, eight at a time.
fn powers(m: u32, u: &[f64], x: &mut [f64]) {
    for (x, u) in x.chunks_mut(8).zip(u.chunks(8)) {
        let mut square = [1.0; 8];
        square[..u.len()].copy_from_slice(u);
        let mut product = [1.0; 8];
        let mut bits = m;
        loop {
            if bits & 1 == 1 {
                (0..8).for_each(|k| product[k] *= square[k]);
            }
            bits >>= 1;
            if bits == 0 {
                break;
            }
            (0..8).for_each(|k| square[k] *= square[k]);
        }
        x.copy_from_slice(&product[..u.len()]);
    }
}

/// The sum of the exponential variables of the events in a stretch of length λ whose first event is at `next`, and
/// the distance from the end of the stretch to the event after it.
#[inline]
fn events<R: Rng + ?Sized>(lambda: f64, mut next: f64, rng: &mut R) -> (f64, f64) {
    /// More expected events than this are counted by one Poisson draw instead of one by one.
    const MANY: f64 = 12.0;
    if lambda - next > MANY {
        // The event at `next` and those after it; a Poisson process may be started anew at the end.
        let n = 1.0 + poisson(lambda - next, rng);
        return (Gamma::new(n).draw(rng).value(), Exp1.sample(rng));
    }
    let mut sum = 0.0;
    while next < lambda {
        let (value, gap): (f64, f64) = (Exp1.sample(rng), Exp1.sample(rng));
        sum += value;
        next += gap;
    }
    (sum, next - lambda)
}
