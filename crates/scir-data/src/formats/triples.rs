//! Lines `document word count`, ordered by document: the body of UCI and Matrix Market files.

use super::integer;
use super::number::out_of_range;
use crate::corpus::Document;
use crate::error::{Error, Place, Result};
use crate::source::Source;

/// What stands in the third field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// A count from 1, and nothing but entries in the file: UCI.
    Count,
    /// A count, also zero.
    Integer,
    /// A count written as a decimal number, such as `3.0`.
    Real,
    /// Nothing: the count is one.
    Pattern,
}

/// The totals of the header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Totals {
    pub(super) documents: u64,
    pub(super) words: u64,
    pub(super) entries: u64,
}

/// One line, with the document and the word from 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) document: u64,
    pub(super) word: u32,
    pub(super) count: u32,
}

pub(super) struct Triples {
    pub(super) source: Source,
    pub(super) totals: Totals,
    value: Value,
    line: Vec<u8>,
    /// Entries read.
    found: u64,
    /// Documents given.
    given: u64,
    /// The first entry of a later document.
    pending: Option<Entry>,
    empty: EmptyDocuments,
}

const U32: u64 = u32::MAX as u64;

impl Triples {
    pub(super) fn new(source: Source, totals: Totals, value: Value) -> Self {
        let empty = EmptyDocuments::new(source.limits().empty_documents);
        Self { source, totals, value, line: Vec::new(), found: 0, given: 0, pending: None, empty }
    }

    /// The next entry, in whatever order the file has them.
    pub(super) fn entry(&mut self) -> Result<Option<Entry>> {
        loop {
            if !self.source.next_line(&mut self.line)? {
                if self.found < self.totals.entries {
                    return Err(self.wrong_total(self.found));
                }
                return Ok(None);
            }
            let comment = self.line.trim_ascii().is_empty() || self.line.starts_with(b"%");
            if !comment || self.value == Value::Count {
                break;
            }
        }
        let place = || self.source.place();
        let fields = self.line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let mut numbers = fields.clone();
        let wanted = if self.value == Value::Pattern { 2 } else { 3 };
        if fields.count() != wanted {
            let expected = if wanted == 2 { "two numbers" } else { "three numbers: document, word, count" };
            return Err(Error::malformed(place(), expected, &self.line));
        }
        let mut next = || numbers.next().unwrap_or_default();
        let document = from_one(next(), "document number", self.totals.documents, place)?;
        let word = from_one(next(), "word number", self.totals.words, place)?;
        let count = count(next(), self.value, place)?;
        self.found += 1;
        if self.found > self.totals.entries {
            return Err(self.wrong_total(self.found));
        }
        Ok(Some(Entry { document, word: word as u32, count }))
    }

    /// The next document; one that no entry names is empty.
    pub(super) fn document(&mut self) -> Result<Option<Document>> {
        let mut pairs = Vec::new();
        loop {
            let entry = match self.pending.take() {
                Some(entry) => Some(entry),
                None => self.entry()?,
            };
            match entry {
                Some(entry) if entry.document == self.given => pairs.push((entry.word, entry.count)),
                Some(entry) if entry.document < self.given => {
                    let expected = format!("documents in ascending order, from {} on", self.given + 1);
                    return Err(Error::malformed(self.source.place(), expected, &self.line));
                }
                entry => {
                    self.pending = entry;
                    break;
                }
            }
        }
        if self.given == self.totals.documents {
            return Ok(None);
        }
        self.given += 1;
        if pairs.is_empty() {
            self.empty.count(|| self.source.place())?;
        }
        Document::from_counts(pairs).map(Some)
    }

    fn wrong_total(&self, found: u64) -> Error {
        Error::WrongTotal {
            place: self.source.place(),
            name: "entries",
            declared: self.totals.entries,
            found,
        }
    }
}

/// Counts documents without words: a line that skips to a far document must not cost memory.
#[derive(Debug)]
pub(super) struct EmptyDocuments {
    left: u64,
    limit: u64,
}

impl EmptyDocuments {
    pub(super) fn new(limit: u64) -> Self {
        Self { left: limit, limit }
    }

    pub(super) fn count(&mut self, place: impl FnOnce() -> Place) -> Result<()> {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => {
                return Err(Error::OutOfRange {
                    place: place(),
                    name: "number of documents without words",
                    value: format!("{} or more", self.limit.saturating_add(1)),
                    expected: format!(
                        "at most {} (to allow it, raise `Limits::empty_documents`)",
                        self.limit
                    ),
                });
            }
        }
        Ok(())
    }
}

/// A number from 1 to `last`, as a number from 0.
fn from_one(field: &[u8], name: &'static str, last: u64, place: impl Fn() -> Place) -> Result<u64> {
    integer(field, name, 1..=last, place).map(|n| n - 1)
}

fn count(field: &[u8], value: Value, place: impl Fn() -> Place) -> Result<u32> {
    const NAME: &str = "count";
    match value {
        Value::Pattern => Ok(1),
        Value::Count => integer(field, NAME, 1..=U32, place).map(|n| n as u32),
        Value::Integer => integer(field, NAME, 0..=U32, place).map(|n| n as u32),
        Value::Real => {
            let number = std::str::from_utf8(field).ok().and_then(|field| field.parse::<f64>().ok());
            match number {
                Some(n) if n.fract() == 0.0 && (0.0..=U32 as f64).contains(&n) => Ok(n as u32),
                Some(n) if n.fract() == 0.0 || n.is_infinite() => {
                    Err(out_of_range(field, NAME, 0..=U32, place()))
                }
                _ => Err(Error::malformed(place(), "count as a whole number", field)),
            }
        }
    }
}
