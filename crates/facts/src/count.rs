//! Counter of computed views, for the test that none is computed twice for one Record. Not part of programs.

use record::Record;
use std::cell::RefCell;
use std::collections::BTreeMap;

thread_local! {
    static COMPUTED: RefCell<BTreeMap<(usize, String), usize>> = const { RefCell::new(BTreeMap::new()) };
}

/// Counts a view that is computed.
pub(crate) fn add(record: &Record, view: String) {
    let key = (std::ptr::from_ref(record).addr(), view);
    COMPUTED.with_borrow_mut(|computed| *computed.entry(key).or_default() += 1);
}

/// Views computed by this thread since the last call, each with the address of its Record and a count.
pub fn take() -> BTreeMap<(usize, String), usize> {
    COMPUTED.take()
}
