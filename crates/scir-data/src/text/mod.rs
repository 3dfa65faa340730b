//! From text to words, and from words to ids.

mod a_to_z;
mod unicode;

use std::sync::Arc;

use crate::corpus::Document;
use crate::vocabulary::Vocabulary;

/// What counts as a word.
///
/// ```
/// use scir_data::Tokenizer;
/// let text = "L'École, 1794: state-of-the-art<br>Don't";
/// let words = |tokenizer: Tokenizer| {
///     let mut words = Vec::new();
///     tokenizer.for_each_word(text, |word| words.push(word.to_string()));
///     words
/// };
/// assert_eq!(words(Tokenizer::unicode()), ["l'école", "1794", "state", "of", "the", "art", "don't"]);
/// assert_eq!(words(Tokenizer::a_to_z()), ["lcole", "state", "of", "the", "art", "dont"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokenizer {
    rule: Rule,
    tags: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Unicode,
    AToZ,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self::unicode()
    }
}

impl Tokenizer {
    /// Words of any script by the boundaries of Unicode (UAX #29), in lower case. What looks like a tag
    /// (`<br>`, `</ref>`, a comment) separates words.
    pub const fn unicode() -> Self {
        Self { rule: Rule::Unicode, tags: true }
    }

    /// The clean-up of the LDA experiments on Wikipedia: tags (from `<` to the next `>` on the line)
    /// become a space; lower case; hyphens and line breaks become a space; every other character
    /// outside a–z and the space is dropped, so that "don't" is "dont"; words are what stands between spaces.
    pub const fn a_to_z() -> Self {
        Self { rule: Rule::AToZ, tags: true }
    }

    /// Whether tags separate words (the default), or are text like any other.
    pub const fn strip_tags(self, tags: bool) -> Self {
        Self { tags, ..self }
    }

    /// Calls `each` with every word of `text`, in order.
    pub fn for_each_word(&self, text: &str, mut each: impl FnMut(&str)) {
        match self.rule {
            Rule::Unicode => unicode::words(text, self.tags, &mut String::new(), each),
            Rule::AToZ => {
                a_to_z::words(text.as_bytes(), self.tags, |found| {
                    let (short, len);
                    let word = match found {
                        a_to_z::Found::Short(word) => {
                            (short, len) = word.bytes();
                            &short[16 - len..]
                        }
                        a_to_z::Found::Long(word) => word,
                    };
                    each(std::str::from_utf8(word).expect("letters a to z are UTF-8"));
                });
            }
        }
    }
}

/// Turns texts into documents: a tokenizer with a vocabulary. Words that are not in the vocabulary are left out.
///
/// ```
/// use std::sync::Arc;
/// use scir_data::{Encoder, Tokenizer, Vocabulary};
/// # fn main() -> scir_data::Result<()> {
/// let vocabulary = Arc::new(Vocabulary::from_words(["art", "state"])?);
/// let mut encoder = Encoder::new(Tokenizer::a_to_z(), vocabulary);
/// assert_eq!(encoder.encode("State-of-the-art").view().order(), Some(&[1, 0][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Encoder {
    tokenizer: Tokenizer,
    vocabulary: Arc<Vocabulary>,
    /// The word at hand, kept so that a word costs no allocation.
    word: String,
}

impl Encoder {
    /// Words as `tokenizer` finds them, ids as `vocabulary` gives them.
    pub fn new(tokenizer: Tokenizer, vocabulary: Arc<Vocabulary>) -> Self {
        Self { tokenizer, vocabulary, word: String::new() }
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The document that `text` is, with its token order.
    pub fn encode(&mut self, text: &str) -> Document {
        let mut tokens = Vec::new();
        self.encode_into(text, &mut tokens);
        Document::from_tokens(tokens)
    }

    /// Adds the token ids of `text` at the end of `tokens`.
    pub fn encode_into(&mut self, text: &str, tokens: &mut Vec<u32>) {
        let vocabulary = &*self.vocabulary;
        let tags = self.tokenizer.tags;
        match self.tokenizer.rule {
            Rule::Unicode => {
                unicode::words(text, tags, &mut self.word, |word| tokens.extend(vocabulary.id(word)));
            }
            Rule::AToZ => {
                a_to_z::words(text.as_bytes(), tags, |found| {
                    tokens.extend(match found {
                        a_to_z::Found::Short(word) => vocabulary.id_of_short(word),
                        a_to_z::Found::Long(word) => vocabulary.id_of_bytes(word),
                    });
                });
            }
        }
    }
}

#[cfg(test)]
mod tests;
