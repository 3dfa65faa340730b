//! φ by word: what sampling the tokens of a word needs, made once and used for hundreds of sweeps.

use super::Lda;
use super::sums::BLOCK;
use crate::columns::Columns;
use crate::error::{Error, Result};
use scir_data::DocView;

/// For each word that occurs, φ_·w relative to its largest element, and an alias table of α_k φ_kw.
///
/// Sampling z needs φ_·w only up to a factor. With the largest element made 1, a word is sampled rightly even if
/// φ_kw is below the smallest f64 in every topic; the factor is kept as a logarithm for whoever needs φ itself.
/// The elements are f32: a relative rounding of 6e-8 in a probability is far below what any run could show, and half
/// the memory is twice the speed.
#[derive(Debug)]
pub(super) struct WordTable {
    topics: usize,
    stride: usize,
    /// The row of each word; `NONE` if the word does not occur.
    row_of: Vec<u32>,
    phi: Vec<f32>,
    ln_scale: Vec<f64>,
    /// Σ_k α_k φ_kw.
    alpha_mass: Vec<f64>,
    alias: Vec<Cell>,
}

/// A cell of an alias table (Walker 1977): it belongs to its own topic up to `keep`, and to `other` above.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    keep: f32,
    other: u32,
}

const NONE: u32 = u32::MAX;

impl WordTable {
    /// The words of `documents`.
    pub(super) fn new<'a>(lda: &Lda, documents: impl Iterator<Item = DocView<'a>>) -> Result<Self> {
        let mut row_of = vec![NONE; lda.words()];
        for document in documents {
            let row = document.ids().last().map_or(0, |&id| id as usize);
            if row >= row_of.len() {
                return Err(Error::Words { found: row + 1, expected: row_of.len() });
            }
            document.ids().iter().for_each(|&id| row_of[id as usize] = 0);
        }
        let words: Vec<u32> =
            (0..).zip(&row_of).filter_map(|(word, &row)| (row != NONE).then_some(word)).collect();
        words.iter().zip(0..).for_each(|(&word, row)| row_of[word as usize] = row);
        let topics = lda.topics.len();
        let stride = topics.next_multiple_of(BLOCK);
        let mut table = Self {
            topics,
            stride,
            row_of,
            phi: vec![0.0; words.len() * stride],
            ln_scale: vec![0.0; words.len()],
            alpha_mass: vec![0.0; words.len()],
            alias: vec![Cell::default(); words.len() * topics],
        };
        table.fill(lda, &words)?;
        Ok(table)
    }

    fn fill(&mut self, lda: &Lda, words: &[u32]) -> Result<()> {
        let columns = Columns::new(&lda.topics);
        let alpha: Vec<f64> = (0..self.topics).map(|k| lda.settings.alpha.at(k)).collect();
        let rows = self.phi.chunks_exact_mut(self.stride).zip(self.alias.chunks_exact_mut(self.topics));
        let rows: Vec<_> = rows.zip(self.ln_scale.iter_mut().zip(&mut self.alpha_mass)).zip(words).collect();
        // Some words at a time: work worth sharing, with buffers worth making.
        let mut tasks = Vec::new();
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            tasks.push(rows.by_ref().take(64).collect::<Vec<_>>());
        }
        crate::parallel::map(tasks, |task| {
            let mut column = vec![0.0; alpha.len()];
            let mut builder = AliasBuilder::default();
            for (((phi, alias), (ln_scale, mass)), &word) in task {
                *ln_scale = columns.relative(word as usize, &mut column);
                phi.iter_mut().zip(&column).for_each(|(phi, &x)| *phi = x as f32);
                column.iter_mut().zip(&alpha).for_each(|(x, alpha)| *x *= alpha);
                *mass = builder.build(&column, alias);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The number of topics.
    pub(super) fn topics(&self) -> usize {
        self.topics
    }

    /// The row of a word that occurs.
    pub(super) fn row(&self, word: u32) -> usize {
        self.row_of[word as usize] as usize
    }

    /// φ_·w over its largest element, padded with zeros.
    #[inline]
    pub(super) fn phi(&self, row: usize) -> &[f32] {
        &self.phi[row * self.stride..(row + 1) * self.stride]
    }

    /// The logarithm of the largest element of φ_·w.
    pub(super) fn ln_scale(&self, row: usize) -> f64 {
        self.ln_scale[row]
    }

    /// Σ_k α_k φ_kw in the scale of [`phi`](Self::phi).
    #[inline]
    pub(super) fn alpha_mass(&self, row: usize) -> f64 {
        self.alpha_mass[row]
    }

    /// The topic at `u` ∈ [0, 1) of the law ∝ α_k φ_kw.
    #[inline]
    pub(super) fn alias(&self, row: usize, u: f64) -> u32 {
        let x = u * self.topics as f64;
        let k = (x as usize).min(self.topics - 1);
        let cell = self.alias[row * self.topics + k];
        if x - (k as f64) < f64::from(cell.keep) { k as u32 } else { cell.other }
    }
}

/// Builds alias tables, by Vose's (1991) method; its lists are used again.
#[derive(Default)]
struct AliasBuilder {
    share: Vec<f64>,
    small: Vec<u32>,
    large: Vec<u32>,
}

impl AliasBuilder {
    /// A table for the law ∝ `weights`, which are not all zero; returns their sum.
    fn build(&mut self, weights: &[f64], cells: &mut [Cell]) -> f64 {
        let sum: f64 = weights.iter().sum();
        let scale = weights.len() as f64 / sum;
        self.share.clear();
        self.share.extend(weights.iter().map(|weight| weight * scale));
        self.small.clear();
        self.large.clear();
        for (k, &share) in (0..).zip(&self.share) {
            if share < 1.0 { self.small.push(k) } else { self.large.push(k) }
        }
        while let (Some(&k), Some(&donor)) = (self.small.last(), self.large.last()) {
            self.small.pop();
            cells[k as usize] = Cell { keep: self.share[k as usize] as f32, other: donor };
            let left = self.share[donor as usize] - (1.0 - self.share[k as usize]);
            self.share[donor as usize] = left;
            if left < 1.0 {
                self.large.pop();
                self.small.push(donor);
            }
        }
        // What is left over is 1 but for rounding.
        for &k in self.small.iter().chain(&self.large) {
            cells[k as usize] = Cell { keep: 1.0, other: k };
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability that an alias table gives to each topic, added up from its cells.
    fn law(cells: &[Cell]) -> Vec<f64> {
        let mut law = vec![0.0; cells.len()];
        for (k, cell) in cells.iter().enumerate() {
            law[k] += f64::from(cell.keep) / cells.len() as f64;
            law[cell.other as usize] += (1.0 - f64::from(cell.keep)) / cells.len() as f64;
        }
        law
    }

    #[test]
    fn alias_tables_have_the_law_they_are_built_for() {
        for weights in [vec![1.0], vec![0.0, 3.0, 0.0], vec![1e-30, 1.0, 2.0, 5.0, 0.3], vec![1.0; 7]] {
            let mut cells = vec![Cell::default(); weights.len()];
            let sum = AliasBuilder::default().build(&weights, &mut cells);
            for (got, weight) in law(&cells).iter().zip(&weights) {
                assert!((got - weight / sum).abs() < 1e-7, "{weights:?}: {cells:?}");
            }
        }
    }
}
