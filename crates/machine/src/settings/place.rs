//! A place whose value is held: a setting that is chosen, or something that a change of one disturbs.

use super::Node;
use super::disturbed::SideEffect;
use crate::Root;
use record::Reading;

/// A place whose value is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A setting.
    Node(Node),
    /// Settings disturbed by a change of another setting.
    SideEffect(SideEffect),
}

impl Place {
    /// Its name in the journal and to people: a path, but for threads.
    pub(super) fn path(&self) -> String {
        match self {
            Place::Node(node) => node.path(),
            Place::SideEffect(place) => place.path(),
        }
    }

    /// The place of this name, if it is one that is ever written.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let node = Node::from_path(path).map(Place::Node);
        node.or_else(|| SideEffect::from_path(path).map(Place::SideEffect))
    }

    /// The value in force.
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
    /// Value in the kernel.
    pub(super) fn write(&self, root: &Root, value: &str) -> Reading<()> {
        match self {
            Place::Node(node) => root.write(&node.path(), value),
            Place::SideEffect(place) => place.write(root, value),
        }
    }

    /// True if it can disappear without a need to restore it: a thread, an interrupt, a group, a tunable.
    pub(super) fn may_end(&self) -> bool {
        matches!(self, Place::SideEffect(place) if place.may_end() || place.is_recreated())
    }

    /// True if the kernel creates it again with the setting that it belongs to.
    pub(super) fn is_recreated(&self) -> bool {
        matches!(self, Place::SideEffect(place) if place.is_recreated())
    }
}
