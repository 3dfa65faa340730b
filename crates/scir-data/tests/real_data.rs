//! The real files: what they are known to hold is what is read. They are not part of the project; without
//! `SCIR_DATA`, the folder they are in, each test says that it is skipped.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use scir_data::formats::{LdaC, Uci};
use scir_data::wikipedia::{MediaWiki, WikiExtractor};
use scir_data::{
    Completion, Corpus, CorpusBuilder, Encoder, Result, Source, TextDocument, TextSource, Tokenizer,
    Vocabulary, msweb,
};

/// A path in the data folder, or None, said where test output is not captured.
fn data(path: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("SCIR_DATA") else {
        let _ = writeln!(io::stderr(), "skipped: set SCIR_DATA to the data folder to read {path}");
        return None;
    };
    Some(PathBuf::from(folder).join(path))
}

#[test]
fn a_hundred_thousand_articles() -> Result<()> {
    let Some(folder) = data("wikipedia") else { return Ok(()) };
    let vocabulary = Arc::new(Vocabulary::open(folder.join("wiki.vocab"))?);
    assert_eq!(vocabulary.len(), 7702);
    let encoder = Encoder::new(Tokenizer::a_to_z(), Arc::clone(&vocabulary));
    let articles = WikiExtractor::open(folder.join("extracted"))?.documents(encoder);
    let corpus = Corpus::collect_with(vocabulary, articles)?;
    assert_eq!(corpus.len(), 100_000);
    assert_eq!(corpus.tokens(), 14_907_561);
    assert_eq!(corpus.docs().filter(|doc| doc.is_empty()).count(), 354);
    let mut lengths: Vec<u64> = corpus.docs().map(|doc| doc.tokens()).collect();
    lengths.sort_unstable();
    assert_eq!(lengths[50_000], 35);
    assert_eq!(corpus.doc(0).name(), Some("Silent treatment (disambiguation)"));

    // The paper's evaluation: 1000 documents, every 10th token.
    let split = corpus.split(scir_data::TestDocuments::Last(1000))?;
    let parts = split.test.complete(Completion::default())?;
    let held_out: u64 = split.test.docs().map(|doc| doc.tokens() / 10).sum();
    assert_eq!(parts.held_out.tokens(), held_out);
    assert_eq!(split.train.tokens() + parts.observed.tokens() + held_out, corpus.tokens());
    Ok(())
}

#[test]
fn users_and_visits() -> Result<()> {
    let Some(folder) = data("msweb") else { return Ok(()) };
    let split = msweb::load(folder.join("anonymous-msweb.data"), folder.join("anonymous-msweb.test"))?;
    assert_eq!((split.train.len(), split.train.tokens()), (32_711, 98_654));
    assert_eq!((split.test.len(), split.test.tokens()), (5_000, 15_191));
    assert_eq!(split.train.words(), 294);
    let mut visited = vec![false; split.train.words()];
    split.train.docs().for_each(|doc| doc.ids().iter().for_each(|&id| visited[id as usize] = true));
    assert_eq!(visited.iter().filter(|&&visited| visited).count(), 285);
    let first: Vec<&str> = {
        let pages = split.train.vocabulary().unwrap();
        split.train.doc(0).ids().iter().map(|&id| pages.word(id)).collect()
    };
    assert_eq!(first, ["/regwiz", "/support", "/athome"]);
    Ok(())
}

#[test]
fn kos() -> Result<()> {
    let Some(file) = data("formats/docword.kos.txt.gz") else { return Ok(()) };
    let uci = Uci::open(file)?;
    let corpus = Corpus::collect_into(CorpusBuilder::with_words(uci.words()), uci)?;
    assert_eq!((corpus.len(), corpus.words(), corpus.entries()), (3_430, 6_906, 353_160));
    assert_eq!(corpus.tokens(), 467_714);
    let folder = tempfile::tempdir().unwrap();
    let again = folder.path().join("docword.txt.gz");
    Uci::write(&again, &corpus)?;
    assert_eq!(Corpus::collect_into(CorpusBuilder::with_words(6_906), Uci::open(again)?)?, corpus);
    Ok(())
}

#[test]
fn associated_press() -> Result<()> {
    let Some(folder) = data("formats") else { return Ok(()) };
    let vocabulary = Arc::new(Vocabulary::open(folder.join("ap.vocab.txt"))?);
    let ap = LdaC::open(folder.join("ap.ldac.gz"))?.with_words(vocabulary.len());
    let corpus = Corpus::collect_with(vocabulary, ap)?;
    assert_eq!((corpus.len(), corpus.words()), (2_246, 10_473));
    assert_eq!(corpus.tokens(), 435_838);
    Ok(())
}

fn articles(path: &str) -> Option<Vec<TextDocument>> {
    let dump = MediaWiki::new(Source::open(data(path)?).unwrap());
    Some(dump.texts().collect::<Result<_>>().unwrap())
}

/// The text of an article with its white space evened out.
fn text_of(articles: &[TextDocument], title: &str) -> String {
    let article = articles.iter().find(|article| article.title == title).expect("the article is there");
    article.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_dump_with_redirects() {
    let path = "wikipedia/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2";
    let Some(articles) = articles(path) else { return };
    let titles: Vec<&str> = articles.iter().take(6).map(|article| article.title.as_str()).collect();
    assert_eq!(titles, ["Anarchism", "Autism", "Albedo", "A", "Alabama", "Achilles"]);
    assert_eq!(articles.len(), 106);
    assert!(articles.iter().all(|article| !article.text.trim().is_empty()));
    let anarchism = text_of(&articles, "Anarchism");
    assert!(
        anarchism.starts_with(
            "Anarchism is a political philosophy that advocates self-governed societies based on voluntary \
             institutions. These are often described as stateless societies, although several authors have \
             defined them more specifically as institutions based on non-hierarchical free associations."
        ),
        "{anarchism:.500}"
    );
    for article in &articles {
        for left_over in ["{{", "}}", "[[", "]]", "<ref", "</", "http://", "&nbsp;", "'''"] {
            let text = &article.text;
            let at = text.find(left_over);
            let near = at.map(|at| text[..at].chars().rev().take(80).collect::<Vec<_>>());
            let near: String = near.unwrap_or_default().into_iter().rev().collect();
            assert!(at.is_none(), "{left_over} in {} after {near}", article.title);
        }
    }
}

#[test]
fn a_dump_with_tables() {
    let Some(articles) = articles("wikipedia/enwiki-table-markup.xml.bz2") else { return };
    let titles: Vec<&str> = articles.iter().map(|article| article.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Constructive vote of no confidence",
            "List of Prison Break characters",
            "Academy Award for Best Production Design",
            "Economy of Estonia",
            "Brahui language",
        ]
    );
    let vote = text_of(&articles, "Constructive vote of no confidence");
    let sentence = "The concept was first used on a national scale in West Germany, but is today also used in other \
                    nations, such as Spain, Hungary, Lesotho, Israel, Poland, Slovenia, Albania and Belgium.";
    assert!(vote.contains(sentence), "{vote:.600}");
    let brahui = text_of(&articles, "Brahui language");
    assert!(brahui.starts_with("Brahui"), "{brahui:.300}");
    assert!(!brahui.contains("wikitable"));
}
