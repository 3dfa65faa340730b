//! Moving many simplexes at once, with the same bits at any number of threads.

use crate::error::Result;
use crate::simplex::Simplex;
use crate::stream::{Purpose, Streams};
use crate::target::Target;
use crate::transition::{Report, Transition};

/// Where the random numbers of a block of simplexes come from: simplex k draws from the stream
/// (seed, `purpose`, `iteration`, k).
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The streams of the run.
    pub streams: Streams,
    /// What the numbers are for.
    pub purpose: Purpose,
    /// The iteration of the run.
    pub iteration: u64,
}

/// Moves every simplex of a block over one step; `target(k)` is the target of simplex k.
///
/// With the feature `rayon` the simplexes are shared out among the threads of the current pool. Each has a stream of
/// its own, so that the result does not depend on the number of threads, nor on the feature.
///
/// Returns one report for each simplex, in order. If a target or the step is refused, the error of the first simplex
/// concerned is returned; others may have moved.
pub fn step_block<'t, T, F>(
    simplexes: &mut [Simplex],
    transition: &T,
    target: F,
    h: f64,
    place: Place,
) -> Result<Vec<Report>>
where
    T: Transition + Sync + ?Sized,
    F: Fn(usize) -> Result<Target<'t>> + Sync,
{
    let step = |(k, simplex): (usize, &mut Simplex)| {
        let mut rng = place.streams.rng(place.purpose, place.iteration, k as u64);
        simplex.step(transition, target(k)?, h, &mut rng)
    };
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        // Collected first, so that the error returned is that of the first simplex and not of the first thread.
        let reports: Vec<Result<Report>> = simplexes.par_iter_mut().enumerate().map(step).collect();
        reports.into_iter().collect()
    }
    #[cfg(not(feature = "rayon"))]
    simplexes.iter_mut().enumerate().map(step).collect()
}
