//! Constructor of a named value with its source.

use record::NamedValue;

/// Name, value and source.
pub(super) fn named(name: impl Into<String>, value: impl Into<String>, from: impl Into<String>) -> NamedValue {
    NamedValue { name: name.into(), value: value.into(), from: from.into() }
}
