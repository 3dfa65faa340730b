//! Random streams: every draw is a function of (seed, purpose, iteration, index).
//!
//! No generator lives in the state of a sampler. Where random numbers are needed, a stream is derived
//! from four words that name the place: the user's seed, what the numbers are for, the iteration, and
//! the index of the thing that is moved (a row, a document, a user). So the numbers do not depend on
//! which thread does the work, in which order, or whether the run was stopped and resumed in between.
//!
//! ```
//! use scir_core::{Purpose, Streams, rand::RngExt};
//!
//! const MOVE: Purpose = Purpose::new("move rows");
//! let streams = Streams::new(42);
//! let x: f64 = streams.rng(MOVE, 7, 3).random();
//! let y: f64 = streams.rng(MOVE, 7, 3).random(); // the same place: the same numbers
//! let z: f64 = streams.rng(MOVE, 7, 4).random(); // the next row: independent numbers
//! assert_eq!(x, y);
//! assert_ne!(x, z);
//! ```
//!
//! # How
//!
//! The four words are the key of one block of Threefry-4x64 with 20 rounds (Salmon, Moraes, Dror &
//! Shaw 2011) at counter zero; the 256 bits that come out are the state of a xoshiro256++ generator
//! (Blackman & Vigna 2021). Two streams coincide only if two 256-bit blocks do. Deriving a stream costs
//! some tens of nanoseconds and a stream is 32 bytes.
//!
//! # Value stability
//!
//! *Same seed, same bits* is promised for the same version of this crate with the same versions of
//! `rand` and `rand_distr` (that is, the same lock file), on the same platform, for any number of threads.
//!
//! - The **streams** (the bits from [`Streams::rng`]) are the same on every platform, and are pinned by
//!   test vectors. They change only with a major version (before 1.0: a minor version), and the
//!   changelog says so.
//! - The **draws** made from them (normals, gammas, transitions) also go through floating-point
//!   functions of the platform's mathematics library (`exp`, `ln`), whose last bit can differ between
//!   platforms. They too are pinned by test vectors, and change only with a minor version and a line in
//!   the changelog.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

/// The generator that a stream is made of.
pub type StreamRng = Xoshiro256PlusPlus;

/// What a stream of random numbers is for.
///
/// Numbers for different purposes are independent, so that, say, the choice of minibatches does not change
/// when a transition draws more or fewer numbers. Make them as constants, from a name:
///
/// ```
/// use scir_core::Purpose;
/// const MINIBATCH: Purpose = Purpose::new("minibatch");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Purpose(u64);

impl Purpose {
    /// A purpose from its name; equal names are equal purposes (64-bit FNV-1a).
    pub const fn new(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
            i += 1;
        }
        Self(hash)
    }
}

/// The family of all streams that belong to one seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// The streams of `seed`. Every seed is a good seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The seed these streams belong to.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The generator for one place: positioned at the start of its stream.
    pub fn rng(&self, purpose: Purpose, iteration: u64, index: u64) -> StreamRng {
        let block = threefry4x64([self.seed, purpose.0, iteration, index], [0; 4]);
        let mut seed = [0u8; 32];
        for (bytes, word) in seed.chunks_exact_mut(8).zip(block) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        StreamRng::from_seed(seed)
    }

    /// A family of streams for a part of the work that counts its own iterations, such as one run
    /// out of many with the same seed.
    pub fn child(&self, purpose: Purpose, index: u64) -> Self {
        // Another counter than `rng` uses, so that no child shares a block with a stream.
        Self { seed: threefry4x64([self.seed, purpose.0, index, 0], [1, 0, 0, 0])[0] }
    }
}

/// The Threefry-4x64 block function with 20 rounds.
fn threefry4x64(key: [u64; 4], counter: [u64; 4]) -> [u64; 4] {
    const PARITY: u64 = 0x1bd1_1bda_a9fc_1a22;
    const ROTATIONS: [[u32; 2]; 8] =
        [[14, 16], [52, 57], [23, 40], [5, 37], [25, 33], [46, 12], [58, 22], [32, 32]];
    let schedule = [key[0], key[1], key[2], key[3], PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3]];
    let mut x = [0u64; 4];
    for i in 0..4 {
        x[i] = counter[i].wrapping_add(schedule[i]);
    }
    for round in 0..20 {
        let [r0, r1] = ROTATIONS[round % 8];
        // Even rounds mix the pairs (0,1) and (2,3), odd rounds (0,3) and (2,1).
        let (p, q) = if round % 2 == 0 { (1, 3) } else { (3, 1) };
        x[0] = x[0].wrapping_add(x[p]);
        x[p] = x[p].rotate_left(r0) ^ x[0];
        x[2] = x[2].wrapping_add(x[q]);
        x[q] = x[q].rotate_left(r1) ^ x[2];
        if round % 4 == 3 {
            let injection = round / 4 + 1;
            for i in 0..4 {
                x[i] = x[i].wrapping_add(schedule[(injection + i) % 5]);
            }
            x[3] = x[3].wrapping_add(injection as u64);
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    /// The known-answer vectors that the authors of Threefry publish.
    #[test]
    fn threefry_known_answers() {
        assert_eq!(
            threefry4x64([0; 4], [0; 4]),
            [0x0921_8ebd_e6c8_5537, 0x5594_1f52_66d8_6105, 0x4bd2_5e16_2824_34dc, 0xee29_ec84_6bd2_e40b]
        );
        assert_eq!(
            threefry4x64([u64::MAX; 4], [u64::MAX; 4]),
            [0x29c2_4097_942b_ba1b, 0x0371_bbfb_0f6f_4e11, 0x3c23_1ffa_33f8_3a1c, 0xcd29_113f_de32_d168]
        );
    }

    #[test]
    fn streams_are_pinned() {
        let streams = Streams::new(1);
        let mut rng = streams.rng(Purpose::new("pinned"), 2, 3);
        let got: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        assert_eq!(got, PINNED, "the random streams changed: a breaking change, see the module docs");
        assert_eq!(streams.child(Purpose::new("pinned"), 3).seed(), PINNED_CHILD);
    }
    const PINNED: [u64; 4] = [
        15_745_306_525_912_586_476,
        15_265_015_707_769_822_051,
        7_792_994_421_338_558_981,
        10_154_449_637_394_192_175,
    ];
    const PINNED_CHILD: u64 = 13_881_063_675_353_430_244;
}
