//! Every parser as a function of bytes, for the mutation tests and the fuzz targets: whatever comes in, it
//! returns, and what it returns is no larger than the input can account for.

use std::io::Cursor;
use std::sync::Arc;

use scir_data::formats::{DocumentAxis, JsonLines, LdaC, Lines, MatrixMarket, Uci};
use scir_data::wikipedia::{Markup, MediaWiki, WikiExtractor};
use scir_data::{
    Completion, Corpus, Encoder, Limits, Records, Result, Source, TestSet, TextDocument, TextSource,
    Tokenizer, Vocabulary, msweb,
};

/// Small, so that what would be gigabytes under the default limits shows with kilobytes.
const LIMITS: Limits =
    Limits { line: 1 << 16, document: 1 << 16, expanded: 1 << 20, ratio: 200, empty_documents: 1000 };

fn source(bytes: &[u8]) -> Result<Source> {
    Source::from_reader("<bytes>", Cursor::new(bytes.to_vec()), LIMITS)
}

/// A corpus has no more entries than the input, expanded, can spell.
fn check(corpus: &Corpus, bytes: &[u8]) {
    let most = bytes.len().max(LIMITS.expanded as usize);
    assert!(corpus.len() <= most + LIMITS.empty_documents as usize, "{corpus:?} from {} bytes", bytes.len());
    assert!(corpus.entries() <= most as u64, "{corpus:?} from {} bytes", bytes.len());
    for doc in corpus.docs() {
        assert!(doc.ids().is_sorted_by(|a, b| a < b));
        assert!(doc.ids().last().is_none_or(|&id| (id as usize) < corpus.words()));
        assert!(doc.counts().iter().all(|&count| count > 0));
    }
    let parts = TestSet::new(corpus.clone()).complete(Completion::default()).expect("a rule that is allowed");
    assert_eq!(parts.observed.tokens() + parts.held_out.tokens(), corpus.tokens());
}

fn texts(source: impl TextSource, bytes: &[u8]) -> Result<Vec<TextDocument>> {
    let texts: Vec<TextDocument> = source.texts().collect::<Result<_>>()?;
    let total: usize = texts.iter().map(|text| text.id.len() + text.title.len() + text.text.len()).sum();
    // A Latin-1 byte or an entity may take more room as UTF-8, though never three times as much.
    assert!(total <= 3 * bytes.len().max(LIMITS.expanded as usize));
    Ok(texts)
}

/// Archives and lines.
pub fn archive(bytes: &[u8]) -> Result<()> {
    let mut source = source(bytes)?;
    let mut line = Vec::new();
    while source.next_line(&mut line)? {
        assert!(line.len() <= LIMITS.line);
    }
    Ok(())
}

/// LDA-C.
pub fn lda_c(bytes: &[u8]) -> Result<()> {
    check(&Corpus::collect(LdaC::new(source(bytes)?))?, bytes);
    Ok(())
}

/// UCI bag of words.
pub fn uci(bytes: &[u8]) -> Result<()> {
    check(&Corpus::collect(Uci::new(source(bytes)?)?)?, bytes);
    Ok(())
}

/// Matrix Market, three ways.
pub fn matrix_market(bytes: &[u8]) -> Result<()> {
    for axis in [DocumentAxis::Rows, DocumentAxis::Columns] {
        if let Ok(corpus) = MatrixMarket::read_corpus(source(bytes)?, axis) {
            check(&corpus, bytes);
        }
    }
    check(&Corpus::collect(MatrixMarket::new(source(bytes)?)?)?, bytes);
    Ok(())
}

/// Lines of text.
pub fn lines(bytes: &[u8]) -> Result<()> {
    texts(Lines::new(source(bytes)?), bytes).map(drop)
}

/// JSON lines.
pub fn json_lines(bytes: &[u8]) -> Result<()> {
    texts(JsonLines::new(source(bytes)?), bytes).map(drop)
}

/// A vocabulary.
pub fn vocabulary(bytes: &[u8]) -> Result<()> {
    let vocabulary = Vocabulary::read(source(bytes)?)?;
    for (id, word) in vocabulary.words().enumerate() {
        assert_eq!(vocabulary.id(word), Some(id as u32));
    }
    Ok(())
}

/// MS-web.
pub fn ms_web(bytes: &[u8]) -> Result<()> {
    let pages = Arc::new(msweb::Pages::read(source(bytes)?)?);
    check(&Corpus::collect(msweb::MsWeb::new(source(bytes)?, pages))?, bytes);
    Ok(())
}

/// Categorical records as CSV.
pub fn records(bytes: &[u8]) -> Result<()> {
    let records = Records::read(source(bytes)?)?;
    check(records.corpus(), bytes);
    assert_eq!(records.sizes().iter().sum::<usize>(), records.corpus().words());
    Ok(())
}

/// What wikiextractor writes.
pub fn wikiextractor(bytes: &[u8]) -> Result<()> {
    texts(WikiExtractor::new(source(bytes)?)?, bytes).map(drop)
}

/// A MediaWiki dump.
pub fn mediawiki(bytes: &[u8]) -> Result<()> {
    texts(MediaWiki::new(source(bytes)?), bytes).map(drop)
}

/// Wiki mark-up, and words.
pub fn markup_and_words(bytes: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(bytes);
    let plain = Markup::default().strip(&text);
    assert!(plain.len() <= text.len());
    let vocabulary = Arc::new(Vocabulary::from_words(["a", "the", "river"])?);
    for tokenizer in [Tokenizer::a_to_z(), Tokenizer::unicode()] {
        for tokenizer in [tokenizer, tokenizer.strip_tags(false)] {
            let mut known = 0;
            tokenizer.for_each_word(&text, |word| {
                assert!(!word.is_empty());
                known += u64::from(vocabulary.id(word).is_some());
            });
            let document = Encoder::new(tokenizer, Arc::clone(&vocabulary)).encode(&text);
            assert_eq!(document.view().tokens(), known);
        }
    }
    Ok(())
}
