//! Pages that count, pages that do not, and dumps that are broken.

use super::*;

fn read(dump: &str) -> Result<Vec<TextDocument>> {
    let limits = Limits { document: 2000, ..Limits::default() };
    let source = Source::from_reader("dump.xml", io::Cursor::new(dump.as_bytes().to_vec()), limits)?;
    MediaWiki::new(source).texts().collect()
}

fn refusal(dump: &str) -> String {
    read(dump).unwrap_err().to_string()
}

fn page(title: &str, ns: i32, inside: &str, text: &str) -> String {
    format!(
        "<page><title>{title}</title><ns>{ns}</ns><id>7</id>{inside}<revision><id>9</id><model>wikitext</model>\
         <text xml:space=\"preserve\">{text}</text></revision></page>"
    )
}

fn dump(pages: &[String]) -> String {
    format!("<?xml version=\"1.0\"?>\n<mediawiki xml:lang=\"en\">\n{}\n</mediawiki>\n", pages.join("\n"))
}

#[test]
fn only_articles_count() {
    let found = read(&dump(&[
        page("Rock &amp; roll", 0, "", "a &lt;b&gt;c&lt;/b&gt; &#233;"),
        page("Talk:A", 1, "", "b"),
        page("B", 0, "<redirect title=\"A\" />", "#REDIRECT [[A]]"),
        page("C", 0, "", "#redirect [[A]]"),
        page("D", 0, "", "<![CDATA[d <i>e</i>]]>"),
        page("E", 0, "", "").replace("wikitext", "css"),
    ]))
    .unwrap();
    let found: Vec<(&str, &str, &str)> = found.iter().map(|d| (&*d.id, &*d.title, &*d.text)).collect();
    assert_eq!(found, [("7", "Rock & roll", "a c é"), ("7", "D", "d e")]);
}

#[test]
fn the_last_revision_counts() {
    let two = page("A", 0, "<revision><text>old</text></revision>", "new");
    assert_eq!(read(&dump(&[two])).unwrap()[0].text, "new");
}

#[test]
fn namespaces_of_other_languages_are_taken_from_the_dump() {
    let info = "<siteinfo><namespaces><namespace key=\"6\" case=\"x\">Datei</namespace>\
                <namespace key=\"0\" /></namespaces></siteinfo>";
    let found = read(&dump(&[info.into(), page("A", 0, "", "[[Datei:x.jpg|mini|b]]c")])).unwrap();
    assert_eq!(found[0].text, "c");
}

#[test]
fn a_dump_cut_anywhere_is_refused() {
    let whole = dump(&[page("A", 0, "", "some &lt;text&gt;"), page("B", 0, "", "more")]);
    let end = whole.trim_end().len();
    for cut in 1..end {
        let refused = read(&whole[..cut]).unwrap_err();
        assert!(matches!(refused, Error::Truncated { .. } | Error::Malformed { .. }), "{cut}: {refused}");
    }
    assert_eq!(
        refusal("<mediawiki><page><title>A</title>"),
        "dump.xml, byte 33: the input ends early, expected </mediawiki>"
    );
    assert_eq!(
        refusal("<mediawiki><page><title>A</ti"),
        "dump.xml, byte 25: the input ends early, expected more XML: tag not closed: `>` not found before end of input"
    );
}

#[test]
fn bad_dumps_are_refused_with_their_byte() {
    assert_eq!(refusal("<html></html>"), "dump.xml, byte 0: expected <mediawiki>, found \"html\"");
    assert_eq!(refusal("words"), "dump.xml, byte 5: the input ends early, expected <mediawiki>");
    assert_eq!(
        refusal("<mediawiki><page></mediawiki>"),
        "dump.xml, byte 17: expected well-formed XML, found ill-formed document: expected `</page>`, but `</mediawiki>` was found"
    );
    assert_eq!(
        refusal(&dump(&[page("A", 0, "", "&unknown;")])),
        "dump.xml, byte 160: expected one of the five entities of XML or the number of a character, found \"unknown\""
    );
    assert_eq!(
        refusal(&format!("<mediawiki>{}", "<a>".repeat(100))),
        "dump.xml, byte 200: expected elements at most 64 deep, found \"a\""
    );
    let source = Source::from_reader("d", &b"<mediawiki>\xff</mediawiki>"[..], Limits::default()).unwrap();
    let refused = MediaWiki::new(source).texts().next().unwrap().unwrap_err();
    assert_eq!(refused.to_string(), "d, byte 11: expected UTF-8 text, found bytes that are not");
}

#[test]
fn a_page_longer_than_the_limit_is_refused() {
    let one = page("A", 0, "", &"x".repeat(3000));
    assert_eq!(
        refusal(&dump(&[one])),
        "dump.xml, byte 160: a piece of the page is longer than the limit of 2000 bytes \
         (to allow it, raise `Limits::document`)"
    );
    let pieces = page("A", 0, "", &"x&lt;".repeat(3000));
    assert!(refusal(&dump(&[pieces])).contains("the page is longer than the limit of 2000 bytes"));
    let tag = format!("<mediawiki {}", "x".repeat(3000));
    assert!(refusal(&tag).contains("a piece of the page is longer than the limit"));
}

#[cfg(feature = "compression")]
#[test]
fn multistream_dumps_are_read_and_cut_ones_are_refused() {
    let pack = |text: &str| {
        let mut bytes = Vec::new();
        bzip2::read::BzEncoder::new(text.as_bytes(), bzip2::Compression::best())
            .read_to_end(&mut bytes)
            .unwrap();
        bytes
    };
    let whole = dump(&[page("A", 0, "", "one"), page("B", 0, "", "two")]);
    let (head, tail) = whole.split_at(whole.find("<page><title>B").unwrap());
    let archive = [pack(head), pack(tail)].concat();
    let read = |bytes: &[u8]| -> Result<Vec<TextDocument>> {
        let source = Source::from_reader("d.bz2", io::Cursor::new(bytes.to_vec()), Limits::default())?;
        MediaWiki::new(source).texts().collect()
    };
    assert_eq!(read(&archive).unwrap().len(), 2);
    let refused = read(&archive[..archive.len() - 5]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "d.bz2, byte {}: the input ends early, expected more bzip2 data: the file is cut off",
            archive.len() - 5
        )
    );
    // Cut between streams, the archive is whole but the dump is not.
    let refused = read(&pack(head)).unwrap_err();
    assert!(refused.to_string().ends_with("the input ends early, expected </mediawiki>"), "{refused}");
}
