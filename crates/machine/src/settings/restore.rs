//! Restores one value if it is still ours. Order and selection are decided elsewhere.

use super::Node;
use super::cooling;
use super::journal::Entry;
use super::place::Place;
use super::side_effects::SideEffect;
use crate::Root;
use record::{Missing, MissingReason, RestoreOutcome};
use std::time::Duration;

/// Old and new value of a setting.
#[derive(Debug, Clone)]
pub(super) struct OldValue {
    pub(super) place: Place,
    /// The user's value.
    pub(super) old: String,
    /// Last written value, and the value that the kernel showed for it.
    ours: Vec<String>,
    /// Likewise for the previous change, until the last one is read back.
    previous: Vec<String>,
    /// True if a change was begun and not read back.
    is_open: bool,
    /// Setting whose change disturbs this place, if it is not changed itself.
    pub(super) disturbed_by: Option<Node>,
}

/// Outcome of one place, and whether it is settled.
pub(super) struct WriteBack {
    pub(super) outcome: RestoreOutcome,
    /// This program wrote the user's value, now or earlier. Values that the kernel creates with it were not chosen by the user.
    pub(super) is_written: bool,
    /// False if the file could not be read or written, so that it may still have a value of ours.
    pub(super) is_final: bool,
}

impl WriteBack {
    fn new(outcome: RestoreOutcome, is_written: bool) -> Self {
        Self { outcome, is_written, is_final: true }
    }

    fn unreachable(missing: &Missing) -> Self {
        Self { outcome: RestoreOutcome::Failed(missing.to_string()), is_written: false, is_final: false }
    }
}

impl OldValue {
    /// Creates a place with the user's value.
    pub(super) fn new(place: Place, old: String) -> Self {
        let disturbed_by = match &place {
            Place::SideEffect(place) => place.governor(),
            Place::Node(_) => None,
        };
        Self { place, old, ours: Vec::new(), previous: Vec::new(), is_open: true, disturbed_by }
    }

    /// Begins a change to this value.
    pub(super) fn begin(&mut self, value: Option<String>) {
        if let Some(value) = value {
            self.previous.append(&mut self.ours);
            self.ours.push(value);
        }
        self.is_open = true;
    }

    /// Completes the change with the value read back.
    pub(super) fn close(&mut self, read: String) {
        self.previous.clear();
        self.ours.push(read);
        self.is_open = false;
    }

    /// True if an interrupted restore has noted the initial value of a recreated place.
    pub(super) fn is_write_back_begun(&self) -> bool {
        self.is_open && !self.ours.is_empty()
    }

    /// True if the place has a value that this program wrote, or the kernel's rounding of it.
    pub(super) fn is_ours(&self, root: &Root, current: &str) -> bool {
        let Place::Node(node) = self.place else { return self.is_open || self.ours.iter().any(|ours| ours == current) };
        let mut values = self.ours.iter().chain(&self.previous);
        values.any(|value| cooling::is_in_force(root, node, value, current))
            || cooling::lowers(root, node, &self.old, current)
    }
}

/// Unsettled places of a journal, in the order of their first changes.
pub(super) fn unsettled<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<OldValue> {
    let mut all: Vec<OldValue> = Vec::new();
    for entry in entries {
        let Some(place) = Place::from_path(&entry.path) else { continue };
        if entry.settled {
            all.retain(|held| held.place != place);
            continue;
        }
        let at = match all.iter().position(|held| held.place == place) {
            Some(at) => at,
            None => {
                all.push(OldValue::new(place, entry.old.clone()));
                all.len() - 1
            }
        };
        all[at].old.clone_from(&entry.old);
        match &entry.read {
            Some(read) => all[at].close(read.clone()),
            None => all[at].begin(entry.new.clone()),
        }
    }
    // A tunable of all policies exists again with any governor of its name.
    let governors: Vec<(Node, String)> = all
        .iter()
        .filter_map(|held| match held.place {
            Place::Node(node @ Node::Governor(_)) => Some((node, held.old.clone())),
            _ => None,
        })
        .collect();
    for held in &mut all {
        if let Place::SideEffect(SideEffect::Tunable { policy: None, governor, .. }) = &held.place {
            held.disturbed_by = governors.iter().find(|(_, name)| name == governor.as_str()).map(|(node, _)| *node);
        }
    }
    all
}

/// Pauses before a value is read again: drivers that apply a limit in another thread do not show it at once.
const SHOWN_WITHIN: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(20), Duration::from_millis(50), Duration::from_millis(100)];

/// Restores a place if its value is still one of this program. `written` contains the settings that were written back.
pub(super) fn restore_one(root: &Root, held: &OldValue, written: &[Node]) -> WriteBack {
    let current = match held.place.read(root) {
        Ok(current) => current,
        Err(Missing { why: MissingReason::Absent, .. }) if held.place.may_end() => {
            return WriteBack::new(RestoreOutcome::Done, false);
        }
        Err(missing) => return WriteBack::unreachable(&missing),
    };
    match &held.place {
        Place::SideEffect(place) if place.is_recreated() => {
            // The tunables of a governor that the user has chosen since are the user's.
            let is_recreated_by_us = held.disturbed_by.is_none_or(|node| written.contains(&node));
            if current == held.old || !is_recreated_by_us {
                return WriteBack::new(RestoreOutcome::Done, false);
            }
            if held.is_write_back_begun() && !held.ours.contains(&current) {
                return WriteBack::new(RestoreOutcome::LeftAlone(current), false);
            }
        }
        place => {
            // A limit lowered by cooling can read as the old value while set to ours.
            let is_sure = !matches!(place, Place::Node(Node::ClockMax(policy)) if cooling::is_raised(root, *policy));
            if current == held.old && is_sure {
                return WriteBack::new(RestoreOutcome::Done, held.ours.contains(&held.old));
            }
            if current != held.old && !held.is_ours(root, &current) {
                return WriteBack::new(RestoreOutcome::LeftAlone(current), false);
            }
        }
    }
    match held.place.write(root, &held.old) {
        Ok(()) => WriteBack::new(shown(root, held), true),
        Err(missing) => WriteBack::unreachable(&missing),
    }
}

/// Checks that a written value is in force, by the rule of its kind of file.
fn shown(root: &Root, held: &OldValue) -> RestoreOutcome {
    // The file shows the current clock rather than the requested one (drivers/cpufreq/cpufreq.c, show_scaling_cur_freq
    // and cpufreq_userspace.c): the kernel has accepted it, or refused the write.
    if matches!(&held.place, Place::SideEffect(SideEffect::SetSpeed(_))) {
        return RestoreOutcome::Done;
    }
    let is_back = |now: &str| match held.place {
        Place::Node(node) => cooling::is_in_force(root, node, &held.old, now),
        Place::SideEffect(_) => now == held.old,
    };
    let mut found = RestoreOutcome::Pending;
    for pause in SHOWN_WITHIN {
        std::thread::sleep(pause);
        found = match held.place.read(root) {
            Ok(now) if is_back(&now) => return RestoreOutcome::Done,
            Ok(now) => RestoreOutcome::Failed(format!("wrote {}, reads {now}", held.old)),
            Err(missing) => RestoreOutcome::Failed(missing.to_string()),
        };
    }
    found
}
