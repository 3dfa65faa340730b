//! Sums of products, and finding where the running sum passes a number: the inner loops of both samplers.
//!
//! A plain running sum waits for each addition before the next. Here products are added up in four lanes at a time, and
//! in blocks of 16: lane l of block b has the products number 16 b + l, 16 b + l + 4, … The compiler turns the lanes
//! into one register, and only one sum for each lane of each block is kept. In a draw the order of the outcomes is
//! free, so the running sum goes lane by lane. The searches do not branch on the random number, which the processor would
//! guess wrongly half of the time.

/// Lanes that are added up side by side.
pub(super) const LANES: usize = 4;
/// So many products make a block; arrays are padded with zeros to a multiple of it.
pub(super) const BLOCK: usize = 4 * LANES;

/// The sums of one block, or of all of them, in each lane.
pub(super) type Lanes = [f32; LANES];

/// Adds up a_i b_i, writing the sums of each block.
#[inline]
pub(super) fn sum_products(a: &[f32], b: &[f32], sums: &mut [Lanes]) -> Lanes {
    let mut total = [0.0; LANES];
    for ((a, b), sum) in a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).zip(sums) {
        let mut lanes = [0.0; LANES];
        for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
            for l in 0..LANES {
                lanes[l] += a[l] * b[l];
            }
        }
        *sum = lanes;
        for l in 0..LANES {
            total[l] += lanes[l];
        }
    }
    total
}

/// Adds up numbers, writing the sums of each block.
#[inline]
pub(super) fn sum_all(a: &[f32], sums: &mut [Lanes]) -> Lanes {
    let mut total = [0.0; LANES];
    for (a, sum) in a.chunks_exact(BLOCK).zip(sums) {
        for l in 0..LANES {
            sum[l] = (a[l] + a[l + LANES]) + (a[l + 2 * LANES] + a[l + 3 * LANES]);
            total[l] += sum[l];
        }
    }
    total
}

/// The whole sum.
#[inline]
pub(super) fn whole(total: Lanes) -> f32 {
    (total[0] + total[1]) + (total[2] + total[3])
}

/// The i at which the running sum of the products, lane by lane, passes `u`.
///
/// Should rounding leave u at or beyond the end of a lane, it is the last i with a product above 0.
#[inline]
pub(super) fn find(sums: &[Lanes], total: Lanes, u: f32, product: impl Fn(usize) -> f32) -> usize {
    let (lane, u) = pass(total.into_iter(), u);
    if lane == LANES {
        return last_positive(sums.len() * BLOCK, product);
    }
    let (block, u) = pass(sums.iter().map(|sums| sums[lane]), u);
    if block < sums.len() {
        let start = block * BLOCK + lane;
        let (i, _) = pass((0..BLOCK / LANES).map(|i| product(start + i * LANES)), u);
        if i < BLOCK / LANES {
            return start + i * LANES;
        }
    }
    last_positive(sums.len() * BLOCK, product)
}

/// How many running sums are at most `u`, and what u is beyond the last of them.
#[inline]
fn pass(terms: impl Iterator<Item = f32>, u: f32) -> (usize, f32) {
    let (mut sum, mut below, mut passed) = (0.0f32, 0.0f32, 0);
    for term in terms {
        sum += term;
        let at_most = sum <= u;
        passed += usize::from(at_most);
        // A mask, because an `if` would become a branch; and no `max`, which would look for NaN.
        let reached = f32::from_bits(sum.to_bits() & u32::from(at_most).wrapping_neg());
        below = if reached > below { reached } else { below };
    }
    (passed, u - below)
}

#[cold]
fn last_positive(len: usize, product: impl Fn(usize) -> f32) -> usize {
    (0..len).rev().find(|&i| product(i) > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_where_the_sum_passes() {
        let a: Vec<f32> = (0..48).map(|i| if i % 3 == 0 { 0.0 } else { (i % 5) as f32 }).collect();
        let b: Vec<f32> = (0..48).map(|i| if i < 44 { 0.5 + (i % 2) as f32 } else { 0.0 }).collect();
        let mut sums = [[0.0; LANES]; 3];
        let total = sum_products(&a, &b, &mut sums);
        let plain: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        assert_eq!(whole(total), plain);
        let product = |i: usize| a[i] * b[i];
        let order: Vec<usize> = (0..LANES).flat_map(|lane| (lane..48).step_by(LANES)).collect();
        for step in 0..1000 {
            let u = plain * step as f32 / 1000.0;
            let mut left = u;
            let expected = order.iter().copied().find(|&i| {
                left -= product(i);
                left < 0.0
            });
            assert_eq!(Some(find(&sums, total, u, product)), expected, "u = {u}");
        }
        // At the end and beyond: the last product that is not 0.
        assert_eq!(find(&sums, total, plain, product), 43);
        assert_eq!(find(&sums, total, f32::INFINITY, product), 43);
        assert_eq!(find(&[[0.0; LANES]], [0.0; LANES], 0.0, |_| 0.0), 0);
    }
}
