//! A document as sampling sees it: its distinct words as rows of a table, and how many tokens each has.

use super::words::WordTable;
use scir_data::DocView;

/// The distinct words of a document. The tokens of one word stand together, which changes no law (any fixed order of
/// a Gibbs sweep has the same stationary law) and keeps the word's row of φ at hand.
#[derive(Debug)]
pub(super) struct Document {
    /// Word, row of the table, number of tokens.
    pub(super) slots: Vec<Slot>,
    pub(super) tokens: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) word: u32,
    pub(super) row: usize,
    pub(super) tokens: usize,
}

impl Document {
    /// A document whose words are all in the table.
    pub(super) fn new(document: DocView<'_>, words: &WordTable) -> Self {
        let slot = |(word, count)| Slot { word, row: words.row(word), tokens: count as usize };
        let slots: Vec<Slot> = document.iter().map(slot).collect();
        let tokens = slots.iter().map(|slot| slot.tokens).sum();
        Self { slots, tokens }
    }
}
