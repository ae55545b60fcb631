//! Random sequences of runs that finish or are killed at any write, changes by the owner, CPUs that go offline, reboots, and
//! two machines with one state directory. The last settings of the owner are in force at the end.

use super::tests::kill;
use super::*;
use crate::WritePolicy;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

const SEQUENCES: u64 = 10_000;
const STEPS: u32 = 14;
const OPPS: [u32; 6] = [408_000, 600_000, 816_000, 1_200_000, 1_416_000, 1_800_000];
/// Values that a run sets. The owner chooses others, because equal values cannot be distinguished.
const OF_RUN: [(Node, &[&str]); 5] = [
    (Node::Governor(0), &["performance"]),
    (Node::Governor(1), &["performance"]),
    (Node::ClockMax(0), &["1800000", "1200000", "700000"]),
    (Node::HugePages, &["never"]),
    (Node::CpuOnline(2), &["0", "1"]),
];
const OF_OWNER: [(&str, &[&str]); 6] = [
    ("governor", &["schedutil", "powersave", "userspace"]),
    ("governor1", &["schedutil", "powersave"]),
    ("scaling_max_freq", &["816000", "1416000"]),
    ("scaling_setspeed", &["816000", "1200000"]),
    ("rate_limit_us", &["500", "9000"]),
    ("enabled", &["always", "madvise"]),
];
/// Settings that exist only with a governor.
const TUNABLES: [&str; 2] = ["scaling_setspeed", "rate_limit_us"];

/// xorshift (Marsaglia, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn choose<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn of_policy(policy: u32, file: &str) -> String {
    format!("/sys/devices/system/cpu/cpufreq/policy{policy}/{file}")
}

fn path_of_owner(name: &str) -> String {
    match name {
        "governor" => of_policy(0, "scaling_governor"),
        "governor1" => of_policy(1, "scaling_governor"),
        "rate_limit_us" => of_policy(0, "schedutil/rate_limit_us"),
        "enabled" => node::HUGE_PAGES.to_owned(),
        file => of_policy(0, file),
    }
}

/// Settings after a boot.
fn boot(name: &str, boot: u32) -> BTreeMap<String, String> {
    let mut files: Vec<(String, String)> = vec![
        ("/etc/machine-id".into(), name.into()),
        ("/proc/sys/kernel/random/boot_id".into(), format!("{name}-{boot}")),
        ("/sys/devices/system/cpu/cpu2/online".into(), "1".into()),
        (node::HUGE_PAGES.into(), "always [madvise] never".into()),
        (of_policy(0, "scaling_setspeed"), "<unsupported>".into()),
        (of_policy(0, "schedutil/rate_limit_us"), "2000".into()),
        (of_policy(0, "scaling_available_frequencies"), OPPS.map(|khz| khz.to_string()).join(" ")),
    ];
    for policy in [0, 1] {
        for (file, value) in [
            ("scaling_governor", "schedutil"),
            ("scaling_available_governors", "performance schedutil powersave userspace"),
            ("cpuinfo_min_freq", "408000"),
            ("cpuinfo_max_freq", "1800000"),
            ("scaling_max_freq", "1800000"),
        ] {
            files.push((of_policy(policy, file), value.into()));
        }
    }
    files.into_iter().collect()
}

/// A machine, its owner, and a run on it.
struct Computer {
    name: &'static str,
    boots: u32,
    /// The files, as the kernel changes them.
    files: Root,
    /// The files as the run sees them. Its writes pass the kernel, and may kill the run.
    root: Root,
    /// Writes until the run is killed; negative if it is not.
    writes_left: Arc<AtomicI32>,
    /// The run was killed between the write of the governor and the next line of the journal. A tunable that came with the
    /// governor cannot be distinguished from one that the owner sets before the next command, so this owner does not.
    is_governor_last: Arc<AtomicBool>,
    run: Option<Settings>,
    journal: PathBuf,
}

impl Computer {
    fn new(name: &'static str, journal: PathBuf) -> Self {
        let text: String = boot(name, 0).iter().map(|(path, value)| format!("== {path}\n{value}\n")).collect();
        let files = Root::from_board(&text).unwrap();
        let writes_left = Arc::new(AtomicI32::new(-1));
        let is_governor_last = Arc::new(AtomicBool::new(false));
        let (kernel, left, governor_last) = (files.clone(), Arc::clone(&writes_left), Arc::clone(&is_governor_last));
        let root = files.with_write_policy(WritePolicy::new(move |path, value| {
            // 0 kills the run before this write, 1 after it.
            let left = left.fetch_sub(1, Ordering::Relaxed);
            if left == 0 {
                resume_unwind(Box::new("killed before"));
            }
            let shown = taken(&kernel, path, value)?;
            if left == 1 {
                kernel.write(path, &shown).unwrap();
                governor_last.store(path.ends_with("/scaling_governor"), Ordering::Relaxed);
                resume_unwind(Box::new("killed behind"));
            }
            Ok(shown)
        }));
        Self { name, boots: 0, files, root, writes_left, is_governor_last, run: None, journal }
    }

    /// Sets a value as the owner, through the same kernel. True if the kernel accepted it.
    fn set(&self, path: &str, value: &str) -> bool {
        let shown = taken(&self.files, path, value);
        shown.map(|shown| self.files.write(path, &shown).unwrap()).is_ok()
    }

    /// A part of a run, which is killed at a write if `writes` are left to it.
    fn part(&mut self, writes: i32, part: impl FnOnce(&mut Self)) {
        self.writes_left.store(writes, Ordering::Relaxed);
        let was_killed = catch_unwind(AssertUnwindSafe(|| part(self))).is_err();
        self.writes_left.store(-1, Ordering::Relaxed);
        if was_killed && let Some(run) = self.run.take() {
            kill(run);
        }
    }

    fn start(&mut self) {
        // The journal may be held by the other machine.
        if restore_from_journal(&self.root, &self.journal).is_ok() {
            self.is_governor_last.store(false, Ordering::Relaxed);
        }
        self.run = Settings::new(&self.root, &self.journal).ok();
    }

    fn reboot(&mut self) {
        if let Some(run) = self.run.take() {
            kill(run);
        }
        self.is_governor_last.store(false, Ordering::Relaxed);
        self.boots += 1;
        for (path, value) in boot(self.name, self.boots) {
            self.files.write(&path, &value).unwrap();
        }
    }
}

/// The value that a file reads after a write. Another governor has its own tunables, and the governor of offline CPUs cannot
/// be chosen.
fn taken(files: &Root, path: &str, value: &str) -> Result<String, i32> {
    let read = |path: &str| files.read_value(path).unwrap_or_default();
    let governor = of_policy(0, "scaling_governor");
    let file = path.rsplit('/').next().unwrap_or_default();
    match file {
        "scaling_governor" if path == governor => {
            if read(path) != value {
                let speed = if value == "userspace" { "408000" } else { "<unsupported>" };
                files.write(&of_policy(0, "scaling_setspeed"), speed).unwrap();
                files.write(&of_policy(0, "schedutil/rate_limit_us"), "2000").unwrap();
            }
            Ok(value.to_owned())
        }
        "scaling_governor" if read("/sys/devices/system/cpu/cpu2/online") == "0" => Err(libc::EBUSY),
        "scaling_setspeed" if read(&governor) != "userspace" => Err(libc::EINVAL),
        "rate_limit_us" if read(&governor) != "schedutil" => Err(libc::ENOENT),
        "scaling_max_freq" => {
            let khz: u32 = value.parse().map_err(|_| libc::EINVAL)?;
            OPPS.into_iter().rfind(|opp| *opp <= khz).map(|khz| khz.to_string()).ok_or(libc::EINVAL)
        }
        "enabled" => {
            let words = ["always", "madvise", "never"];
            Ok(words.map(|word| if word == value { format!("[{word}]") } else { word.to_owned() }).join(" "))
        }
        _ => Ok(value.to_owned()),
    }
}

/// In RAM if possible: the test is about the order of writes, not about the disk.
fn journal(seed: u64) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    folder.join(format!("sbc-bench-interleaved-{}-{seed}", std::process::id()))
}

/// The settings of a machine.
fn settings(files: &Root) -> BTreeMap<String, String> {
    let all = files.board_files().into_iter();
    let all = all.map(|(path, value)| (path, value.trim().to_owned()));
    all.filter(|(path, _)| path.starts_with("/sys/")).collect()
}

/// Sets a value as the owner, on a machine and its twin. True if the kernel accepted it.
fn owner_sets(computer: &Computer, twin: &Computer, file: &str, value: &str) -> bool {
    let path = path_of_owner(file);
    if computer.is_governor_last.load(Ordering::Relaxed) && TUNABLES.contains(&file) {
        return false;
    }
    // A governor chosen while a run has another one has new tunables.
    let (found, at_twin) = (computer.files.read_value(&path), twin.files.read_value(&path));
    if file == "governor" && found.as_deref() != Ok(value) && at_twin.as_deref() == Ok(value) {
        assert!(twin.set(&path, "performance"));
    }
    computer.set(&path, value) && twin.set(&path, value)
}

/// One sequence; an error contains its operations.
fn play(seed: u64) -> Result<(), String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let path = journal(seed);
    let mut computers = ["one", "two"].map(|name| Computer::new(name, path.clone()));
    // A twin has the same owner, but no runs.
    let twins = ["one", "two"].map(|name| Computer::new(name, path.clone()));
    let mut story = Vec::new();
    for _ in 0..STEPS {
        let at = usize::from(random.below(5) == 0);
        let (computer, twin) = (&mut computers[at], &twins[at]);
        let name = computer.name;
        let writes = if random.below(3) == 0 { random.below(8) as i32 } else { -1 };
        match random.below(12) {
            0 | 1 if computer.run.is_none() => {
                story.push(format!("{name}: run begins, writes left {writes}"));
                computer.part(writes, Computer::start);
            }
            2..=5 => {
                let (node, values) = random.choose(&OF_RUN);
                let value = random.choose(values);
                story.push(format!("{name}: run sets {node:?} {value}, writes left {writes}"));
                computer.part(writes, |computer| {
                    let Some(run) = &mut computer.run else { return };
                    let _told = run.set(node, value).tell(0, None, &mut |_| {});
                });
            }
            6 => {
                story.push(format!("{name}: run checks, writes left {writes}"));
                computer.part(writes, |computer| {
                    drop(computer.run.as_mut().map(Settings::check));
                });
            }
            7 => {
                story.push(format!("{name}: run ends, writes left {writes}"));
                computer.part(writes, |computer| {
                    drop(computer.run.as_mut().map(Settings::restore));
                    computer.run = None;
                });
            }
            8 if random.below(4) == 0 => {
                story.push(format!("{name}: reboot"));
                computer.reboot();
                for (path, value) in boot(name, computer.boots) {
                    twin.files.write(&path, &value).unwrap();
                }
            }
            _ => {
                let (file, values) = random.choose(&OF_OWNER);
                let value = random.choose(values);
                if owner_sets(computer, twin, file, value) {
                    story.push(format!("{name}: owner sets {file} {value}"));
                }
            }
        }
    }
    // Both machines release the journal before the first one is checked.
    computers.iter_mut().filter_map(|computer| computer.run.take()).for_each(kill);
    for (computer, twin) in computers.iter().zip(&twins) {
        let _others_run = restore_from_journal(&computer.root, &computer.journal);
        let (found, expected) = (settings(&computer.files), settings(&twin.files));
        for (path, value) in &expected {
            if found[path] != *value {
                let story = story.join("\n");
                return Err(format!("seed {seed}: {path} is {} instead of {value}\n{story}", found[path]));
            }
        }
    }
    let _ = std::fs::remove_file(&path);
    Ok(())
}

#[test]
fn last_settings_of_owner_stand_at_the_end() {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let part = |first| (first..SEQUENCES).step_by(threads as usize).filter_map(|seed| play(seed).err());
    let failed: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first).collect::<Vec<_>>())).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let first = failed.iter().min_by_key(|story| story.len());
    assert_eq!(failed.len(), 0, "of {SEQUENCES}; {}", first.map_or("", String::as_str));
}
