//! Compare and restore: puts one value back where it is still ours. In which order, and from what list,
//! is not decided here.

use super::Node;
use super::cooling;
use super::journal::Entry;
use super::place::Place;
use crate::Root;
use record::{Missing, Restored, Why};

/// What a place was and what we made of it.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) place: Place,
    /// The user's value.
    pub(super) old: String,
    /// Values that are ours: what was written, and how the kernel showed it.
    pub(super) ours: Vec<String>,
    /// A change was begun and not looked at: any value found may be ours.
    pub(super) is_open: bool,
    /// The setting whose change disturbs this place, if it is not changed for itself.
    pub(super) disturbed_by: Option<Node>,
}

impl Held {
    /// A place of which nothing but the user's value is known.
    pub(super) fn new(place: Place, old: String) -> Self {
        Self { place, old, ours: Vec::new(), is_open: true, disturbed_by: None }
    }

    /// The change has been made, and this is how it reads.
    pub(super) fn close(&mut self, read: String) {
        self.add(read);
        // What a change disturbs is disturbed again by the next one, in other ways.
        self.is_open = matches!(&self.place, Place::SideEffect(place) if place.is_recreated());
    }

    pub(super) fn add(&mut self, value: String) {
        if !self.ours.contains(&value) {
            self.ours.push(value);
        }
    }

    fn is_ours(&self, root: &Root, current: &str) -> bool {
        let is_cooled = || match self.place {
            Place::Node(node) => {
                self.ours.iter().chain([&self.old]).any(|value| cooling::lowers(root, node, value, current))
            }
            Place::SideEffect(_) => false,
        };
        self.is_open || self.ours.iter().any(|ours| ours == current) || is_cooled()
    }
}

/// What the lines of a journal hold, in the order of their first changes.
pub(super) fn held(entries: Vec<Entry>, boot_id: &str) -> Vec<Held> {
    let mut all: Vec<Held> = Vec::new();
    for entry in entries.into_iter().filter(|entry| entry.boot_id == boot_id) {
        let Some(place) = Place::from_path(&entry.path) else {
            continue;
        };
        let at = match all.iter().position(|held| held.place == place) {
            Some(at) => at,
            None => {
                all.push(Held::new(place, entry.old));
                all.len() - 1
            }
        };
        let held = &mut all[at];
        held.is_open = true;
        if let Some(new) = entry.new {
            held.add(new);
        }
        if let Some(read) = entry.read {
            held.close(read);
        }
    }
    all
}

/// Compare and restore.
pub(super) fn restore_one(root: &Root, held: &Held) -> Restored {
    let current = match held.place.read(root) {
        Ok(current) => current,
        Err(Missing { why: Why::Absent, .. }) if held.place.may_end() => return Restored::Done,
        Err(missing) => return Restored::Failed(missing.to_string()),
    };
    // Where cooling lowers a limit, it can read as the old one and be set to ours.
    let is_sure = match held.place {
        Place::Node(Node::ClockMax(policy)) => !cooling::is_raised(root, policy),
        _ => true,
    };
    if current == held.old && is_sure {
        return Restored::Done;
    }
    if current != held.old && !held.is_ours(root, &current) {
        return Restored::LeftAlone(current);
    }
    if let Err(missing) = held.place.write(root, &held.old) {
        return Restored::Failed(missing.to_string());
    }
    let is_back = |now: &str| {
        now == held.old || matches!(held.place, Place::Node(node) if cooling::lowers(root, node, &held.old, now))
    };
    match held.place.read(root) {
        Ok(now) if is_back(&now) => Restored::Done,
        Ok(now) => Restored::Failed(format!("wrote {}, reads {now}", held.old)),
        Err(missing) => Restored::Failed(missing.to_string()),
    }
}
