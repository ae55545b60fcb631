//! Compare and restore: puts one value back where it is still ours. In which order, and from what list,
//! is not decided here.

use super::Node;
use crate::Root;
use record::Restored;

/// What a path was and what we made of it.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) node: Node,
    pub(super) old: String,
    pub(super) ours: String,
}

/// Compare and restore.
pub(super) fn restore_one(root: &Root, held: &Held) -> Restored {
    let path = held.node.path();
    let current = match held.node.read(root) {
        Ok(current) => current,
        Err(missing) => return Restored::Failed(missing.to_string()),
    };
    if current != held.ours && current != held.old && !is_cooled(root, held, &current) {
        return Restored::LeftAlone(current);
    }
    if let Err(missing) = root.write(&path, &held.old) {
        return Restored::Failed(missing.to_string());
    }
    match held.node.read(root) {
        Ok(now) if now == held.old || is_cooled(root, held, &now) => Restored::Done,
        Ok(now) => Restored::Failed(format!("wrote {}, reads {now}", held.old)),
        Err(missing) => Restored::Failed(missing.to_string()),
    }
}

/// `scaling_max_freq` shows the lowest of all limits: while a cooling device is raised it reads
/// lower than what was asked for, and that is no change by somebody else.
fn is_cooled(root: &Root, held: &Held, current: &str) -> bool {
    let Node::ClockMax(_) = held.node else {
        return false;
    };
    let (Ok(current), Ok(ours), Ok(old)) = (
        current.parse::<u32>(),
        held.ours.parse::<u32>(),
        held.old.parse::<u32>(),
    ) else {
        return false;
    };
    current < ours.max(old) && cooling_raised(root)
}

/// True if a cooling device of a CPU is in use (kernel: Documentation/driver-api/thermal).
fn cooling_raised(root: &Root) -> bool {
    let devices = root.list("/sys/class/thermal").unwrap_or_default();
    devices
        .iter()
        .filter(|name| name.starts_with("cooling_device"))
        .any(|name| {
            let folder = format!("/sys/class/thermal/{name}");
            let kind = root
                .read_value(&format!("{folder}/type"))
                .unwrap_or_default()
                .to_lowercase();
            let state: u64 = root
                .read_number(&format!("{folder}/cur_state"))
                .unwrap_or(0);
            state > 0 && (kind.contains("cpu") || kind.contains("processor"))
        })
}
