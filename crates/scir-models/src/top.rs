//! The most probable of many categories.

/// The `count` most probable categories with their probabilities, most probable first; of equally probable ones the one
/// with the smaller number comes first. Categories are numbered from `first` on.
pub(crate) fn top(first: u32, probabilities: &[f64], count: usize) -> Vec<(u32, f64)> {
    let mut categories: Vec<(u32, f64)> = (first..).zip(probabilities.iter().copied()).collect();
    let count = count.min(categories.len());
    let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if count > 0 && count < categories.len() {
        categories.select_nth_unstable_by(count - 1, order);
    }
    categories.truncate(count);
    categories.sort_unstable_by(order);
    categories
}
