//! Reading topics: their most probable words.

use super::Lda;
use crate::error::Result;
use crate::top::top;

impl Lda {
    /// The `count` most probable words of each topic with their probabilities, most probable first; of equally
    /// probable words the one with the smaller id comes first.
    ///
    /// # Errors
    /// Never for a model that was made by this crate.
    pub fn top_words(&self, count: usize) -> Result<Vec<Vec<(u32, f64)>>> {
        let mut phi = vec![0.0; self.words()];
        let mut best = Vec::with_capacity(self.topics.len());
        for topic in &self.topics {
            topic.omega(&mut phi)?;
            best.push(top(0, &phi, count));
        }
        Ok(best)
    }
}
