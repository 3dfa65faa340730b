//! The densities of items under many multinomials at once, by category.

use super::atoms::Atoms;
use super::multinomials::Multinomials;
use crate::columns::Columns;
use scir_core::Simplex;
use scir_data::DocView;

/// Products of probabilities that stay above this have lost nothing to underflow that could matter.
const FAR_FROM_UNDERFLOW: f64 = 1e-200;

/// For each category, its probability in each cluster over the largest of these.
#[derive(Debug)]
pub struct Table {
    order: Vec<u32>,
    relative: Vec<f64>,
    ln_largest: Vec<f64>,
    /// ln Σθ of every simplex.
    ln_sums: Vec<f64>,
}

impl Table {
    pub(super) fn new(atoms: &Multinomials, order: &[u32]) -> Self {
        let clusters = order.len();
        let mut table = Self {
            order: order.to_vec(),
            relative: vec![0.0; atoms.categories() * clusters],
            ln_largest: Vec::with_capacity(atoms.categories()),
            ln_sums: (0..atoms.clusters()).flat_map(|j| atoms.atom(j)).map(Simplex::ln_sum).collect(),
        };
        let mut columns = table.relative.chunks_exact_mut(clusters.max(1));
        for (variable, &size) in atoms.sizes().iter().enumerate() {
            let simplexes = Columns::new(order.iter().map(|&j| &atoms.atom(j as usize)[variable]));
            for (w, column) in (0..size).zip(&mut columns) {
                table.ln_largest.push(simplexes.relative(w, column));
            }
        }
        table
    }

    /// See [`Atoms::densities`].
    pub(super) fn densities(&self, atoms: &Multinomials, item: DocView<'_>, densities: &mut [f64]) -> f64 {
        let mut ln_scale = 0.0;
        densities.fill(1.0);
        for (w, count) in item.iter() {
            let start = w as usize * self.order.len();
            let column = &self.relative[start..start + densities.len()];
            ln_scale += f64::from(count) * self.ln_largest[w as usize];
            if count == 1 {
                densities.iter_mut().zip(column).for_each(|(density, p)| *density *= p);
            } else {
                let power =
                    |p: f64| i32::try_from(count).map_or_else(|_| p.powf(count.into()), |n| p.powi(n));
                densities.iter_mut().zip(column).for_each(|(density, &p)| *density *= power(p));
            }
        }
        let largest = densities.iter().copied().fold(0.0, f64::max);
        if largest > FAR_FROM_UNDERFLOW {
            ln_scale
        } else {
            self.densities_by_logarithms(atoms, item, densities)
        }
    }

    /// The same for long items, and where numbers underflow. An item that is impossible in every cluster, as only true
    /// zeros make it, is as probable in one as in another.
    #[cold]
    fn densities_by_logarithms(&self, atoms: &Multinomials, item: DocView<'_>, densities: &mut [f64]) -> f64 {
        for (density, &j) in densities.iter_mut().zip(&self.order) {
            let atom = atoms.atom(j as usize);
            let ln_p = |(w, count): (u32, u32)| {
                let (variable, coordinate) = atoms.place(w);
                let ln_sum = self.ln_sums[j as usize * atom.len() + variable];
                f64::from(count) * (atom[variable].ln_theta(coordinate) - ln_sum)
            };
            *density = item.iter().map(ln_p).sum();
        }
        let largest = densities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let possible = largest.is_finite();
        densities.iter_mut().for_each(|x| *x = if possible { (*x - largest).exp() } else { 1.0 });
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scir_data::Document;

    fn atoms(ln: &[&[f64]], sizes: &[usize]) -> Multinomials {
        let simplexes = ln.iter().map(|ln| Simplex::from_ln(ln).unwrap()).collect();
        Multinomials::product(sizes, 1.0).unwrap().with_atoms(simplexes).unwrap()
    }

    fn ln_densities(atoms: &Multinomials, order: &[u32], item: &Document) -> Vec<f64> {
        let table = atoms.table(order).unwrap();
        let mut densities = vec![0.0; order.len()];
        let ln_scale = atoms.densities(&table, item.view(), &mut densities);
        densities.iter().map(|x| x.ln() + ln_scale).collect()
    }

    #[test]
    fn densities_are_products_of_probabilities() {
        let two = atoms(&[&[0.0, 1.0, 2.0], &[1.0, 1.0, 0.0]], &[3]);
        let item = Document::from_counts([(0, 2), (2, 1)]).unwrap();
        let sums = [(1.0 + 1f64.exp() + 2f64.exp()).ln(), (1.0 + 2.0 * 1f64.exp()).ln()];
        let got = ln_densities(&two, &[1, 0], &item);
        approx::assert_relative_eq!(got[0], 2.0 - 3.0 * sums[1], max_relative = 1e-12);
        approx::assert_relative_eq!(got[1], 2.0 - 3.0 * sums[0], max_relative = 1e-12);
        assert_eq!(ln_densities(&two, &[1, 0], &Document::default()), [0.0, 0.0]);
        // The same numbers as two variables of one cluster.
        let item = Document::from_counts([(1, 1), (5, 1)]).unwrap();
        let product = atoms(&[&[0.0, 1.0, 2.0], &[1.0, 1.0, 0.0]], &[3, 3]);
        let got = ln_densities(&product, &[0], &item);
        approx::assert_relative_eq!(got[0], 1.0 - sums[0] - sums[1], max_relative = 1e-12);
    }

    #[test]
    fn densities_survive_underflow() {
        // Each word is all but impossible in one cluster, and the product is in both.
        let two = atoms(&[&[-600.0, 0.0, -5000.0], &[0.0, -601.0, -5001.0]], &[3]);
        let got = ln_densities(&two, &[0, 1], &Document::from_counts([(0, 1), (1, 1)]).unwrap());
        approx::assert_relative_eq!(got[0], -600.0, max_relative = 1e-12);
        approx::assert_relative_eq!(got[1], -601.0, max_relative = 1e-12);
        let got = ln_densities(&two, &[0, 1], &Document::from_counts([(2, 100)]).unwrap());
        approx::assert_relative_eq!(got[0], -500_000.0, max_relative = 1e-12);
        approx::assert_relative_eq!(got[1], -500_100.0, max_relative = 1e-12);
    }
}
