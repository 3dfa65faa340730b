//! Comments, tags, and elements that hold no prose.

use crate::tags::tag;

/// Elements that go with all they hold.
const WITHOUT_PROSE: [&str; 24] = [
    "ref",
    "references",
    "math",
    "chem",
    "ce",
    "gallery",
    "timeline",
    "score",
    "source",
    "syntaxhighlight",
    "hiero",
    "imagemap",
    "graph",
    "mapframe",
    "maplink",
    "templatedata",
    "templatestyles",
    "inputbox",
    "categorytree",
    "table",
    "style",
    "script",
    "noinclude",
    "nowiki",
];

/// Tags that stand within words: `H<sub>2</sub>O`.
const INLINE: [&str; 12] = ["b", "i", "u", "s", "em", "strong", "sub", "sup", "span", "small", "big", "font"];

/// The page without them. Other tags leave a space.
pub(super) fn drop_elements(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    // From here on there is no closing tag of this element: searching again would take quadratic time.
    let mut never_closed = [usize::MAX; WITHOUT_PROSE.len()];
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'<', &page.as_bytes()[at..]) {
        out.push_str(&page[at..at + next]);
        at += next;
        let rest = &page[at..];
        if rest.starts_with("<!--") {
            // A comment that is never closed goes to the end, as in MediaWiki.
            at = rest.find("-->").map_or(page.len(), |end| at + end + 3);
            continue;
        }
        let Some(len) = tag(rest.as_bytes()) else {
            out.push('<');
            at += 1;
            continue;
        };
        let (tag, after) = (&rest[..len], at + len);
        let name = name_of(tag);
        at = after;
        let is = |known: &&str| name.eq_ignore_ascii_case(known);
        if let Some(element) = WITHOUT_PROSE.iter().position(is) {
            let opens = !tag.starts_with("</") && !tag.ends_with("/>");
            if opens && after < never_closed[element] {
                match closing_tag(&page.as_bytes()[after..], name.as_bytes()) {
                    Some((start, end)) => {
                        if is(&"nowiki") {
                            push_literally(&page[after..after + start], &mut out);
                        }
                        at = after + end;
                    }
                    None => never_closed[element] = after,
                }
            }
        } else if !INLINE.iter().any(is) {
            out.push(' ');
        }
    }
    out.push_str(&page[at..]);
    out
}

fn name_of(tag: &str) -> &str {
    let name = tag.trim_start_matches(['<', '/']);
    &name[..name.bytes().take_while(u8::is_ascii_alphanumeric).count()]
}

/// Where the next closing tag starts and ends.
fn closing_tag(text: &[u8], name: &[u8]) -> Option<(usize, usize)> {
    memchr::memchr_iter(b'<', text).find_map(|start| {
        let after_name = text[start..].strip_prefix(b"</")?.split_at_checked(name.len())?;
        let (found, rest) = after_name;
        let close = rest.iter().take(64).position(|&byte| byte == b'>')?;
        let blank = rest[..close].trim_ascii().is_empty();
        (found.eq_ignore_ascii_case(name) && blank).then_some((start, start + 2 + name.len() + close + 1))
    })
}

/// Text that is not to be read as mark-up: what could be is blanked.
fn push_literally(text: &str, out: &mut String) {
    out.extend(text.chars().map(|c| if "{}[]|'=<>*#:;".contains(c) { ' ' } else { c }));
}
