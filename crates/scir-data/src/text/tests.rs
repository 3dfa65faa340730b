//! The clean-up against a slow and plain version of itself, and words of many scripts.

use proptest::prelude::*;

use super::*;

fn words(tokenizer: Tokenizer, text: &str) -> Vec<String> {
    let mut words = Vec::new();
    tokenizer.for_each_word(text, |word| words.push(word.to_string()));
    words
}

/// The rule as it is written down, one step after the other.
fn slow_a_to_z(text: &str) -> Vec<String> {
    let mut without_tags = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let line = rest[open..].split('\n').next().unwrap();
        without_tags.push_str(&rest[..open]);
        match line.find('>') {
            Some(close) => {
                without_tags.push(' ');
                rest = &rest[open + close + 1..];
            }
            None => rest = &rest[open + 1..],
        }
    }
    without_tags.push_str(rest);
    let spaced = without_tags.to_lowercase().replace(['-', '\n', '\r'], " ");
    let kept: String = spaced.chars().filter(|&c| c.is_ascii_lowercase() || c == ' ').collect();
    kept.split(' ').filter(|word| !word.is_empty()).map(Into::into).collect()
}

#[test]
fn a_to_z_cleans_up_as_written_down() {
    for text in [
        "Left-over <br> and <ref name=\"a\">x</ref>: don't,\tjoin\r\nlines",
        "İstanbul at 300 \u{212a}, na\u{ef}ve caf\u{e9}",
        "1 < 2\nand 3 > 2 <unclosed",
        "&lt;br&gt; formula_12",
        "Taumata-whakatangihanga'koauauotamatea\u{130}n next",
    ] {
        assert_eq!(words(Tokenizer::a_to_z(), text), slow_a_to_z(text), "{text}");
    }
    assert_eq!(words(Tokenizer::a_to_z().strip_tags(false), "a<br>b"), ["abrb"]);
}

#[test]
fn words_of_many_scripts() {
    let text = "Ünïcode ΣΊΣΥΦΟΣ <span class=\"x\">Ключ</span> 3.14 <!-- c --> x<y <3";
    assert_eq!(words(Tokenizer::unicode(), text), ["ünïcode", "σίσυφοσ", "ключ", "3.14", "x", "y", "3"]);
    assert_eq!(words(Tokenizer::unicode().strip_tags(false), "<br>"), ["br"]);
}

#[test]
fn many_open_brackets_cost_linear_time() {
    let text = "<a".repeat(1 << 20);
    assert_eq!(words(Tokenizer::a_to_z(), &text).len(), 1);
    assert_eq!(words(Tokenizer::unicode(), &text).len(), 1 << 20);
}

#[test]
fn encoding_leaves_out_unknown_words() {
    let vocabulary = Arc::new(Vocabulary::from_words(["ab", "abc", "abcdefghijklmnop"]).unwrap());
    for tokenizer in [Tokenizer::a_to_z(), Tokenizer::unicode()] {
        let mut encoder = Encoder::new(tokenizer, Arc::clone(&vocabulary));
        let document = encoder.encode("abc abcd AB a, Abcdefghijklmnop abcdefghijklmnopq zz abc");
        assert_eq!(document.view().order(), Some(&[1, 0, 2, 1][..]));
    }
}

proptest! {
    #[test]
    fn a_to_z_agrees_with_the_slow_version(text in "([a-cA-C<>İK\u{e9}\u{100} '\\-\n\r\t]{0,60}|.{0,40})") {
        prop_assert_eq!(words(Tokenizer::a_to_z(), &text), slow_a_to_z(&text));
    }

    #[test]
    fn unicode_words_are_those_of_the_standard(
        text in "([a-cA-C0-2_'.:,; \n\r\té\u{301}\u{200d}ß漢カ\u{130}-]{0,40}|.{0,40}|[ -~]{0,60})",
    ) {
        use unicode_segmentation::UnicodeSegmentation;
        let expected: Vec<String> =
            text.unicode_words().map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect();
        prop_assert_eq!(words(Tokenizer::unicode().strip_tags(false), &text), expected);
    }
}
