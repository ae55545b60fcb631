//! Changes in force, in memory and in the journal: makes one change, and restores all of them. Shared by the code that
//! makes changes and the restore handle.

mod suspended;

use super::cooling;
use super::journal::{Entry, Journal};
use super::place::Place;
use super::programs;
use super::restore::{OldValue, WriteBack, restore_one, unsettled};
use super::settings_lock::SettingsLock;
use super::side_effects::{disturbed_by, emptied_cpuset};
use super::{Node, Outcome};
use crate::Root;
use record::{Fact, Missing, Reading, RestoreOutcome, SettingChange, StableSort, UnmetSetting};
use std::path::PathBuf;
use std::time::Duration;
use suspended::machine_name;

/// Settings changed at this moment.
#[derive(Debug)]
pub(super) struct Changes {
    pub(super) root: Root,
    boot_id: String,
    machine: String,
    journal: Option<Journal>,
    held: Vec<OldValue>,
    /// Side effects that were settled before the restoration, with the setting that caused them.
    settled_early: Vec<(String, RestoreOutcome)>,
    /// The journal has entries of another machine.
    is_shared: bool,
    /// Number of unreadable lines in the journal that may belong to this boot.
    damaged: usize,
    /// Held until everything is restored.
    alone: Option<SettingsLock>,
}

impl Changes {
    /// Entries of the journal from this boot; empty for a new journal.
    ///
    /// # Errors
    /// It cannot be read, or the boot id is unknown (no `/proc`), which the restoring process would need as well.
    pub(super) fn of(root: &Root, mut journal: Journal, alone: Option<SettingsLock>) -> Reading<Self> {
        let boot_id = root.read_value("/proc/sys/kernel/random/boot_id")?;
        let (entries, damaged) = journal.entries()?;
        let machine = machine_name(root);
        let is_of_other = |entry: &&Entry| entry.machine.as_ref().is_some_and(|name| *name != machine);
        let of_others: Vec<&Entry> = entries.iter().filter(is_of_other).collect();
        let own = || entries.iter().filter(|entry| !is_of_other(entry) && entry.boot_id == boot_id);
        let of_this_boot = own().next().is_some();
        let uptime = crate::uptime_ms(root).map(Duration::from_millis);
        let of_this_boot =
            of_this_boot || entries.is_empty() && uptime.is_ok_and(|uptime| journal.is_of_this_boot(uptime));
        Ok(Self {
            root: root.clone(),
            held: unsettled(own()),
            settled_early: Vec::new(),
            is_shared: !unsettled(of_others.into_iter()).is_empty(),
            damaged: if of_this_boot { damaged } else { 0 },
            boot_id,
            machine,
            journal: Some(journal),
            alone,
        })
    }

    /// Path by which another process opens the journal; none after everything was restored.
    pub(super) fn journal_descriptor(&self) -> Option<PathBuf> {
        self.journal.as_ref().map(Journal::descriptor)
    }

    /// Makes one change and checks the result.
    pub(super) fn set(&mut self, node: Node, value: &str) -> Outcome {
        let mut disturbed = Vec::new();
        let (change, why) = match self.change(node, value, &mut disturbed) {
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
        Outcome { change, disturbed, unmet: why.map(|why| self.unmet(node, value, why)) }
    }

    pub(super) fn unmet(&self, node: Node, value: &str, why: String) -> UnmetSetting {
        UnmetSetting {
            path: node.path(),
            wanted: value.to_owned(),
            found: node.read(&self.root).into(),
            why,
            ..UnmetSetting::default()
        }
    }

    /// A setting that another process changed, with the programs that can have done so.
    pub(super) fn changed_by_other(&self, node: Node, value: &str) -> UnmetSetting {
        let programs = programs::candidates(&self.root, node);
        let why = match programs.as_slice() {
            [] => "it was changed by another process".to_owned(),
            [one] => format!("it was changed by another process; {one} is running and can set it"),
            several => format!("it was changed by another process; {} are running and can set it", several.join(", ")),
        };
        UnmetSetting { programs, ..self.unmet(node, value, why) }
    }

    /// The user's value: the one before the first change, or one that the user or another program has set since. Unknown while
    /// cooling or firmware limits it.
    ///
    /// # Errors
    /// It cannot be read, or is not the user's.
    pub(super) fn of_user(&self, node: Node) -> Reading<String> {
        let held = self.find(&Place::Node(node));
        let current = match (held, node.read(&self.root)) {
            (Some(held), Ok(current)) if !held.is_ours(&self.root, &current) => current,
            (Some(held), _) => return Ok(held.old.clone()),
            (None, current) => current?,
        };
        match cooling::hides_limit(&self.root, node, &current) {
            Some(why) => Err(Missing::unsupported(node.path(), why)),
            None => Ok(current),
        }
    }

    /// Makes a change that the node allows; none if it is in force already. Appends its side effects to `disturbed`.
    fn change(
        &mut self,
        node: Node,
        value: &str,
        disturbed: &mut Vec<SettingChange>,
    ) -> Reading<Option<SettingChange>> {
        let path = node.path();
        let current = node.read(&self.root)?;
        // A limit lowered by cooling can read as the wanted value while set to another.
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
        let (change, mut places) = self.make(node, current, &old, value)?;
        disturbed.append(&mut places);
        Ok(Some(change))
    }

    /// Journals, writes and reads back one change. Returns it with its side effects.
    fn make(
        &mut self,
        node: Node,
        current: String,
        old: &str,
        value: &str,
    ) -> Reading<(SettingChange, Vec<SettingChange>)> {
        let path = node.path();
        let is_held = self.find(&Place::Node(node)).is_some();
        let disturbed = self.begin(node, old, value)?;
        if let Err(missing) = self.root.write(&path, value) {
            self.not_written(node, is_held, &current);
            return Err(missing);
        }
        let read_back = node.read(&self.root);
        if let Ok(read) = &read_back {
            self.record_change(&Place::Node(node), read);
        }
        let disturbed = disturbed.iter().filter_map(|place| self.disturbed(place)).collect();
        if value == old {
            self.retry(node);
        }
        let change = SettingChange {
            path,
            old: current,
            new: value.to_owned(),
            read_back: read_back.into(),
            ..SettingChange::default()
        };
        Ok((change, disturbed))
    }

    /// Records the value of a place after the change that may disturb it; none if it is unchanged.
    fn disturbed(&mut self, place: &Place) -> Option<SettingChange> {
        let read = place.read(&self.root);
        if let Ok(read) = &read {
            self.record_change(place, read);
        }
        let old = self.find(place)?.old.clone();
        if read.as_ref().is_ok_and(|read| *read == old) {
            return None;
        }
        Some(SettingChange {
            path: place.path(),
            old,
            new: read.clone().unwrap_or_default(),
            read_back: read.into(),
            disturbed: true,
            ..SettingChange::default()
        })
    }

    /// Journals the change and its side effects, side effects first, so that they are restored last. They are held
    /// before anything is written, so that a failure in between is restored as well.
    ///
    /// # Errors
    /// The journal could not be written; nothing must be changed then.
    fn begin(&mut self, node: Node, old: &str, value: &str) -> Reading<Vec<Place>> {
        let current = node.read(&self.root)?;
        let is_of_user = self.find(&Place::Node(node)).is_none_or(|held| !held.is_ours(&self.root, &current));
        if is_of_user {
            self.drop_disturbed_by(node);
        }
        let is_governor = matches!(node, Node::Governor(_));
        let mut disturbed = disturbed_by(&self.root, node, value);
        // Tunables of a governor that this program chose are not restored.
        disturbed.retain(|_| is_of_user || !is_governor);
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
            held.begin(None);
            held.disturbed_by = Some(setting);
            places.push(place);
        }
        let held = self.hold(&node, old);
        held.old = old.to_owned();
        held.begin(Some(value.to_owned()));
        Ok(places)
    }

    /// Another governor was chosen since, so the tunables of the previous one are gone.
    fn drop_disturbed_by(&mut self, node: Node) {
        for held in self.take_held(|held| held.disturbed_by == Some(node)) {
            self.settle_early(&held.place);
        }
    }

    fn settle_early(&mut self, place: &Place) {
        self.note_settled(place);
        self.settled_early.push((place.path(), RestoreOutcome::Done));
    }

    fn take_held(&mut self, is_taken: impl Fn(&OldValue) -> bool) -> Vec<OldValue> {
        self.held.extract_if(.., |held| is_taken(held)).collect()
    }

    fn hold(&mut self, place: &Place, old: &str) -> &mut OldValue {
        let at = match self.held.iter().position(|held| held.place == *place) {
            Some(at) => at,
            None => {
                self.held.push(OldValue::new(place.clone(), old.to_owned()));
                self.held.len() - 1
            }
        };
        &mut self.held[at]
    }

    /// Records a change that was made, with the value read back.
    fn record_change(&mut self, place: &Place, read: &str) {
        let Some(at) = self.held.iter().position(|held| held.place == *place) else { return };
        self.held[at].close(read.to_owned());
        let entry = Entry { read: Some(read.to_owned()), ..self.entry(place, &self.held[at].old.clone()) };
        self.note(&entry);
    }

    /// A failure is harmless: a later process reads the file itself.
    fn note(&mut self, entry: &Entry) {
        if let Some(journal) = &mut self.journal {
            let _known_here = journal.note(std::slice::from_ref(entry));
        }
    }

    /// The kernel refused the write: an unchanged value needs no restoration.
    fn not_written(&mut self, node: Node, was_held: bool, before: &str) {
        let place = Place::Node(node);
        let is_unchanged = place.read(&self.root).is_ok_and(|now| now == before);
        if !is_unchanged {
            return;
        }
        self.record_change(&place, before);
        if !was_held {
            self.held.retain(|held| held.place != place);
        }
    }

    /// Restores the side effects of a setting that has its old value again. One that fails stays held and is tried again at the
    /// end.
    fn retry(&mut self, node: Node) {
        for held in self.take_held(|held| held.disturbed_by == Some(node)).into_iter().rev() {
            let settled = restore_one(&self.root, &held, &[node]);
            match settled.outcome {
                RestoreOutcome::Done => self.settle_early(&held.place),
                _ => self.held.push(held),
            }
        }
    }

    /// Restores everything, last change first, and retries failures when all else is restored, because limits depend on
    /// each other. Each place is settled independently. The journal keeps only places that could not be reached, and is
    /// removed with the last of them.
    pub(super) fn restore(&mut self) -> Vec<(String, RestoreOutcome)> {
        let mut outcomes = std::mem::take(&mut self.settled_early);
        // A place that was disturbed again is restored below.
        outcomes.retain(|(path, _)| self.held.iter().all(|held| held.place.path() != *path));
        let mut failed = Vec::new();
        let mut written = Vec::new();
        let mut is_left = false;
        // Side effects come last, because they need the settings that cause them.
        self.held.stable_sort_by_key(|held| matches!(held.place, Place::Node(_)));
        while let Some(held) = self.held.pop() {
            self.note_begin_of_write_back(&held);
            let settled = restore_one(&self.root, &held, &written);
            if let Place::Node(node @ Node::Governor(_)) = held.place {
                self.note_recreated(node);
            }
            match settled.outcome {
                RestoreOutcome::Failed(_) => failed.push(held),
                _ => outcomes.push(self.settle(&held, settled, &mut written)),
            }
        }
        for held in failed {
            let settled = restore_one(&self.root, &held, &written);
            is_left |= !settled.is_final;
            outcomes.push(self.settle(&held, settled, &mut written));
        }
        for node in written {
            self.note_settled(&Place::Node(node));
        }
        let journal = self.journal.take();
        if let Some(journal) = journal.as_ref().filter(|_| self.damaged > 0) {
            let why = format!(
                "{} of its lines were unreadable, so the settings in them are unknown; check governors, clock limits and CPUs, or reboot",
                self.damaged
            );
            outcomes.push((journal.path().display().to_string(), RestoreOutcome::Failed(why)));
        }
        match journal.filter(|_| !is_left && !self.is_shared) {
            Some(journal) if self.damaged > 0 => journal.set_aside(),
            Some(journal) => journal.remove(),
            None => {}
        }
        // Without a journal nothing can be changed.
        self.alone = None;
        outcomes
    }

    fn settle(&mut self, held: &OldValue, settled: WriteBack, written: &mut Vec<Node>) -> (String, RestoreOutcome) {
        // A governor is settled after its tunables, because a process that continues an interrupted restore needs it.
        let is_awaited = matches!(held.place, Place::Node(node) if self.disturbs(node));
        if settled.is_final && !is_awaited {
            self.note_settled(&held.place);
        }
        match held.place {
            Place::Node(node) if settled.is_written => written.push(node),
            _ => {}
        }
        (held.place.path(), settled.outcome)
    }

    /// Notes that this program writes the governor back, so that a process that continues an interrupted restore does not take
    /// it for a later choice of the user.
    fn note_begin_of_write_back(&mut self, held: &OldValue) {
        let is_awaited = matches!(held.place, Place::Node(node @ Node::Governor(_)) if self.disturbs(node));
        let is_due = |now: String| now != held.old && held.is_ours(&self.root, &now);
        if is_awaited && held.place.read(&self.root).is_ok_and(is_due) {
            let entry = Entry { new: Some(held.old.clone()), ..self.entry(&held.place, &held.old) };
            self.note(&entry);
        }
    }

    /// Notes the initial values of tunables that came with the governor: a different value is a later choice of the user.
    fn note_recreated(&mut self, node: Node) {
        let of_node = |held: &&OldValue| {
            held.disturbed_by == Some(node) && held.place.is_recreated() && !held.is_write_back_begun()
        };
        let with_value =
            |held: &OldValue| Some((held.place.clone(), held.old.clone(), held.place.read(&self.root).ok()?));
        let found: Vec<_> = self.held.iter().filter(of_node).filter_map(with_value).collect();
        for (place, old, value) in found {
            let entry = Entry { new: Some(value), ..self.entry(&place, &old) };
            self.note(&entry);
        }
    }

    fn disturbs(&self, node: Node) -> bool {
        self.held.iter().any(|held| held.disturbed_by == Some(node))
    }

    fn note_settled(&mut self, place: &Place) {
        let entry = Entry { settled: true, ..self.entry(place, "") };
        self.note(&entry);
    }

    fn find(&self, place: &Place) -> Option<&OldValue> {
        self.held.iter().find(|held| held.place == *place)
    }

    fn entry(&self, place: &Place, old: &str) -> Entry {
        Entry {
            path: place.path(),
            old: old.to_owned(),
            new: None,
            read: None,
            settled: false,
            boot_id: self.boot_id.clone(),
            machine: Some(self.machine.clone()),
        }
    }

    /// State after SIGKILL: the journal's lock is gone, nothing is restored.
    #[cfg(test)]
    pub(super) fn forget(&mut self) {
        self.held.clear();
        self.journal = None;
    }
}
