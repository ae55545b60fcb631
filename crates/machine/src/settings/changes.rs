//! What is changed at this moment, in memory and in the journal: the making of one change, and the way back
//! of all of them. Two hold it: the code that makes changes, and the restore handle.

use super::alone::Alone;
use super::cooling;
use super::disturbed::{disturbed_by, emptied_cpuset};
use super::journal::{Entry, Journal};
use super::place::Place;
use super::restore::{Held, held, restore_one};
use super::{Node, Outcome};
use crate::Root;
use record::{Fact, Missing, Reading, Restored, SettingChange, UnmetSetting};
use std::time::Duration;

/// What is changed at this moment.
#[derive(Debug)]
pub(super) struct Changes {
    pub(super) root: Root,
    boot_id: String,
    journal: Option<Journal>,
    held: Vec<Held>,
    /// Lines of the journal that nobody can read and that may be about this boot.
    damaged: usize,
    /// Until everything is back.
    alone: Option<Alone>,
}

impl Changes {
    /// What this journal holds of this boot; nothing in a new one.
    ///
    /// # Errors
    /// It cannot be read, or nobody knows which boot this is (no `/proc`): the process that restores could not tell either.
    pub(super) fn of(root: &Root, mut journal: Journal, alone: Option<Alone>) -> Reading<Self> {
        let boot_id = root.read_value("/proc/sys/kernel/random/boot_id")?;
        let (entries, damaged) = journal.entries()?;
        let of_this_boot = entries.iter().any(|entry| entry.boot_id == boot_id);
        let uptime = crate::uptime_ms(root).map(Duration::from_millis);
        let of_this_boot =
            of_this_boot || entries.is_empty() && uptime.is_ok_and(|uptime| journal.is_of_this_boot(uptime));
        Ok(Self {
            root: root.clone(),
            held: held(entries, &boot_id),
            damaged: if of_this_boot { damaged } else { 0 },
            boot_id,
            journal: Some(journal),
            alone,
        })
    }

    /// Makes one change, and checks the result.
    pub(super) fn set(&mut self, node: Node, value: &str) -> Outcome {
        let (change, why) = match self.change(node, value) {
            Ok(None) => (None, None),
            Ok(Some(change)) => match &change.read_back {
                Fact::Known(now) if cooling::is_in_force(&self.root, node, value, now) => (Some(change), None),
                Fact::Known(now) => {
                    let why = format!("after writing, it reads {now}");
                    (Some(change), Some(why))
                }
                Fact::Missing { missing } => {
                    let why = format!("after writing, it cannot be read ({missing})");
                    (Some(change), Some(why))
                }
            },
            Err(missing) => (None, Some(missing.to_string())),
        };
        Outcome { change, unmet: why.map(|why| self.unmet(node, value, why)) }
    }

    pub(super) fn unmet(&self, node: Node, value: &str, why: String) -> UnmetSetting {
        UnmetSetting {
            path: node.path(),
            wanted: value.to_owned(),
            found: node.read(&self.root).into(),
            why,
            at_ms: None,
            before_step: None,
        }
    }

    /// The value that the user had set; unknown while cooling or firmware limits it.
    ///
    /// # Errors
    /// It cannot be read, or is not the user's.
    pub(super) fn of_user(&self, node: Node) -> Reading<String> {
        if let Some(held) = self.find(&Place::Node(node)) {
            return Ok(held.old.clone());
        }
        let current = node.read(&self.root)?;
        match cooling::hides_limit(&self.root, node, &current) {
            Some(why) => Err(Missing::unsupported(node.path(), why)),
            None => Ok(current),
        }
    }

    /// Journal, write, read back.
    fn change(&mut self, node: Node, value: &str) -> Reading<Option<SettingChange>> {
        let path = node.path();
        let current = node.read(&self.root)?;
        let is_held = self.find(&Place::Node(node)).is_some();
        // What cooling lowers can read as wanted and be set to something else.
        let is_sure = cooling::hides_limit(&self.root, node, &current).is_none();
        if current == value && is_sure {
            return Ok(None);
        }
        node.allows(&self.root, value)?;
        if let (Node::CpuOnline(cpu), "0") = (node, value)
            && let Some(folder) = emptied_cpuset(&self.root, cpu)
        {
            let reason = format!("the processes in {folder} have no other CPU");
            return Err(Missing::unsupported(path, reason));
        }
        let old = self.of_user(node)?;
        let disturbed = self.begin(node, &old, value)?;
        if let Err(missing) = self.root.write(&path, value) {
            self.not_written(node, is_held, &current);
            return Err(missing);
        }
        let read_back = node.read(&self.root);
        if let Ok(read) = &read_back {
            self.made(&Place::Node(node), read);
        }
        for place in &disturbed {
            if let Ok(read) = place.read(&self.root) {
                self.made(place, &read);
            }
        }
        if value == old {
            self.retry(node);
        }
        Ok(Some(SettingChange {
            path,
            old: current,
            new: value.to_owned(),
            read_back: read_back.into(),
            at_ms: None,
            restored: Restored::Pending,
        }))
    }

    /// Everything that is about to change goes to the journal, what is disturbed first: on the way back it
    /// comes last. Held before anything is written, so that a failure in between is restored as well.
    ///
    /// # Errors
    /// It could not be written down: then nothing must be changed.
    fn begin(&mut self, node: Node, old: &str, value: &str) -> Reading<Vec<Place>> {
        let disturbed = disturbed_by(&self.root, node, value);
        let mut entries = Vec::new();
        for (place, current) in &disturbed {
            let place = Place::SideEffect(place.clone());
            let old = match self.find(&place) {
                Some(held) => held.old.clone(),
                None => current.clone(),
            };
            entries.push(self.entry(&place, &old));
        }
        let node = Place::Node(node);
        entries.push(Entry { new: Some(value.to_owned()), ..self.entry(&node, old) });
        let Some(journal) = &mut self.journal else {
            let reason = "settings were already restored";
            return Err(Missing::unsupported("journal", reason));
        };
        journal.append(&entries)?;
        let mut places = Vec::new();
        for (place, current) in disturbed {
            let place = Place::SideEffect(place);
            let Place::Node(setting) = node else { continue };
            let held = self.hold(&place, &current);
            held.disturbed_by = Some(setting);
            places.push(place);
        }
        self.hold(&node, old).add(value.to_owned());
        Ok(places)
    }

    fn hold(&mut self, place: &Place, old: &str) -> &mut Held {
        let at = match self.held.iter().position(|held| held.place == *place) {
            Some(at) => at,
            None => {
                self.held.push(Held::new(place.clone(), old.to_owned()));
                self.held.len() - 1
            }
        };
        let held = &mut self.held[at];
        held.is_open = true;
        held
    }

    /// A change was made and reads so.
    fn made(&mut self, place: &Place, read: &str) {
        let Some(at) = self.held.iter().position(|held| held.place == *place) else {
            return;
        };
        self.held[at].close(read.to_owned());
        let entry = Entry { read: Some(read.to_owned()), ..self.entry(place, &self.held[at].old.clone()) };
        if let Some(journal) = &mut self.journal {
            // Without this line, any later value is taken for ours.
            let _known_here = journal.note(&[entry]);
        }
    }

    /// The kernel refused the write: what was not changed has no way back.
    fn not_written(&mut self, node: Node, was_held: bool, before: &str) {
        let place = Place::Node(node);
        let is_unchanged = place.read(&self.root).is_ok_and(|now| now == before);
        if !is_unchanged {
            return;
        }
        self.made(&place, before);
        if !was_held {
            self.held.retain(|held| held.place != place);
        }
    }

    /// A setting has its old value again: so has what its change had disturbed. It stays held, so that what
    /// cannot be put back now is tried again at the end, and told.
    fn retry(&self, node: Node) {
        let of_node = |held: &&Held| held.disturbed_by == Some(node);
        for held in self.held.iter().rev().filter(of_node) {
            let _tried_again_at_the_end = restore_one(&self.root, held);
        }
    }

    /// Puts everything back, last change first; what fails is tried once more when all else is back, because
    /// limits depend on each other. When all is back, the journal is removed.
    pub(super) fn restore(&mut self) -> Vec<(String, Restored)> {
        let mut outcomes = Vec::new();
        let mut failed = Vec::new();
        while let Some(held) = self.held.pop() {
            match restore_one(&self.root, &held) {
                Restored::Failed(_) => failed.push(held),
                outcome => outcomes.push((held.place.path(), outcome)),
            }
        }
        for held in failed {
            outcomes.push((held.place.path(), restore_one(&self.root, &held)));
        }
        if let Some(journal) = self.journal.as_ref().filter(|_| self.damaged > 0) {
            let why = format!(
                "{} of its lines are unreadable, so the settings in them are unknown: check governors, clock limits and CPUs or reboot, then remove it",
                self.damaged
            );
            outcomes.push((journal.path().display().to_string(), Restored::Failed(why)));
        }
        let any_failed = outcomes.iter().any(|(_, outcome)| matches!(outcome, Restored::Failed(_)));
        if let Some(journal) = self.journal.take().filter(|_| !any_failed) {
            journal.remove();
        }
        // Without a journal nothing is changed any more.
        self.alone = None;
        outcomes
    }

    /// What is changed and reads otherwise than the user had it.
    pub(super) fn names(&self) -> Vec<String> {
        let is_changed = |held: &&Held| held.place.read(&self.root).is_ok_and(|now| now != held.old);
        let changed = self.held.iter().filter(is_changed);
        changed.map(|held| held.place.path()).collect()
    }

    fn find(&self, place: &Place) -> Option<&Held> {
        self.held.iter().find(|held| held.place == *place)
    }

    fn entry(&self, place: &Place, old: &str) -> Entry {
        Entry { path: place.path(), old: old.to_owned(), new: None, read: None, boot_id: self.boot_id.clone() }
    }

    /// What SIGKILL leaves: the journal's lock is gone, nothing is restored.
    #[cfg(test)]
    pub(super) fn forget(&mut self) {
        self.held.clear();
        self.journal = None;
    }
}
