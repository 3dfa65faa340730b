//! Words of any script.

use unicode_segmentation::UnicodeSegmentation;

use crate::tags::tag;

/// Calls `each` with every word in lower case; `buffer` is room for one word.
pub(super) fn words(text: &str, tags: bool, buffer: &mut String, mut each: impl FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = if tags { split_at_tag(rest) } else { (rest, "") };
        words_of_piece(piece, buffer, &mut each);
        rest = after;
    }
}

/// What stands before the first tag, and what stands after it.
fn split_at_tag(text: &str) -> (&str, &str) {
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        if let Some(len) = tag(&text.as_bytes()[at..]) {
            return (&text[..at], &text[at + len..]);
        }
    }
    (text, "")
}

/// Stretches of ASCII have simple word boundaries, which are found many times faster. A word never goes over
/// a space or a line break, so the text can be cut there into stretches with and without other characters.
fn words_of_piece(text: &str, buffer: &mut String, each: &mut impl FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let ascii = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len());
        let (plain, other) = if ascii == bytes.len() {
            (ascii, ascii)
        } else {
            let plain = memchr::memrchr2(b' ', b'\n', &bytes[..ascii]).map_or(0, |space| space + 1);
            let other =
                memchr::memchr2(b' ', b'\n', &bytes[ascii..]).map_or(bytes.len(), |space| ascii + space);
            (plain, other)
        };
        ascii_words(&rest[..plain], buffer, each);
        for word in rest[plain..other].unicode_words() {
            buffer.clear();
            buffer.extend(word.chars().flat_map(char::to_lowercase));
            each(buffer);
        }
        rest = &rest[other..];
    }
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
/// Joins words, but is none.
const UNDERSCORE: u8 = 8;
const LETTER: u8 = LOWER | UPPER;

const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        class[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            _ => 0,
        };
        byte += 1;
    }
    class
};

/// The rules of UAX #29 as far as they concern ASCII: letters, digits and underscores make words, and so does
/// an apostrophe, a full stop or a colon between letters ("don't"), or a separator between digits ("3.14").
fn ascii_words(text: &str, buffer: &mut String, each: &mut impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(0, |&byte| CLASS[byte as usize]);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut seen = class(at);
        at += 1;
        if seen == 0 {
            continue;
        }
        loop {
            let next = class(at);
            if next != 0 {
                seen |= next;
                at += 1;
                continue;
            }
            let around = |kind: u8| class(at - 1) & kind != 0 && class(at + 1) & kind != 0;
            let joins = match bytes.get(at) {
                Some(b'\'' | b'.') => around(LETTER) || around(DIGIT),
                Some(b':') => around(LETTER),
                Some(b',' | b';') => around(DIGIT),
                _ => false,
            };
            if !joins {
                break;
            }
            at += 1;
        }
        let word = &text[start..at];
        if seen & UPPER != 0 {
            buffer.clear();
            buffer.push_str(word);
            buffer.make_ascii_lowercase();
            each(buffer);
        } else if seen != UNDERSCORE {
            each(word);
        }
    }
}
