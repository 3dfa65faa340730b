//! Reading topics: their most probable words.

use super::Lda;
use crate::error::Result;

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
            let mut words: Vec<(u32, f64)> = (0..).zip(phi.iter().copied()).collect();
            let count = count.min(words.len());
            let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
            if count > 0 && count < words.len() {
                words.select_nth_unstable_by(count - 1, order);
            }
            words.truncate(count);
            words.sort_unstable_by(order);
            best.push(words);
        }
        Ok(best)
    }
}
