//! The board behind its lock, usable however its holders ended.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
