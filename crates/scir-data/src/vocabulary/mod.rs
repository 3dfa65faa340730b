//! The words and their ids, and a fast way from one to the other.

mod build;
mod key;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use build::{VocabularyBuilder, VocabularyRules};
pub(crate) use key::ShortWord;

use crate::error::{Error, Place, Result};
use crate::source::{Source, utf8};
use crate::write::AtomicFile;

/// Distinct words, numbered from 0 in the order in which they were given.
///
/// ```
/// use scir_data::Vocabulary;
/// # fn main() -> scir_data::Result<()> {
/// let vocabulary = Vocabulary::from_words(["river", "école"])?;
/// assert_eq!(vocabulary.id("école"), Some(1));
/// assert_eq!(vocabulary.id("rivers"), None);
/// assert_eq!(vocabulary.word(0), "river");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Vocabulary {
    text: String,
    ends: Vec<u32>,
    /// A hash table with open addressing, at most half full: the upper half of a slot is the upper half of
    /// the word's hash, the lower half its id, and [`FREE`] is none. A look-up of a word that is not there
    /// mostly ends at the first slot, without a look at any string.
    slots: Vec<u64>,
    /// Each word as a number, where it is short enough.
    short: Vec<Option<ShortWord>>,
}

const FREE: u64 = u64::MAX;

/// More text than this does not fit the 32-bit offsets.
const MAX_TEXT: usize = u32::MAX as usize - 1;

impl Vocabulary {
    /// From words in the order of their ids.
    ///
    /// # Errors
    /// [`Error::DuplicateWord`], where "line" is the position from 1; [`Error::Malformed`] for an empty word.
    pub fn from_words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Result<Self> {
        let file: Arc<Path> = Path::new("<words>").into();
        let mut vocabulary = Self::empty();
        for (i, word) in words.into_iter().enumerate() {
            let place = || Place { file: Arc::clone(&file), line: Some(i as u64 + 1), byte: 0 };
            vocabulary.push(word.as_ref(), place)?;
        }
        Ok(vocabulary)
    }

    /// From a file with one word a line, in the order of the ids.
    ///
    /// # Errors
    /// A word that comes twice, with both lines; an empty line; text that is not UTF-8; what [`Source`] refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path)?)
    }

    /// As [`open`](Self::open), from a source.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(mut source: Source) -> Result<Self> {
        let mut vocabulary = Self::empty();
        let mut line = Vec::new();
        while source.next_line(&mut line)? {
            let word = utf8(&line, source.place().byte, || source.place())?;
            vocabulary.push(word.trim(), || source.place())?;
        }
        Ok(vocabulary)
    }

    /// Writes one word a line. The file appears whole or not at all.
    ///
    /// # Errors
    /// What the file system says; [`Error::Setting`] for a word with a line break in it.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut file = AtomicFile::create(path.as_ref())?;
        for word in self.words() {
            if word.contains(['\n', '\r']) || word.trim() != word {
                let expected = "a word without line breaks or white space around it";
                return Err(Error::Setting { name: "word", value: format!("{word:?}"), expected });
            }
            file.line(format_args!("{word}"))?;
        }
        file.commit()
    }

    fn empty() -> Self {
        Self { text: String::new(), ends: Vec::new(), slots: vec![FREE; 16], short: Vec::new() }
    }

    /// Adds a word under the next id. Words are refused with the place that `place` makes up.
    fn push(&mut self, word: &str, place: impl Fn() -> Place) -> Result<()> {
        if word.is_empty() {
            return Err(Error::malformed(place(), "a word", b""));
        }
        if self.text.len() + word.len() > MAX_TEXT {
            let value = (self.text.len() + word.len()).to_string();
            let expected = format!("at most {MAX_TEXT} bytes in all words together");
            return Err(Error::OutOfRange { place: place(), name: "vocabulary size", value, expected });
        }
        if let Some(first) = self.id(word) {
            let first_line = u64::from(first) + 1;
            return Err(Error::DuplicateWord { place: place(), word: word.into(), first_line });
        }
        let id = self.ends.len() as u32;
        self.text.push_str(word);
        self.ends.push(self.text.len() as u32);
        self.short.push(ShortWord::from_bytes(word.as_bytes()));
        if self.ends.len() * 2 > self.slots.len() {
            self.slots = vec![FREE; self.slots.len() * 2];
            (0..=id).for_each(|id| self.insert(id));
        } else {
            self.insert(id);
        }
        Ok(())
    }

    fn insert(&mut self, id: u32) {
        let hash = key::hash(self.word(id).as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != FREE {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (hash & TAG) | u64::from(id);
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The word with the id `id`.
    ///
    /// # Panics
    /// If `id` is not below [`len`](Self::len).
    pub fn word(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start as usize..self.ends[id] as usize]
    }

    /// The words in the order of their ids.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|id| self.word(id as u32))
    }

    /// The id of a word.
    #[inline]
    pub fn id(&self, word: &str) -> Option<u32> {
        self.id_of_bytes(word.as_bytes())
    }

    #[inline]
    pub(crate) fn id_of_bytes(&self, word: &[u8]) -> Option<u32> {
        match ShortWord::from_bytes(word) {
            Some(short) => self.id_of_short(short),
            None => self.find(key::hash(word), |id| self.word(id).as_bytes() == word),
        }
    }

    #[inline]
    pub(crate) fn id_of_short(&self, word: ShortWord) -> Option<u32> {
        self.find(word.hash(), |id| self.short[id as usize] == Some(word))
    }

    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let found = self.slots[slot];
            if found == FREE {
                return None;
            }
            if found & TAG == hash & TAG && is_it(found as u32) {
                return Some(found as u32);
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// The half of a hash that a slot remembers.
const TAG: u64 = 0xffff_ffff_0000_0000;

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary").field("words", &self.len()).finish_non_exhaustive()
    }
}

/// Equal words in equal order.
impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

impl Eq for Vocabulary {}

#[cfg(test)]
mod tests;
