//! The a–z clean-up, byte by byte.

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

/// Calls `each` with every word of at most `longest` bytes; `word` is room for one.
pub(super) fn words(
    text: &[u8],
    tags: bool,
    longest: usize,
    word: &mut Vec<u8>,
    mut each: impl FnMut(&[u8]),
) {
    word.clear();
    // The word may be longer than what is kept of it.
    let mut len = 0usize;
    let mut end_word = |word: &mut Vec<u8>, len: &mut usize| {
        if *len > 0 {
            if *len <= longest {
                each(word);
            }
            word.clear();
            *len = 0;
        }
    };
    // Up to here no tag is closed: a line with many `<` and no `>` is searched only once.
    let mut unclosed = 0;
    let mut at = 0;
    while at < text.len() {
        let class = CLASS[text[at] as usize];
        let letter = match class {
            DROP => None,
            BREAK => {
                end_word(word, &mut len);
                None
            }
            TAG => {
                if tags && at >= unclosed {
                    // A tag ends on its line.
                    let end = memchr::memchr2(b'>', b'\n', &text[at..]).map_or(text.len(), |n| at + n);
                    if text.get(end) == Some(&b'>') {
                        end_word(word, &mut len);
                        at = end + 1;
                        continue;
                    }
                    unclosed = end;
                }
                None
            }
            FOLDS => match text[at..] {
                [0xc4, 0xb0, ..] => Some(b'i'),
                [0xe2, 0x84, 0xaa, ..] => Some(b'k'),
                _ => None,
            },
            letter => Some(letter),
        };
        if let Some(letter) = letter {
            if len < longest {
                word.push(letter);
            }
            len += 1;
        }
        at += 1;
    }
    end_word(word, &mut len);
}
