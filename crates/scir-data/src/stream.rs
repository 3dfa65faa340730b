//! Documents one after the other, for what does not fit in memory.

use crate::corpus::Document;
use crate::error::Result;

/// A stream of documents that may fail; after an error it ends.
///
/// Every iterator of `Result<Document>` is one.
pub trait DocumentStream: Iterator<Item = Result<Document>> {}

impl<I: Iterator<Item = Result<Document>>> DocumentStream for I {}
