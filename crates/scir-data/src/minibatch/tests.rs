//! Tests of the batches: what is in them, when they are refused, and that nothing changes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};

use proptest::prelude::*;

use super::*;
use crate::corpus::Document;

const ORDERS: [BatchOrder; 4] = [
    BatchOrder::Sequential,
    BatchOrder::Shuffled,
    BatchOrder::WithoutReplacement,
    BatchOrder::WithReplacement,
];

/// Document `i` has the single word `i`.
fn documents(n: u32) -> impl Iterator<Item = Result<Document>> + Send + Clone {
    (0..n).map(|i| Ok(Document::from_tokens(vec![i])))
}

fn corpus(n: u32) -> Corpus {
    Corpus::collect(documents(n)).unwrap()
}

fn words(batch: &Minibatch) -> Vec<usize> {
    batch.documents.docs().map(|doc| doc.ids()[0] as usize).collect()
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let refusal = |batching: Batching, n| batching.over(&corpus(n)).unwrap_err().to_string();
    for order in ORDERS {
        let batching = Batching { order, ..Batching::default() };
        assert_eq!(refusal(Batching { size: 0, ..batching }, 3), "batch size = 0: expected at least 1");
        assert_eq!(refusal(batching, 0), "the corpus has no documents, expected at least one");
        let larger = Batching { size: 4, ..batching }.over(&corpus(3));
        if order == BatchOrder::WithReplacement {
            assert_eq!(larger.unwrap().batch(0).documents.len(), 4);
        } else {
            assert_eq!(
                larger.unwrap_err().to_string(),
                "batch size = 4: expected at most the number of documents (only drawing with replacement can give more)"
            );
        }
        assert_eq!(Batching { size: 3, ..batching }.over(&corpus(3)).unwrap().batch(9).documents.len(), 3);
    }
}

#[test]
fn settings_are_plain_data() {
    let batching = Batching { order: BatchOrder::WithoutReplacement, seed: 7, ..Batching::default() };
    let text = serde_json::to_string(&batching).unwrap();
    assert_eq!(text, r#"{"size":50,"order":"without-replacement","last":"short","seed":7}"#);
    assert_eq!(serde_json::from_str::<Batching>(&text).unwrap(), batching);
    assert!(serde_json::from_str::<Batching>(r#"{"sise":5}"#).is_err());
    let stream = StreamBatching { passes: None, ..StreamBatching::default() };
    let text = serde_json::to_string(&stream).unwrap();
    assert_eq!(serde_json::from_str::<StreamBatching>(&text).unwrap(), stream);
}

/// The batches are pinned: another choice would make every earlier run irreproducible.
#[test]
fn batches_are_pinned() {
    let positions = |order| {
        let batching = Batching { size: 4, order, seed: 5, ..Batching::default() };
        let batches = batching.over(&corpus(10)).unwrap();
        batches.starting_at(2).take(2).map(|batch| batch.positions).collect::<Vec<_>>()
    };
    assert_eq!(positions(BatchOrder::Sequential), [vec![8, 9], vec![0, 1, 2, 3]]);
    assert_eq!(positions(BatchOrder::Shuffled), [vec![0, 2], vec![7, 9, 0, 4]]);
    assert_eq!(positions(BatchOrder::WithoutReplacement), [vec![1, 7, 9, 5], vec![4, 1, 8, 7]]);
    assert_eq!(positions(BatchOrder::WithReplacement), [vec![1, 9, 6, 5], vec![5, 1, 9, 7]]);
}

/// χ² of how often each of 20 documents comes in 40,000 draws: 19 degrees of freedom, so 50 has p = 1e-4.
fn unevenness(order: BatchOrder) -> f64 {
    let batching = Batching { size: 5, order, seed: 3, ..Batching::default() };
    let mut seen = [0.0; 20];
    for batch in batching.over(&corpus(20)).unwrap().starting_at(0).take(8000) {
        batch.positions.iter().for_each(|&i| seen[i] += 1.0);
    }
    seen.iter().map(|count: &f64| (count - 2000.0).powi(2) / 2000.0).sum()
}

#[test]
fn random_batches_are_uniform() {
    assert!(unevenness(BatchOrder::WithReplacement) < 50.0);
    // Without replacement the variance is smaller by (20 - 5)/19.
    assert!(unevenness(BatchOrder::WithoutReplacement) < 50.0 * 15.0 / 19.0);
    assert!(unevenness(BatchOrder::WithReplacement) > 4.0, "too even to be random");
    assert_eq!(unevenness(BatchOrder::Shuffled), 0.0);
    // The place of a document in shuffled order: each of 20 places in 4000 epochs.
    let batching = Batching { size: 20, order: BatchOrder::Shuffled, seed: 9, ..Batching::default() };
    let mut places = [[0.0; 20]; 20];
    for batch in batching.over(&corpus(20)).unwrap().starting_at(0).take(4000) {
        batch.positions.iter().enumerate().for_each(|(place, &i)| places[i][place] += 1.0);
    }
    let chi2: f64 = places.iter().flatten().map(|count: &f64| (count - 200.0).powi(2) / 200.0).sum();
    // 361 degrees of freedom: mean 361, standard deviation 26.9.
    assert!((chi2 - 361.0).abs() < 4.0 * 26.9, "{chi2}");
}

proptest! {
    #[test]
    fn every_epoch_is_the_whole(n in 1u32..40, size in 1usize..40, seed in any::<u64>(), shuffled in any::<bool>()) {
        prop_assume!(size <= n as usize);
        let order = if shuffled { BatchOrder::Shuffled } else { BatchOrder::Sequential };
        for last in [LastBatch::Short, LastBatch::Dropped] {
            let batches = Batching { size, order, last, seed }.over(&corpus(n)).unwrap();
            let per_epoch = batches.per_epoch();
            for epoch in 0..3 {
                let mut seen = Vec::new();
                for batch in batches.starting_at(epoch * per_epoch).take(per_epoch as usize) {
                    prop_assert_eq!(batch.epoch, epoch);
                    prop_assert_eq!(&words(&batch), &batch.positions);
                    prop_assert!(batch.documents.len() == size || last == LastBatch::Short);
                    prop_assert!(!batch.documents.is_empty());
                    seen.extend(batch.positions);
                }
                let whole = if last == LastBatch::Short { n as usize } else { n as usize / size * size };
                seen.sort_unstable();
                seen.dedup();
                prop_assert_eq!(seen.len(), whole);
            }
        }
    }

    #[test]
    fn a_batch_depends_on_its_number_alone(
        n in 5u32..40, size in 1usize..5, order in 0usize..4, seed in any::<u64>(), from in 0u64..50,
    ) {
        let batches = Batching { size, order: ORDERS[order], last: LastBatch::Short, seed }.over(&corpus(n)).unwrap();
        let run: Vec<Minibatch> = batches.starting_at(0).take(60).collect();
        prop_assert_eq!(&batches.batch(from), &run[from as usize]);
        prop_assert!(batches.starting_at(from).zip(&run[from as usize..]).all(|(a, b)| a == *b));
        prop_assert!(run.iter().zip(0..).all(|(batch, i)| batch.iteration == i));
        prop_assert!(run.is_sorted_by_key(|batch| batch.epoch));
        for batch in &run {
            prop_assert_eq!(words(batch), batch.positions.clone());
            let mut distinct = batch.positions.clone();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert!(distinct.len() == batch.positions.len() || ORDERS[order] == BatchOrder::WithReplacement);
        }
    }

    /// A stream in sequence gives what the corpus in memory gives, prefetched or not, resumed or not.
    #[test]
    fn a_stream_gives_the_batches_of_the_corpus(
        n in 1u32..30, size in 1usize..10, dropped in any::<bool>(), depth in 1usize..5, resume in 0u64..20,
    ) {
        prop_assume!(size <= n as usize);
        let last = if dropped { LastBatch::Dropped } else { LastBatch::Short };
        let memory = Batching { size, last, ..Batching::default() }.over(&corpus(n)).unwrap();
        let expected: Vec<Minibatch> = memory.starting_at(0).take(3 * memory.per_epoch() as usize).collect();
        let settings = StreamBatching { size, last, passes: Some(3) };
        let open = move || Ok(documents(n));
        let plain: Vec<Minibatch> = settings.over(n as usize, open).unwrap().collect::<Result<_>>().unwrap();
        prop_assert_eq!(&plain, &expected);
        let ahead = Prefetch::new(depth, settings.over(n as usize, open).unwrap()).unwrap();
        prop_assert_eq!(&ahead.collect::<Result<Vec<_>>>().unwrap(), &expected);
        let mut resumed = settings.over(n as usize, open).unwrap();
        resumed.skip_to(resume).unwrap();
        let rest = expected.get(resume as usize..).unwrap_or_default();
        prop_assert_eq!(&resumed.collect::<Result<Vec<_>>>().unwrap(), rest);
    }
}

#[test]
fn streams_that_give_nothing_or_change_are_refused() {
    let settings = StreamBatching { size: 4, passes: None, ..StreamBatching::default() };
    let refusal = |settings: StreamBatching| match settings.over(9, || Ok(documents(3))) {
        Err(error) => error.to_string(),
        Ok(batches) => batches.last().unwrap().unwrap_err().to_string(),
    };
    assert_eq!(refusal(StreamBatching { size: 0, ..settings }), "batch size = 0: expected at least 1");
    assert_eq!(refusal(StreamBatching { passes: Some(0), ..settings }), "passes = 0: expected at least 1");
    let dropped = refusal(StreamBatching { last: LastBatch::Dropped, ..settings });
    assert!(dropped.starts_with("batch size = 4: expected at most the number of documents"), "{dropped}");
    let mut empty = settings.over(9, || Ok(documents(0))).unwrap();
    assert_eq!(
        empty.next().unwrap().unwrap_err().to_string(),
        "the stream has no documents, expected at least one"
    );
    assert!(empty.next().is_none());

    let mut pass = 0;
    let shrinking = settings.over(9, || {
        pass += 1;
        Ok(documents(8 - pass))
    });
    let all: Vec<_> = shrinking.unwrap().take(10).collect();
    assert_eq!(all.len(), 5, "two batches in each pass, and the error");
    assert_eq!(
        all[4].as_ref().unwrap_err().to_string(),
        "pass 2 over the stream found 6 documents where the first found 7: have the files changed?"
    );
}

#[test]
fn errors_of_the_stream_end_the_batches() {
    let failing = || {
        let bad = || Err(Error::CountOverflow { id: 1 });
        Ok(documents(5).chain(std::iter::once_with(bad)).chain(documents(5)))
    };
    let settings = StreamBatching { size: 4, ..StreamBatching::default() };
    for depth in [0, 1, 3] {
        let batches = settings.over(9, failing).unwrap();
        let all: Vec<_> =
            if depth == 0 { batches.collect() } else { Prefetch::new(depth, batches).unwrap().collect() };
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].as_ref().unwrap().positions, [0, 1, 2, 3]);
        assert!(matches!(all[1], Err(Error::CountOverflow { id: 1 })));
    }
    assert!(settings.over(9, failing).unwrap().skip_to(2).is_err());
    let unopened = settings.over(9, || Err::<std::iter::Empty<_>, _>(Error::CountOverflow { id: 2 }));
    assert_eq!(unopened.unwrap().filter(Result::is_err).count(), 1);
    let outside = settings.over(3, || Ok(documents(4))).unwrap().next();
    assert!(matches!(outside, Some(Err(Error::IdOutOfRange { document: 3, id: 3, words: 3 }))));
}

/// Counts the items that are made, and that the iterator is dropped.
struct Counted {
    made: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

impl Iterator for Counted {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        Some(self.made.fetch_add(1, Ordering::SeqCst))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn dropping_the_consumer_stops_the_thread() {
    let (made, dropped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let items = Counted { made: Arc::clone(&made), dropped: Arc::clone(&dropped) };
    let mut ahead = Prefetch::new(3, items).unwrap();
    assert_eq!(ahead.by_ref().take(5).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    drop(ahead);
    // The drop waited for the thread: what it held is gone, and it had made at most depth + 1 items more.
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert!((5..=9).contains(&made.load(Ordering::SeqCst)));
}

#[test]
fn a_panic_comes_out_where_the_item_would_have() {
    let items = (0..5).map(|i| if i == 3 { panic!("item {i} is bad") } else { i });
    let mut ahead = Prefetch::new(1, items).unwrap();
    assert_eq!(ahead.by_ref().take(3).collect::<Vec<_>>(), [0, 1, 2]);
    let panic = panic::catch_unwind(panic::AssertUnwindSafe(|| ahead.next())).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), "item 3 is bad");
    assert_eq!(ahead.next(), None);
}

#[test]
fn prefetching_needs_room_and_ends_once() {
    let refused = Prefetch::new(0, 0..3).unwrap_err().to_string();
    assert_eq!(
        refused,
        "prefetch depth = 0: expected at least 1 (without prefetching, use the iterator as it is)"
    );
    let mut ahead = Prefetch::new(9, 0..2).unwrap();
    assert_eq!([ahead.next(), ahead.next(), ahead.next(), ahead.next()], [Some(0), Some(1), None, None]);
}

#[test]
fn batches_can_be_made_on_any_thread() {
    let corpus = corpus(50);
    let batching = Batching { size: 7, order: BatchOrder::Shuffled, seed: 1, ..Batching::default() };
    let batches = batching.over(&corpus).unwrap();
    let expected: Vec<Minibatch> = batches.starting_at(0).take(24).collect();
    thread::scope(|scope| {
        for part in 0..3 {
            let (batches, expected) = (&batches, &expected);
            scope.spawn(move || {
                (part..24).step_by(3).for_each(|i| assert_eq!(batches.batch(i), expected[i as usize]));
            });
        }
    });
    let ahead = Prefetch::new(2, batches.starting_at(0)).unwrap();
    assert!(ahead.zip(&expected).all(|(a, b)| a == *b));
    // Parts of a corpus are cut by their own positions.
    let part = corpus.select(&[40, 30, 20]);
    let batch = Batching { size: 2, ..Batching::default() }.over(&part).unwrap().batch(1);
    assert_eq!((words(&batch), batch.positions), (vec![20], vec![2]));
}
