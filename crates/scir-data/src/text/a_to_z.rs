//! The a–z clean-up, byte by byte.

use crate::vocabulary::ShortWord;

/// What a byte does to the word at hand; any other value is the lower-case letter to add.
const DROP: u8 = 0;
const BREAK: u8 = 1;
const TAG: u8 = 2;
/// The first byte of U+0130 (İ) or U+212A (K), the two characters outside ASCII whose lower case has a letter a–z.
const FOLDS: u8 = 3;

const CLASS: [u8; 256] = {
    let mut class = [DROP; 256];
    let mut letter = 0;
    while letter < 26 {
        class[(b'a' + letter) as usize] = b'a' + letter;
        class[(b'A' + letter) as usize] = b'a' + letter;
        letter += 1;
    }
    class[b' ' as usize] = BREAK;
    class[b'-' as usize] = BREAK;
    class[b'\n' as usize] = BREAK;
    class[b'\r' as usize] = BREAK;
    class[b'<' as usize] = TAG;
    class[0xc4] = FOLDS;
    class[0xe2] = FOLDS;
    class
};

/// A word that was found. Most are short and go by number; only the others are spelled out.
pub(super) enum Found<'a> {
    Short(ShortWord),
    Long(&'a [u8]),
}

/// The word at hand: its letters, as far as they fit, and how many there are.
#[derive(Default)]
struct Word {
    shifted: u128,
    len: usize,
    start: usize,
}

impl Word {
    #[inline]
    fn push(&mut self, letter: u8, at: usize) {
        if self.len == 0 {
            self.start = at;
        }
        self.shifted = self.shifted << 8 | u128::from(letter);
        self.len += 1;
    }

    /// Hands the word over, if there is one; `text` ends where the word does.
    #[inline]
    fn end(&mut self, text: &[u8], each: &mut impl FnMut(Found<'_>)) {
        if self.len == 0 {
            return;
        }
        if self.len <= ShortWord::LONGEST {
            each(Found::Short(ShortWord::from_shifted(self.shifted, self.len)));
        } else {
            spell_out(&text[self.start..], each);
        }
        *self = Self::default();
    }
}

/// A long word is read a second time, letter by letter, because its first letters have been shifted out.
#[cold]
fn spell_out(text: &[u8], each: &mut impl FnMut(Found<'_>)) {
    let letters: Vec<u8> = (0..text.len())
        .filter_map(|at| match CLASS[text[at] as usize] {
            FOLDS => folded(&text[at..]),
            letter => Some(letter).filter(|&letter| letter >= b'a'),
        })
        .collect();
    each(Found::Long(&letters));
}

/// The letter in the lower case of the character that `text` starts with.
fn folded(text: &[u8]) -> Option<u8> {
    match text {
        [0xc4, 0xb0, ..] => Some(b'i'),
        [0xe2, 0x84, 0xaa, ..] => Some(b'k'),
        _ => None,
    }
}

/// Calls `each` with every word.
pub(super) fn words(text: &[u8], tags: bool, mut each: impl FnMut(Found<'_>)) {
    let mut word = Word::default();
    // Up to here no tag is closed: a line with many `<` and no `>` is searched only once.
    let mut unclosed = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match CLASS[byte as usize] {
            letter if letter >= b'a' => word.push(letter, at),
            BREAK => word.end(&text[..at], &mut each),
            DROP => {}
            TAG => {
                if tags && at >= unclosed {
                    // A tag ends on its line.
                    let end = memchr::memchr2(b'>', b'\n', &text[at..]).map_or(text.len(), |n| at + n);
                    if text.get(end) == Some(&b'>') {
                        word.end(&text[..at], &mut each);
                        at = end;
                    } else {
                        unclosed = end;
                    }
                }
            }
            _ => {
                if let Some(letter) = folded(&text[at..]) {
                    word.push(letter, at);
                }
            }
        }
        at += 1;
    }
    word.end(text, &mut each);
}
