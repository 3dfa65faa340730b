//! Words of any script.

use unicode_segmentation::UnicodeSegmentation;

use crate::tags::tag;

/// Calls `each` with every word in lower case; `buffer` is room for one word.
pub(super) fn words(text: &str, tags: bool, buffer: &mut String, mut each: impl FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = if tags { split_at_tag(rest) } else { (rest, "") };
        for word in piece.unicode_words() {
            if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                each(word);
                continue;
            }
            buffer.clear();
            if word.is_ascii() {
                buffer.push_str(word);
                buffer.make_ascii_lowercase();
            } else {
                buffer.extend(word.chars().flat_map(char::to_lowercase));
            }
            each(buffer);
        }
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
