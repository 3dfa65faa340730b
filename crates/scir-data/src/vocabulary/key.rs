//! Short words as numbers, so that looking one up needs no string.

/// A word of at most 15 bytes: the bytes, the last one lowest, and the length in the highest byte. Equal
/// words are equal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShortWord(u128);

impl ShortWord {
    /// The longest word that fits.
    pub(crate) const LONGEST: usize = 15;

    /// From `len` bytes that were shifted in one after the other.
    #[inline]
    pub(crate) fn from_shifted(bytes: u128, len: usize) -> Self {
        debug_assert!(len <= Self::LONGEST);
        Self(bytes | (len as u128) << 120)
    }

    #[inline]
    pub(crate) fn from_bytes(word: &[u8]) -> Option<Self> {
        if word.len() > Self::LONGEST {
            return None;
        }
        let mut padded = [0; 16];
        padded[16 - word.len()..].copy_from_slice(word);
        Some(Self::from_shifted(u128::from_be_bytes(padded), word.len()))
    }

    /// The bytes of the word are the last `len` of the sixteen.
    pub(crate) fn bytes(self) -> ([u8; 16], usize) {
        (self.0.to_be_bytes(), (self.0 >> 120) as usize)
    }

    #[inline]
    pub(super) fn hash(self) -> u64 {
        fold(self.0 as u64 ^ 0x9e37_79b9_7f4a_7c15, (self.0 >> 64) as u64 ^ 0xa076_1d64_78bd_642f)
    }
}

/// The hash of a word of any length: its own for a short word, else eight bytes at a time.
pub(super) fn hash(word: &[u8]) -> u64 {
    if let Some(short) = ShortWord::from_bytes(word) {
        return short.hash();
    }
    word.chunks(8).fold(word.len() as u64, |hash, chunk| {
        let mut padded = [0; 8];
        padded[..chunk.len()].copy_from_slice(chunk);
        fold(hash ^ u64::from_le_bytes(padded), 0xe703_7ed1_a0b4_28db)
    })
}

/// A 128-bit product, folded to 64 bits.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
