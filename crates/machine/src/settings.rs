//! Changes of kernel settings, and their way back.
//!
//! Every change goes through [`Settings::set`]: it first appends `{path, old, new, boot id}` to a
//! journal on disk and syncs it, then writes, then reads back. Restoration is
//! compare-and-restore: a value that somebody else changed meanwhile is left alone and named.
//! It happens last change first, by [`Settings::restore`], by `Drop`, and from the journal alone
//! ([`restore_from_journal`]) when the process that made it is gone.
//!
//! Only known nodes are written ([`Node`]), and only values that the node itself lists or allows.

mod device_name;
mod journal;
mod node;
mod restore;

pub use device_name::DeviceName;
pub use node::Node;

use crate::Root;
use journal::{Entry, Journal};
use record::{Missing, Reading, Restored, SettingChange};
use restore::{Held, restore_one};
use std::path::Path;

/// Settings that are changed for the time of a run.
#[derive(Debug)]
pub struct Settings {
    root: Root,
    boot_id: String,
    journal: Option<Journal>,
    held: Vec<Held>,
}

impl Settings {
    /// Nothing changed yet; the journal is there, empty and held by this process.
    ///
    /// # Errors
    /// The journal cannot be written: then nothing must be changed.
    pub fn new(root: &Root, journal: &Path) -> Reading<Self> {
        Ok(Self {
            root: root.clone(),
            boot_id: boot_id(root),
            journal: Some(Journal::create(journal)?),
            held: Vec::new(),
        })
    }

    /// Sets one value: journal, write, read back. Nothing is written when it already is as wanted.
    ///
    /// # Errors
    /// The node does not exist, cannot be read or written, or does not allow the value.
    pub fn set(&mut self, node: Node, value: &str) -> Reading<Option<SettingChange>> {
        let path = node.path();
        let current = node.read(&self.root)?;
        if current == value {
            return Ok(None);
        }
        node.allows(&self.root, value)?;
        let old = match self.held.iter().find(|held| held.node == node) {
            Some(held) => held.old.clone(),
            None => current.clone(),
        };
        self.append(&Entry {
            path: path.clone(),
            old: old.clone(),
            new: value.to_owned(),
            boot_id: self.boot_id.clone(),
        })?;
        // Held before it is written, so that a failure in between is restored as well.
        match self.held.iter_mut().find(|held| held.node == node) {
            Some(held) => held.ours = value.to_owned(),
            None => self.held.push(Held {
                node,
                old,
                ours: value.to_owned(),
            }),
        }
        self.root.write(&path, value)?;
        let read_back = node.read(&self.root);
        Ok(Some(SettingChange {
            path,
            old: current,
            new: value.to_owned(),
            read_back: read_back.into(),
            at_ms: None,
            restored: Restored::Pending,
        }))
    }

    /// Puts everything back, last change first. When all is back, the journal is removed.
    pub fn restore(&mut self) -> Vec<(String, Restored)> {
        let mut outcomes = Vec::new();
        while let Some(held) = self.held.pop() {
            outcomes.push((held.node.path(), restore_one(&self.root, &held)));
        }
        if let Some(journal) = self.journal.take().filter(|_| !any_failed(&outcomes)) {
            journal.remove();
        }
        outcomes
    }

    fn append(&mut self, entry: &Entry) -> Reading<()> {
        let Some(journal) = &mut self.journal else {
            return Err(Missing::unsupported(
                "journal",
                "settings have already been restored",
            ));
        };
        journal.append(entry)
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        self.restore();
    }
}

/// Restores what a dead process has left in its journal, and removes the journal. A journal from
/// before the last boot is only removed: the settings went with that boot.
///
/// # Errors
/// The journal exists but cannot be read, or its process is still running.
pub fn restore_from_journal(root: &Root, journal: &Path) -> Reading<Vec<(String, Restored)>> {
    let Some(mut journal) = Journal::left_behind(journal)? else {
        return Ok(Vec::new());
    };
    let entries = journal.entries()?;
    let boot_id = boot_id(root);
    let mut held: Vec<Held> = Vec::new();
    for entry in entries {
        let Some(node) = Node::from_path(&entry.path).filter(|_| entry.boot_id == boot_id) else {
            continue;
        };
        match held.iter_mut().find(|held| held.node == node) {
            Some(held) => held.ours = entry.new,
            None => held.push(Held {
                node,
                old: entry.old,
                ours: entry.new,
            }),
        }
    }
    let outcomes: Vec<(String, Restored)> = held
        .iter()
        .rev()
        .map(|held| (held.node.path(), restore_one(root, held)))
        .collect();
    if !any_failed(&outcomes) {
        journal.remove();
    }
    Ok(outcomes)
}

fn any_failed(outcomes: &[(String, Restored)]) -> bool {
    outcomes
        .iter()
        .any(|(_, outcome)| matches!(outcome, Restored::Failed(_)))
}

fn boot_id(root: &Root) -> String {
    root.read_value("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
