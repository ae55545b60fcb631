//! Locks the board, even if a previous holder panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
