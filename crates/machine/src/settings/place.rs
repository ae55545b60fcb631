//! A place whose value is held: a setting that is chosen, or something that a change of one disturbs.

use super::Node;
use super::disturbed::Disturbed;
use crate::Root;
use record::Reading;

/// A place whose value is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A setting.
    Node(Node),
    /// What a change of a setting disturbs.
    Disturbed(Disturbed),
}

impl Place {
    /// Its name in the journal and to people: a path, but for threads.
    pub(super) fn path(&self) -> String {
        match self {
            Place::Node(node) => node.path(),
            Place::Disturbed(place) => place.path(),
        }
    }

    /// The place of this name, if it is one that is ever written.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let node = Node::from_path(path).map(Place::Node);
        node.or_else(|| Disturbed::from_path(path).map(Place::Disturbed))
    }

    /// The value in force.
    ///
    /// # Errors
    /// It does not exist (any more) or cannot be read.
    pub(super) fn read(&self, root: &Root) -> Reading<String> {
        match self {
            Place::Node(node) => node.read(root),
            Place::Disturbed(place) => place.read(root),
        }
    }

    /// Writes a value.
    ///
    /// # Errors
    /// What the kernel says.
    pub(super) fn write(&self, root: &Root, value: &str) -> Reading<()> {
        match self {
            Place::Node(node) => root.write(&node.path(), value),
            Place::Disturbed(place) => place.write(root, value),
        }
    }

    /// True if it can end without anybody having to put anything back: a thread, an interrupt, a group.
    pub(super) fn may_end(&self) -> bool {
        matches!(self, Place::Disturbed(place) if place.may_end())
    }
}
