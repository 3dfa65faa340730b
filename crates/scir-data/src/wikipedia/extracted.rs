//! What wikiextractor writes: `<doc …>` blocks or JSON lines, in one file or a tree of files.

use std::path::{Path, PathBuf};

use crate::error::{Error, Place, Result};
use crate::formats::JsonLines;
use crate::source::{Limits, Source, files_under, utf8, utf8_string};
use crate::stream::{TextDocument, TextSource};

/// Reads the output of wikiextractor: a file, or all files under a folder in sorted order; plain, gzip or
/// bzip2; `<doc id= url= title=>` blocks or JSON lines, told apart by content.
///
/// The text of a `<doc …>` block is everything after its first line, which begins with the title again.
///
/// ```
/// use scir_data::wikipedia::WikiExtractor;
/// use scir_data::{Limits, Source, TextSource};
/// # fn main() -> scir_data::Result<()> {
/// let file = b"<doc id=\"12\" url=\"?curid=12\" title=\"Anarchism\">\nAnarchism\n\nA philosophy.\n</doc>\n";
/// let source = Source::from_reader("<memory>", &file[..], Limits::default())?;
/// let article = WikiExtractor::new(source)?.texts().next().unwrap()?;
/// assert_eq!((article.id.as_str(), article.title.as_str()), ("12", "Anarchism"));
/// assert_eq!(article.text, "Anarchism\n\nA philosophy.\n");
/// # Ok(())
/// # }
/// ```
pub struct WikiExtractor {
    files: std::vec::IntoIter<PathBuf>,
    limits: Limits,
    current: Option<Form>,
}

enum Form {
    Blocks(Source),
    Json(JsonLines),
}

impl WikiExtractor {
    /// Reads a file or a folder with the default limits.
    ///
    /// # Errors
    /// A path that does not exist, or a folder without files.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Limits::default())
    }

    /// Reads a file or a folder.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, limits: Limits) -> Result<Self> {
        Ok(Self { files: files_under(path.as_ref())?.into_iter(), limits, current: None })
    }

    /// Reads one source.
    ///
    /// # Errors
    /// Content that is neither form.
    pub fn new(source: Source) -> Result<Self> {
        let limits = *source.limits();
        Ok(Self { files: Vec::new().into_iter(), limits, current: Some(Form::of(source)?) })
    }

    /// The files that are still to be opened.
    pub fn files_left(&self) -> &[PathBuf] {
        self.files.as_slice()
    }
}

impl Form {
    fn of(source: Source) -> Result<Self> {
        match source.first_byte() {
            Some(b'<') => Ok(Self::Blocks(source)),
            Some(b'{') => Ok(Self::Json(JsonLines::new(source))),
            other => {
                let place = Place { line: Some(1), ..source.place() };
                let expected = "\"<doc …>\" or a JSON object, as wikiextractor writes";
                Err(Error::malformed(place, expected, other.as_slice()))
            }
        }
    }
}

impl TextSource for WikiExtractor {
    fn read_text(&mut self, document: &mut TextDocument) -> Result<bool> {
        loop {
            let more = match &mut self.current {
                Some(Form::Blocks(source)) => read_block(source, document)?,
                Some(Form::Json(lines)) => lines.read_text(document)?,
                None => false,
            };
            if more {
                return Ok(true);
            }
            match self.files.next() {
                Some(file) => self.current = Some(Form::of(Source::open_with(file, self.limits)?)?),
                None => return Ok(false),
            }
        }
    }
}

fn read_block(source: &mut Source, document: &mut TextDocument) -> Result<bool> {
    document.clear();
    let mut text = std::mem::take(&mut document.text).into_bytes();
    // What lies between blocks may only be empty lines.
    loop {
        if !source.next_line(&mut text)? {
            return Ok(false);
        }
        if !text.trim_ascii().is_empty() {
            break;
        }
    }
    let start = source.place();
    let header = utf8(&text, start.byte, || start.clone())?;
    let Some((id, title)) = parse_header(header) else {
        return Err(Error::malformed(start, "<doc id=\"…\" url=\"…\" title=\"…\">", &text));
    };
    unescape_into(id, &mut document.id);
    unescape_into(title, &mut document.title);
    text.clear();
    loop {
        let line_start = text.len();
        if !source.append_line(&mut text)? {
            let place = source.place();
            let expected = format!("</doc> for the article that starts on line {}", start.line.unwrap_or(0));
            return Err(Error::Truncated { place, expected: expected.into() });
        }
        let line = &text[line_start..];
        if line == b"</doc>" {
            text.truncate(line_start);
            break;
        }
        if line.starts_with(b"<doc id=\"") && line.ends_with(b"\">") {
            return Err(Error::malformed(source.place(), "</doc> before the next article", line));
        }
        utf8(line, source.place().byte, || source.place())?;
        if text.len() > source.limits().document {
            let limit = source.limits().document as u64;
            return Err(Error::TooLong { place: start, what: "the article", limit, setting: "document" });
        }
        text.push(b'\n');
    }
    document.text = utf8_string(text, start.byte, || start)?;
    Ok(true)
}

/// The id and the title. Older versions wrote quotes in titles as they are, so a title ends with the line.
fn parse_header(line: &str) -> Option<(&str, &str)> {
    let attributes = line.trim_end().strip_prefix("<doc ")?.strip_suffix("\">")?;
    let (_, id) = attributes.split_once("id=\"")?;
    let (id, rest) = id.split_once('"')?;
    let (_, title) = rest.split_once("title=\"")?;
    Some((id, title))
}

fn unescape_into(escaped: &str, out: &mut String) {
    super::markup::decode_entities(escaped, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<TextDocument>> {
        let limits = Limits { document: 100, ..Limits::default() };
        let source = Source::from_reader("w", std::io::Cursor::new(bytes.to_vec()), limits)?;
        WikiExtractor::new(source)?.texts().collect()
    }

    fn refusal(bytes: &[u8]) -> String {
        read(bytes).unwrap_err().to_string()
    }

    #[test]
    fn blocks_and_json_lines_are_told_apart() {
        let blocks = read(b"\n<doc id=\"1\" url=\"u\" title=\"A \"B\" &amp; C\">\r\nText\r\n</doc>\r\n\n<doc id=\"2\" url=\"\" title=\"D\">\n</doc>").unwrap();
        assert_eq!(blocks.len(), 2);
        assert_eq!((&*blocks[0].title, &*blocks[0].text), ("A \"B\" & C", "Text\n"));
        assert_eq!((&*blocks[1].id, &*blocks[1].text), ("2", ""));
        let json = read(
            b"{\"id\": \"1\", \"revid\": \"9\", \"url\": \"u\", \"title\": \"A\", \"text\": \"T\\n\"}\n",
        )
        .unwrap();
        assert_eq!((&*json[0].id, &*json[0].title, &*json[0].text), ("1", "A", "T\n"));
    }

    #[test]
    fn bad_input_is_refused_with_its_line() {
        let doc = "<doc id=\"1\" url=\"u\" title=\"A\">\n";
        assert_eq!(
            refusal(b"plain words"),
            "w:1: expected \"<doc …>\" or a JSON object, as wikiextractor writes, found \"p\""
        );
        assert_eq!(
            refusal(b"<doc id=\"1\">\n"),
            "w:1: expected <doc id=\"…\" url=\"…\" title=\"…\">, found \"<doc id=\\\"1\\\">\""
        );
        assert_eq!(
            refusal(format!("{doc}text\n").as_bytes()),
            "w:2: the input ends early, expected </doc> for the article that starts on line 1"
        );
        assert_eq!(
            refusal(format!("{doc}{doc}").as_bytes()),
            "w:2: expected </doc> before the next article, found \"<doc id=\\\"1\\\" url=\\\"u\\\" title=\\\"A\\\">\""
        );
        assert_eq!(
            refusal(format!("{doc}{}\n</doc>\n", "x\n".repeat(80)).as_bytes()),
            "w:1: the article is longer than the limit of 100 bytes (to allow it, raise `Limits::document`)"
        );
        assert_eq!(
            refusal(&[doc.as_bytes(), b"ok\nsm\xf8r\n</doc>\n"].concat()),
            "w:3: expected UTF-8 text, found the byte 0xf8 at offset 36"
        );
        assert_eq!(
            refusal(b"{\"id\": 1}\n"),
            "w:1: expected a JSON object with the text field \"text\", found an object without it at line 1 column 9"
        );
    }

    #[test]
    fn a_tree_is_read_in_sorted_order() {
        let folder = tempfile::tempdir().unwrap();
        for (name, title) in [("AB/wiki_00", "3"), ("AA/wiki_01", "2"), ("AA/wiki_00", "1")] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("<doc id=\"x\" url=\"\" title=\"{title}\">\n</doc>\n")).unwrap();
        }
        let titles: Vec<String> =
            WikiExtractor::open(folder.path()).unwrap().texts().map(|text| text.unwrap().title).collect();
        assert_eq!(titles, ["1", "2", "3"]);
    }
}
