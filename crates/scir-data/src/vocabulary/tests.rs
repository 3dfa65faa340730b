//! That every word is found under its id and no other word is.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

#[test]
fn a_word_that_comes_twice_is_refused_with_both_lines() {
    let refused = Vocabulary::from_words(["a", "b", "a"]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "<words>:3: the word \"a\" is already on line 1, expected each word once"
    );
}

#[test]
fn an_empty_word_is_refused() {
    let refused = Vocabulary::from_words(["a", ""]).unwrap_err();
    assert_eq!(refused.to_string(), "<words>:2: expected a word, found nothing");
}

proptest! {
    #[test]
    fn agrees_with_a_hash_map(words in prop::collection::hash_set("[a-dé]{1,9}|[a-z]{10,20}", 0..200),
                              others in prop::collection::vec("[a-dé]{1,3}", 100)) {
        let words: Vec<String> = words.into_iter().collect();
        let vocabulary = Vocabulary::from_words(&words).unwrap();
        let map: HashMap<&str, u32> = words.iter().enumerate().map(|(i, w)| (w.as_str(), i as u32)).collect();
        for word in words.iter().chain(&others) {
            prop_assert_eq!(vocabulary.id(word), map.get(word.as_str()).copied());
        }
        prop_assert!(vocabulary.words().eq(words.iter().map(String::as_str)));
    }
}
