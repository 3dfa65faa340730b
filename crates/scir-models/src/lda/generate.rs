//! Documents drawn from a model, for tests and stand-ins.

use super::Lda;
use crate::error::Result;
use scir_core::rand::{Rng, RngExt};
use scir_core::{Exact, Purpose, Simplex, Streams, Target};
use scir_data::{Corpus, CorpusBuilder, Document};

const GENERATE: Purpose = Purpose::new("lda: generated documents");

impl Lda {
    /// Documents drawn from the model, of the given lengths: θ_d ~ Dir(α), then for each token z ~ θ_d and w ~ φ_z.
    ///
    /// # Errors
    /// Never for a model that was made by this crate.
    pub fn generate(&self, lengths: impl IntoIterator<Item = usize>, seed: u64) -> Result<Corpus> {
        let topics = self.topics.iter().map(Cumulative::new).collect::<Result<Vec<_>>>()?;
        let (streams, none) = (Streams::new(seed), vec![0.0; topics.len()]);
        let mut builder = CorpusBuilder::with_words(self.words());
        let mut theta = Simplex::uniform(topics.len())?;
        for (d, length) in lengths.into_iter().enumerate() {
            let mut rng = streams.rng(GENERATE, 0, d as u64);
            theta.step(&Exact, Target::new(self.settings.alpha.prior(), &none)?, 1.0, &mut rng)?;
            let proportions = Cumulative::new(&theta)?;
            let mut token = || topics[proportions.draw(&mut rng)].draw(&mut rng) as u32;
            builder.push(Document::from_tokens((0..length).map(|_| token()).collect()).view())?;
        }
        Ok(builder.finish())
    }
}

/// A discrete law by its running sums.
struct Cumulative(Vec<f64>);

impl Cumulative {
    fn new(simplex: &Simplex) -> Result<Self> {
        let mut running = vec![0.0; simplex.len()];
        simplex.omega(&mut running)?;
        let mut sum = 0.0;
        running.iter_mut().for_each(|x| {
            sum += *x;
            *x = sum;
        });
        Ok(Self(running))
    }

    fn draw<R: Rng>(&self, rng: &mut R) -> usize {
        let u = rng.random::<f64>() * self.0[self.0.len() - 1];
        self.0.partition_point(|&sum| sum <= u).min(self.0.len() - 1)
    }
}
