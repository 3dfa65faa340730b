//! What is remembered of each item, and the sum of it.

/// The contribution of an item to one coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Share {
    pub(super) key: u32,
    /// A multiple of 1/[`PARTS`], so that sums are exact.
    pub(super) count: f32,
}

/// Contributions are multiples of one part in 2¹⁶. From 2⁸ on, every f32 is.
const PARTS: f64 = 65_536.0;

/// A count as it is remembered: the nearest multiple of 1/2¹⁶ that is an f32.
pub(super) fn rounded(count: f64) -> f32 {
    ((count * PARTS).round() / PARTS) as f32
}

/// What an item contributes, with each coordinate once, in order, and without zeros.
pub(super) fn shares(mut entries: Vec<(u32, f64)>) -> Box<[Share]> {
    // Stable, so that counts of a coordinate are added in the order in which the model gave them.
    entries.sort_by_key(|entry| entry.0);
    let mut shares: Vec<Share> = Vec::with_capacity(entries.len());
    for group in entries.chunk_by(|a, b| a.0 == b.0) {
        let count = rounded(group.iter().map(|entry| entry.1).sum());
        if count != 0.0 {
            shares.push(Share { key: group[0].0, count });
        }
    }
    shares.into_boxed_slice()
}

/// The last contribution of each item that is remembered, and the sum G of all of these.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Memory {
    items: Vec<Option<Box<[Share]>>>,
    remembered: usize,
    /// How many contributions there are, of all items together.
    shares: usize,
    total: Vec<f64>,
}

impl Memory {
    pub(super) fn new(items: usize, coordinates: usize) -> Self {
        Self { items: vec![None; items], remembered: 0, shares: 0, total: vec![0.0; coordinates] }
    }

    /// What a memory of nothing takes.
    pub(super) fn least_bytes(items: usize) -> usize {
        items.saturating_mul(size_of::<Option<Box<[Share]>>>())
    }

    /// How many items the data has.
    pub(super) fn items(&self) -> usize {
        self.items.len()
    }

    pub(super) fn remembered(&self) -> usize {
        self.remembered
    }

    pub(super) fn bytes(&self) -> usize {
        Self::least_bytes(self.items.len()) + self.shares * size_of::<Share>()
    }

    /// G.
    pub(super) fn total(&self) -> &[f64] {
        &self.total
    }

    pub(super) fn get(&self, item: usize) -> Option<&[Share]> {
        self.items[item].as_deref()
    }

    /// Remembers a contribution in the place of the one before, if there is room within `most_bytes`; forgets the
    /// item if there is not.
    pub(super) fn put(&mut self, item: usize, shares: Box<[Share]>, most_bytes: usize) {
        if let Some(old) = self.items[item].take() {
            self.remembered -= 1;
            self.shares -= old.len();
            old.iter().for_each(|share| self.total[share.key as usize] -= f64::from(share.count));
        }
        if self.bytes() + shares.len() * size_of::<Share>() <= most_bytes {
            self.remembered += 1;
            self.shares += shares.len();
            shares.iter().for_each(|share| self.total[share.key as usize] += f64::from(share.count));
            self.items[item] = Some(shares);
        }
    }
}

/// How a memory is written down: the items that are remembered. The sum is made again, to the same bits.
#[cfg(feature = "serde")]
impl Memory {
    pub(super) fn written(&self) -> impl Iterator<Item = (usize, &[Share])> {
        self.items.iter().enumerate().filter_map(|(item, shares)| Some((item, shares.as_deref()?)))
    }
}
