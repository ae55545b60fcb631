//! Counter of computed views, for the test that none is computed twice for one Record. It is not part of programs.

use std::cell::RefCell;
use std::collections::BTreeMap;

thread_local! {
    static COMPUTED: RefCell<BTreeMap<String, usize>> = const { RefCell::new(BTreeMap::new()) };
}

/// Counts a view that is computed.
pub(crate) fn add(view: String) {
    COMPUTED.with_borrow_mut(|computed| *computed.entry(view).or_default() += 1);
}

/// Views that this thread has computed since the last call, each with its argument and a count.
pub fn take() -> BTreeMap<String, usize> {
    COMPUTED.take()
}
