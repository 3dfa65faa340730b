//! Matrix Market coordinate files of counts, as gensim, scipy and R write them.

use std::path::Path;

use super::triples::{EmptyDocuments, Totals, Triples, Value};
use super::{document_iterator, integer};
use crate::corpus::{Corpus, CorpusBuilder, Document};
use crate::error::{Error, Result};
use crate::source::Source;
use crate::write::AtomicFile;

/// Whether the documents are the rows of a matrix or its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentAxis {
    /// A row is a document, a column a word.
    Rows,
    /// A column is a document, a row a word.
    Columns,
}

/// Reads a Matrix Market coordinate file whose rows are documents, as a stream: the entries must be ordered
/// by row. [`MatrixMarket::read_corpus`] takes them in any order, into memory.
///
/// The values must be whole numbers, though the field may be `integer`, `real` or `pattern`; the symmetry `general`.
///
/// ```
/// use scir_data::formats::MatrixMarket;
/// use scir_data::{Corpus, Limits, Source};
/// # fn main() -> scir_data::Result<()> {
/// let file = b"%%MatrixMarket matrix coordinate real general\n% by hand\n2 5 2\n1 1 2.0\n2 4 1\n";
/// let source = Source::from_reader("<memory>", &file[..], Limits::default())?;
/// let corpus = Corpus::collect(MatrixMarket::new(source)?)?;
/// assert_eq!(corpus.doc(0).counts(), [2]);
/// # Ok(())
/// # }
/// ```
pub struct MatrixMarket {
    triples: Triples,
    done: bool,
}

impl MatrixMarket {
    /// Reads a file with the default limits.
    ///
    /// # Errors
    /// What [`Source::open`] refuses, and a header that is not one.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::new(Source::open(path)?)
    }

    /// Reads a source.
    ///
    /// # Errors
    /// A header that is not one.
    pub fn new(source: Source) -> Result<Self> {
        Ok(Self { triples: header(source)?, done: false })
    }

    /// The number of documents that the header declares.
    pub fn documents(&self) -> u64 {
        self.triples.totals.documents
    }

    /// The number of words that the header declares.
    pub fn words(&self) -> usize {
        self.triples.totals.words as usize
    }

    /// Reads a whole matrix whose entries stand in any order, with documents as rows or as columns.
    ///
    /// # Errors
    /// As [`open`](Self::open), and a body that is not as the header says.
    pub fn read_corpus(source: Source, axis: DocumentAxis) -> Result<Corpus> {
        let mut triples = header(source)?;
        let mut entries = Vec::new();
        while let Some(mut entry) = triples.entry()? {
            if axis == DocumentAxis::Columns {
                let (row, column) = (entry.document, u64::from(entry.word));
                entry.document = column;
                entry.word = row as u32;
            }
            entries.push(entry);
        }
        entries.sort_by_key(|entry| entry.document);
        let (documents, words) = match axis {
            DocumentAxis::Rows => (triples.totals.documents, triples.totals.words),
            DocumentAxis::Columns => (triples.totals.words, triples.totals.documents),
        };
        let mut builder = CorpusBuilder::with_words(words as usize);
        let mut empty = EmptyDocuments::new(triples.source.limits().empty_documents);
        let mut rest = &entries[..];
        for document in 0..documents {
            let len = rest.iter().take_while(|entry| entry.document == document).count();
            if len == 0 {
                empty.count(|| triples.source.place())?;
            }
            let pairs = rest[..len].iter().map(|entry| (entry.word, entry.count));
            builder.push(Document::from_counts(pairs)?.view())?;
            rest = &rest[len..];
        }
        Ok(builder.finish())
    }

    /// Writes a corpus, one row a document. The file appears whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(path: impl AsRef<Path>, corpus: &Corpus) -> Result<()> {
        let mut file = AtomicFile::create(path.as_ref())?;
        file.line(format_args!("%%MatrixMarket matrix coordinate integer general"))?;
        file.line(format_args!("{} {} {}", corpus.len(), corpus.words(), corpus.entries()))?;
        for (d, doc) in corpus.docs().enumerate() {
            for (id, count) in doc.iter() {
                file.line(format_args!("{} {} {count}", d + 1, u64::from(id) + 1))?;
            }
        }
        file.commit()
    }

    fn read(&mut self) -> Result<Option<Document>> {
        self.triples.document()
    }
}

document_iterator!(MatrixMarket);

/// Reads the banner, the comments and the totals.
fn header(mut source: Source) -> Result<Triples> {
    const BANNER: &str = "the header \"%%MatrixMarket matrix coordinate integer|real|pattern general\"";
    let mut line = Vec::new();
    source.next_line(&mut line)?;
    let banner = String::from_utf8_lossy(&line[..line.len().min(200)]).to_ascii_lowercase();
    let value = match banner.split_ascii_whitespace().collect::<Vec<_>>()[..] {
        ["%%matrixmarket", "matrix", "coordinate", field, "general"] => match field {
            "integer" => Some(Value::Integer),
            "real" => Some(Value::Real),
            "pattern" => Some(Value::Pattern),
            _ => None,
        },
        _ => None,
    };
    let Some(value) = value else {
        return Err(Error::malformed(source.place(), BANNER, &line));
    };
    loop {
        if !source.next_line(&mut line)? {
            let expected = "a line with the numbers of rows, columns and entries".into();
            return Err(Error::Truncated { place: source.place(), expected });
        }
        if !line.starts_with(b"%") && !line.trim_ascii().is_empty() {
            break;
        }
    }
    let fields: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|f| !f.is_empty()).take(4).collect();
    let [rows, columns, entries] = fields[..] else {
        return Err(Error::malformed(source.place(), "the numbers of rows, columns and entries", &line));
    };
    let place = || source.place();
    let documents = integer(rows, "number of rows", 0..=1 << 32, place)?;
    let words = integer(columns, "number of columns", 0..=1 << 32, place)?;
    let entries = integer(entries, "number of entries", 0..=u64::MAX, place)?;
    let totals = Totals { documents, words, entries };
    Ok(Triples::new(source, totals, value))
}
