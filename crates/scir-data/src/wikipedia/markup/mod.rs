//! Wiki mark-up to plain text, well enough for words.
//!
//! Three passes, each linear in the length of the page and without recursion, because a dump is written
//! by millions of strangers:
//!
//! 1. comments, HTML tags, and elements that hold no prose (`<ref>`, `<math>`, …) go: [`elements`];
//! 2. templates, tables, links, files, headings, lists and quotes are resolved: [`Markup::strip`];
//! 3. entities become characters: [`entities`].
//!
//! A bracket that is never closed is taken as text, not as the start of something that swallows the page.

mod brackets;
mod elements;
mod entities;

use brackets::{Bracket, Kind};
pub(crate) use entities::decode_entities;

/// Turns wiki mark-up into plain text.
///
/// ```
/// use scir_data::wikipedia::Markup;
/// let page = "{{Infobox|x=[[y]]}}'''Anarchism''' is a [[political philosophy|philosophy]].<ref>Who?</ref>\n\
///             [[File:A.jpg|thumb|With a [[caption]]]]== History ==\n* see [http://a.b/c its site]&nbsp;…";
/// assert_eq!(Markup::default().strip(page), "Anarchism is a philosophy.\n History \nsee  its site …");
/// ```
#[derive(Debug, Clone)]
pub struct Markup {
    /// Prefixes of links that show no words here, in lower case.
    hidden: Vec<String>,
}

impl Default for Markup {
    fn default() -> Self {
        Self { hidden: ["file", "image", "media", "category"].map(String::from).to_vec() }
    }
}

impl Markup {
    /// Also drops links whose target begins with `prefix:`, such as the word for "file" in another language.
    pub fn hide(&mut self, prefix: &str) {
        let prefix = prefix.to_lowercase();
        if !prefix.is_empty() && !self.hidden.contains(&prefix) {
            self.hidden.push(prefix);
        }
    }

    /// The plain text of a page.
    pub fn strip(&self, page: &str) -> String {
        let text = elements::drop_elements(page);
        let mut plain = String::with_capacity(text.len());
        self.resolve(&text, &mut plain);
        let mut decoded = String::with_capacity(plain.len());
        decode_entities(&plain, &mut decoded);
        decoded
    }

    fn resolve(&self, text: &str, out: &mut String) {
        let brackets = brackets::matched(text.as_bytes());
        let mut brackets = brackets.iter().peekable();
        let mut line_start = true;
        let mut at = 0;
        while at < text.len() {
            // Brackets within what was jumped over do not count.
            while brackets.next_if(|bracket| bracket.open < at).is_some() {}
            if let Some(bracket) = brackets.next_if(|bracket| bracket.open == at) {
                at = self.enter(text, bracket);
                line_start = false;
                continue;
            }
            let rest = &text[at..];
            if let Some(len) = marker(rest.as_bytes(), line_start) {
                at += len;
                continue;
            }
            let len = plain_run(rest);
            out.push_str(&rest[..len]);
            line_start = rest.as_bytes()[len - 1] == b'\n';
            at += len;
        }
    }

    /// Where the words of a bracket start, or where the text goes on if it has none.
    fn enter(&self, text: &str, bracket: &Bracket) -> usize {
        if bracket.kind != Kind::Link {
            return bracket.end;
        }
        // The target of a link is short. A longer one has no title of its own, and the search stays linear.
        const TARGET: usize = 1024;
        let start = bracket.open + 2;
        let inside = &text.as_bytes()[start..(bracket.end - 2).min(start + TARGET)];
        let target = match memchr::memchr3(b'|', b'[', b'{', inside) {
            Some(end) => &inside[..end],
            None => inside,
        };
        if self.is_hidden(target) {
            return bracket.end;
        }
        match inside.get(target.len()) {
            Some(b'|') => start + target.len() + 1,
            // `[[:Category:X]]` is a link to the category that shows.
            _ if target.starts_with(b":") => start + 1,
            _ => start,
        }
    }

    /// Files, categories, and the same page in other languages (`fr:…`).
    fn is_hidden(&self, target: &[u8]) -> bool {
        let Some(colon) = memchr::memchr(b':', target) else { return false };
        let prefix = target[..colon].trim_ascii();
        let language = (2..=3).contains(&prefix.len()) && prefix.iter().all(u8::is_ascii_lowercase);
        let prefix = || String::from_utf8_lossy(prefix).to_lowercase();
        language || (!target.is_empty() && self.hidden.contains(&prefix()))
    }
}

/// The length of a piece of mark-up that shows nothing, at the start of `text`.
fn marker(text: &[u8], line_start: bool) -> Option<usize> {
    let run = |byte: u8| text.iter().take_while(|&&b| b == byte).count();
    match text[0] {
        b'*' | b'#' | b':' | b';' if line_start => {
            Some(text.iter().take_while(|byte| b"*#:; ".contains(byte)).count())
        }
        b'|' | b'!' if line_start => Some(1),
        b'\'' if run(b'\'') >= 2 => Some(run(b'\'')),
        b'=' if run(b'=') >= 2 => Some(run(b'=')),
        b'-' if line_start && run(b'-') >= 4 => Some(run(b'-')),
        b'[' | b']' => Some(1),
        b'{' | b'}' => Some(1),
        b'_' => magic_word(text),
        b'h' => url(text),
        _ => None,
    }
}

/// `__NOTOC__` and its like.
fn magic_word(text: &[u8]) -> Option<usize> {
    let name = text.strip_prefix(b"__")?;
    let len = name.iter().take(30).take_while(|byte| byte.is_ascii_uppercase()).count();
    (len > 0 && name[len..].starts_with(b"__")).then_some(len + 4)
}

/// An address, up to where the words of an external link begin.
fn url(text: &[u8]) -> Option<usize> {
    if !text.starts_with(b"http://") && !text.starts_with(b"https://") {
        return None;
    }
    Some(text.iter().take_while(|byte| !byte.is_ascii_whitespace() && !b"[]<>|{}\"".contains(byte)).count())
}

/// How far plain text goes: at least one character, at most through the end of the line.
fn plain_run(text: &str) -> usize {
    let special = |byte: u8| matches!(byte, b'\'' | b'=' | b'[' | b']' | b'{' | b'}' | b'_' | b'h' | b'\n');
    let bytes = text.as_bytes();
    if bytes[0] == b'\n' {
        return 1;
    }
    let first = text.chars().next().map_or(1, char::len_utf8);
    let more = bytes[first..].iter().position(|&byte| special(byte)).unwrap_or(bytes.len() - first);
    match bytes.get(first + more) {
        Some(b'\n') => first + more + 1,
        _ => first + more,
    }
}

#[cfg(test)]
mod tests;
