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

pub use device_name::DeviceName;

use crate::Root;
use record::{Missing, Reading, Restored, SettingChange, Why};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A setting that may be changed. Nothing else ever is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// `scaling_governor` of a cpufreq policy.
    Governor(u32),
    /// `scaling_min_freq` of a cpufreq policy, in kHz.
    ClockMin(u32),
    /// `scaling_max_freq` of a cpufreq policy, in kHz.
    ClockMax(u32),
    /// When the kernel backs memory of programs with huge pages by itself.
    HugePages,
    /// `governor` of a devfreq device: memory controller, GPU, NPU.
    DeviceGovernor(DeviceName),
    /// Policy of power saving on PCI Express links.
    AspmPolicy,
}

const DEVFREQ: &str = "/sys/class/devfreq";
const ASPM_POLICY: &str = "/sys/module/pcie_aspm/parameters/policy";
/// Documentation/admin-guide/mm/transhuge.rst
const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

impl Node {
    /// The file of the node (kernel: Documentation/admin-guide/pm/cpufreq.rst, Documentation/ABI/
    /// testing/sysfs-class-devfreq, `pcie_aspm.policy` in kernel-parameters.rst).
    pub fn path(self) -> String {
        let (policy, file) = match self {
            Node::HugePages => return HUGE_PAGES.into(),
            Node::Governor(policy) => (policy, "scaling_governor"),
            Node::ClockMin(policy) => (policy, "scaling_min_freq"),
            Node::ClockMax(policy) => (policy, "scaling_max_freq"),
            Node::DeviceGovernor(name) => return format!("{DEVFREQ}/{}/governor", name.as_str()),
            Node::AspmPolicy => return ASPM_POLICY.to_owned(),
        };
        format!("/sys/devices/system/cpu/cpufreq/policy{policy}/{file}")
    }

    /// The value in force.
    ///
    /// # Errors
    /// The node does not exist or cannot be read.
    pub fn read(self, root: &Root) -> Reading<String> {
        let text = root.read_value(&self.path())?;
        match self {
            Node::HugePages | Node::AspmPolicy => parse_chosen(&text)
                .map(str::to_owned)
                .ok_or_else(|| Missing::garbled(self.path(), &text)),
            _ => Ok(text),
        }
    }

    /// Whether the node lists or allows this value.
    fn allows(self, root: &Root, value: &str) -> Reading<()> {
        let folder = |policy| format!("/sys/devices/system/cpu/cpufreq/policy{policy}");
        match self {
            Node::HugePages => is_listed(root, HUGE_PAGES, value),
            Node::Governor(policy) => {
                let path = format!("{}/scaling_available_governors", folder(policy));
                is_listed(root, &path, value)
            }
            Node::DeviceGovernor(name) => {
                let path = format!("{DEVFREQ}/{}/available_governors", name.as_str());
                is_listed(root, &path, value)
            }
            Node::AspmPolicy => is_listed(root, ASPM_POLICY, value),
            Node::ClockMin(policy) | Node::ClockMax(policy) => {
                let min: u32 = root.read_number(&format!("{}/cpuinfo_min_freq", folder(policy)))?;
                let max: u32 = root.read_number(&format!("{}/cpuinfo_max_freq", folder(policy)))?;
                match value.parse::<u32>() {
                    Ok(khz) if (min..=max).contains(&khz) => Ok(()),
                    _ => Err(Missing::unsupported(
                        self.path(),
                        format!("{value} kHz is not within {min} to {max} kHz"),
                    )),
                }
            }
        }
    }

    fn from_path(path: &str) -> Option<Self> {
        if path == HUGE_PAGES {
            return Some(Node::HugePages);
        }
        if path == ASPM_POLICY {
            return Some(Node::AspmPolicy);
        }
        if let Some(rest) = path.strip_prefix(DEVFREQ) {
            let name = rest.strip_prefix('/')?.strip_suffix("/governor")?;
            return DeviceName::new(name).map(Node::DeviceGovernor);
        }
        let rest = path.strip_prefix("/sys/devices/system/cpu/cpufreq/policy")?;
        let (policy, file) = rest.split_once('/')?;
        let policy = policy.parse().ok()?;
        [
            Node::Governor(policy),
            Node::ClockMin(policy),
            Node::ClockMax(policy),
        ]
        .into_iter()
        .find(|node| node.path().ends_with(file))
    }
}

/// Whether a file lists this value; what is chosen stands in brackets.
fn is_listed(root: &Root, path: &str, value: &str) -> Reading<()> {
    let listed = root.read_value(path)?;
    let mut words = listed.split_whitespace();
    if words.any(|word| word.trim_matches(['[', ']']) == value) {
        return Ok(());
    }
    let reason = format!("{value} is not among {listed}");
    Err(Missing::unsupported(path, reason))
}

/// The value in brackets of a list such as `always [madvise] never`; the only one where there is one.
fn parse_chosen(text: &str) -> Option<&str> {
    let in_brackets = |word: &'_ str| word.starts_with('[') && word.ends_with(']');
    let words: Vec<&str> = text.split_whitespace().collect();
    let chosen = match words.as_slice() {
        [only] => Some(only),
        several => several.iter().find(|word| in_brackets(word)),
    };
    chosen.map(|word| word.trim_matches(['[', ']']))
}

/// One line of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    path: String,
    old: String,
    new: String,
    boot_id: String,
}

/// What a path was and what we made of it.
#[derive(Debug, Clone)]
struct Held {
    node: Node,
    old: String,
    ours: String,
}

/// Settings that are changed for the time of a run.
#[derive(Debug)]
pub struct Settings {
    root: Root,
    boot_id: String,
    journal: Option<(PathBuf, File)>,
    held: Vec<Held>,
}

impl Settings {
    /// Nothing changed yet. The journal is created with the first change.
    ///
    /// # Errors
    /// The journal cannot be written: then nothing must be changed.
    pub fn new(root: &Root, journal: &Path) -> Reading<Self> {
        let io = |error: &std::io::Error| Missing {
            path: journal.display().to_string(),
            why: Why::Io(error.raw_os_error().unwrap_or(libc::EIO)),
        };
        if let Some(folder) = journal.parent() {
            std::fs::create_dir_all(folder).map_err(|e| io(&e))?;
        }
        let file = File::options()
            .create(true)
            .append(true)
            .open(journal)
            .map_err(|e| io(&e))?;
        lock(&file, journal)?;
        let boot_id = boot_id(root);
        let journal = Some((journal.to_path_buf(), file));
        Ok(Self {
            root: root.clone(),
            boot_id,
            journal,
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
            restored: Restored::Pending,
        }))
    }

    /// Puts everything back, last change first. When all is back, the journal is removed.
    pub fn restore(&mut self) -> Vec<(String, Restored)> {
        let mut outcomes = Vec::new();
        while let Some(held) = self.held.pop() {
            outcomes.push((held.node.path(), restore_one(&self.root, &held)));
        }
        let failed = outcomes
            .iter()
            .any(|(_, outcome)| matches!(outcome, Restored::Failed(_)));
        if let Some((path, _)) = self.journal.take().filter(|_| !failed) {
            // A journal that cannot be removed is harmless: everything in it is restored, and
            // compare-and-restore finds nothing of ours next time.
            let _ = std::fs::remove_file(path);
        }
        outcomes
    }

    fn append(&mut self, entry: &Entry) -> Reading<()> {
        let Some((path, file)) = &mut self.journal else {
            return Err(Missing::unsupported(
                "journal",
                "settings have already been restored",
            ));
        };
        let mut line = serde_json::to_string(entry).unwrap_or_default();
        line.push('\n');
        file.write_all(line.as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(|error| Missing {
                path: path.display().to_string(),
                why: Why::Io(error.raw_os_error().unwrap_or(libc::EIO)),
            })
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
    let io = |error: &std::io::Error| Missing {
        path: journal.display().to_string(),
        why: Why::Io(error.raw_os_error().unwrap_or(libc::EIO)),
    };
    let mut file = match File::open(journal) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(&error)),
    };
    lock(&file, journal)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|e| io(&e))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let boot_id = boot_id(root);
    let mut held: Vec<Held> = Vec::new();
    // The last line can be cut: then its write never happened, because the journal comes first.
    for entry in text
        .lines()
        .filter_map(|line| serde_json::from_str::<Entry>(line).ok())
    {
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
    if !outcomes
        .iter()
        .any(|(_, outcome)| matches!(outcome, Restored::Failed(_)))
    {
        let _ = std::fs::remove_file(journal);
    }
    Ok(outcomes)
}

/// One process at a time changes settings: a second one would take the first one's values for
/// those of the user. The kernel lets go of the lock when its holder dies.
fn lock(file: &File, journal: &Path) -> Reading<()> {
    rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        let path = journal.display().to_string();
        Missing::unsupported(
            path,
            "another sbc-bench is running and has changed settings",
        )
    })
}

/// Compare and restore.
fn restore_one(root: &Root, held: &Held) -> Restored {
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

fn boot_id(root: &Root) -> String {
    root.read_value("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "\
== /proc/sys/kernel/random/boot_id
11111111-2222-3333-4444-555555555555
== /sys/devices/system/cpu/cpufreq/policy0/scaling_governor
schedutil
== /sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors
performance schedutil powersave
== /sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq
600000
== /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq
1608000
== /sys/devices/system/cpu/cpufreq/policy0/cpuinfo_min_freq
408000
== /sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq
1800000
== /sys/kernel/mm/transparent_hugepage/enabled
always [madvise] never
== /sys/class/thermal/cooling_device0/type
cpufreq-cpu0
== /sys/class/thermal/cooling_device0/cur_state
0
";

    fn journal(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("sbc-bench-settings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder.join(name)
    }

    /// What SIGKILL leaves: the journal's lock is gone, nothing is restored.
    fn kill(mut settings: Settings) {
        settings.held.clear();
        settings.journal = None;
    }

    #[test]
    fn a_second_process_keeps_its_hands_off() {
        let root = Root::from_board(BOARD).unwrap();
        let path = journal("second");
        let settings = Settings::new(&root, &path).unwrap();
        assert!(Settings::new(&root, &path).is_err());
        assert!(restore_from_journal(&root, &path).is_err());
        drop(settings);
        assert!(Settings::new(&root, &path).is_ok());
    }

    #[test]
    fn devices_and_policies_come_back() {
        let board = format!(
            "{BOARD}\
== {ASPM_POLICY}
default performance [powersave] powersupersave
== {DEVFREQ}/dmc/governor
dmc_ondemand
== {DEVFREQ}/dmc/available_governors
powersave performance dmc_ondemand
"
        );
        let root = Root::from_board(&board).unwrap();
        let path = journal("devices");
        let mut settings = Settings::new(&root, &path).unwrap();
        let dmc = Node::DeviceGovernor(DeviceName::new("dmc").unwrap());
        assert!(settings.set(dmc, "turbo").is_err());
        assert!(settings.set(Node::AspmPolicy, "off").is_err());
        let change = settings
            .set(Node::AspmPolicy, "performance")
            .unwrap()
            .unwrap();
        assert_eq!(change.old, "powersave");
        settings.set(dmc, "performance").unwrap();
        kill(settings);
        let outcomes = restore_from_journal(&root, &path).unwrap();
        assert!(
            outcomes
                .iter()
                .all(|(_, outcome)| *outcome == Restored::Done),
            "{outcomes:?}"
        );
        assert_eq!(root.read_value(ASPM_POLICY).unwrap(), "powersave");
        assert_eq!(dmc.read(&root).unwrap(), "dmc_ondemand");
        assert_eq!(
            Node::from_path("/sys/class/devfreq/../../etc/governor"),
            None
        );
    }

    fn change_everything(settings: &mut Settings) {
        settings.set(Node::Governor(0), "performance").unwrap();
        settings.set(Node::ClockMin(0), "408000").unwrap();
        for khz in ["1800000", "1200000", "408000"] {
            settings.set(Node::ClockMax(0), khz).unwrap();
        }
    }

    #[test]
    fn huge_pages_are_what_stands_in_brackets() {
        for (text, expected) in [
            ("always [madvise] never", Some("madvise")),
            ("[always] madvise never", Some("always")),
            ("never", Some("never")),
            ("always never", None),
            ("", None),
        ] {
            assert_eq!(parse_chosen(text), expected, "{text:?}");
        }
        let root = Root::from_board(BOARD).unwrap();
        let path = journal("huge");
        let mut settings = Settings::new(&root, &path).unwrap();
        let wrong = settings.set(Node::HugePages, "sometimes").unwrap_err();
        assert!(wrong.to_string().contains("not among"), "{wrong}");
        assert_eq!(settings.set(Node::HugePages, "madvise").unwrap(), None);
        let change = settings.set(Node::HugePages, "never").unwrap().unwrap();
        assert_eq!(
            (change.old.as_str(), change.new.as_str()),
            ("madvise", "never")
        );
        kill(settings);
        let back = restore_from_journal(&root, &path).unwrap();
        assert_eq!(back, [(HUGE_PAGES.to_owned(), Restored::Done)]);
        assert_eq!(Node::HugePages.read(&root).unwrap(), "madvise");
    }

    #[test]
    fn everything_is_restored_exactly() {
        let root = Root::from_board(BOARD).unwrap();
        let before = root.board_files();
        let path = journal("all");
        let mut settings = Settings::new(&root, &path).unwrap();
        change_everything(&mut settings);
        assert_ne!(root.board_files(), before);
        let outcomes = settings.restore();
        assert!(
            outcomes
                .iter()
                .all(|(_, outcome)| *outcome == Restored::Done),
            "{outcomes:?}"
        );
        assert_eq!(root.board_files(), before);
        assert!(!path.exists());
    }

    #[test]
    fn dropping_restores_as_well() {
        let root = Root::from_board(BOARD).unwrap();
        let before = root.board_files();
        let mut settings = Settings::new(&root, &journal("drop")).unwrap();
        change_everything(&mut settings);
        drop(settings);
        assert_eq!(root.board_files(), before);
    }

    /// A process that is killed after any number of changes leaves a journal that restores all.
    #[test]
    fn the_journal_alone_restores_after_every_number_of_changes() {
        let steps: [(Node, &str); 5] = [
            (Node::Governor(0), "performance"),
            (Node::ClockMin(0), "408000"),
            (Node::ClockMax(0), "1800000"),
            (Node::ClockMax(0), "1200000"),
            (Node::Governor(0), "powersave"),
        ];
        for count in 0..=steps.len() {
            let root = Root::from_board(BOARD).unwrap();
            let before = root.board_files();
            let path = journal(&format!("killed-{count}"));
            let mut settings = Settings::new(&root, &path).unwrap();
            for (node, value) in &steps[..count] {
                settings.set(*node, value).unwrap();
            }
            kill(settings);
            // A cut last line is what a power loss in the middle of an append leaves.
            File::options()
                .append(true)
                .open(&path)
                .unwrap()
                .write_all(b"{\"path\":")
                .unwrap();
            restore_from_journal(&root, &path).unwrap();
            assert_eq!(root.board_files(), before, "{count} changes");
            assert!(!path.exists());
        }
    }

    #[test]
    fn a_value_that_somebody_else_changed_is_left_alone() {
        let root = Root::from_board(BOARD).unwrap();
        let mut settings = Settings::new(&root, &journal("other")).unwrap();
        settings.set(Node::Governor(0), "performance").unwrap();
        root.write(&Node::Governor(0).path(), "powersave").unwrap();
        assert_eq!(
            settings.restore(),
            [(
                Node::Governor(0).path(),
                Restored::LeftAlone("powersave".into())
            )]
        );
        assert_eq!(
            root.read_value(&Node::Governor(0).path()).unwrap(),
            "powersave"
        );
    }

    #[test]
    fn a_limit_lowered_by_cooling_is_still_ours() {
        let root = Root::from_board(BOARD).unwrap();
        let mut settings = Settings::new(&root, &journal("cooled")).unwrap();
        settings.set(Node::ClockMax(0), "1800000").unwrap();
        root.write(&Node::ClockMax(0).path(), "1200000").unwrap();
        root.write("/sys/class/thermal/cooling_device0/cur_state", "2")
            .unwrap();
        assert_eq!(
            settings.restore(),
            [(Node::ClockMax(0).path(), Restored::Done)]
        );
        assert_eq!(
            root.read_value(&Node::ClockMax(0).path()).unwrap(),
            "1608000"
        );
    }

    #[test]
    fn only_listed_values_are_written() {
        let root = Root::from_board(BOARD).unwrap();
        let before = root.board_files();
        let mut settings = Settings::new(&root, &journal("listed")).unwrap();
        for (node, value) in [
            (Node::Governor(0), "userspace"),
            (Node::Governor(0), ""),
            (Node::ClockMax(0), "2000000"),
            (Node::ClockMax(0), "fast"),
            (Node::ClockMin(0), "100000"),
            (Node::Governor(7), "performance"),
        ] {
            assert!(settings.set(node, value).is_err(), "{node:?} {value}");
        }
        assert_eq!(root.board_files(), before);
    }

    #[test]
    fn a_journal_from_before_the_last_boot_is_only_removed() {
        let root = Root::from_board(BOARD).unwrap();
        let path = journal("boot");
        let mut settings = Settings::new(&root, &path).unwrap();
        settings.set(Node::Governor(0), "performance").unwrap();
        kill(settings);
        root.write("/proc/sys/kernel/random/boot_id", "another")
            .unwrap();
        assert_eq!(restore_from_journal(&root, &path).unwrap(), []);
        assert_eq!(
            root.read_value(&Node::Governor(0).path()).unwrap(),
            "performance"
        );
        assert!(!path.exists());
    }
}
