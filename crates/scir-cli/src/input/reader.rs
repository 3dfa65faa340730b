//! From inputs to texts and documents, one after the other, each opened when its turn comes.

use super::{Input, InputFormat, Words};
use scir_data::formats::{JsonLines, LdaC, Lines, MatrixMarket, TextFiles, Uci};
use scir_data::msweb::{MsWeb, Pages};
use scir_data::wikipedia::{MediaWiki, WikiExtractor};
use scir_data::{Document, Encoder, Error, Records, TextDocument, TextSource};
use std::iter;
use std::sync::Arc;

type Data<T> = scir_data::Result<T>;
/// A stream of documents.
pub(crate) type Documents = Box<dyn Iterator<Item = Data<Document>> + Send>;

/// The texts of some inputs, as one source.
pub(crate) struct Texts {
    rest: std::vec::IntoIter<Input>,
    current: Option<Box<dyn TextSource + Send>>,
}

impl Texts {
    pub(super) fn new(inputs: Vec<Input>) -> Self {
        Self { rest: inputs.into_iter(), current: None }
    }
}

impl TextSource for Texts {
    fn read_text(&mut self, document: &mut TextDocument) -> Data<bool> {
        loop {
            if let Some(source) = &mut self.current
                && source.read_text(document)?
            {
                return Ok(true);
            }
            match self.rest.next() {
                Some(input) => self.current = Some(open_texts(&input)?),
                None => return Ok(false),
            }
        }
    }
}

fn open_texts(input: &Input) -> Data<Box<dyn TextSource + Send>> {
    Ok(match input.format {
        InputFormat::TextFiles => Box::new(TextFiles::open(&input.path)?),
        InputFormat::JsonLines => Box::new(JsonLines::new(input.source()?).text_field(&input.text_field)),
        InputFormat::Wikiextractor if input.path.is_dir() => Box::new(WikiExtractor::open(&input.path)?),
        InputFormat::Wikiextractor => Box::new(WikiExtractor::new(input.source()?)?),
        InputFormat::Mediawiki => Box::new(MediaWiki::new(input.source()?)),
        _ => Box::new(Lines::new(input.source()?)),
    })
}

/// The documents of some inputs, as one stream.
pub(super) fn documents(inputs: Vec<Input>, words: Words) -> Documents {
    Box::new(inputs.into_iter().flat_map(move |input| {
        open_documents(&input, &words).unwrap_or_else(|error| Box::new(iter::once(Err(error))))
    }))
}

fn open_documents(input: &Input, words: &Words) -> Data<Documents> {
    Ok(match input.format {
        InputFormat::LdaC => {
            let documents = LdaC::new(input.source()?);
            match words.count {
                Some(words) => Box::new(documents.with_words(words)),
                None => Box::new(documents),
            }
        }
        InputFormat::Uci => {
            let documents = Uci::new(input.source()?)?;
            check_words(input, documents.words(), words)?;
            Box::new(documents)
        }
        InputFormat::MatrixMarket => {
            let documents = MatrixMarket::new(input.source()?)?;
            check_words(input, documents.words(), words)?;
            Box::new(documents)
        }
        InputFormat::Csv => {
            let records = Records::read(input.source()?)?;
            let corpus = records.corpus().clone();
            let documents = (0..corpus.len()).map(move |i| Ok(corpus.doc(i).to_document()));
            renumbered(documents, names(&records), words)
        }
        InputFormat::Msweb => {
            let pages = Arc::new(Pages::read(input.source()?)?);
            let names: Vec<String> = pages.vocabulary().words().map(str::to_owned).collect();
            renumbered(MsWeb::new(input.source()?, pages), names.into_iter(), words)
        }
        _ => {
            let vocabulary = words.vocabulary.clone().ok_or_else(|| Error::Setting {
                name: "vocabulary",
                value: "none".into(),
                expected: "one, because the input is text",
            })?;
            Box::new(open_texts(input)?.documents(Encoder::new(words.tokenizer.tokenizer(), vocabulary)))
        }
    })
}

/// The same words have other numbers in another file: names decide. What the vocabulary has not is left out.
fn renumbered(
    documents: impl Iterator<Item = Data<Document>> + Send + 'static,
    names: impl Iterator<Item = String>,
    words: &Words,
) -> Documents {
    let vocabulary = words.vocabulary.as_deref();
    let id = |(old, name): (u32, String)| vocabulary.map_or(Some(old), |vocabulary| vocabulary.id(&name));
    let ids: Vec<Option<u32>> = (0..).zip(names).map(id).collect();
    Box::new(documents.map(move |document| {
        let document = document?;
        let known = document.view().iter().filter_map(|(old, count)| Some((ids[old as usize]?, count)));
        Ok(Document::from_counts(known)?.with_name(document.name().unwrap_or_default()))
    }))
}

/// The categories of records as words, in the order of their ids.
pub(super) fn names(records: &Records) -> impl Iterator<Item = String> + '_ {
    (0..records.corpus().words() as u32).map(|id| {
        let (variable, value) = records.category(id);
        format!("{variable}={value}")
    })
}

/// A header that declares more words than there are belongs to another vocabulary.
fn check_words(input: &Input, declared: usize, words: &Words) -> Data<()> {
    match words.count {
        Some(count) if declared > count => Err(Error::Setting {
            name: "number of words",
            value: format!("{declared} in {}", input.name),
            expected: "at most that of the vocabulary or of the model",
        }),
        _ => Ok(()),
    }
}

/// How many words the input declares, where its format has a header for that.
pub(super) fn declared_words(input: &Input) -> Data<usize> {
    Ok(match input.format {
        InputFormat::Uci => Uci::new(input.source()?)?.words(),
        InputFormat::MatrixMarket => MatrixMarket::new(input.source()?)?.words(),
        _ => 0,
    })
}
