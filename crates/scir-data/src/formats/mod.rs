//! The everyday formats, read as streams and written whole.
//!
//! | type | format | reads | writes |
//! |---|---|---|---|
//! | [`Lines`] | one document a line of plain text | texts | texts |
//! | [`TextFiles`] | a folder of text files, each a document | texts | |
//! | [`JsonLines`] | one JSON object a line, with a text field | texts | texts |
//! | [`LdaC`] | `M id:count …`, ids from 0 | documents | a corpus |
//! | [`Uci`] | UCI bag of words: three totals, then `document word count`, from 1 | documents | a corpus |
//! | [`MatrixMarket`] | coordinate matrix, one row a document | documents | a corpus |
//!
//! All of them read plain, gzip and bzip2 files, told apart by content, and write gzip where the name of the
//! file ends in `.gz`.

mod fields;
mod json_lines;
mod lda_c;
mod lines;
mod matrix_market;
mod number;
mod text_files;
mod triples;
mod uci;

pub use json_lines::JsonLines;
pub use lda_c::LdaC;
pub use lines::{CorpusTexts, Lines};
pub use matrix_market::{DocumentAxis, MatrixMarket};
pub use text_files::TextFiles;
pub use uci::Uci;

pub(crate) use fields::fields;
pub(crate) use number::integer;

/// Makes an iterator of documents from a method `read` that gives the next one, and a flag `done`: after
/// an error there is nothing more.
macro_rules! document_iterator {
    ($name:ty) => {
        impl Iterator for $name {
            type Item = $crate::error::Result<$crate::corpus::Document>;

            fn next(&mut self) -> Option<Self::Item> {
                if self.done {
                    return None;
                }
                let next = self.read().transpose();
                self.done = !matches!(next, Some(Ok(_)));
                next
            }
        }
    };
}
pub(crate) use document_iterator;
