//! How a model with its memory is written down, and checked when it is read.

use super::memory::{Share, rounded};
use super::{ControlVariates, CvSettings};
use crate::error::{Error, Result, check};
use crate::model::Model;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The estimate is not written: it belongs to an iteration that is over.
#[derive(Serialize)]
struct Written<'a, M> {
    inner: &'a M,
    settings: CvSettings,
    items: usize,
    remembered: Vec<(usize, &'a [Share])>,
}

#[derive(Deserialize)]
struct Read<M> {
    inner: M,
    settings: CvSettings,
    items: usize,
    remembered: Vec<(usize, Vec<Share>)>,
}

impl<M: Serialize> Serialize for ControlVariates<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { inner, settings, memory, .. } = self;
        let remembered = memory.written().collect();
        Written { inner, settings: *settings, items: memory.items(), remembered }.serialize(serializer)
    }
}

impl<'de, M: Model + Deserialize<'de>> Deserialize<'de> for ControlVariates<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Read::deserialize(deserializer)?.check().map_err(serde::de::Error::custom)
    }
}

impl<M: Model> Read<M> {
    fn check(self) -> Result<ControlVariates<M>> {
        let mut model = ControlVariates::new(self.inner, self.items, self.settings)?;
        let coordinates = model.layout.coordinates();
        for (position, shares) in self.remembered {
            if position >= self.items {
                return Err(Error::Position { position, items: self.items });
            }
            for share in &shares {
                let (key, count) = (share.key, share.count);
                check((key as usize) < coordinates, "coordinate", key, "one that the model has")?;
                let fine = count.is_finite() && rounded(f64::from(count)) == count;
                check(fine, "contribution", count, "a multiple of 2^-16")?;
            }
            model.memory.put(position, shares.into(), model.settings.most_bytes);
            let fits = model.memory.get(position).is_some();
            check(fits, "most_bytes", model.settings.most_bytes, "enough for what is remembered")?;
        }
        Ok(model)
    }
}
