//! The limits that keep memory bounded whatever the input is.

/// How long the pieces of an input may be. Plain data: change what must be changed.
///
/// ```
/// use scir_data::Limits;
/// let limits = Limits { line: 1 << 30, ..Limits::default() };
/// # assert_eq!(limits.document, 16 << 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line, in bytes. 64 MiB.
    pub line: usize,
    /// The longest document (article, page), in bytes. 16 MiB, eight times what MediaWiki allows.
    pub document: usize,
    /// How many bytes a compressed file may expand to. 1 TiB.
    pub expanded: u64,
    /// How many times its size a compressed file may expand to, from 64 MiB on (text rarely gets past 20). 200.
    pub ratio: u64,
    /// How many documents a file may declare without giving them a word (UCI, Matrix Market). A million.
    pub empty_documents: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { line: 64 << 20, document: 16 << 20, expanded: 1 << 40, ratio: 200, empty_documents: 1_000_000 }
    }
}
