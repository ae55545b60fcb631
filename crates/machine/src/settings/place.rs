//! Place whose value is held: a chosen setting, or a side effect of a change.

use super::Node;
use super::side_effects::SideEffect;
use crate::Root;
use record::Reading;

/// A place whose value is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A setting.
    Node(Node),
    /// Side effect of a setting.
    SideEffect(SideEffect),
}

impl Place {
    /// Name in the journal and in messages: a path, except for threads.
    pub(super) fn path(&self) -> String {
        match self {
            Place::Node(node) => node.path(),
            Place::SideEffect(place) => place.path(),
        }
    }

    /// Parses a name; none for places that are never written.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let node = Node::from_path(path).map(Place::Node);
        node.or_else(|| SideEffect::from_path(path).map(Place::SideEffect))
    }

    /// Value in force.
    ///
    /// # Errors
    /// It does not exist (any more) or cannot be read.
    pub(super) fn read(&self, root: &Root) -> Reading<String> {
        match self {
            Place::Node(node) => node.read(root),
            Place::SideEffect(place) => place.read(root),
        }
    }

    /// Writes a value.
    ///
    /// # Errors
    /// The kernel rejects it.
    pub(super) fn write(&self, root: &Root, value: &str) -> Reading<()> {
        match self {
            Place::Node(node) => root.write(&node.path(), value),
            Place::SideEffect(place) => place.write(root, value),
        }
    }

    /// True if it can disappear without having to be restored: a thread, an interrupt, a cpuset, a tunable.
    pub(super) fn may_end(&self) -> bool {
        matches!(self, Place::SideEffect(place) if place.may_end() || place.is_recreated())
    }

    /// True if the kernel recreates it with its setting.
    pub(super) fn is_recreated(&self) -> bool {
        matches!(self, Place::SideEffect(place) if place.is_recreated())
    }
}
