//! Topic coherence: do the top words of a topic occur together in a reference corpus?

use crate::error::{Error, Result};
use std::collections::HashMap;

/// Coherence of topics from a reference corpus that passes by once, document by document.
///
/// D(w) is the number of documents with the word w, D(v, w) that with both, D the number of documents. For a topic with
/// top words w_1, w_2, … (most probable first) and its pairs i < j
///
/// ```text
/// NPMI  = mean over pairs of  ln( p(w_i, w_j) / (p(w_i) p(w_j)) ) / − ln p(w_i, w_j),   p = D(·)/D
/// UMass = mean over pairs of  ln( (D(w_i, w_j) + 1) / D(w_i) )
/// ```
///
/// (Lau, Newman & Baldwin 2014, with whole documents as windows; Mimno et al. 2011.) NPMI lies in [−1, 1]: −1 for a pair
/// that never occurs together, 1 for one that always does. A pair with a word that the reference corpus has not is −1 in
/// NPMI and is left out of UMass, where it is not defined. Memory is one number for each pair of top words of a topic.
///
/// ```
/// let mut coherence = scir_eval::Coherence::new(&[vec![0, 1], vec![0, 2]])?;
/// for document in [&[0, 1][..], &[0, 1], &[2], &[3]] {
///     coherence.push(document)?;
/// }
/// assert_eq!(coherence.npmi(), [1.0, -1.0]);
/// # Ok::<(), scir_eval::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Coherence {
    topics: Vec<Vec<u32>>,
    /// The number of each word that is a top word.
    numbers: HashMap<u32, u32>,
    /// For each of these words, the pairs it is the smaller member of: (the other, where the pair is counted).
    partners: Vec<Vec<(u32, u32)>>,
    words: Vec<u64>,
    pairs: Vec<u64>,
    documents: u64,
}

impl Coherence {
    /// For topics given by their top words, most probable first.
    ///
    /// # Errors
    /// If a topic has fewer than two words, or a word twice.
    pub fn new(topics: &[Vec<u32>]) -> Result<Self> {
        let mut numbers = HashMap::new();
        let mut partners: Vec<Vec<(u32, u32)>> = Vec::new();
        let mut pairs = 0;
        for topic in topics {
            crate::error::at_least("topic", topic.len(), 2)?;
            for (i, &word) in topic.iter().enumerate() {
                if topic[..i].contains(&word) {
                    return Err(Error::Twice { name: "topic", value: word });
                }
                let next = numbers.len() as u32;
                numbers.entry(word).or_insert(next);
            }
            partners.resize(numbers.len(), Vec::new());
            for (i, j) in index_pairs(topic.len()) {
                let (a, b) = (numbers[&topic[i]], numbers[&topic[j]]);
                let known = &mut partners[a.min(b) as usize];
                if !known.iter().any(|&(other, _)| other == a.max(b)) {
                    known.push((a.max(b), pairs));
                    pairs += 1;
                }
            }
        }
        let words = vec![0; numbers.len()];
        Ok(Self {
            topics: topics.to_vec(),
            numbers,
            partners,
            words,
            pairs: vec![0; pairs as usize],
            documents: 0,
        })
    }

    /// Adds a document of the reference corpus by its distinct words, ascending.
    ///
    /// # Errors
    /// If the words do not ascend.
    pub fn push(&mut self, words: &[u32]) -> Result<()> {
        if let Some(pair) = words.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(Error::Twice { name: "words", value: pair[1] });
        }
        let mut present: Vec<u32> = words.iter().filter_map(|word| self.numbers.get(word).copied()).collect();
        present.sort_unstable();
        for &a in &present {
            self.words[a as usize] += 1;
            for &(b, pair) in &self.partners[a as usize] {
                if present.binary_search(&b).is_ok() {
                    self.pairs[pair as usize] += 1;
                }
            }
        }
        self.documents += 1;
        Ok(())
    }

    /// NPMI of each topic.
    pub fn npmi(&self) -> Vec<f64> {
        let documents = self.documents as f64;
        self.mean_over_pairs(|first, second, both| {
            if both == 0.0 {
                return Some(-1.0);
            }
            let ln_joint = (both / documents).ln();
            // Words that are in every document: the limit of pairs that always occur together.
            Some(if ln_joint == 0.0 { 1.0 } else { (both * documents / (first * second)).ln() / -ln_joint })
        })
    }

    /// UMass coherence of each topic; NaN where no pair has it.
    pub fn umass(&self) -> Vec<f64> {
        self.mean_over_pairs(|first, _, both| (first > 0.0).then(|| ((both + 1.0) / first).ln()))
    }

    fn mean_over_pairs(&self, score: impl Fn(f64, f64, f64) -> Option<f64>) -> Vec<f64> {
        let of_topic = |topic: &Vec<u32>| {
            let (mut sum, mut count) = (0.0, 0.0);
            for (i, j) in index_pairs(topic.len()) {
                let (a, b) = (self.numbers[&topic[i]], self.numbers[&topic[j]]);
                let pair = self.partners[a.min(b) as usize].iter().find(|(other, _)| *other == a.max(b));
                let both = pair.map_or(0, |&(_, pair)| self.pairs[pair as usize]) as f64;
                if let Some(score) = score(self.words[a as usize] as f64, self.words[b as usize] as f64, both)
                {
                    sum += score;
                    count += 1.0;
                }
            }
            sum / count
        };
        self.topics.iter().map(of_topic).collect()
    }
}

/// All i < j below `len`.
fn index_pairs(len: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len).flat_map(move |i| (i + 1..len).map(move |j| (i, j)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_brute_force() {
        let occurs = |d: u32, w: u32| ((d * 8 + w).wrapping_mul(2_654_435_761) >> 9).is_multiple_of(3);
        let documents: Vec<Vec<u32>> = (0..60).map(|d| (0..8).filter(|&w| occurs(d, w)).collect()).collect();
        let topics = [vec![0, 3, 5], vec![7, 2, 1, 4], vec![6, 9]];
        let mut coherence = Coherence::new(&topics).unwrap();
        documents.iter().for_each(|document| coherence.push(document).unwrap());
        let count =
            |words: &[u32]| documents.iter().filter(|d| words.iter().all(|w| d.contains(w))).count() as f64;
        for (t, topic) in topics.iter().enumerate().take(2) {
            let (mut npmi, mut umass, mut pairs) = (0.0, 0.0, 0.0);
            for i in 0..topic.len() {
                for j in i + 1..topic.len() {
                    let (a, b, both) = (count(&[topic[i]]), count(&[topic[j]]), count(&[topic[i], topic[j]]));
                    npmi += if both == 0.0 {
                        -1.0
                    } else {
                        (both / 60.0 / (a / 60.0 * b / 60.0)).ln() / -(both / 60.0).ln()
                    };
                    umass += ((both + 1.0) / a).ln();
                    pairs += 1.0;
                }
            }
            approx::assert_relative_eq!(coherence.npmi()[t], npmi / pairs, max_relative = 1e-12);
            approx::assert_relative_eq!(coherence.umass()[t], umass / pairs, max_relative = 1e-12);
        }
        // Word 9 is in no document.
        assert_eq!(coherence.npmi()[2], -1.0);
    }

    #[test]
    fn mistakes_are_refused() {
        assert!(Coherence::new(&[vec![1]]).is_err());
        assert!(Coherence::new(&[vec![1, 1]]).is_err());
        assert!(Coherence::new(&[vec![1, 2]]).unwrap().push(&[3, 3]).is_err());
    }
}
