//! Where the tags are in text that should be free of them, or soon will be.

/// The end of what looks like a tag at the start of `text`: `<name …>`, `</name …>` or a comment, with no
/// other `<` inside. Tags are short: without an end in a few hundred bytes it is not one, which also keeps
/// the cost linear.
pub(crate) fn tag(text: &[u8]) -> Option<usize> {
    const LONGEST: usize = 512;
    let name = match text {
        [b'<', b'/', rest @ ..] | [b'<', rest @ ..] => rest.first()?,
        _ => return None,
    };
    if !name.is_ascii_alphabetic() && *name != b'!' {
        return None;
    }
    let inside = &text[1..text.len().min(LONGEST)];
    match memchr::memchr2(b'<', b'>', inside) {
        Some(end) if inside[end] == b'>' => Some(end + 2),
        _ => None,
    }
}
