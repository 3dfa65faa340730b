//! The Anonymous Microsoft Web Data of UCI: which pages each user visited.
//!
//! The files are lines of comma-separated fields in Latin-1: `A` declares a page (its number, title and
//! path), `C` begins a case (a user), `V` is a visit of that user to a page; `I`, `T` and `N` describe the
//! file and are passed over. A user is a document, a page a word.
//!
//! ```no_run
//! # fn main() -> scir_data::Result<()> {
//! let split = scir_data::msweb::load("msweb/anonymous-msweb.data", "msweb/anonymous-msweb.test")?;
//! println!("{} users, {} for testing", split.train.len(), split.test.len());
//! # Ok(())
//! # }
//! ```

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::Arc;

use crate::corpus::{Corpus, CorpusBuilder, Document};
use crate::error::{Error, Result};
use crate::formats::{document_iterator, fields, integer};
use crate::source::Source;
use crate::split::{DocumentSplit, TestSet};
use crate::vocabulary::Vocabulary;

/// Reads the training users and the test users over the same pages.
///
/// # Errors
/// Whatever is wrong with either file.
pub fn load(data: impl AsRef<Path>, test: impl AsRef<Path>) -> Result<DocumentSplit> {
    let mut pages = PagesBuilder::default();
    pages.read(Source::open(&data)?)?;
    pages.read(Source::open(&test)?)?;
    let pages = Arc::new(pages.finish(data.as_ref())?);
    let users = |path: &Path| {
        let builder = CorpusBuilder::with_vocabulary(Arc::clone(pages.vocabulary()));
        Corpus::collect_into(builder, MsWeb::new(Source::open(path)?, Arc::clone(&pages)))
    };
    Ok(DocumentSplit { train: users(data.as_ref())?, test: TestSet::new(users(test.as_ref())?) })
}

/// The pages, which give all files the same ids: ascending in the number that the files use.
#[derive(Debug, Clone)]
pub struct Pages {
    numbers: Vec<u32>,
    titles: Vec<String>,
    vocabulary: Arc<Vocabulary>,
}

impl Pages {
    /// The pages that a file declares.
    ///
    /// # Errors
    /// A malformed line, or a file that declares no pages.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path)?)
    }

    /// The pages that a source declares.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(source: Source) -> Result<Self> {
        let file = Arc::clone(source.file());
        let mut builder = PagesBuilder::default();
        builder.read(source)?;
        builder.finish(&file)
    }

    /// The paths of the pages (`/autoroute`), which are unique, as words.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The title of page `id` (`International AutoRoute`); two pages may share one.
    ///
    /// # Panics
    /// If `id` is not below the number of pages.
    pub fn title(&self, id: u32) -> &str {
        &self.titles[id as usize]
    }

    /// The id of the page that the files call `number`.
    pub fn id(&self, number: u32) -> Option<u32> {
        self.numbers.binary_search(&number).ok().map(|id| id as u32)
    }
}

#[derive(Debug, PartialEq)]
struct Page {
    title: String,
    path: String,
}

/// Collects the `A` lines of several files.
#[derive(Default)]
struct PagesBuilder {
    pages: HashMap<u32, Page>,
    numbers_of_paths: HashMap<String, u32>,
}

impl PagesBuilder {
    fn read(&mut self, mut source: Source) -> Result<()> {
        let mut line = Vec::new();
        while source.next_line(&mut line)? {
            if line.first() != Some(&b'A') {
                continue;
            }
            let place = || source.place();
            let fields = fields(&line);
            let [_, number, _, title, path] = &fields[..] else {
                return Err(Error::malformed(place(), "A,number,1,\"title\",\"/path\"", &line));
            };
            let number = integer(number, "page number", 0..=u64::from(u32::MAX), place)? as u32;
            let page = Page { title: latin1(title), path: latin1(path) };
            if page.path.is_empty() {
                return Err(Error::malformed(place(), "a page with a path", &line));
            }
            let known = self.numbers_of_paths.insert(page.path.clone(), number);
            if known.is_some_and(|known| known != number) {
                return Err(Error::malformed(place(), "a path that no other page has", &line));
            }
            match self.pages.entry(number) {
                Entry::Occupied(known) if *known.get() != page => {
                    return Err(Error::malformed(
                        place(),
                        "the same page as before under this number",
                        &line,
                    ));
                }
                entry => {
                    entry.or_insert(page);
                }
            }
        }
        Ok(())
    }

    fn finish(self, path: &Path) -> Result<Pages> {
        if self.pages.is_empty() {
            return Err(Error::Empty { path: path.to_owned(), expected: "A lines that declare pages" });
        }
        let mut pages: Vec<(u32, Page)> = self.pages.into_iter().collect();
        pages.sort_unstable_by_key(|(number, _)| *number);
        let vocabulary = Vocabulary::from_words(pages.iter().map(|(_, page)| &page.path))?;
        Ok(Pages {
            numbers: pages.iter().map(|(number, _)| *number).collect(),
            titles: pages.into_iter().map(|(_, page)| page.title).collect(),
            vocabulary: Arc::new(vocabulary),
        })
    }
}

/// The users of a file as a stream of documents.
pub struct MsWeb {
    source: Source,
    pages: Arc<Pages>,
    line: Vec<u8>,
    /// The user whose visits come next.
    user: Option<String>,
    done: bool,
}

impl MsWeb {
    /// Reads a source, with ids as `pages` gives them.
    pub fn new(source: Source, pages: Arc<Pages>) -> Self {
        Self { source, pages, line: Vec::new(), user: None, done: false }
    }

    fn read(&mut self) -> Result<Option<Document>> {
        let mut visits = Vec::new();
        while self.source.next_line(&mut self.line)? {
            let place = || self.source.place();
            let fields = fields(&self.line);
            match (fields[0].as_slice(), &fields[1..]) {
                (b"C", [name, _]) => {
                    if let Some(user) = self.user.replace(latin1(name)) {
                        return Document::from_counts(visits).map(|doc| Some(doc.with_name(user)));
                    }
                }
                (b"V", [number, count]) => {
                    if self.user.is_none() {
                        return Err(Error::malformed(
                            place(),
                            "a C line before the first V line",
                            &self.line,
                        ));
                    }
                    let page = integer(number, "page number", 0..=u64::from(u32::MAX), place)? as u32;
                    let Some(id) = self.pages.id(page) else {
                        return Err(Error::malformed(
                            place(),
                            "the number of a page that an A line declares",
                            number,
                        ));
                    };
                    let count = integer(count, "number of visits", 1..=u64::from(u32::MAX), place)?;
                    visits.push((id, count as u32));
                }
                (b"A" | b"I" | b"T" | b"N", _) => {}
                _ => {
                    return Err(Error::malformed(place(), "a line of A, C, V, I, T or N fields", &self.line));
                }
            }
        }
        match self.user.take() {
            Some(user) => Document::from_counts(visits).map(|doc| Some(doc.with_name(user))),
            None => Ok(None),
        }
    }
}

document_iterator!(MsWeb);

/// In Latin-1 every byte is the character with its number.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const DATA: &str = "I,4,\"www.microsoft.com\",\"created by getlog.pl\"\nT,1,\"VRoot\",0,0,\"VRoot\"\nN,0,\"0\"\n\
                        A,1287,1,\"Maps, \"\"routes\"\"\",\"/maps\"\nA,1000,1,\"regwiz\",\"/regwiz\"\n\
                        C,\"10001\",10001\nV,1287,1\nV,1000,1\nV,1287,2\nC,\"10002\",10002\n";

    fn refusal(data: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.data");
        fs::write(&path, data).unwrap();
        let refused = load(&path, &path).unwrap_err().to_string();
        refused.replace(&format!("{}/", folder.path().display()), "")
    }

    #[test]
    fn users_are_documents_and_pages_are_words() {
        let folder = tempfile::tempdir().unwrap();
        let (data, test) = (folder.path().join("x.data"), folder.path().join("x.test"));
        fs::write(&data, DATA).unwrap();
        // Latin-1, and a page that the other file does not declare.
        fs::write(&test, b"A,1001,1,\"Espa\xf1a\",\"/espa\xf1a\"\nC,\"1\",1\nV,1001,1\n").unwrap();
        let split = load(&data, &test).unwrap();
        let words: Vec<&str> = split.train.vocabulary().unwrap().words().collect();
        assert_eq!(words, ["/regwiz", "/espa\u{f1}a", "/maps"]);
        assert_eq!(split.train.doc(0).iter().collect::<Vec<_>>(), [(0, 1), (2, 3)]);
        assert_eq!(split.train.doc(0).name(), Some("10001"));
        assert!(split.train.doc(1).is_empty());
        assert_eq!(split.test.doc(0).ids(), [1]);
        assert_eq!(Pages::open(&data).unwrap().title(1), "Maps, \"routes\"");
    }

    #[test]
    fn bad_lines_are_refused_with_their_number() {
        let with = |line: &str| format!("{DATA}{line}\n");
        assert_eq!(
            refusal(&with("V,9999,1")),
            "x.data:11: expected the number of a page that an A line declares, found \"9999\""
        );
        assert_eq!(
            refusal(&with("V,1000,-1")),
            "x.data:11: number of visits -1 is out of range, expected 1 to 4294967295"
        );
        assert_eq!(
            refusal(&with("V,1000")),
            "x.data:11: expected a line of A, C, V, I, T or N fields, found \"V,1000\""
        );
        assert_eq!(refusal(&with("V,x,1")), "x.data:11: expected page number as a whole number, found \"x\"");
        assert_eq!(
            refusal(&with("A,1287,1,\"other\",\"/maps\"")),
            "x.data:11: expected the same page as before under this number, found \"A,1287,1,\\\"other\\\",\\\"/maps\\\"\""
        );
        assert_eq!(
            refusal("A,1,1,\"a\",\"/a\"\nV,1,1\n"),
            "x.data:2: expected a C line before the first V line, found \"V,1,1\""
        );
        assert_eq!(refusal("C,\"1\",1\n"), "x.data: is empty, expected A lines that declare pages");
    }
}
