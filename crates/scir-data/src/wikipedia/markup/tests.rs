//! Mark-up as it is found, broken mark-up, and mark-up made to be slow.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn words(page: &str) -> String {
    Markup::default().strip(page).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn mark_up_as_it_is_found() {
    for (page, expected) in [
        ("a {{t|{{u}}|v={{{1|}}}}} b", "a b"),
        ("{{t\n|x=1\n|}}after", "after"),
        ("x\n{| class=\"a\"\n|-\n! h\n| {{c}} || [[d]]\n{|\n| inner\n|}\n|}\ny", "x y"),
        (":{|\n| indented\n|}\ny", "y"),
        ("[[a|b]]s and [[c]]", "bs and c"),
        ("[[File:x.jpg|thumb|200px|A [[b|c]] {{d}} e]] f", "f"),
        ("[[Category:Things| ]][[fr:Chose]] [[:Category:Kept]]", "Category:Kept"),
        ("[[a|b {{c}} ''d'']]", "b d"),
        ("see [https://a.b/c?d=e the ''site''], http://x.y/z.", "see the site,"),
        ("'''''both''''' don't", "both don't"),
        (
            "=== Head ===\n* one\n** two\n#: three\n; four : five\n----\nsix",
            "Head one two three four : five six",
        ),
        ("a<ref name=\"n\">b [[c]]</ref> d<ref name=n /> e<ref>f</REF>", "a d e"),
        ("<math>x^2 {{</math>a<!-- {{ -->b", "ab"),
        ("H<sub>2</sub>O<br/>b<div class=\"x\">c</div>", "H2O b c"),
        ("<nowiki>[[not a link]] '''</nowiki> x", "not a link x"),
        ("&nbsp;a&amp;nbsp;b &eacute;&#233;&#xE9; &unknown; AT&T;", "a&nbsp;b ééé &unknown; AT&T;"),
        ("__NOTOC__ a_b __x", "a_b __x"),
        ("3 < 4 > 2, {\\displaystyle x}", "3 < 4 > 2, \\displaystyle x"),
        ("<gallery>\nFile:a.jpg|words\n</gallery>z", "z"),
        ("", ""),
    ] {
        assert_eq!(words(page), expected, "{page}");
    }
}

#[test]
fn what_is_never_closed_does_not_swallow_the_page() {
    assert_eq!(words("a {{b c [[d]] e"), "a b c d e");
    assert_eq!(words("a [[b c {{d}} e"), "a b c e");
    assert_eq!(words("a <ref>b c"), "a b c");
    assert_eq!(words("{| \n| a\nb"), "a b");
    assert_eq!(words("a }} b ]] c |} d"), "a b c | d");
    assert_eq!(words("[[a {{b]] c}} d"), "a b c d");
}

#[test]
fn hidden_prefixes_can_be_added() {
    let mut markup = Markup::default();
    markup.hide("Datei");
    assert_eq!(markup.strip("[[datei:x.jpg|mini]]y"), "y");
}

/// Every one of these takes minutes if any part is quadratic.
#[test]
fn mark_up_made_to_be_slow_is_not() {
    const LEN: usize = 1 << 20;
    for piece in [
        "{{", "[[", "[[a|", "<ref>", "<!-", "<a", "&", "&#", "\n{|", "{{[[", "]]", "[[a]]", "''", "__A",
        "http://",
    ] {
        let page = piece.repeat(LEN / piece.len());
        let start = Instant::now();
        Markup::default().strip(&page);
        let closed = page + &"]]}}".repeat(1000);
        Markup::default().strip(&closed);
        assert!(start.elapsed() < Duration::from_secs(5), "{piece} took {:?}", start.elapsed());
    }
}

proptest! {
    #[test]
    fn any_page_is_stripped(page in "([a\\[\\]{}|'=<>!/&#;:*\n é_-]|ref|math|nowiki|http://|File:|&amp;){0,60}") {
        Markup::default().strip(&page);
    }
}
