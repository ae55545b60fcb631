//! A value with its name and where it stands.

use record::NamedValue;

/// A name, a value and where it stands.
pub(super) fn named(name: impl Into<String>, value: impl Into<String>, from: impl Into<String>) -> NamedValue {
    NamedValue { name: name.into(), value: value.into(), from: from.into() }
}
