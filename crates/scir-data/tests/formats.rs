//! Round trips of every format that is written, and what each of them refuses.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use scir_data::formats::{DocumentAxis, JsonLines, LdaC, Lines, MatrixMarket, Uci};
use scir_data::{
    Corpus, CorpusBuilder, Document, Encoder, Error, Limits, Result, Source, TextDocument, TextSource,
    Tokenizer, Vocabulary,
};

fn source(text: &str) -> Source {
    Source::from_reader("f", Cursor::new(text.as_bytes().to_vec()), Limits::default()).unwrap()
}

fn refusal<T>(result: Result<T>) -> String {
    result.err().expect("to be refused").to_string()
}

fn lda_c(text: &str) -> Result<Corpus> {
    Corpus::collect(LdaC::new(source(text)).with_words(10))
}

fn uci(text: &str) -> Result<Corpus> {
    Corpus::collect(Uci::new(source(text))?)
}

fn matrix(text: &str) -> Result<Corpus> {
    Corpus::collect(MatrixMarket::new(source(text))?)
}

#[test]
fn lda_c_refuses() {
    for (text, message) in [
        ("1 3:1\n\n", "f:2: expected the number of distinct words, then id:count …, found nothing"),
        ("x 3:1", "f:1: expected number of distinct words as a whole number, found \"x\""),
        ("1 3:1\n2 3:1", "f:2: the header declares 2 distinct words, found 1"),
        ("2 3:1 3:1", "f:1: the header declares 2 distinct words, found 1"),
        ("1 3", "f:1: expected id:count, found \"3\""),
        ("1 10:1", "f:1: word id 10 is out of range, expected 0 to 9"),
        ("1 -3:1", "f:1: word id -3 is out of range, expected 0 to 9"),
        ("1 3:0", "f:1: count 0 is out of range, expected 1 to 4294967295"),
        ("1 3:-1", "f:1: count -1 is out of range, expected 1 to 4294967295"),
        ("1 3:4294967296", "f:1: count 4294967296 is out of range, expected 1 to 4294967295"),
        ("1 3:1.5", "f:1: expected count as a whole number, found \"1.5\""),
        (
            "1 3:99999999999999999999999999999999999999",
            "f:1: count 999999999999999999999999999999… is out of range, expected 1 to 4294967295",
        ),
    ] {
        assert_eq!(refusal(lda_c(text)), message, "{text}");
    }
}

#[test]
fn uci_refuses() {
    for (text, message) in [
        ("2\n5\n", "f:2: the input ends early, expected three header lines, here the number of entries"),
        ("two\n5\n1\n", "f:1: expected number of documents as a whole number, found \"two\""),
        ("2\n4294967297\n1\n", "f:2: number of words 4294967297 is out of range, expected 0 to 4294967296"),
        ("2\n5\n2\n1 1 1\n", "f:4: the header declares 2 entries, found 1"),
        ("2\n5\n1\n1 1 1\n1 2 1\n", "f:5: the header declares 1 entries, found 2"),
        ("2\n5\n1\n3 1 1\n", "f:4: document number 3 is out of range, expected 1 to 2"),
        ("2\n5\n1\n0 1 1\n", "f:4: document number 0 is out of range, expected 1 to 2"),
        ("2\n5\n1\n1 6 1\n", "f:4: word number 6 is out of range, expected 1 to 5"),
        ("2\n5\n1\n1 5 -2\n", "f:4: count -2 is out of range, expected 1 to 4294967295"),
        ("2\n5\n1\n1 5\n", "f:4: expected three numbers: document, word, count, found \"1 5\""),
        ("2\n5\n1\n\n", "f:4: expected three numbers: document, word, count, found nothing"),
        ("2\n5\n2\n2 1 1\n1 1 1\n", "f:5: expected documents in ascending order, from 2 on, found \"1 1 1\""),
        (
            "3000000000\n5\n1\n3000000000 1 1\n",
            "f:4: number of documents without words 1000001 or more is out of range, expected at most 1000000 \
             (to allow it, raise `Limits::empty_documents`)",
        ),
    ] {
        assert_eq!(refusal(uci(text)), message, "{text}");
    }
}

#[test]
fn matrix_market_refuses() {
    const BANNER: &str = "%%MatrixMarket matrix coordinate real general\n";
    let with = |body: &str| format!("{BANNER}{body}");
    for (text, message) in [
        (
            "%%MatrixMarket matrix array real general\n".into(),
            "f:1: expected the header \"%%MatrixMarket matrix coordinate integer|real|pattern general\", \
             found \"%%MatrixMarket matrix array real general\"",
        ),
        (
            with("% only\n"),
            "f:2: the input ends early, expected a line with the numbers of rows, columns and entries",
        ),
        (with("2 5\n"), "f:2: expected the numbers of rows, columns and entries, found \"2 5\""),
        (with("2 5 1\n1 1 0.5\n"), "f:3: expected count as a whole number, found \"0.5\""),
        (with("2 5 1\n1 1 NaN\n"), "f:3: expected count as a whole number, found \"NaN\""),
        (with("2 5 1\n1 1 -1\n"), "f:3: count -1 is out of range, expected 0 to 4294967295"),
        (with("2 5 1\n1 1 1e99\n"), "f:3: count 1e99 is out of range, expected 0 to 4294967295"),
        (with("2 5 1\n1 6 1\n"), "f:3: word number 6 is out of range, expected 1 to 5"),
        (with("2 5 2\n1 5 1\n"), "f:3: the header declares 2 entries, found 1"),
    ] {
        assert_eq!(refusal(matrix(&text)), message, "{text}");
    }
}

#[test]
fn texts_are_refused() {
    let texts = |text: &[u8]| {
        let source = Source::from_reader("f", Cursor::new(text.to_vec()), Limits::default()).unwrap();
        refusal(Lines::new(source).texts().collect::<Result<Vec<_>>>())
    };
    assert_eq!(texts(b"fine\nsm\xf8r\n"), "f:2: expected UTF-8 text, found the byte 0xf8 at offset 7");
    let json = |text: &str| refusal(JsonLines::new(source(text)).texts().collect::<Result<Vec<_>>>());
    let expected = "expected a JSON object with the text field \"text\", found";
    assert_eq!(
        json("{\"text\": \"a\"}\n[1]\n"),
        format!("f:2: {expected} invalid type: sequence, expected an object at line 1 column 0")
    );
    assert_eq!(
        json("{\"text\": \"a\"\n"),
        format!("f:1: {expected} EOF while parsing an object at line 1 column 12")
    );
    assert_eq!(
        json("{\"text\": 7}\n"),
        format!("f:1: {expected} invalid type: integer `7`, expected a string at line 1 column 10")
    );
    assert_eq!(
        json("{\"text\": \"a\"} b\n"),
        format!("f:1: {expected} trailing characters at line 1 column 15")
    );
    let deep = format!("{{\"x\": {}", "[".repeat(100_000));
    assert!(json(&deep).contains("EOF while parsing"));
}

#[test]
fn vocabulary_files_are_refused() {
    let read = |text: &str| refusal(Vocabulary::read(source(text)));
    assert_eq!(read("a\nb\na\n"), "f:3: the word \"a\" is already on line 1, expected each word once");
    assert_eq!(read("a\n\nb\n"), "f:2: expected a word, found nothing");
}

#[test]
fn matrices_in_any_order_and_either_way_round() {
    let text = "%%MatrixMarket matrix coordinate integer general\n3 2 4\n3 1 7\n1 2 5\n\n% x\n1 1 0\n3 2 1\n";
    let rows = MatrixMarket::read_corpus(source(text), DocumentAxis::Rows).unwrap();
    assert_eq!((rows.len(), rows.words(), rows.tokens()), (3, 2, 13));
    assert_eq!(rows.doc(2).iter().collect::<Vec<_>>(), [(0, 7), (1, 1)]);
    let columns = MatrixMarket::read_corpus(source(text), DocumentAxis::Columns).unwrap();
    assert_eq!((columns.len(), columns.words(), columns.tokens()), (2, 3, 13));
    assert_eq!(columns.doc(1).iter().collect::<Vec<_>>(), [(0, 5), (2, 1)]);
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n1 3 2\n1 1\n1 3\n";
    assert_eq!(matrix(pattern).unwrap().doc(0).counts(), [1, 1]);
    let bomb = "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 1\n";
    for axis in [DocumentAxis::Rows, DocumentAxis::Columns] {
        let refused = MatrixMarket::read_corpus(source(bomb), axis).unwrap_err();
        assert!(matches!(refused, Error::OutOfRange { .. }), "{refused}");
    }
}

#[test]
fn nothing_follows_an_error() {
    let mut stream = LdaC::new(source("1 0:1\nbad\n1 0:1\n"));
    assert!(stream.next().unwrap().is_ok());
    assert!(stream.next().unwrap().is_err());
    assert!(stream.next().is_none());
    let mut stream = JsonLines::new(source("bad\n{\"text\": \"\"}\n")).texts();
    assert!(stream.next().unwrap().is_err());
    assert!(stream.next().is_none());
}

fn read_back(name: &str, path: &Path, words: usize) -> Result<Corpus> {
    let builder = CorpusBuilder::with_words(words);
    match name {
        "ldac" => Corpus::collect_into(builder, LdaC::open(path)?),
        "uci" => Corpus::collect_into(builder, Uci::open(path)?),
        _ => Corpus::collect_into(builder, MatrixMarket::open(path)?),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn counts_come_back(
        documents in prop::collection::vec(prop::collection::btree_map(0u32..50, 1u32.., 0..10), 0..12),
        gzip in any::<bool>(),
    ) {
        let documents = documents.into_iter().map(Document::from_counts);
        let corpus = Corpus::collect_into(CorpusBuilder::with_words(50), documents).unwrap();
        let folder = tempfile::tempdir().unwrap();
        type Write = fn(&Path, &Corpus) -> Result<()>;
        let formats: [(&str, Write); 3] = [
            ("ldac", |path, corpus| LdaC::write(path, corpus)),
            ("uci", |path, corpus| Uci::write(path, corpus)),
            ("mtx", |path, corpus| MatrixMarket::write(path, corpus)),
        ];
        for (name, write) in formats {
            let path = folder.path().join(if gzip && cfg!(feature = "compression") { format!("{name}.gz") } else { name.into() });
            write(&path, &corpus).unwrap();
            let back = read_back(name, &path, 50);
            if corpus.is_empty() && name == "ldac" {
                // A file of no lines is an empty file.
                prop_assert!(back.is_err());
            } else {
                prop_assert_eq!(back.unwrap(), corpus.clone());
            }
        }
    }

    #[test]
    fn texts_come_back(texts in prop::collection::vec(".{0,30}", 1..8), titles in prop::collection::vec(".{0,5}", 8)) {
        struct Given(std::vec::IntoIter<TextDocument>);
        impl TextSource for Given {
            fn read_text(&mut self, document: &mut TextDocument) -> Result<bool> {
                let next = self.0.next();
                let more = next.is_some();
                *document = next.unwrap_or_default();
                Ok(more)
            }
        }
        let given: Vec<TextDocument> = texts
            .into_iter()
            .zip(titles)
            .map(|(text, title)| TextDocument { id: String::new(), title, text })
            .collect();
        let folder = tempfile::tempdir().unwrap();

        let path = folder.path().join(if cfg!(feature = "compression") { "x.jsonl.gz" } else { "x.jsonl" });
        JsonLines::write(&path, Given(given.clone().into_iter())).unwrap();
        let back: Vec<TextDocument> = JsonLines::open(&path).unwrap().texts().collect::<Result<_>>().unwrap();
        prop_assert_eq!(&back, &given);

        let path = folder.path().join("x.txt");
        Lines::write(&path, Given(given.clone().into_iter())).unwrap();
        let back: Vec<String> = Lines::open(&path).unwrap().texts().map(|text| text.unwrap().text).collect();
        // A mark at the very start of a file says that it is UTF-8, and is not part of the text.
        let flat = |i: usize, text: &str| {
            let text = text.replace(['\n', '\r'], " ");
            if i == 0 { text.strip_prefix('\u{feff}').unwrap_or(&text).to_string() } else { text }
        };
        let expected: Vec<String> = given.iter().enumerate().map(|(i, document)| flat(i, &document.text)).collect();
        prop_assert_eq!(back, expected);
    }

    #[test]
    fn words_come_back(documents in prop::collection::vec(prop::collection::vec(0u32..4, 0..10), 1..6)) {
        let vocabulary = Arc::new(Vocabulary::from_words(["river", "bank", "école", "x"]).unwrap());
        let documents = documents.into_iter().map(|tokens| Ok(Document::from_tokens(tokens)));
        let corpus = Corpus::collect_with(Arc::clone(&vocabulary), documents).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (texts, words) = (folder.path().join("texts"), folder.path().join("words"));
        Lines::write(&texts, corpus.texts().unwrap()).unwrap();
        vocabulary.write(&words).unwrap();
        let vocabulary = Arc::new(Vocabulary::open(&words).unwrap());
        let encoder = Encoder::new(Tokenizer::unicode(), Arc::clone(&vocabulary));
        let back = Corpus::collect_with(vocabulary, Lines::open(&texts).unwrap().documents(encoder)).unwrap();
        prop_assert_eq!(back, corpus);
    }
}

/// So that parsing can go on while a sampler works.
#[test]
fn readers_can_move_to_another_thread() {
    fn check<T: Send + 'static>() {}
    check::<Lines>();
    check::<JsonLines>();
    check::<LdaC>();
    check::<Uci>();
    check::<MatrixMarket>();
    check::<scir_data::wikipedia::WikiExtractor>();
    check::<scir_data::wikipedia::MediaWiki>();
    check::<scir_data::msweb::MsWeb>();
    check::<Corpus>();
}
