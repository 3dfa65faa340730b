//! MediaWiki XML dumps, as they are downloaded.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::markup::Markup;
use crate::error::{Error, Place, Result};
use crate::source::{Limits, Source};
use crate::stream::{TextDocument, TextSource};

/// Reads a MediaWiki dump (`pages-articles`), `.xml` or compressed, also multistream, as a stream: the articles
/// (namespace 0) without redirects, with the mark-up stripped. Of a page with several revisions the last counts.
///
/// ```
/// use scir_data::wikipedia::MediaWiki;
/// use scir_data::{Limits, Source, TextSource};
/// # fn main() -> scir_data::Result<()> {
/// let dump = b"<mediawiki><page><title>Anarchism</title><ns>0</ns><id>12</id>\
///              <revision><text>'''Anarchism''' is a [[idea|philosophy]].</text></revision></page></mediawiki>";
/// let source = Source::from_reader("<memory>", &dump[..], Limits::default())?;
/// let page = MediaWiki::new(source).texts().next().unwrap()?;
/// assert_eq!((page.title.as_str(), page.text.as_str()), ("Anarchism", "Anarchism is a philosophy."));
/// # Ok(())
/// # }
/// ```
pub struct MediaWiki {
    reader: Reader<Metered>,
    file: Arc<Path>,
    limits: Limits,
    event: Vec<u8>,
    /// The elements that are open, outermost first.
    open: Vec<Element>,
    /// Whether the root element has been seen.
    begun: bool,
    markup: Markup,
    page: Page,
}

/// The elements that matter; the same name means different things in different places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Root,
    SiteInfo,
    Namespaces,
    /// The name of a namespace whose links are not prose.
    HiddenNamespace,
    Page,
    Title,
    Namespace,
    Id,
    Revision,
    Model,
    Text,
    Other,
}

/// What is known of the page at hand.
#[derive(Debug, Default)]
struct Page {
    title: String,
    namespace: String,
    id: String,
    model: String,
    text: String,
    redirect: bool,
}

/// Dumps have elements six deep. Deeper input is no dump, and remembering all open elements would cost memory.
const DEPTH: usize = 64;

impl MediaWiki {
    /// Reads a file with the default limits.
    ///
    /// # Errors
    /// What [`Source::open`] refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(Source::open(path)?))
    }

    /// Reads a source.
    pub fn new(source: Source) -> Self {
        let (file, limits) = (Arc::clone(source.file()), *source.limits());
        Self {
            reader: Reader::from_reader(Metered { inner: source.into_reader(), left: 0 }),
            file,
            limits,
            event: Vec::new(),
            open: Vec::new(),
            begun: false,
            markup: Markup::default(),
            page: Page::default(),
        }
    }

    fn place(&self, byte: u64) -> Place {
        Place { file: Arc::clone(&self.file), line: None, byte }
    }

    /// Handles one event. True at the end of a page, None at the end of the dump.
    fn step(&mut self) -> Result<Option<bool>> {
        let start = self.reader.buffer_position();
        // An event is held in memory whole, so it is metered: no page may be longer than the limit.
        self.reader.get_mut().left = self.limits.document as u64;
        let mut buffer = std::mem::take(&mut self.event);
        buffer.clear();
        let outcome = match self.reader.read_event_into(&mut buffer) {
            Ok(Event::Start(tag)) => self.start(&tag, start).map(|()| Some(false)),
            Ok(Event::Empty(tag)) => self.start(&tag, start).map(|()| Some(self.end())),
            Ok(Event::End(_)) => Ok(Some(self.end())),
            Ok(Event::Text(text)) => self.text(&text.xml10_content(), start).map(|()| Some(false)),
            Ok(Event::CData(text)) => self.text(&text.xml10_content(), start).map(|()| Some(false)),
            Ok(Event::GeneralRef(reference)) => self.reference(&reference, start).map(|()| Some(false)),
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => Ok(Some(false)),
            Ok(Event::Eof) if self.begun && self.open.is_empty() => Ok(None),
            Ok(Event::Eof) => {
                let expected = if self.begun { "</mediawiki>" } else { "<mediawiki>" };
                Err(Error::Truncated { place: self.place(start), expected: expected.into() })
            }
            Err(error) => Err(self.explain(error, start)),
        };
        self.event = buffer;
        outcome
    }

    fn start(&mut self, tag: &BytesStart<'_>, at: u64) -> Result<()> {
        let name = tag.local_name();
        let name = name.as_ref();
        let parent = self.open.last().copied();
        let element = match (parent, name) {
            (None, "mediawiki") => Element::Root,
            (None, _) => return Err(Error::malformed(self.place(at), "<mediawiki>", name.as_bytes())),
            (Some(Element::Root), "page") => {
                self.page.clear();
                Element::Page
            }
            (Some(Element::Root), "siteinfo") => Element::SiteInfo,
            (Some(Element::SiteInfo), "namespaces") => Element::Namespaces,
            (Some(Element::Namespaces), "namespace") => {
                let key = tag.try_get_attribute("key").ok().flatten();
                // Media, File and Category.
                match key.as_ref().map(|key| key.value.as_ref()) {
                    Some("-2" | "6" | "14") => Element::HiddenNamespace,
                    _ => Element::Other,
                }
            }
            (Some(Element::Page), "title") => Element::Title,
            (Some(Element::Page), "ns") => Element::Namespace,
            (Some(Element::Page), "id") => Element::Id,
            (Some(Element::Page), "redirect") => {
                self.page.redirect = true;
                Element::Other
            }
            (Some(Element::Page), "revision") => {
                self.page.model.clear();
                Element::Revision
            }
            (Some(Element::Revision), "model") => Element::Model,
            (Some(Element::Revision), "text") => {
                self.page.text.clear();
                Element::Text
            }
            _ => Element::Other,
        };
        if self.open.len() == DEPTH {
            let expected = format!("elements at most {DEPTH} deep");
            return Err(Error::malformed(self.place(at), expected, name.as_bytes()));
        }
        self.begun = true;
        self.open.push(element);
        Ok(())
    }

    /// Closes the innermost element; true if it is a page.
    fn end(&mut self) -> bool {
        let closed = self.open.pop();
        if closed == Some(Element::HiddenNamespace) {
            self.markup.hide(&std::mem::take(&mut self.page.title));
        }
        closed == Some(Element::Page)
    }

    fn text(&mut self, text: &str, at: u64) -> Result<()> {
        let page = &mut self.page;
        let target = match self.open.last() {
            Some(Element::Title | Element::HiddenNamespace) => &mut page.title,
            Some(Element::Namespace) => &mut page.namespace,
            Some(Element::Id) => &mut page.id,
            Some(Element::Model) => &mut page.model,
            Some(Element::Text) if page.is_article() => &mut page.text,
            _ => return Ok(()),
        };
        if target.len() + text.len() > self.limits.document {
            let limit = self.limits.document as u64;
            return Err(Error::TooLong {
                place: self.place(at),
                what: "the page",
                limit,
                setting: "document",
            });
        }
        target.push_str(text);
        Ok(())
    }

    fn reference(&mut self, reference: &BytesRef<'_>, at: u64) -> Result<()> {
        let name: &str = reference;
        let decoded = match name {
            "lt" => "<",
            "gt" => ">",
            "amp" => "&",
            "quot" => "\"",
            "apos" => "'",
            _ => match reference.resolve_char_ref() {
                Ok(Some(c)) => return self.text(c.encode_utf8(&mut [0; 4]), at),
                _ => {
                    let expected = "one of the five entities of XML or the number of a character";
                    return Err(Error::malformed(self.place(at), expected, name.as_bytes()));
                }
            },
        };
        self.text(decoded, at)
    }

    fn explain(&self, error: quick_xml::Error, at: u64) -> Error {
        use quick_xml::Error as Xml;
        use quick_xml::errors::IllFormedError;
        match error {
            Xml::Io(error) => match Arc::into_inner(error) {
                Some(error) if error.get_ref().is_some_and(|inner| inner.is::<Overrun>()) => {
                    let limit = self.limits.document as u64;
                    let place = self.place(at);
                    Error::TooLong { place, what: "a piece of the page", limit, setting: "document" }
                }
                Some(error) => Error::from_io(&self.file, error),
                None => Error::Truncated { place: self.place(at), expected: "more XML".into() },
            },
            // All syntax errors are of things that the end of the input left open.
            Xml::Syntax(error) => {
                Error::Truncated { place: self.place(at), expected: format!("more XML: {error}").into() }
            }
            Xml::IllFormed(
                error @ (IllFormedError::MissingEndTag(_) | IllFormedError::UnclosedReference),
            ) => Error::Truncated { place: self.place(at), expected: format!("more XML: {error}").into() },
            Xml::Encoding(_) => Error::Malformed {
                place: self.place(at),
                expected: "UTF-8 text".into(),
                found: "bytes that are not".into(),
            },
            error => Error::Malformed {
                place: self.place(at),
                expected: "well-formed XML".into(),
                found: error.to_string(),
            },
        }
    }
}

impl Page {
    fn clear(&mut self) {
        let Self { title, namespace, id, model, text, redirect } = self;
        for field in [title, namespace, id, model, text] {
            field.clear();
        }
        *redirect = false;
    }

    /// What comes before the text decides. Old dumps have no namespaces, and no redirects but in the text.
    fn is_article(&self) -> bool {
        let of_articles = self.namespace.is_empty() || self.namespace.trim() == "0";
        let wikitext = self.model.is_empty() || self.model.trim() == "wikitext";
        of_articles && wikitext && !self.redirect
    }

    fn says_redirect(&self) -> bool {
        const REDIRECT: &str = "#redirect";
        let head = self.text.trim_start().get(..REDIRECT.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(REDIRECT))
    }
}

impl TextSource for MediaWiki {
    fn read_text(&mut self, document: &mut TextDocument) -> Result<bool> {
        document.clear();
        loop {
            match self.step()? {
                None => return Ok(false),
                Some(true) if self.page.is_article() && !self.page.says_redirect() => break,
                Some(_) => {}
            }
        }
        document.id.push_str(self.page.id.trim());
        document.title.push_str(self.page.title.trim());
        document.text = self.markup.strip(&self.page.text);
        Ok(true)
    }
}

/// Hands out no more than `left` bytes, then fails.
struct Metered {
    inner: BufReader<Box<dyn Read + Send>>,
    left: u64,
}

/// More than the meter allowed was wanted.
#[derive(Debug, thiserror::Error)]
#[error("more input than the limit allows")]
struct Overrun;

impl Read for Metered {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let n = available.len().min(buf.len());
        buf[..n].copy_from_slice(&available[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Metered {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let available = self.inner.fill_buf()?;
        if self.left == 0 && !available.is_empty() {
            return Err(io::Error::other(Overrun));
        }
        Ok(&available[..available.len().min(self.left.try_into().unwrap_or(usize::MAX))])
    }

    fn consume(&mut self, amount: usize) {
        self.left = self.left.saturating_sub(amount as u64);
        self.inner.consume(amount);
    }
}

#[cfg(test)]
mod tests;
