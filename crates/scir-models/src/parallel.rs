//! Work on many items: in parallel with the feature `rayon`, and always with results in order.

use crate::error::Result;
use std::ops::Range;

/// A minibatch is cut into at most this many parts. Their number depends on the minibatch alone, never on the
/// threads, so that what is added up over the parts is the same to the last bit on any machine.
const PARTS: usize = 64;

/// `0..len` cut into parts of equal length, the last one shorter.
pub(crate) fn parts(len: usize) -> Vec<Range<usize>> {
    let size = len.div_ceil(PARTS).max(1);
    (0..len).step_by(size).map(|start| start..(start + size).min(len)).collect()
}

/// `work` for every item, results in the order of the items; the error returned is that of the first item that failed.
pub(crate) fn map<I: Send, T: Send>(
    items: Vec<I>,
    work: impl Fn(I) -> Result<T> + Sync + Send,
) -> Result<Vec<T>> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        // One item at a time: documents differ a hundredfold in length.
        let results: Vec<Result<T>> = items.into_par_iter().with_max_len(1).map(work).collect();
        results.into_iter().collect()
    }
    #[cfg(not(feature = "rayon"))]
    items.into_iter().map(work).collect()
}
