//! Categorical records from CSV: a header with the names of the variables, then one record a line.
//!
//! ```
//! use scir_data::Records;
//! # fn main() -> scir_data::Result<()> {
//! let csv = "colour,size\nred,small\nblue,large\nred,\n";
//! let source = scir_data::Source::from_reader("demo.csv", csv.as_bytes(), scir_data::Limits::default())?;
//! let records = Records::read(source)?;
//! assert_eq!(records.sizes(), [2, 2]);
//! assert_eq!(records.category(3), ("size", "large"));
//! assert_eq!(records.corpus().doc(1).ids(), [1, 3]); // blue, large
//! assert_eq!(records.corpus().doc(2).ids(), [0]); // red, and no size
//! # Ok(())
//! # }
//! ```

use std::collections::HashMap;
use std::path::Path;

use crate::corpus::{Corpus, CorpusBuilder, Document};
use crate::error::{Error, Result};
use crate::formats::fields;
use crate::source::{Source, utf8};

/// Records of several categorical variables, as a corpus.
///
/// The categories of all variables are numbered one after the other: those of the first variable from 0 on, in the order in
/// which they first occur, then those of the second, and so on. A record is a document with the one category that it has
/// of each variable; an empty field is a value that is missing, and left out. Fields may be quoted as in RFC 4180, but not
/// run over the end of a line.
#[derive(Debug, Clone)]
pub struct Records {
    corpus: Corpus,
    variables: Vec<Variable>,
}

#[derive(Debug, Clone)]
struct Variable {
    name: String,
    categories: Vec<String>,
}

impl Records {
    /// Reads a file.
    ///
    /// # Errors
    /// A file without a header, or a line with more or fewer fields than it has.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path)?)
    }

    /// Reads a source.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(mut source: Source) -> Result<Self> {
        let Some(header) = next_record(&mut source)? else {
            let path = source.file().to_path_buf();
            return Err(Error::Empty { path, expected: "a header with the names of the variables" });
        };
        // For each variable the numbers of its categories: those over all variables are known only at the end.
        let mut known: Vec<HashMap<String, u32>> = vec![HashMap::new(); header.len()];
        let mut variables: Vec<Variable> =
            header.into_iter().map(|name| Variable { name, categories: Vec::new() }).collect();
        let mut values: Vec<Option<u32>> = Vec::new();
        while let Some(record) = next_record(&mut source)? {
            if record.len() != variables.len() {
                let found = record.join(",");
                let expected = "as many fields as the header has";
                return Err(Error::malformed(source.place(), expected, found.as_bytes()));
            }
            for ((field, known), variable) in record.into_iter().zip(&mut known).zip(&mut variables) {
                let next = known.len() as u32;
                let mut number = |field: String| {
                    *known.entry(field).or_insert_with_key(|field| {
                        variable.categories.push(field.clone());
                        next
                    })
                };
                values.push((!field.is_empty()).then(|| number(field)));
            }
        }
        Self::number(variables, &values)
    }

    /// From the numbers of categories in their variables to numbers over all variables.
    fn number(variables: Vec<Variable>, values: &[Option<u32>]) -> Result<Self> {
        let mut starts = Vec::with_capacity(variables.len());
        let mut words = 0;
        for variable in &variables {
            starts.push(words as u32);
            words += variable.categories.len();
        }
        let mut corpus = CorpusBuilder::with_words(words).without_order();
        for record in values.chunks(variables.len()) {
            let present =
                record.iter().zip(&starts).filter_map(|(value, start)| Some((start + (*value)?, 1)));
            corpus.push(Document::from_counts(present)?.view())?;
        }
        Ok(Self { corpus: corpus.finish(), variables })
    }

    /// The records.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The number of categories of each variable.
    pub fn sizes(&self) -> Vec<usize> {
        self.variables.iter().map(|variable| variable.categories.len()).collect()
    }

    /// The names of the variables.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = &str> {
        self.variables.iter().map(|variable| variable.name.as_str())
    }

    /// The variable and the name of category `id`.
    ///
    /// # Panics
    /// If there is no such category.
    pub fn category(&self, id: u32) -> (&str, &str) {
        let mut number = id as usize;
        for variable in &self.variables {
            match variable.categories.get(number) {
                Some(category) => return (&variable.name, category),
                None => number -= variable.categories.len(),
            }
        }
        panic!("category {id} of {}", self.corpus.words())
    }
}

/// The fields of the next line.
fn next_record(source: &mut Source) -> Result<Option<Vec<String>>> {
    let mut line = Vec::new();
    if !source.next_line(&mut line)? {
        return Ok(None);
    }
    utf8(&line, source.place().byte, || source.place())?;
    if line.iter().filter(|&&byte| byte == b'"').count() % 2 == 1 {
        return Err(Error::malformed(source.place(), "quotes that are closed on their line", &line));
    }
    // Whole fields of valid UTF-8 are valid: commas and quotes are never parts of a character.
    let text = |field: Vec<u8>| String::from_utf8_lossy(&field).into_owned();
    Ok(Some(fields(&line).into_iter().map(text).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Limits;

    fn read(text: &'static str) -> Result<Records> {
        Records::read(Source::from_reader("x.csv", text.as_bytes(), Limits::default())?)
    }

    #[test]
    fn categories_are_numbered_variable_by_variable() {
        let records = read("a,\"b, c\",d\r\nx,1,no\ny,2,no\nx,\"2\",\n,3,\"say \"\"yes\"\"\"\n").unwrap();
        assert_eq!(records.variables().collect::<Vec<_>>(), ["a", "b, c", "d"]);
        assert_eq!(records.sizes(), [2, 3, 2]);
        let ids: Vec<&[u32]> = records.corpus().docs().map(|record| record.ids()).collect();
        assert_eq!(ids, [&[0, 2, 5][..], &[1, 3, 5], &[0, 3], &[4, 6]]);
        assert_eq!(records.category(4), ("b, c", "3"));
        assert_eq!(records.category(6), ("d", "say \"yes\""));
        assert_eq!(records.corpus().words(), 7);
    }

    #[test]
    fn bad_lines_are_refused_with_their_number() {
        let refusal = |text| read(text).unwrap_err().to_string();
        assert_eq!(
            refusal("a,b\n1,2\n1\n"),
            "x.csv:3: expected as many fields as the header has, found \"1\""
        );
        assert!(
            refusal("a,b\n1,\"2\n").starts_with("x.csv:2: expected quotes that are closed on their line")
        );
    }
}
