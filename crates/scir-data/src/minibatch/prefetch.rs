//! Making items on a thread of its own, a few ahead of whoever uses them.

use std::panic;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

use crate::error::{Error, Result};

/// An iterator whose items are made on a background thread, so that reading overlaps computing.
///
/// The items and their order are those of the iterator it is made from, whatever the depth: errors come where they would
/// have come, and a panic there is a panic here, in [`next`](Iterator::next). At most `depth` finished items wait, and
/// one more is in the making, which bounds the memory. When it is dropped the thread stops after the item at hand, and
/// the drop waits for that.
///
/// ```
/// use scir_data::Prefetch;
/// # fn main() -> scir_data::Result<()> {
/// let squares = Prefetch::new(4, (0..10).map(|x| x * x))?;
/// assert_eq!(squares.sum::<i32>(), 285);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Prefetch<T> {
    /// None once the items are exhausted.
    receiver: Option<Receiver<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Prefetch<T> {
    /// Starts to make `items`, up to `depth` of them ahead.
    ///
    /// # Errors
    /// [`Error::Setting`] if `depth` is 0; [`Error::Thread`] if the system gives no thread.
    pub fn new<I>(depth: usize, items: I) -> Result<Self>
    where
        I: Iterator<Item = T> + Send + 'static,
    {
        if depth == 0 {
            let expected = "at least 1 (without prefetching, use the iterator as it is)";
            return Err(Error::Setting { name: "prefetch depth", value: "0".into(), expected });
        }
        let (sender, receiver) = sync_channel(depth);
        let work = move || {
            for item in items {
                // Nobody listens any more: the consumer was dropped.
                if sender.send(item).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("prefetch".into()).spawn(work);
        let thread = thread.map_err(|source| Error::Thread { source })?;
        Ok(Self { receiver: Some(receiver), thread: Some(thread) })
    }
}

impl<T> Iterator for Prefetch<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if let Ok(item) = self.receiver.as_ref()?.recv() {
            return Some(item);
        }
        // The thread has ended, at the end of the items or in a panic.
        self.receiver = None;
        if let Some(Err(payload)) = self.thread.take().map(JoinHandle::join) {
            panic::resume_unwind(payload);
        }
        None
    }
}

impl<T> Drop for Prefetch<T> {
    fn drop(&mut self) {
        // First hang up, so that a thread that waits for room stops waiting.
        self.receiver = None;
        if let Some(thread) = self.thread.take() {
            // A panic in an item that nobody asked for has nobody to be told.
            let _ = thread.join();
        }
    }
}
