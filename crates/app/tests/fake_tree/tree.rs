//! A machine whose `/sys`, `/var/lib` and `/var/log` are folders, and the program on it. On a virtual board
//! `/sys` is that of the board.

use signal_hook::consts::SIGINT;
use signal_hook::flag::register_conditional_default;
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

/// The program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_sbc-bench");
/// Upper bound for a run, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Lays the folders over the machine's own in a mount namespace and becomes the command. Control groups stay, and
/// so does the `/sys` of a board.
const ENTER: &str = r#"
tree=$1; shift
mount --bind "$tree/lib" /var/lib && mount --bind "$tree/log" /var/log || exit
if [ -d "$tree/sys" ]; then
    mount --rbind /sys/fs/cgroup "$tree/sys/fs/cgroup" && mount --rbind "$tree/sys" /sys || exit
fi
if [ -n "$SYS_IS_READ_ONLY" ]; then mount -o remount,bind,ro /sys || exit; fi
if [ -e "$tree/boot_id" ]; then mount --bind "$tree/boot_id" /proc/sys/kernel/random/boot_id || exit; fi
cd "$tree/drive" && exec "$@"
"#;

/// Set where tests run on a virtual board, to the words of the run that is to be killed there.
pub(crate) const ON_BOARD: &str = "SBC_BENCH_TEST_ON_BOARD";

/// True on a virtual board: there is one of it, and it is as quick as a board.
pub(crate) fn is_on_board() -> bool {
    std::env::var_os(ON_BOARD).is_some()
}

/// The files of two CPUs with clocks of their own and a few more settings. Without a newline at the end: what
/// is written to a file of a folder stays as it was written.
const FILES: &[(&str, &str)] = &[
    ("devices/system/cpu/online", "0-1"),
    ("devices/system/cpu/possible", "0-1"),
    ("devices/system/cpu/present", "0-1"),
    ("devices/system/cpu/cpu0/topology/core_id", "0"),
    ("devices/system/cpu/cpu1/topology/core_id", "1"),
    ("devices/system/cpu/cpu1/online", "1"),
    ("kernel/mm/transparent_hugepage/enabled", "madvise"),
    ("class/thermal/thermal_zone0/type", "cpu-thermal"),
    ("class/thermal/thermal_zone0/temp", "45000"),
    ("class/thermal/cooling_device0/type", "cpufreq-cpu0"),
    ("class/thermal/cooling_device0/cur_state", "0"),
    ("class/thermal/cooling_device0/max_state", "3"),
];

/// The files of one policy.
const POLICY: &[(&str, &str)] = &[
    ("cpuinfo_min_freq", "408000"),
    ("cpuinfo_max_freq", "1800000"),
    ("scaling_min_freq", "600000"),
    ("scaling_max_freq", "1608000"),
    ("scaling_cur_freq", "1608000"),
    ("scaling_governor", "ondemand"),
    ("scaling_available_governors", "ondemand performance powersave"),
    ("scaling_available_frequencies", "408000 1800000"),
    ("scaling_driver", "made"),
];

/// A machine for one test, removed when dropped.
pub(crate) struct Tree(PathBuf);

/// One call of a trace.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// `run` or `guard`.
    pub(crate) role: String,
    /// Its process.
    pub(crate) process: u32,
    /// `write`, `sync` ...
    pub(crate) word: String,
    pub(crate) path: String,
    /// Action of the plan; `-` for none.
    pub(crate) planned: String,
    /// Written content.
    pub(crate) content: String,
}

impl Tree {
    /// The Records among all runs, by the order of their names.
    pub(crate) fn kept(&self) -> Vec<PathBuf> {
        let folder = self.path("lib/sbc-bench/runs");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = files.map(|file| file.path());
        let mut kept: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
        kept.sort();
        kept
    }

    /// Every setting as a board has it before a run.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        static IS_HEARD: Once = Once::new();
        // A shell starts background jobs with SIGINT ignored, and tests would inherit that. A caught signal is not inherited.
        IS_HEARD.call_once(|| register_conditional_default(SIGINT, Arc::new(AtomicBool::new(true))).map(drop).unwrap());
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // In memory: hundreds of runs bring every line to the disk.
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let tree = Self(place.join(format!("sbc-bench-tree-{}-{number}", std::process::id())));
        for folder in ["lib", "log", "drive"] {
            std::fs::create_dir_all(tree.0.join(folder)).unwrap();
        }
        if !is_on_board() {
            tree.make_sys();
        }
        tree
    }

    fn make_sys(&self) {
        let tree = self;
        std::fs::create_dir_all(tree.0.join("sys/fs/cgroup")).unwrap();
        for (path, value) in FILES {
            tree.put(path, value);
        }
        for number in 0..2 {
            let folder = format!("devices/system/cpu/cpufreq/policy{number}");
            for (file, value) in POLICY {
                tree.put(&format!("{folder}/{file}"), value);
            }
            for file in ["affected_cpus", "related_cpus"] {
                tree.put(&format!("{folder}/{file}"), &number.to_string());
            }
            let cpu = tree.0.join(format!("sys/devices/system/cpu/cpu{number}/cpufreq"));
            symlink(format!("../cpufreq/policy{number}"), cpu).unwrap();
        }
    }

    /// The machine reboots: its kernel has its own settings again, and another boot id.
    pub(crate) fn restart(&self, settings: &BTreeMap<PathBuf, Vec<u8>>, boot_id: &str) {
        for (path, bytes) in settings {
            std::fs::write(path, bytes).unwrap();
        }
        std::fs::write(self.0.join("boot_id"), boot_id).unwrap();
    }

    fn put(&self, path: &str, value: &str) {
        let path = self.0.join("sys").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value).unwrap();
    }

    /// A folder of it, seen from outside.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The program on this machine, with a plan of what goes wrong.
    pub(crate) fn command(&self, words: &[&str], plan: &str) -> Command {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--propagation", "private", "sh", "-c", ENTER, "sh"])
            .arg(&self.0)
            .arg(PROGRAM)
            .args(words)
            .env("SBC_BENCH_FAULTS", plan)
            .env("SBC_BENCH_FAULTS_TRACE", self.0.join("trace"))
            .envs([testkit::HASTE])
            .env("TMPDIR", self.0.join("drive"))
            .env_remove("MODE")
            .env_remove("NOTUNING")
            .stdin(Stdio::null())
            .process_group(0);
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, words: &[&str], plan: &str) -> Output {
        self.command(words, plan).output().unwrap()
    }

    /// The calls of all processes on this machine since it was made.
    pub(crate) fn trace(&self) -> Vec<Call> {
        let path = self.0.join("trace");
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        let calls = text.lines().filter_map(|line| {
            let mut words = line.splitn(6, '\t').map(str::to_owned);
            Some(Call {
                role: words.next()?,
                process: words.next()?.parse().ok()?,
                word: words.next()?,
                path: words.next()?,
                planned: words.next()?,
                content: words.next()?,
            })
        });
        calls.collect()
    }

    /// Every file of `/sys` that can be set with its bytes, and the journal if there is one.
    pub(crate) fn settings(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        if is_on_board() {
            collect(Path::new("/sys/devices/system/cpu/cpufreq"), &mut found)
        } else {
            collect(&self.0.join("sys"), &mut found)
        }
        let journal = self.0.join("lib/sbc-bench/settings.journal");
        if let Ok(bytes) = std::fs::read(&journal) {
            found.insert(journal, bytes);
        }
        found
    }

    /// Waits until the settings are these; the time that took, or what differs after [`PATIENCE`].
    pub(crate) fn wait_for(&self, before: &BTreeMap<PathBuf, Vec<u8>>) -> Result<Duration, String> {
        let started = Instant::now();
        loop {
            let now = self.settings();
            if now == *before {
                return Ok(started.elapsed());
            }
            if started.elapsed() > PATIENCE {
                return Err(difference(before, &now));
            }
            std::thread::sleep(Duration::from_millis(4));
        }
    }

    /// Processes of this machine, recognised by their environment.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mark = format!("SBC_BENCH_FAULTS_TRACE={}", self.0.join("trace").display());
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok());
        pids.filter(|pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|variable| variable == mark.as_bytes())
        })
        .collect()
    }

    /// Waits until none of those that made calls on this machine is left, and nothing else runs on it. One that
    /// is just ending has no environment any more, and still holds its files.
    pub(crate) fn wait_for_ends(&self) -> Result<(), String> {
        let started = Instant::now();
        loop {
            let mut left: Vec<u32> = self.trace().iter().map(|call| call.process).collect();
            left.extend(self.processes());
            left.sort_unstable();
            left.dedup();
            left.retain(|process| is_there(*process));
            if left.is_empty() {
                return Ok(());
            }
            if started.elapsed() > PATIENCE {
                return Err(format!("still running: {left:?}"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// True for a process that has not ended: one that waits for its parent has closed its files.
fn is_there(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Differences, for messages.
pub(crate) fn difference(before: &BTreeMap<PathBuf, Vec<u8>>, now: &BTreeMap<PathBuf, Vec<u8>>) -> String {
    let text =
        |bytes: Option<&Vec<u8>>| bytes.map_or("none".into(), |bytes| String::from_utf8_lossy(bytes).into_owned());
    let paths = before.keys().chain(now.keys());
    let differing = paths.filter(|path| before.get(*path) != now.get(*path));
    let lines = differing.map(|path| {
        let (before, now) = (text(before.get(path)), text(now.get(path)));
        format!("{}: {before:?} is now {now:?}", path.display())
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn can_be_set(entry: &std::fs::DirEntry) -> bool {
    entry.metadata().is_ok_and(|data| data.mode() & 0o200 != 0)
}

fn collect(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(&entry.path(), found);
        } else if kind.is_file() && can_be_set(&entry) {
            found.insert(entry.path(), std::fs::read(entry.path()).unwrap_or_default());
        }
    }
}

/// True if such a machine can be made here; else the test is skipped.
pub(crate) fn can_run() -> bool {
    let tree = Tree::new();
    let output = tree.run(&["--version"], "");
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        testkit::skip(&format!("mount namespaces, which take root: {why}"));
    }
    output.status.success()
}

/// Does it for all of them, several at a time: runs mostly wait.
pub(crate) fn for_each<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let workers = if is_on_board() { 1 } else { std::thread::available_parallelism().map_or(2, |cpus| 2 * cpus.get()) };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(one);
                }
            });
        }
    });
}
