//! n_dk of many documents: for each, the topics that it has, in one shared array.

/// A topic of a document and how many tokens it has there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    pub(super) topic: u32,
    /// As f32, because it is a factor of probabilities; exact up to 2^24.
    pub(super) n: f32,
}

/// The lists of all documents. A document never has more topics than tokens, so each has its place from the start.
#[derive(Debug, Clone)]
pub(super) struct Lists {
    entries: Vec<Entry>,
    /// Where the list of a document starts, and how long it is.
    places: Vec<(usize, usize)>,
}

impl Lists {
    /// Empty lists for documents of the given numbers of tokens.
    pub(super) fn new(tokens: impl Iterator<Item = usize>, topics: usize) -> Self {
        let mut start = 0;
        let places = tokens
            .map(|tokens| {
                let place = (start, 0);
                start += tokens.min(topics);
                place
            })
            .collect();
        Self { entries: vec![Entry::default(); start], places }
    }

    /// The number of documents.
    #[cfg(feature = "serde")]
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Fills empty lists with the given topics in the given order, and counts the (document, topic) of all tokens. False
    /// if a topic has no token, comes twice, or is missing.
    #[cfg(feature = "serde")]
    pub(super) fn resume(&mut self, orders: &[Vec<u32>], tokens: impl Iterator<Item = (u32, u32)>) -> bool {
        for (document, topics) in orders.iter().enumerate() {
            let start = self.places[document].0;
            let end = self.places.get(document + 1).map_or(self.entries.len(), |next| next.0);
            if topics.len() > end - start {
                return false;
            }
            for (entry, &topic) in self.entries[start..].iter_mut().zip(topics) {
                *entry = Entry { topic, n: 0.0 };
            }
            self.places[document].1 = topics.len();
        }
        for (document, topic) in tokens {
            let Some(place) = self.find(document as usize, topic) else { return false };
            self.entries[self.places[document as usize].0 + place].n += 1.0;
        }
        (0..self.len()).all(|document| self.of(document).iter().all(|entry| entry.n > 0.0))
    }

    /// The topics of a document.
    #[inline]
    pub(super) fn of(&self, document: usize) -> &[Entry] {
        let (start, len) = self.places[document];
        &self.entries[start..start + len]
    }

    #[inline]
    fn find(&self, document: usize, topic: u32) -> Option<usize> {
        self.of(document).iter().position(|entry| entry.topic == topic)
    }

    /// One token fewer in a topic that the document has.
    #[inline]
    pub(super) fn remove(&mut self, document: usize, topic: u32) {
        let Some(place) = self.find(document, topic) else { return };
        let (start, len) = &mut self.places[document];
        let entry = &mut self.entries[*start + place];
        entry.n -= 1.0;
        if entry.n == 0.0 {
            *len -= 1;
            self.entries[*start + place] = self.entries[*start + *len];
        }
    }

    /// One token more in the topic at a place of the list; returns the topic.
    ///
    /// Topics with many tokens move to the front, where they are found sooner.
    #[inline]
    pub(super) fn increment(&mut self, document: usize, place: usize) -> u32 {
        let at = self.places[document].0 + place;
        self.entries[at].n += 1.0;
        let topic = self.entries[at].topic;
        if place > 0 && self.entries[at - 1].n < self.entries[at].n {
            self.entries.swap(at - 1, at);
        }
        topic
    }

    /// One token more in a topic that the document may not have yet.
    #[inline]
    pub(super) fn add(&mut self, document: usize, topic: u32) {
        if let Some(place) = self.find(document, topic) {
            self.increment(document, place);
            return;
        }
        let (start, len) = &mut self.places[document];
        self.entries[*start + *len] = Entry { topic, n: 1.0 };
        *len += 1;
    }
}
