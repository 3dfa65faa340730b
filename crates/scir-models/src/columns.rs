//! Columns of a matrix whose rows are simplexes: how probable one category is under each of many laws.

use scir_core::Simplex;

/// Below this a probability is taken from its logarithm: smaller numbers have lost their digits.
const SMALL: f64 = 1e-280;

/// ω_kw by column: θ_kw over the sum of its row.
pub(crate) struct Columns<'a> {
    rows: Vec<&'a Simplex>,
    sums: Vec<f64>,
}

impl<'a> Columns<'a> {
    /// Of simplexes that all have the same number of coordinates.
    pub(crate) fn new(rows: impl IntoIterator<Item = &'a Simplex>) -> Self {
        let rows: Vec<&Simplex> = rows.into_iter().collect();
        let sums = rows.iter().map(|row| row.theta().iter().sum()).collect();
        Self { rows, sums }
    }

    /// Writes ω_·w over its largest element, and returns the logarithm of that.
    pub(crate) fn relative(&self, w: usize, column: &mut [f64]) -> f64 {
        let (mut largest, mut ordinary) = (0.0, true);
        for ((x, row), &sum) in column.iter_mut().zip(&self.rows).zip(&self.sums) {
            ordinary &= sum > SMALL && sum < f64::INFINITY;
            *x = row.theta()[w] / sum;
            largest = f64::max(largest, *x);
        }
        if ordinary && largest > SMALL {
            column.iter_mut().for_each(|x| *x /= largest);
            return largest.ln();
        }
        self.relative_from_logarithms(w, column)
    }

    /// The same where numbers underflow. A category that is a true zero in every row is as probable in one as in another.
    #[cold]
    fn relative_from_logarithms(&self, w: usize, column: &mut [f64]) -> f64 {
        let mut ln_omega = vec![0.0; self.rows[0].len()];
        for ((x, row), &sum) in column.iter_mut().zip(&self.rows).zip(&self.sums) {
            *x = if sum > SMALL && sum < f64::INFINITY {
                row.ln_theta(w) - sum.ln()
            } else {
                row.ln_omega(&mut ln_omega).expect("all rows have the same number of coordinates");
                ln_omega[w]
            };
        }
        let largest = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let finite = largest > f64::NEG_INFINITY;
        column.iter_mut().for_each(|x| *x = if finite { (*x - largest).exp() } else { 1.0 });
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_survive_underflow() {
        let rows = [[-5000.0, 0.0], [-5001.0, 1.0], [-9000.0, 2.0]];
        let rows: Vec<Simplex> = rows.iter().map(|ln| Simplex::from_ln(ln).unwrap()).collect();
        let mut column = [0.0; 3];
        let ln_scale = Columns::new(&rows).relative(0, &mut column);
        approx::assert_relative_eq!(ln_scale, -5000.0, max_relative = 1e-12);
        approx::assert_relative_eq!(column[1], (-2.0f64).exp(), max_relative = 1e-9);
        assert_eq!((column[0], column[2]), (1.0, 0.0));
        let zeros = [Simplex::new(vec![0.0, 1.0]).unwrap(), Simplex::new(vec![0.0, 2.0]).unwrap()];
        assert_eq!(Columns::new(&zeros).relative(0, &mut column[..2]), f64::NEG_INFINITY);
        assert_eq!(column[..2], [1.0, 1.0]);
    }
}
