//! Pending output that a separate thread writes, so that callers never wait for a stopped terminal, a full pipe or a disk. The
//! owner decides what is written, its bounds, and what may be dropped.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Pending output of one writer.
#[derive(Debug, Default)]
pub struct Outbox<T> {
    due: Mutex<T>,
    changed: Condvar,
}

impl<T> Outbox<T> {
    /// With this pending output.
    pub const fn new(due: T) -> Self {
        Self { due: Mutex::new(due), changed: Condvar::new() }
    }

    /// Changes the pending output without waking the writer.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        crate::threads::lock(&self.due)
    }

    /// Changes the pending output and wakes all waiting threads.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }

    /// Waits until the condition holds, or until the deadline.
    pub fn wait(&self, until: Option<Instant>, mut is_so: impl FnMut(&mut T) -> bool) -> MutexGuard<'_, T> {
        let mut due = self.lock();
        while !is_so(&mut due) {
            let left = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            due = match until {
                Some(_) => self.changed.wait_timeout(due, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(due).unwrap_or_else(PoisonError::into_inner),
            };
        }
        due
    }

    /// Writes pending output in an endless loop; `take` returns `None` while there is none.
    pub fn serve<B>(&self, take: impl Fn(&mut T) -> Option<B>, write: impl Fn(B)) {
        loop {
            let mut taken = None;
            self.change(|due| taken = take(due));
            if taken.is_none() {
                drop(self.wait(None, |due| {
                    taken = take(due);
                    taken.is_some()
                }));
            }
            taken.into_iter().for_each(&write);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_is_written_in_its_order() {
        static OUTBOX: Outbox<(Vec<u32>, bool)> = Outbox::new((Vec::new(), false));
        static WRITTEN: Mutex<Vec<u32>> = Mutex::new(Vec::new());
        let take = |(due, is_busy): &mut (Vec<u32>, bool)| {
            *is_busy = !due.is_empty();
            is_busy.then(|| std::mem::take(due))
        };
        std::thread::spawn(move || OUTBOX.serve(take, |due| WRITTEN.lock().unwrap().extend(due)));
        (0..100).for_each(|number| OUTBOX.change(|(due, _)| due.push(number)));
        drop(OUTBOX.wait(None, |(due, is_busy)| due.is_empty() && !*is_busy));
        assert_eq!(*WRITTEN.lock().unwrap(), (0..100).collect::<Vec<_>>());
        // The condition never holds; the wait ends at the deadline.
        assert!(OUTBOX.wait(Some(Instant::now()), |_| false).0.is_empty());
    }
}
