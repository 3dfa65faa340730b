//! Good input, damaged in thousands of ways: no parser panics, hangs, or returns more than it was given.

// Public, because the fuzz targets share it.
#[allow(unreachable_pub)]
mod parsers;

use scir_core::rand::{Rng, RngExt};
use scir_core::{Purpose, Streams};
use scir_data::Result;

const MUTATE: Purpose = Purpose::new("mutate input");

/// How many damaged copies of each input; a few seconds for all.
const COPIES: u64 = 10_000;

/// Bytes that mean something to some parser.
const TELLING: &[u8] = b"\n\r \t,:;\"'<>/&{}[]|=%-+0129.eAZaCV#!\\\x00\x1f\x7f\x8b\xc3\xa9\xff";

fn damage(input: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..rng.random_range(1..6) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.random_range(0..bytes.len());
        let end = (at + rng.random_range(1..20)).min(bytes.len());
        match rng.random_range(0..7) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = TELLING[rng.random_range(0..TELLING.len())],
            2 => bytes.insert(at, TELLING[rng.random_range(0..TELLING.len())]),
            3 => drop(bytes.drain(at..end)),
            4 => bytes.truncate(at),
            5 => {
                let copy = bytes[at..end].to_vec();
                let to = rng.random_range(0..=bytes.len());
                bytes.splice(to..to, copy);
            }
            _ => {
                // A number that is negative, or far too large.
                bytes.splice(at..at, b"-9".iter().copied().chain(std::iter::repeat_n(b'9', end - at - 1)));
            }
        }
    }
    bytes
}

fn survive(name: &str, parse: fn(&[u8]) -> Result<()>, input: &[u8]) {
    parse(input).unwrap_or_else(|error| panic!("{name}: the undamaged input is refused: {error}"));
    let mut refused = 0;
    for copy in 0..COPIES {
        let mut rng = Streams::new(1).rng(MUTATE, input.len() as u64, copy);
        refused += u64::from(parse(&damage(input, &mut rng)).is_err());
    }
    // A parser that takes everything, or nothing, is not being tested.
    assert!(refused < COPIES, "{name}: every copy was refused");
}

const WIKI: &str = "<doc id=\"1\" url=\"u\" title=\"A &amp; B\">\nA & B\n\nThe river <br> na\u{ef}ve.\n</doc>\n\
                    <doc id=\"2\" url=\"u\" title=\"C\">\nC\n</doc>\n";
const JSON: &str = "{\"id\": 7, \"title\": \"A\", \"text\": \"the \\u00e9 river\", \"x\": [1, {\"y\": null}]}\n{\"text\": \"\"}\n";
const DUMP: &str = "<mediawiki xml:lang=\"en\"><siteinfo><namespaces><namespace key=\"6\">File</namespace></namespaces>\
                    </siteinfo><page><title>A &amp; B</title><ns>0</ns><id>7</id><revision><id>9</id><text \
                    xml:space=\"preserve\">'''A''' is {{t|[[x]]}} a [[b|c]]&lt;ref&gt;d&lt;/ref&gt; &#233;\n{|\n| e\n|}\n\
                    [[File:f.jpg|g]]</text></revision></page><page><title>R</title><ns>0</ns><redirect title=\"A\" />\
                    <revision><text>#REDIRECT [[A]]</text></revision></page></mediawiki>\n";
const MSWEB: &str = "I,4,\"www\",\"x\"\nT,1,\"VRoot\",0,0,\"VRoot\"\nN,0,\"0\"\nA,1287,1,\"Maps, \"\"r\"\"\",\"/maps\"\n\
                     A,1000,1,\"regwiz\",\"/regwiz\"\nC,\"10001\",10001\nV,1287,1\nV,1000,1\nC,\"10002\",10002\n";

#[test]
fn texts_survive() {
    survive("wikiextractor blocks", parsers::wikiextractor, WIKI.as_bytes());
    survive("wikiextractor JSON", parsers::wikiextractor, JSON.as_bytes());
    survive("JSON lines", parsers::json_lines, JSON.as_bytes());
    survive("lines", parsers::lines, "the river\n\nna\u{ef}ve\r\n".as_bytes());
    survive("vocabulary", parsers::vocabulary, "the\nriver\nna\u{ef}ve\r\nof\n".as_bytes());
    survive("plain bytes", parsers::archive, WIKI.as_bytes());
    survive("mark-up and words", parsers::markup_and_words, DUMP.as_bytes());
}

#[test]
fn dumps_survive() {
    survive("mediawiki", parsers::mediawiki, DUMP.as_bytes());
}

#[test]
fn counts_survive() {
    survive("LDA-C", parsers::lda_c, b"3 0:1 7:3 9:2\n0\n1 4:4294967295\n");
    survive("UCI", parsers::uci, b"3\n9\n4\n1 1 1\n1 9 3\n3 2 2\n3 5 1\n");
    let real = b"%%MatrixMarket matrix coordinate real general\n% c\n3 9 3\n1 1 1.0\n3 9 3\n3 2 2e0\n";
    survive("Matrix Market", parsers::matrix_market, real);
    survive("MS-web", parsers::ms_web, MSWEB.as_bytes());
    survive("records", parsers::records, b"a,\"b\",c\n1,x,\"y,\"\"z\"\nn2,,y\r\n1,x,\n");
}

#[cfg(feature = "compression")]
#[test]
fn archives_survive() {
    use std::io::Write;

    let text = WIKI.repeat(20);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(text.as_bytes()).unwrap();
    for (name, one) in [("gzip", gzip.finish().unwrap()), ("bzip2", bzip2.finish().unwrap())] {
        let two = [one.clone(), one].concat();
        survive(name, parsers::wikiextractor, &two);
        survive(name, parsers::archive, &two);
    }
}
