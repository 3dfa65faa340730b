//! The inner loop: drawing the tokens of a group of words in a chunk of documents, word by word.

use super::documents::TopicCounts;
use super::word::Word;
use crate::prior::Concentration;
use scir_core::rand::{Rng, RngExt};

/// n_kw of a group of words, one row for each word.
#[derive(Debug, Clone)]
pub(super) struct WordCounts {
    topics: usize,
    counts: Vec<u32>,
    beta: Vec<f32>,
}

impl WordCounts {
    pub(super) fn new(words: &[u32], beta: &Concentration, topics: usize) -> Self {
        let beta = words.iter().map(|&word| beta.at(word as usize) as f32).collect();
        Self { topics, counts: vec![0; words.len() * topics], beta }
    }

    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.counts[row * self.topics..(row + 1) * self.topics]
    }
}

/// The tokens of a chunk of documents: those of a word stand together, and the words of a group of words do.
#[derive(Debug, Clone)]
pub(super) struct Tokens {
    /// n_dk.
    counts: TopicCounts,
    /// For each group of words, where the tokens of each of its words end, and where those of the first begin.
    ends: Vec<Vec<u32>>,
    /// Where each token is.
    places: Vec<Place>,
    /// The topic of each token, document by document.
    z: Vec<u32>,
    /// Where each document starts in `z`, and where the last one ends.
    starts: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    document: u32,
    /// In `z`.
    token: u32,
}

impl Tokens {
    /// From documents as (group, row, count) of their words; `groups` are the numbers of words.
    pub(super) fn new(documents: &[Vec<(u32, u32, u32)>], groups: &[usize], topics: usize) -> Self {
        let mut ends: Vec<Vec<u32>> = groups.iter().map(|&words| vec![0; words + 1]).collect();
        for &(group, row, count) in documents.iter().flatten() {
            ends[group as usize][row as usize + 1] += count;
        }
        let mut next = 0;
        for end in ends.iter_mut().flatten() {
            next += *end;
            *end = next;
        }
        // Where the next token of each word goes.
        let mut free = ends.clone();
        let mut places = vec![Place::default(); next as usize];
        let mut starts = vec![0];
        let mut token = 0;
        for (document, words) in (0..).zip(documents) {
            for &(group, row, count) in words {
                let start = &mut free[group as usize][row as usize];
                for place in &mut places[*start as usize..(*start + count) as usize] {
                    *place = Place { document, token };
                    token += 1;
                }
                *start += count;
            }
            starts.push(token);
        }
        let counts = TopicCounts::new(starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize), topics);
        Self { counts, ends, places, z: vec![0; next as usize], starts }
    }

    /// Gives every token a topic at random, all topics alike.
    ///
    /// Drawing each token given those before it would be a better start document by document. Word by word it is a bad
    /// one: all tokens of a word would follow its first ones into the same topic.
    pub(super) fn start<R: Rng>(
        &mut self,
        group: usize,
        words: &mut WordCounts,
        totals: &mut [i64],
        rng: &mut R,
    ) {
        let rows = words.counts.chunks_exact_mut(words.topics);
        for (counts, ends) in rows.zip(self.ends[group].windows(2)) {
            let range = ends[0] as usize..ends[1] as usize;
            for place in &self.places[range] {
                let z = rng.random_range(0..counts.len() as u32);
                self.z[place.token as usize] = z;
                counts[z as usize] += 1;
                totals[z as usize] += 1;
                self.counts.add(place.document as usize, z);
            }
        }
    }

    /// Draws the tokens of group `group` of the words.
    pub(super) fn sweep<R: Rng>(
        &mut self,
        group: usize,
        words: &mut WordCounts,
        word: &mut Word,
        rng: &mut R,
    ) {
        let rows = words.counts.chunks_exact_mut(words.topics).zip(&words.beta);
        for ((counts, &beta), ends) in rows.zip(self.ends[group].windows(2)) {
            let range = ends[0] as usize..ends[1] as usize;
            if range.is_empty() {
                continue;
            }
            word.start(counts, beta);
            for place in &self.places[range] {
                let document = place.document as usize;
                let start = self.starts[document];
                let z = &mut self.z[start as usize..self.starts[document + 1] as usize];
                let i = (place.token - start) as usize;
                z[i] = word.draw(z, i, counts, &mut self.counts, document, rng);
            }
        }
    }

    /// The topic of each token.
    pub(super) fn z(&self) -> &[u32] {
        &self.z
    }

    /// Keeps n_dk as lists, also where a row for each document is usual.
    #[cfg(test)]
    pub(super) fn use_lists(&mut self, topics: usize) {
        let lengths = self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize);
        self.counts = TopicCounts::Listed(super::lists::Lists::new(lengths, topics));
        let tokens = self.places.iter().map(|place| (place.document, self.z[place.token as usize]));
        tokens.for_each(|(document, z)| self.counts.add(document as usize, z));
    }

    /// How many documents there are.
    pub(super) fn documents(&self) -> usize {
        self.starts.len() - 1
    }

    /// A number that stands for the words of the documents, as far as sampling knows them (64-bit FNV-1a).
    #[cfg(feature = "serde")]
    pub(super) fn fingerprint(&self) -> u64 {
        let numbers = self.ends.iter().flatten().copied();
        let numbers = numbers.chain(self.places.iter().flat_map(|place| [place.document, place.token]));
        numbers.fold(0xcbf2_9ce4_8422_2325, |hash, x| (hash ^ u64::from(x)).wrapping_mul(0x0100_0000_01b3))
    }

    /// See [`TopicCounts::orders`].
    #[cfg(feature = "serde")]
    pub(super) fn orders(&self) -> Vec<Vec<u32>> {
        self.counts.orders()
    }

    /// Gives every token the topic that it had, and every list of topics its order. False if they do not fit.
    #[cfg(feature = "serde")]
    pub(super) fn resume(
        &mut self,
        z: Vec<u32>,
        orders: &[Vec<u32>],
        words: &mut [WordCounts],
        totals: &mut [i64],
    ) -> bool {
        let known = |&topic: &u32| (topic as usize) < totals.len();
        if z.len() != self.z.len() || !z.iter().chain(orders.iter().flatten()).all(known) {
            return false;
        }
        self.z = z;
        for (ends, words) in self.ends.iter().zip(words) {
            let rows = words.counts.chunks_exact_mut(words.topics);
            for (counts, ends) in rows.zip(ends.windows(2)) {
                for place in &self.places[ends[0] as usize..ends[1] as usize] {
                    let z = self.z[place.token as usize] as usize;
                    counts[z] += 1;
                    totals[z] += 1;
                }
            }
        }
        let tokens = self.places.iter().map(|place| (place.document, self.z[place.token as usize]));
        self.counts.resume(orders, tokens)
    }
}
