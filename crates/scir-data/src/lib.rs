#![doc = include_str!("../README.md")]

pub mod corpus;
pub mod error;
pub mod split;
pub mod stream;
pub mod vocabulary;

pub use corpus::{Corpus, CorpusBuilder, DocView, Document};
pub use error::{Error, Place, Result};
pub use split::{Completion, CompletionSplit, DocumentSplit, HeldOut, Observed, TestDocuments, TestSet};
pub use stream::DocumentStream;
pub use vocabulary::Vocabulary;
