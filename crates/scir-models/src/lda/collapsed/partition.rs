//! Cutting a corpus into groups of documents and groups of words of about equal numbers of tokens.

use super::documents::FEW;
use super::tokens::Tokens;
use scir_data::Corpus;
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Partition {
    /// Consecutive documents.
    documents: Vec<Range<usize>>,
    /// The words of each group.
    words: Vec<Vec<u32>>,
    /// The group of each word, and its position there.
    places: Vec<(u32, u32)>,
}

impl Partition {
    pub(super) fn new(corpus: &Corpus, parts: usize) -> Self {
        let words = group_words(corpus, parts);
        let mut places = vec![(0, 0); corpus.words()];
        for (group, members) in (0..).zip(&words) {
            (0..).zip(members).for_each(|(row, &word)| places[word as usize] = (group, row));
        }
        Self { documents: group_documents(corpus, parts), words, places }
    }

    /// The number of words.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The group of a word, and its position there.
    pub(super) fn place(&self, word: usize) -> (usize, usize) {
        let (group, row) = self.places[word];
        (group as usize, row as usize)
    }

    /// The groups of words.
    pub(super) fn words(&self) -> impl Iterator<Item = &[u32]> {
        self.words.iter().map(Vec::as_slice)
    }

    /// The tokens of each group of documents, in chunks.
    pub(super) fn tokens(&self, corpus: &Corpus, topics: usize) -> Vec<Vec<Tokens>> {
        let sizes: Vec<usize> = self.words.iter().map(Vec::len).collect();
        let place = |(word, count): (u32, u32)| {
            let (group, row) = self.places[word as usize];
            (group, row, count)
        };
        let chunk = |range: Range<usize>| {
            let documents: Vec<Vec<_>> = range.map(|d| corpus.doc(d).iter().map(place).collect()).collect();
            Tokens::new(&documents, &sizes, topics)
        };
        self.documents
            .iter()
            .map(|group| chunks(corpus, group.clone(), chunk_size(topics)).map(chunk).collect())
            .collect()
    }
}

/// Documents are worked on in chunks of about so many tokens: these, and the counts of their topics, then stay in the
/// processor's cache while the chunk is gone through word by word, at random places of the chunk. On the other hand each
/// chunk costs a pass over the topics for each of its words, so with many topics chunks are larger.
fn chunk_size(topics: usize) -> u64 {
    if topics <= FEW { 1 << 17 } else { 1 << 18 }
}

fn chunks(
    corpus: &Corpus,
    documents: Range<usize>,
    size: u64,
) -> impl Iterator<Item = Range<usize>> + use<'_> {
    let mut start = documents.start;
    std::iter::from_fn(move || {
        let (first, mut tokens) = (start, 0);
        while start < documents.end && (tokens < size || start == first) {
            tokens += corpus.doc_tokens(start);
            start += 1;
        }
        (first < start).then_some(first..start)
    })
}

/// Runs of documents that end where the tokens so far pass the next share of all tokens.
fn group_documents(corpus: &Corpus, parts: usize) -> Vec<Range<usize>> {
    let all = u128::from(corpus.tokens());
    let (mut groups, mut start, mut tokens) = (Vec::with_capacity(parts), 0, 0u128);
    for d in 0..corpus.len() {
        if tokens * parts as u128 >= all * (groups.len() as u128 + 1) && groups.len() + 1 < parts {
            groups.push(start..d);
            start = d;
        }
        tokens += u128::from(corpus.doc_tokens(d));
    }
    groups.push(start..corpus.len());
    groups.resize(parts, corpus.len()..corpus.len());
    groups
}

/// Words by descending frequency, each to the group with the fewest tokens.
fn group_words(corpus: &Corpus, parts: usize) -> Vec<Vec<u32>> {
    let mut frequency = vec![0u64; corpus.words()];
    corpus
        .docs()
        .flat_map(|document| document.iter())
        .for_each(|(w, n)| frequency[w as usize] += u64::from(n));
    let mut order: Vec<u32> = (0..corpus.words() as u32).collect();
    order.sort_by_key(|&word| std::cmp::Reverse(frequency[word as usize]));
    let (mut groups, mut loads) = (vec![Vec::new(); parts], vec![0u64; parts]);
    for word in order {
        let lightest = (0..parts).min_by_key(|&group| loads[group]).unwrap_or(0);
        loads[lightest] += frequency[word as usize].max(1);
        groups[lightest].push(word);
    }
    groups
}
