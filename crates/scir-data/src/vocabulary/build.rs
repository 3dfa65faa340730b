//! Choosing a vocabulary in one pass over texts.

use std::collections::{HashMap, HashSet};

use super::Vocabulary;
use crate::error::{Error, Result};
use crate::stream::{TextDocument, TextSource};
use crate::text::Tokenizer;

/// Which words make a vocabulary. Plain data; the default keeps every word.
///
/// ```
/// use scir_data::formats::Lines;
/// use scir_data::{Limits, Source, VocabularyRules};
/// # fn main() -> scir_data::Result<()> {
/// let text = &b"the river\nthe bank of the river\nthe bank"[..];
/// let source = Lines::new(Source::from_reader("<memory>", text, Limits::default())?);
/// let rules = VocabularyRules { min_documents: 2, max_fraction: 0.9, ..VocabularyRules::default() };
/// assert!(rules.build(source)?.words().eq(["bank", "river"]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct VocabularyRules {
    /// What counts as a word.
    pub tokenizer: Tokenizer,
    /// A word must occur in at least this many documents.
    pub min_documents: u64,
    /// … and in at least this fraction of the documents.
    pub min_fraction: f64,
    /// A word may occur in at most this many documents.
    pub max_documents: u64,
    /// … and in at most this fraction of the documents.
    pub max_fraction: f64,
    /// A word has at least this many characters.
    pub min_chars: usize,
    /// At most this many words: those in the most documents.
    pub max_words: usize,
    /// Words to leave out, written as the tokenizer gives them.
    pub stop_words: HashSet<String>,
    /// How many distinct words may be counted at a time, which bounds the memory. When there are more, the
    /// rarest are forgotten; see [`VocabularyBuilder::undercount`].
    pub max_candidates: usize,
}

impl Default for VocabularyRules {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::default(),
            min_documents: 1,
            min_fraction: 0.0,
            max_documents: u64::MAX,
            max_fraction: 1.0,
            min_chars: 1,
            max_words: u32::MAX as usize,
            stop_words: HashSet::new(),
            max_candidates: 5_000_000,
        }
    }
}

impl VocabularyRules {
    /// Checks the rules and starts counting.
    ///
    /// # Errors
    /// [`Error::Setting`] for a fraction outside [0, 1], bounds that exclude each other, or no room for candidates.
    pub fn builder(self) -> Result<VocabularyBuilder> {
        let refuse = |name, value: String, expected| Err(Error::Setting { name, value, expected });
        for (name, fraction) in [("min_fraction", self.min_fraction), ("max_fraction", self.max_fraction)] {
            if !(0.0..=1.0).contains(&fraction) {
                return refuse(name, fraction.to_string(), "a number in [0, 1]");
            }
        }
        if self.min_fraction > self.max_fraction {
            return refuse("min_fraction", self.min_fraction.to_string(), "at most max_fraction");
        }
        if self.min_documents > self.max_documents {
            return refuse("min_documents", self.min_documents.to_string(), "at most max_documents");
        }
        if self.max_candidates < 2 {
            return refuse("max_candidates", self.max_candidates.to_string(), "at least 2");
        }
        Ok(VocabularyBuilder { rules: self, counts: HashMap::new(), documents: 0, undercount: 0 })
    }

    /// Counts all texts of a source and chooses.
    ///
    /// # Errors
    /// Those of [`builder`](Self::builder), of the source, and [`Error::Setting`] if no word is left.
    pub fn build(self, mut source: impl TextSource) -> Result<Vocabulary> {
        let mut builder = self.builder()?;
        let mut document = TextDocument::default();
        while source.read_text(&mut document)? {
            builder.add(&document.text);
        }
        builder.finish()
    }
}

/// Counts in how many documents each word occurs; made by [`VocabularyRules::builder`].
#[derive(Debug)]
pub struct VocabularyBuilder {
    rules: VocabularyRules,
    counts: HashMap<Box<str>, Seen>,
    documents: u64,
    undercount: u64,
}

#[derive(Debug)]
struct Seen {
    documents: u64,
    /// The last document it was seen in, from 1: a word counts once for each.
    last: u64,
}

impl VocabularyBuilder {
    /// Counts one document.
    pub fn add(&mut self, text: &str) {
        self.documents += 1;
        let (rules, counts, now) = (&self.rules, &mut self.counts, self.documents);
        rules.tokenizer.for_each_word(text, |word| {
            if let Some(seen) = counts.get_mut(word) {
                seen.documents += u64::from(seen.last != now);
                seen.last = now;
            } else if !rules.stop_words.contains(word) && word.chars().count() >= rules.min_chars {
                counts.insert(word.into(), Seen { documents: 1, last: now });
            }
        });
        if self.counts.len() > self.rules.max_candidates {
            self.forget_the_rarest();
        }
    }

    /// Forgets words up to the smallest count that leaves at most half of the room taken.
    fn forget_the_rarest(&mut self) {
        let mut documents: Vec<u64> = self.counts.values().map(|seen| seen.documents).collect();
        let middle = documents.len() - self.rules.max_candidates / 2 - 1;
        let (_, &mut threshold, _) = documents.select_nth_unstable(middle);
        self.counts.retain(|_, seen| seen.documents > threshold);
        self.undercount += threshold;
    }

    /// The number of documents counted.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// By how many documents the count of a word can be too low, because rare words were forgotten to stay
    /// within `max_candidates`. Zero: all counts are exact.
    pub fn undercount(&self) -> u64 {
        self.undercount
    }

    /// The words that the rules allow: those in the most documents first, then by the alphabet.
    ///
    /// # Errors
    /// [`Error::Setting`] if no word is left.
    pub fn finish(self) -> Result<Vocabulary> {
        let rules = &self.rules;
        let of = |fraction: f64| fraction * self.documents as f64;
        let mut chosen: Vec<(&str, u64)> = self
            .counts
            .iter()
            .map(|(word, seen)| (&**word, seen.documents))
            .filter(|&(_, n)| n >= rules.min_documents && n <= rules.max_documents)
            .filter(|&(_, n)| n as f64 >= of(rules.min_fraction) && n as f64 <= of(rules.max_fraction))
            .collect();
        chosen.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        chosen.truncate(rules.max_words);
        if chosen.is_empty() {
            let value = format!("none of {} distinct words", self.counts.len());
            return Err(Error::Setting {
                name: "vocabulary",
                value,
                expected: "rules that leave at least one word",
            });
        }
        Vocabulary::from_words(chosen.into_iter().map(|(word, _)| word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(rules: VocabularyRules, texts: &[&str]) -> Result<Vec<String>> {
        let mut builder = rules.builder()?;
        texts.iter().for_each(|text| builder.add(text));
        Ok(builder.finish()?.words().map(Into::into).collect())
    }

    #[test]
    fn document_frequencies_decide() {
        let texts = ["a a a b", "b c d", "b c e"];
        let rules = VocabularyRules::default;
        assert_eq!(built(rules(), &texts).unwrap(), ["b", "c", "a", "d", "e"]);
        let least = VocabularyRules { min_documents: 2, ..rules() };
        assert_eq!(built(least, &texts).unwrap(), ["b", "c"]);
        let share = VocabularyRules { min_fraction: 0.5, max_fraction: 0.7, ..rules() };
        assert_eq!(built(share, &texts).unwrap(), ["c"]);
        let most = VocabularyRules { max_documents: 2, max_words: 2, ..rules() };
        assert_eq!(built(most, &texts).unwrap(), ["c", "a"]);
        let stops = VocabularyRules { stop_words: ["b".into(), "c".into()].into(), ..rules() };
        assert_eq!(built(stops, &texts).unwrap(), ["a", "d", "e"]);
    }

    #[test]
    fn rules_that_cannot_be_kept_are_refused() {
        let rules = VocabularyRules { max_fraction: f64::NAN, ..VocabularyRules::default() };
        assert_eq!(
            built(rules, &[]).unwrap_err().to_string(),
            "max_fraction = NaN: expected a number in [0, 1]"
        );
        let rules = VocabularyRules { min_documents: 2, ..VocabularyRules::default() };
        assert_eq!(
            built(rules, &["a"]).unwrap_err().to_string(),
            "vocabulary = none of 1 distinct words: expected rules that leave at least one word"
        );
    }

    #[test]
    fn many_rare_words_are_forgotten_within_the_stated_error() {
        let rules = VocabularyRules { max_candidates: 50, ..VocabularyRules::default() };
        let mut builder = rules.builder().unwrap();
        for i in 0..1000 {
            builder.add(&format!("common w{i} {}", if i % 2 == 0 { "even" } else { "odd" }));
        }
        assert!(builder.counts.len() <= 51);
        let undercount = builder.undercount();
        assert!(undercount > 0 && undercount < 100, "{undercount}");
        assert!(builder.counts["common"].documents + undercount >= 1000);
        assert!(builder.counts["even"].documents + undercount >= 500);
    }
}
