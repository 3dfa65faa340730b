//! Batches of a stream of documents, in sequence, in as many passes as are asked for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{LastBatch, Minibatch, check_size, too_large};
use crate::corpus::CorpusBuilder;
use crate::error::{Error, Result};
use crate::stream::DocumentStream;
use crate::vocabulary::Vocabulary;

/// How a stream of documents is cut into minibatches. Plain data; [`over`](Self::over) checks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StreamBatching {
    /// The number n of documents in a batch.
    pub size: usize,
    /// What becomes of the documents at the end of a pass that do not fill a batch.
    pub last: LastBatch,
    /// How often the stream is read; none is without end.
    pub passes: Option<u64>,
}

/// Fifty documents at a time, in one pass.
impl Default for StreamBatching {
    fn default() -> Self {
        Self { size: 50, last: LastBatch::default(), passes: Some(1) }
    }
}

/// The words that the ids of a stream stand for.
#[derive(Debug, Clone)]
pub enum WordIds {
    /// Ids below this number.
    Below(usize),
    /// The ids of this vocabulary.
    Of(Arc<Vocabulary>),
}

impl From<usize> for WordIds {
    fn from(words: usize) -> Self {
        Self::Below(words)
    }
}

impl From<Arc<Vocabulary>> for WordIds {
    fn from(vocabulary: Arc<Vocabulary>) -> Self {
        Self::Of(vocabulary)
    }
}

impl WordIds {
    fn builder(&self) -> CorpusBuilder {
        match self {
            Self::Below(words) => CorpusBuilder::with_words(*words),
            Self::Of(vocabulary) => CorpusBuilder::with_vocabulary(Arc::clone(vocabulary)),
        }
    }
}

impl StreamBatching {
    /// The batches of the stream that `open` gives, which is called once for each pass.
    ///
    /// # Errors
    /// [`Error::Setting`] if the size or the number of passes is 0. What is wrong with the stream comes with the batches.
    pub fn over<S, O>(self, ids: impl Into<WordIds>, open: O) -> Result<StreamBatches<S, O>>
    where
        S: DocumentStream,
        O: FnMut() -> Result<S>,
    {
        check_size(self.size)?;
        if self.passes == Some(0) {
            return Err(Error::Setting { name: "passes", value: "0".into(), expected: "at least 1" });
        }
        Ok(StreamBatches {
            settings: self,
            ids: ids.into(),
            open,
            stream: None,
            iteration: 0,
            epoch: 0,
            read: 0,
            first_pass: None,
            done: false,
        })
    }
}

/// Batches of a stream, one batch in memory at a time; made by [`StreamBatching::over`].
///
/// After an error there are no more batches, and the documents before the error that did not fill a batch are not given.
/// A pass that yields another number of documents than the first is an error, since then the files have changed.
///
/// ```
/// use scir_data::{Document, StreamBatching};
/// # fn main() -> scir_data::Result<()> {
/// let open = || Ok((0..5).map(|i| Ok(Document::from_tokens(vec![i]))));
/// let batches = StreamBatching { size: 2, passes: Some(2), ..StreamBatching::default() }.over(5, open)?;
/// let seen: Vec<(u64, usize)> = batches.map(|b| b.map(|b| (b.epoch, b.documents.len()))).collect::<Result<_, _>>()?;
/// assert_eq!(seen, [(0, 2), (0, 2), (0, 1), (1, 2), (1, 2), (1, 1)]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StreamBatches<S, O> {
    settings: StreamBatching,
    ids: WordIds,
    open: O,
    stream: Option<S>,
    iteration: u64,
    epoch: u64,
    /// Documents read in this pass.
    read: u64,
    /// Documents in the first pass, once it is over.
    first_pass: Option<u64>,
    done: bool,
}

impl<S, O> StreamBatches<S, O>
where
    S: DocumentStream,
    O: FnMut() -> Result<S>,
{
    /// Passes over the batches before number `iteration`, for a run that is resumed: the documents are read, since
    /// only reading tells where they are, but not kept. The next batch is then number `iteration`, unless the
    /// stream ends before.
    ///
    /// # Errors
    /// What is wrong with the stream.
    pub fn skip_to(&mut self, iteration: u64) -> Result<()> {
        while self.iteration < iteration {
            match self.advance(None) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.done = true;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Reads the documents of the next batch into `builder`. False if there is none.
    fn advance(&mut self, mut builder: Option<&mut CorpusBuilder>) -> Result<bool> {
        if self.done {
            return Ok(false);
        }
        let mut taken = 0;
        loop {
            if taken == self.settings.size {
                break;
            }
            let stream = match &mut self.stream {
                Some(stream) => stream,
                None => self.stream.insert((self.open)()?),
            };
            match stream.next() {
                Some(document) => {
                    let document = document?;
                    if let Some(builder) = &mut builder {
                        builder.push(document.view())?;
                    }
                    taken += 1;
                    self.read += 1;
                }
                // A short batch ends with its pass, so the end is noted when the next one is asked for.
                None if taken > 0 && self.settings.last == LastBatch::Short => break,
                None => {
                    if let (Some(builder), true) = (&mut builder, taken > 0) {
                        **builder = self.ids.builder();
                    }
                    taken = 0;
                    if !self.next_pass()? {
                        self.done = true;
                        return Ok(false);
                    }
                }
            }
        }
        self.iteration += 1;
        Ok(true)
    }

    /// Ends a pass. False if it was the last.
    fn next_pass(&mut self) -> Result<bool> {
        let (found, first) = (self.read, *self.first_pass.get_or_insert(self.read));
        if found == 0 {
            return Err(Error::NoDocuments { what: "the stream".into() });
        }
        if found != first {
            return Err(Error::PassesDiffer { pass: self.epoch + 1, found, first });
        }
        if self.settings.last == LastBatch::Dropped && found < self.settings.size as u64 {
            return Err(too_large(self.settings.size));
        }
        self.stream = None;
        self.read = 0;
        self.epoch += 1;
        Ok(self.settings.passes.is_none_or(|passes| self.epoch < passes))
    }
}

impl<S, O> Iterator for StreamBatches<S, O>
where
    S: DocumentStream,
    O: FnMut() -> Result<S>,
{
    type Item = Result<Minibatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut builder = self.ids.builder();
        match self.advance(Some(&mut builder)) {
            Ok(false) => None,
            Ok(true) => {
                let documents = builder.finish();
                let end = self.read as usize;
                let positions = (end - documents.len()..end).collect();
                Some(Ok(Minibatch { iteration: self.iteration - 1, epoch: self.epoch, documents, positions }))
            }
            Err(error) => {
                self.done = true;
                Some(Err(error))
            }
        }
    }
}
