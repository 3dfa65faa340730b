//! What a corpus keeps, and that its parts are views.

use proptest::prelude::*;

use super::*;
use crate::error::Error;

fn corpus(documents: &[Vec<u32>]) -> Corpus {
    Corpus::collect(documents.iter().map(|tokens| Ok(Document::from_tokens(tokens.clone())))).unwrap()
}

#[test]
fn order_is_kept_only_if_every_document_has_it() {
    let ordered = corpus(&[vec![3, 1], vec![], vec![2, 2]]);
    assert_eq!(ordered.doc(0).order(), Some(&[3, 1][..]));
    assert_eq!(ordered.doc(2).order(), Some(&[2, 2][..]));

    let mut builder = CorpusBuilder::new();
    builder.push(Document::from_tokens(vec![3, 1]).view()).unwrap();
    builder.push(Document::from_counts([(1, 2)]).unwrap().view()).unwrap();
    assert_eq!(builder.finish().doc(0).order(), None);
}

#[test]
fn names_stay_with_their_documents() {
    let documents = [Document::from_tokens(vec![0]).with_name("a"), Document::from_tokens(vec![1])];
    let corpus = Corpus::collect(documents.into_iter().map(Ok)).unwrap();
    assert_eq!(corpus.doc(0).name(), Some("a"));
    assert_eq!(corpus.doc(1).name(), None);
    assert_eq!(corpus.select(&[1, 0]).doc(1).name(), Some("a"));
}

#[test]
fn counts_of_one_id_are_added_and_checked() {
    let document = Document::from_counts([(5, 1), (2, 3), (5, 2), (4, 0)]).unwrap();
    assert_eq!(document.view().iter().collect::<Vec<_>>(), [(2, 3), (5, 3)]);
    let refused = Document::from_counts([(5, u32::MAX), (5, 1)]).unwrap_err();
    assert_eq!(refused.to_string(), "word id 5: the counts in one document add up to more than 4294967295");
}

#[test]
fn an_id_beyond_the_words_is_refused() {
    let mut builder = CorpusBuilder::with_words(3);
    builder.push(Document::from_tokens(vec![2]).view()).unwrap();
    let refused = builder.push(Document::from_tokens(vec![0, 3]).view()).unwrap_err();
    assert!(matches!(refused, Error::IdOutOfRange { document: 1, id: 3, words: 3 }));
    assert_eq!(builder.finish().len(), 1);
}

#[test]
fn a_stream_that_fails_leaves_nothing() {
    let stream = [Ok(Document::from_tokens(vec![0])), Err(Error::CountOverflow { id: 1 })];
    assert!(Corpus::collect(stream.into_iter()).is_err());
}

proptest! {
    #[test]
    fn parts_equal_what_they_were_cut_from(
        documents in prop::collection::vec(prop::collection::vec(0u32..20, 0..12), 1..20),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let whole = corpus(&documents);
        let positions: Vec<usize> = picks.iter().map(|pick| pick.index(whole.len())).collect();
        let (a, b) = (cut.0.index(whole.len() + 1), cut.1.index(whole.len() + 1));
        let range = a.min(b)..a.max(b);

        let selected = whole.select(&positions);
        for (i, &position) in positions.iter().enumerate() {
            prop_assert_eq!(selected.doc(i), whole.doc(position));
        }
        let sliced = whole.slice(range.clone());
        prop_assert!(sliced.docs().eq(whole.docs().skip(range.start).take(range.len())));
        prop_assert_eq!(&sliced.compact(), &sliced);
        let tokens: usize = documents[range].iter().map(Vec::len).sum();
        prop_assert_eq!(sliced.tokens(), tokens as u64);
        let inner = selected.slice(0..selected.len() / 2);
        prop_assert_eq!(inner, whole.select(&positions[..positions.len() / 2]));
    }
}
