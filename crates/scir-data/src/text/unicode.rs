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
        for word in rest[..plain].unicode_words() {
            if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                each(word);
            } else {
                buffer.clear();
                buffer.push_str(word);
                buffer.make_ascii_lowercase();
                each(buffer);
            }
        }
        for word in rest[plain..other].unicode_words() {
            buffer.clear();
            buffer.extend(word.chars().flat_map(char::to_lowercase));
            each(buffer);
        }
        rest = &rest[other..];
    }
}
