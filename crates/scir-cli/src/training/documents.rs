//! The documents of a run: those to train on, as a stream or in memory, and those held out.

use crate::input::{Documents as Stream, Inputs, Words};
use crate::output::usage;
use anyhow::Result;
use scir_data::{Corpus, CorpusBuilder, TestSet, WordIds};
use std::sync::Arc;

/// What is known of the documents after the first pass.
#[derive(Clone)]
pub(crate) struct Documents {
    pub(crate) inputs: Inputs,
    pub(crate) words: Words,
    /// How many there are.
    pub(crate) total: u64,
    /// How many of them are held out, evenly spread.
    pub(crate) held_out: u64,
}

impl Documents {
    pub(crate) fn new(inputs: Inputs, words: Words, total: u64, held_out: u64) -> Result<Self> {
        words.len()?;
        if total <= held_out {
            return Err(usage(format!(
                "--held-out {held_out} leaves nothing to train on: there are {total} documents"
            )));
        }
        Ok(Self { inputs, words, total, held_out })
    }

    /// How many there are to train on.
    pub(crate) fn population(&self) -> usize {
        (self.total - self.held_out) as usize
    }

    /// The words that their ids stand for.
    pub(crate) fn ids(&self) -> Result<WordIds> {
        Ok(match &self.words.vocabulary {
            Some(vocabulary) => Arc::clone(vocabulary).into(),
            None => self.words.len()?.into(),
        })
    }

    /// A pass over the documents to train on.
    pub(crate) fn training(&self) -> Stream {
        self.part(false)
    }

    /// The documents to train on, all in memory, as counts.
    pub(crate) fn corpus(&self) -> Result<Corpus> {
        Ok(Corpus::collect_into(self.builder()?.without_order(), self.training())?)
    }

    /// The held-out documents; none if there are none.
    pub(crate) fn test(&self) -> Result<Option<TestSet>> {
        if self.held_out == 0 {
            return Ok(None);
        }
        Ok(Some(TestSet::new(Corpus::collect_into(self.builder()?, self.part(true))?)))
    }

    fn builder(&self) -> Result<CorpusBuilder> {
        Ok(match &self.words.vocabulary {
            Some(vocabulary) => CorpusBuilder::with_vocabulary(Arc::clone(vocabulary)),
            None => CorpusBuilder::with_words(self.words.len()?),
        })
    }

    fn part(&self, held_out: bool) -> Stream {
        let (number, total) = (u128::from(self.held_out), u128::from(self.total));
        let documents = self.inputs.documents(&self.words);
        Box::new((0u128..).zip(documents).filter_map(move |(i, document)| {
            let is_held_out = (i + 1) * number / total > i * number / total;
            (document.is_err() || is_held_out == held_out).then_some(document)
        }))
    }
}
