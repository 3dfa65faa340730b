//! The indexing mistake of the code that was released with the paper, to show what it does. Nothing else uses it.

use scir_core::StreamRng;
use scir_data::{Corpus, DocView, Minibatch};
use scir_models::dp::{AtomCounts, Atoms, Multinomials, Table};
use scir_models::{Block, Result};

/// Atoms that are fitted to the wrong users: where a cluster has the users number 3 and 7 *of the minibatch*, the visits of
/// the users number 3 and 7 *of the data* are counted. With minibatches of 1000, every cluster is fitted to the first
/// 1000 users, whoever is in it.
pub(crate) struct ReleasedIndexing {
    pub(crate) atoms: Multinomials,
    pub(crate) data: Corpus,
}

impl Atoms for ReleasedIndexing {
    type Batch = Minibatch;
    type Table = Table;

    fn count(&self, _: &Minibatch, members: &[u32], cluster: u32, counts: &mut AtomCounts<'_>) {
        let wrong = members.iter().map(|&i| self.data.doc(i as usize));
        for (page, visits) in wrong.flat_map(|user| user.iter()) {
            counts.add(cluster, page, f64::from(visits));
        }
    }

    fn clusters(&self) -> usize {
        self.atoms.clusters()
    }

    fn open(&mut self, rng: &mut StreamRng) -> Result<()> {
        self.atoms.open(rng)
    }

    fn truncate(&mut self, clusters: usize) {
        self.atoms.truncate(clusters);
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.atoms.swap(a, b);
    }

    fn table(&self, order: &[u32]) -> Result<Table> {
        self.atoms.table(order)
    }

    fn densities(&self, table: &Table, item: DocView<'_>, densities: &mut [f64]) -> f64 {
        self.atoms.densities(table, item, densities)
    }

    fn block(&mut self) -> Option<Block<'_>> {
        self.atoms.block()
    }
}
