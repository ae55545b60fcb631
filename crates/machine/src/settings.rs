//! Changes kernel settings and restores them.
//!
//! Every change goes through [`Settings::set`], which appends the intended change to a journal on disk, syncs it,
//! writes the value, reads it back and journals the result. The returned [`Outcome`] must be reported. Restoration
//! compares first: a value that another process has changed meanwhile is kept and reported. Changes are restored in
//! reverse order by [`Settings::restore`], on drop, by a [`RestoreHandle`] in another thread, or from the journal alone
//! ([`restore_from_journal`]) after the process has died.
//!
//! Only known nodes are written ([`Node`]), and only values that the node itself lists or allows. Side effects of a
//! change are restored as well.

mod changes;
mod cooling;
mod device_kind;
mod device_name;
pub(crate) mod foreign;
mod journal;
mod node;
mod outcome;
mod place;
mod programs;
mod restore;
mod settings_lock;
mod side_effects;

pub use device_kind::DeviceKind;
pub use device_name::DeviceName;
pub(crate) use node::MEM_SLEEP;
pub use node::Node;
pub use outcome::Outcome;

use crate::Root;
use crate::threads::lock;
use changes::Changes;
use journal::Journal;
use node::CPUS;
use record::{Fact, Missing, Reading, RestoreOutcome};
use settings_lock::SettingsLock;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Settings changed for a run.
#[derive(Debug)]
pub struct Settings {
    changes: Arc<Mutex<Changes>>,
    wanted: Vec<WantedSettings>,
}

/// Value wanted by the run.
#[derive(Debug)]
struct WantedSettings {
    node: Node,
    value: String,
    /// True after the value was found to differ and was set again.
    is_retried: bool,
    /// Last reported state.
    reported: Option<Fact<String>>,
}

impl Settings {
    /// Opens or creates the journal and locks it. Changes left by an earlier run stay in it and are restored with the
    /// rest.
    ///
    /// # Errors
    /// The journal cannot be written, or `/sys` is read-only. Nothing must be changed then, and nothing is left on the
    /// disk.
    pub fn new(root: &Root, journal: &Path) -> Reading<Self> {
        // Without a writable journal, no setting is changed.
        if root.is_read_only(CPUS) {
            return Err(Missing::unsupported("/sys", "it is mounted read-only"));
        }
        let alone = SettingsLock::take(root)?;
        let mut changes = Changes::of(root, Journal::create(journal)?, Some(alone))?;
        changes.forget_what_others_changed();
        Ok(Self { changes: Arc::new(Mutex::new(changes)), wanted: Vec::new() })
    }

    /// Sets one value: journals, writes, reads back. A value that is in force already is not written.
    ///
    /// Refused if the node does not exist, cannot be read or written or does not allow the value, or if the value to
    /// restore is unknown.
    pub fn set(&mut self, node: Node, value: &str) -> Outcome {
        let outcome = lock(&self.changes).set(node, value);
        let reported = outcome.unmet.as_ref().map(|unmet| unmet.found.clone());
        self.wanted.retain(|wanted| wanted.node != node);
        self.wanted.push(WantedSettings { node, value: value.to_owned(), is_retried: false, reported });
        outcome
    }

    /// Compares the wanted settings with those in force. A setting that differs is set once more, except a clock limit that was
    /// lowered. One that still differs is reported, and again only when it changes. The value of another program is the one
    /// that is restored at the end.
    pub fn check(&mut self) -> Vec<Outcome> {
        let mut changes = lock(&self.changes);
        let mut outcomes = Vec::new();
        for wanted in &mut self.wanted {
            let (node, value) = (wanted.node, wanted.value.as_str());
            let found = node.read(&changes.root);
            let is_met = |now: &String| cooling::is_in_force(&changes.root, node, value, now);
            // The kernel may take a hot CPU offline.
            if matches!(node, Node::CpuOnline(_)) || found.as_ref().is_ok_and(is_met) {
                continue;
            }
            // A limit that was lowered may protect the machine.
            let is_lowered = match (node, &found) {
                (Node::ClockMax(_), Ok(now)) => now.parse::<u32>().ok() < value.parse().ok(),
                _ => false,
            };
            wanted.is_retried |= is_lowered;
            let outcome = if std::mem::replace(&mut wanted.is_retried, true) {
                Outcome { change: None, disturbed: Vec::new(), unmet: Some(changes.changed_by_other(node, value)) }
            } else {
                changes.set(node, value)
            };
            let reported = outcome.unmet.as_ref().map(|unmet| unmet.found.clone());
            let is_news = outcome.change.is_some() || (reported.is_some() && reported != wanted.reported);
            wanted.reported = reported;
            if is_news {
                outcomes.push(outcome);
            }
        }
        outcomes
    }

    /// Value that a node should have while no other one is wanted: the last one set, or else the user's.
    ///
    /// # Errors
    /// It cannot be read, or may not be the user's.
    pub fn in_place(&self, node: Node) -> Reading<String> {
        match self.wanted.iter().find(|wanted| wanted.node == node) {
            Some(wanted) => Ok(wanted.value.clone()),
            None => lock(&self.changes).of_user(node),
        }
    }

    /// Reason why a setting cannot be changed now but perhaps later: cooling limits it.
    pub fn is_hidden(&self, node: Node) -> Option<Missing> {
        let changes = lock(&self.changes);
        node.read(&changes.root).ok()?;
        changes.of_user(node).err()
    }

    /// Restores all settings, last change first, and removes the journal when all are restored.
    pub fn restore(&mut self) -> Vec<(String, RestoreOutcome)> {
        self.wanted.clear();
        lock(&self.changes).restore()
    }

    /// Path by which another process of this user opens the journal while this one lives.
    pub fn journal_descriptor(&self) -> Option<PathBuf> {
        lock(&self.changes).journal_descriptor()
    }

    /// A restore handle for callers that cannot wait for the owner.
    pub fn way_back(&self) -> RestoreHandle {
        RestoreHandle(Arc::clone(&self.changes))
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        self.restore();
    }
}

/// Restores all settings from another thread.
#[derive(Debug, Clone)]
pub struct RestoreHandle(Arc<Mutex<Changes>>);

impl RestoreHandle {
    /// Restores all settings; afterwards none can be set.
    pub fn go(&self) -> Vec<(String, RestoreOutcome)> {
        lock(&self.0).restore()
    }

    /// Restores all settings while the run is stopped. `stopped` returns when the run continues; settings that were not changed
    /// meanwhile are set again.
    pub fn suspend<T>(&self, stopped: impl FnOnce() -> T) -> T {
        let suspended = lock(&self.0).suspend();
        let out = stopped();
        lock(&self.0).resume(suspended);
        out
    }
}

/// Restores what a dead process left in its journal, and removes the journal. A journal from before the last boot is
/// only removed, because settings do not survive a boot.
///
/// # Errors
/// The journal exists but cannot be read, or its process is still running.
pub fn restore_from_journal(root: &Root, journal: &Path) -> Reading<Vec<(String, RestoreOutcome)>> {
    match Journal::left_behind(journal)? {
        // Restoring does not need the lock, which another container may hold.
        Some(journal) => Ok(Changes::of(root, journal, SettingsLock::take(root).ok())?.restore()),
        None => {
            SettingsLock::forget(root);
            Ok(Vec::new())
        }
    }
}

/// Journal of another live process of this user, opened before that process may die. Its name may later belong to
/// another file or to none.
#[derive(Debug)]
pub struct OpenJournal {
    path: PathBuf,
    file: File,
}

impl OpenJournal {
    /// Opens the journal with this name by [`Settings::journal_descriptor`]; `None` if its process has ended or belongs
    /// to another PID namespace.
    pub fn open(path: &Path, descriptor: &Path) -> Option<Self> {
        let file = journal::opened(descriptor).filter(|file| journal::is_named(path, file))?;
        Some(Self { path: path.to_owned(), file })
    }

    /// As [`restore_from_journal`].
    ///
    /// # Errors
    /// The journal cannot be read, or its process is still running.
    pub fn restore(&self, root: &Root) -> Reading<Vec<(String, RestoreOutcome)>> {
        let journal = Journal::of_open(&self.path, &self.file)?;
        Ok(Changes::of(root, journal, SettingsLock::take(root).ok())?.restore())
    }
}

/// Names of settings that a dead process left in its journal and that are still in force.
///
/// # Errors
/// As [`restore_from_journal`].
pub fn journal_entries_left(root: &Root, journal: &Path) -> Reading<Vec<String>> {
    match Journal::left_behind(journal)? {
        Some(journal) => Ok(Changes::of(root, journal, None)?.names()),
        None => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod interleavings;
#[cfg(test)]
mod kernels;
#[cfg(test)]
mod tests;
