//! Changes that are not in force: suspended while the run is stopped, or made by another process or machine.

use super::super::restore::OldValue;
use super::{Changes, Node, Place, cooling};
use crate::Root;

impl Changes {
    /// Restores the user's values for a while. Returns the values for [`Changes::resume`].
    pub(in crate::settings) fn suspend(&mut self) -> Vec<(Node, String)> {
        let set_by_us = |held: &OldValue| {
            let Place::Node(node) = held.place else { return None };
            let value = node.read(&self.root).ok()?;
            // A value that another process has set stays.
            let is_set = held.is_ours(&self.root, &value) && value != held.old;
            is_set.then(|| (node, value, held.old.clone()))
        };
        let set: Vec<_> = self.held.iter().rev().filter_map(set_by_us).collect();
        let restored = set.into_iter().filter(|(node, value, old)| self.make(*node, value.clone(), old, old).is_ok());
        restored.map(|(node, value, _)| (node, value)).collect()
    }

    /// Sets suspended values again, except where the setting was changed meanwhile.
    pub(in crate::settings) fn resume(&mut self, suspended: Vec<(Node, String)>) {
        for (node, value) in suspended.into_iter().rev() {
            let is_unchanged = |held: &OldValue| {
                node.read(&self.root).is_ok_and(|now| cooling::is_in_force(&self.root, node, &held.old, &now))
            };
            if self.find(&Place::Node(node)).is_some_and(is_unchanged) {
                // A failure is found and reported before the next step.
                let _unmet = self.change(node, &value, &mut Vec::new());
            }
        }
    }

    /// Drops places of an earlier run that were changed since: their current values are the user's.
    pub(in crate::settings) fn forget_what_others_changed(&mut self) {
        let root = self.root.clone();
        let is_changed =
            |held: &OldValue| held.place.read(&root).is_ok_and(|now| now == held.old || !held.is_ours(&root, &now));
        for held in self.take_held(is_changed) {
            self.note_settled(&held.place);
        }
    }

    /// Paths of settings that differ from the user's values.
    pub(in crate::settings) fn names(&self) -> Vec<String> {
        let is_changed = |held: &&OldValue| held.place.read(&self.root).is_ok_and(|now| now != held.old);
        let changed = self.held.iter().filter(is_changed);
        changed.map(|held| held.place.path()).collect()
    }
}

/// Identity of this machine among those that share a directory: installation, board and CPUs.
pub(super) fn machine_name(root: &Root) -> String {
    let files = [
        "/etc/machine-id",
        "/sys/firmware/devicetree/base/model",
        "/sys/class/dmi/id/product_name",
        "/sys/devices/system/cpu/possible",
    ];
    let values = files.map(|file| root.read_value(file).unwrap_or_default());
    values.map(|value| value.trim_end_matches('\0').to_owned()).join("|")
}
