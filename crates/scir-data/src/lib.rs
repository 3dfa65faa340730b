#![doc = include_str!("../README.md")]

pub mod corpus;
pub mod error;
pub mod formats;
pub mod generate;
pub mod minibatch;
pub mod msweb;
pub mod records;
pub mod source;
pub mod split;
pub mod stream;
mod tags;
pub mod text;
pub mod vocabulary;
pub mod wikipedia;
mod write;

pub use corpus::{Corpus, CorpusBuilder, DocView, Document};
pub use error::{Error, Place, Result};
pub use generate::{Generator, Provenance};
pub use minibatch::{
    BatchOrder, Batches, Batching, LastBatch, Minibatch, Minibatches, Prefetch, StreamBatches,
    StreamBatching, WordIds,
};
pub use records::Records;
pub use source::{Compression, Limits, Source};
pub use split::{Completion, CompletionSplit, DocumentSplit, HeldOut, Observed, TestDocuments, TestSet};
pub use stream::{DocumentStream, TextDocument, TextSource};
pub use text::{Encoder, Tokenizer};
pub use vocabulary::{Vocabulary, VocabularyBuilder, VocabularyRules};
