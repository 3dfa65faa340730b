//! The loop with models that are not LDA: two blocks with step sizes of their own, a number of simplexes that changes,
//! a latent state of items, and a transition that goes wrong.

use scir_core::rand::{Rng, RngExt};
use scir_core::{Coordinates, Exact, Prior, Purpose, Report, Simplex, StepSize, Target, Transition};
use scir_models::{At, Block, Counts, Error, Model, Priors, Result, Sampler};
use std::ops::Range;

const SPLIT: Purpose = Purpose::new("test: split");

/// A mixture whose number of clusters grows: one stick (two coordinates) and one atom for each cluster.
struct Growing {
    sticks: Vec<Simplex>,
    atoms: Vec<Simplex>,
    alpha: f64,
    stick_prior: [f64; 2],
    /// The cluster of each item of the data: latent, not data.
    z: Vec<u32>,
}

impl Model for Growing {
    /// (number of the item, its category).
    type Batch = Vec<(usize, u32)>;
    type Prepared = ();
    type Latent = Vec<(usize, u32)>;

    fn prepare(&mut self, _: &Self::Batch, _: At) -> Result<()> {
        self.sticks.push(Simplex::uniform(2)?);
        self.atoms.push(Simplex::uniform(3)?);
        Ok(())
    }

    fn latent(
        &self,
        (): &(),
        batch: &Self::Batch,
        part: Range<usize>,
        at: At,
        counts: &mut Counts,
    ) -> Result<Self::Latent> {
        let mut found = Vec::new();
        for i in part {
            let (item, category) = batch[i];
            let z = at.rng(SPLIT, i as u64).random_range(0..self.atoms.len() as u32);
            counts.add(0, z, 0, 1.0);
            (0..z).for_each(|before| counts.add(0, before, 1, 1.0));
            counts.add(1, z, category, 1.0);
            found.push((item, z));
        }
        Ok(found)
    }

    fn keep(&mut self, _: &Self::Batch, latent: Vec<Self::Latent>, _: At) -> Result<()> {
        latent.into_iter().flatten().for_each(|(item, z)| self.z[item] = z);
        Ok(())
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        self.stick_prior = [1.0, self.alpha];
        vec![
            Block::new("sticks", &mut self.sticks, Priors::Shared(Prior::Each(&self.stick_prior))),
            Block::new("atoms", &mut self.atoms, Priors::Shared(Prior::Symmetric(0.5))),
        ]
    }

    fn moved(&mut self, _: &Self::Batch, at: At) -> Result<()> {
        self.alpha = 0.5 + at.rng(Purpose::new("test: alpha"), 0).random::<f64>();
        Ok(())
    }
}

fn growing() -> Growing {
    Growing { sticks: vec![], atoms: vec![], alpha: 1.0, stick_prior: [1.0; 2], z: vec![u32::MAX; 600] }
}

fn steps() -> Vec<StepSize> {
    vec![StepSize::constant(0.1).unwrap(), StepSize::constant(0.2).unwrap()]
}

#[test]
fn a_mixture_that_grows_fits_the_loop() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut model = growing();
            let mut sampler = Sampler::new(Exact, steps(), 600, 1).unwrap();
            let batches =
                (0..6).map(|b| Ok::<_, Error>((0..100).map(|i| (b * 100 + i, i as u32 % 3)).collect()));
            sampler.run(&mut model, batches, &mut []).unwrap();
            model
        })
    };
    let model = run(1);
    assert_eq!((model.sticks.len(), model.atoms.len()), (6, 6));
    assert!(model.z.iter().all(|&z| z < 6), "every item has a cluster");
    // 600 items are counted, N/n times 100: the first stick has all that is not in the first cluster on its other side.
    let first: f64 = model.sticks[0].theta().iter().sum();
    assert!((first - 600.0).abs() < 5.0 * 600f64.sqrt(), "{first}");
    let other = run(2);
    assert_eq!((&model.sticks, &model.atoms, &model.z), (&other.sticks, &other.atoms, &other.z));
    assert_eq!(model.alpha, other.alpha);
}

#[test]
fn step_sizes_must_fit_the_blocks() {
    let three = vec![StepSize::constant(0.1).unwrap(); 3];
    let refused = Sampler::new(Exact, three, 600, 1).unwrap().step(&mut growing(), &vec![(0, 1)]);
    assert!(matches!(refused, Err(Error::StepSizes { given: 3, blocks: 2 })));
}

/// Moves nothing, and spoils one coordinate of a simplex of three coordinates.
struct Spoils;

impl Transition for Spoils {
    fn step<R: Rng + ?Sized>(
        &self,
        theta: &mut Coordinates<'_>,
        _: Target<'_>,
        _: f64,
        _: &mut R,
    ) -> scir_core::Result<Report> {
        let mut report = Report::default();
        if theta.len() == 3 {
            theta.set(2, f64::NAN);
            report.note(2, f64::NAN);
        }
        Ok(report)
    }
}

#[test]
fn a_value_that_is_no_number_ends_the_run_by_name() {
    let mut sampler = Sampler::new(Spoils, steps(), 600, 1).unwrap().starting_at(17);
    let failed = sampler.step(&mut growing(), &vec![(0, 1)]).unwrap_err();
    let place = Error::NonFinite { iteration: 17, block: "atoms", simplex: 0, coordinate: 2 };
    assert_eq!(failed.to_string(), place.to_string());
}

/// Counts where there is nothing.
struct Beyond(Vec<Simplex>);

impl Model for Beyond {
    type Batch = Vec<u32>;
    type Prepared = ();
    type Latent = ();

    fn prepare(&mut self, _: &Vec<u32>, _: At) -> Result<()> {
        Ok(())
    }

    fn latent(
        &self,
        (): &(),
        batch: &Vec<u32>,
        part: Range<usize>,
        _: At,
        counts: &mut Counts,
    ) -> Result<()> {
        batch[part].iter().for_each(|&coordinate| counts.add(0, 0, coordinate, 1.0));
        Ok(())
    }

    fn blocks(&mut self) -> Vec<Block<'_>> {
        let priors = Priors::Each(vec![Prior::Symmetric(0.1); 2]);
        vec![Block::new("simplexes", &mut self.0, priors)]
    }
}

#[test]
fn counts_beyond_the_simplex_are_refused() {
    // The second simplex must not get what is beyond the end of the first.
    let mut model = Beyond(vec![Simplex::uniform(2).unwrap(), Simplex::uniform(2).unwrap()]);
    let mut sampler = Sampler::new(Exact, StepSize::constant(1.0).unwrap(), 5, 1).unwrap();
    sampler.step(&mut model, &vec![0, 1]).unwrap();
    let refused = sampler.step(&mut model, &vec![0, 2]).unwrap_err();
    assert!(matches!(refused, Error::NoSuchCoordinate { block: 0, simplex: 0, coordinate: 2 }));
    assert_eq!(sampler.iteration(), 1);
}
