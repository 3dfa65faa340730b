//! Atoms with a mistake, which tests have to notice.

use scir_core::StreamRng;
use scir_data::{Corpus, DocView, Minibatch};
use scir_models::dp::{AtomCounts, Atoms, Multinomials, Sums, Table};
use scir_models::{Block, Result};

/// Multinomials with a mistake.
#[derive(Clone)]
pub(super) struct Wrong {
    pub(super) atoms: Multinomials,
    pub(super) mistake: Mistake,
}

#[derive(Clone)]
pub(super) enum Mistake {
    None,
    /// What an item takes along when it leaves a cluster stays there too.
    Leaving,
    /// The marginal likelihood of every cluster is too large by a factor.
    Marginal,
    /// That of the released code: the items of a cluster are looked up in the whole data by their place in the minibatch.
    Index(Corpus),
}

impl Atoms for Wrong {
    type Batch = Minibatch;
    type Table = Table;

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
    fn count(&self, batch: &Minibatch, members: &[u32], cluster: u32, counts: &mut AtomCounts<'_>) {
        let Mistake::Index(corpus) = &self.mistake else {
            return self.atoms.count(batch, members, cluster, counts);
        };
        for &i in members {
            let item = corpus.doc(i as usize).iter();
            item.for_each(|(word, count)| counts.add(cluster, word, f64::from(count)));
        }
    }
    fn block(&mut self) -> Option<Block<'_>> {
        self.atoms.block()
    }
    fn no_sums(&self) -> Option<Sums> {
        self.atoms.no_sums()
    }
    fn add(&self, item: DocView<'_>, times: f64, sums: &mut Sums) {
        if times > 0.0 || !matches!(self.mistake, Mistake::Leaving) {
            self.atoms.add(item, times, sums);
        }
    }
    fn ln_marginal(&self, sums: &Sums) -> f64 {
        self.atoms.ln_marginal(sums) + if matches!(self.mistake, Mistake::Marginal) { 1.5 } else { 0.0 }
    }
    fn means(&self, sums: &[&Sums]) -> Result<Self> {
        Ok(Self { atoms: self.atoms.means(sums)?, mistake: self.mistake.clone() })
    }
    fn redraw(&mut self, cluster: usize, sums: &Sums, rng: &mut StreamRng) -> Result<()> {
        self.atoms.redraw(cluster, sums, rng)
    }
}
