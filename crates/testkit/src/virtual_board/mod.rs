//! Virtual board that throttles on a machine that does not, for tests of the whole program.
//!
//! A FUSE tree overlays parts of `/sys` in a private mount namespace. The command in it sees cpufreq, a thermal zone,
//! cooling devices and a power meter; those of this machine are hidden. Its load heats a simulated chip, and throttling
//! really slows the command down. The true state is written to a file. Needs root, FUSE, mount namespaces and cgroups
//! of either version; [`lacking`] names missing ones.

mod board;
mod chance;
mod files;
mod groups;
mod host;
mod meter;
mod model;
mod names;
mod slots;
mod stat;
mod union;

pub use board::{
    Board, KernelSpec, MeterAccuracy, MeterLocation, MeterSpec, Mode, PolicySpec, RailSpec, ThermalSpec, ThrottleSpec,
    ZoneSpec,
};
pub use chance::{Chance, Fault};
pub use files::{Node, nodes};
pub use model::{Model, PolicyState, core_w};

use host::Host;
use meter::Meter;
use names::{is_left_over, name};
use slots::Slots;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time step of the simulation.
const STEP: Duration = Duration::from_millis(20);
/// Simulation steps per line of the trace.
const STEPS_PER_LINE: u32 = 5;

/// Time for processes of the command to restore settings after it has ended.
const GRACE: Duration = Duration::from_secs(3);
/// Priority of the simulation over other processes, as a negative nice value.
const RIG_NICE: i32 = 19;
/// Variable with the address of a network meter for the command.
pub const METER_VARIABLE: &str = "VIRTUAL_BOARD_METER";

/// Mounts the tree over `/sys` and `/proc/stat`, enters the cgroups, executes the command. Arguments: tree, thread
/// lists, directories.
const ENTER: &str = r#"
tree=$1 lists=$2 folders=$3; shift 3
for list in $lists; do echo $$ > "$list" || exit 125; done
mount --bind "$tree/stat" /proc/stat || exit 125
for folder in $folders; do mount --bind "$tree/$folder" "/sys/$folder" || exit 125; done
exec "$@"
"#;

/// True state at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Seconds since the start.
    pub at_s: f64,
    /// Milliseconds since 1970, as in steps of a Record.
    pub at_utc_ms: i64,
    /// Temperature in °C.
    pub temp_c: f64,
    /// Power in watts.
    pub power_w: f64,
    /// True clock of every policy in kHz.
    pub real_khz: Vec<u32>,
    /// Clock that cpufreq shows.
    pub shown_khz: Vec<u32>,
    /// Clock without heat and under-voltage.
    pub cool_khz: Vec<u32>,
    /// Clock without heat and under-voltage, if the firmware also honoured requests.
    pub wanted_khz: Vec<u32>,
    /// Offline CPU.
    pub off_cpu: Option<u32>,
    /// Number of OPPs by which the clock is lowered.
    pub level: usize,
    /// Clock of the host, the reference for true clocks.
    pub host_khz: u32,
}

/// Finished run.
#[derive(Debug)]
pub struct FinishedRun {
    /// Exit status of the command.
    pub status: ExitStatus,
    /// True state, every tenth of a second.
    pub trace: Vec<Truth>,
    /// Final state of the board.
    pub model: Model,
    /// Names of processes that outlived the command and were killed.
    pub left_running: Vec<String>,
    /// Longest pause of the simulation in seconds, because the machine was busy.
    pub stood_still_s: f64,
}

/// Missing prerequisite of a virtual board; `None` if it can run here.
pub fn lacking() -> Option<String> {
    let is_root = std::fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        let uid = status.lines().find_map(|line| line.strip_prefix("Uid:"));
        uid.and_then(|uid| uid.split_whitespace().nth(1)) == Some("0")
    });
    if !is_root {
        return Some("it takes root".into());
    }
    if !Path::new("/dev/fuse").exists() {
        return Some("/dev/fuse is not there".into());
    }
    let namespace = Command::new("unshare").args(["--mount", "true"]).output();
    if !namespace.is_ok_and(|output| output.status.success()) {
        return Some("mount namespaces are not permitted".into());
    }
    slots::lacking()
}

/// Runs a command on a board. `host_khz` is the clock of this machine; `None` measures it.
///
/// # Errors
/// The part of the setup that failed.
pub fn run(board: Board, host_khz: Option<u32>, command: &[OsString]) -> Result<FinishedRun, String> {
    let failed = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
    // The simulation has priority over the command. Threads created here inherit it.
    set_nice(-RIG_NICE).map_err(failed("priority"))?;
    let mut host = Host::new(host_khz);
    let policies = board.policy.iter();
    let cpus: Vec<u32> = policies.flat_map(|policy| policy.cpus.clone()).collect();
    let name = name();
    let mut slots = Slots::new(&name, &cpus, board.drive_bytes_per_s).map_err(failed("control groups"))?;
    let model = Arc::new(Mutex::new(Model::new(board)));
    let tree = Tree::mount(&name, &model).map_err(failed("FUSE"))?;
    let place = lock(&model).board.meter.as_ref().map(|meter| meter.place);
    let meter = match place {
        Some(MeterLocation::Network) => Some(Meter::serve(&model).map_err(failed("meter"))?),
        _ => None,
    };
    let first = lock(&model).clone();
    apply(&first, &mut slots, host.khz());
    let mut child = enter(&tree, &slots, &first.board, command);
    if let Some(meter) = &meter {
        child.env(METER_VARIABLE, meter.address.to_string());
    }
    let mut child = child.spawn().map_err(failed("unshare"))?;
    let started = Instant::now();
    let (mut last, mut steps, mut trace) = (started, 0_u32, Vec::new());
    let (mut ended, mut stood_still_s) = (None, 0.0_f64);
    let (status, left_running) = loop {
        std::thread::sleep(STEP);
        let dt_s = last.elapsed().as_secs_f64();
        last = Instant::now();
        stood_still_s = stood_still_s.max(dt_s);
        host.refresh();
        live(&model, &mut slots, host.khz(), dt_s);
        let now = truth(&lock(&model), started.elapsed(), host.khz());
        // Throttling is traced at every step.
        let has_changed = trace.last().is_some_and(|last: &Truth| last.level != now.level);
        if has_changed || steps.is_multiple_of(STEPS_PER_LINE) {
            trace.push(now);
        }
        steps += 1;
        // The files stay available while any process of the command runs.
        if ended.is_none() {
            let status = child.try_wait().map_err(failed("the command"))?;
            ended = status.map(|status| (status, Instant::now()));
        }
        if let Some((status, since)) = ended {
            let left_running = slots.names();
            if left_running.is_empty() || since.elapsed() > GRACE {
                break (status, left_running);
            }
        }
    };
    slots.kill_all();
    let model = lock(&model).clone();
    switch(model.off_cpu, true);
    drop(tree);
    // Some systems do not permit lowering the nice value again; the next board then runs at this one.
    let _ = set_nice(0);
    Ok(FinishedRun { status, trace, model, left_running, stood_still_s })
}

/// Runs the command in its mount namespace and cgroups, at default priority.
fn enter(tree: &Tree, slots: &Slots, board: &Board, command: &[OsString]) -> Command {
    let has_firmware = board.throttle.under_voltage_c.is_some();
    let has_panel = board.panel_w.is_some();
    let folders = files::FOLDERS.into_iter();
    let folders = folders.filter(|folder| has_firmware || !folder.ends_with("platform"));
    let folders = folders.filter(|folder| has_panel || !["bus", "power"].contains(folder));
    let lists = slots.entrances();
    let lists: Vec<String> = lists.iter().map(|list| list.display().to_string()).collect();
    let mut child = Command::new("nice");
    child
        .args(["-n", &RIG_NICE.to_string()])
        .args(["unshare", "--mount", "--propagation", "private"])
        .args(["sh", "-c", ENTER, "sh"])
        .arg(&tree.folder)
        .arg(lists.join(" "))
        .arg(folders.collect::<Vec<_>>().join(" "))
        .args(command);
    child
}

/// Locks the board, even if a previous holder panicked.
pub(crate) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Advances the board by this time.
///
/// Reading processes and cgroups must not hold the lock on the board: while a process executes another program it
/// closes its files, and the kernel blocks reads of its status until this tree has answered.
fn live(shared: &Mutex<Model>, slots: &mut Slots, host_khz: u32, dt_s: f64) {
    let wanted_s = slots.sort_threads();
    let before = lock(shared).clone();
    let mut used = BTreeMap::new();
    for (index, policy) in before.board.policy.iter().enumerate() {
        let share = (f64::from(before.khz_real(index)) / f64::from(host_khz)).min(1.0);
        for cpu in &policy.cpus {
            // Short-lived threads are visible only in the CPU time of their cgroup.
            let ran_s = slots.used_s(*cpu);
            let by_threads_s = slots.due_s(*cpu, wanted_s.get(cpu).copied().unwrap_or(0.0), dt_s);
            let busy_s = (ran_s / share).max(by_threads_s).min(dt_s);
            used.insert(*cpu, busy_s / dt_s);
        }
    }
    let mut model = lock(shared);
    for (cpu, used) in &used {
        *model.busy_s.entry(*cpu).or_default() += used * dt_s;
    }
    model.step(dt_s, |cpu| used.get(&cpu).copied().unwrap_or(0.0));
    let after = model.clone();
    drop(model);
    apply(&after, slots, host_khz);
    if after.off_cpu != before.off_cpu {
        switch(before.off_cpu, true);
        switch(after.off_cpu, false);
    }
}

/// Sets the priority of the calling thread.
fn set_nice(nice: i32) -> std::io::Result<()> {
    Ok(rustix::process::setpriority_process(None, nice)?)
}

/// Sets every CPU to its true clock.
fn apply(model: &Model, slots: &mut Slots, host_khz: u32) {
    for (index, policy) in model.board.policy.iter().enumerate() {
        let share = f64::from(model.khz_real(index)) / f64::from(host_khz);
        for cpu in &policy.cpus {
            // A failed quota is visible in the command's measured clock.
            let _ = slots.set_share(*cpu, share);
        }
    }
}

fn switch(cpu: Option<u32>, is_on: bool) {
    if let Some(cpu) = cpu {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/online");
        let _ = std::fs::write(path, if is_on { "1" } else { "0" });
    }
}

fn truth(model: &Model, elapsed: Duration, host_khz: u32) -> Truth {
    let policies = 0..model.policies.len();
    let cool = model.cool();
    Truth {
        at_s: elapsed.as_secs_f64(),
        at_utc_ms: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64),
        temp_c: model.temp_c,
        power_w: model.power_w,
        real_khz: policies.clone().map(|index| model.khz_real(index)).collect(),
        shown_khz: policies.clone().map(|index| model.khz_shown(index)).collect(),
        cool_khz: policies.clone().map(|index| cool.khz_real(index)).collect(),
        wanted_khz: policies.map(|index| cool.khz_shown(index)).collect(),
        off_cpu: model.off_cpu,
        level: model.level,
        host_khz,
    }
}

/// Mounted tree; unmounted and removed on drop.
struct Tree {
    folder: PathBuf,
    session: Option<fuser::BackgroundSession>,
}

impl Tree {
    fn mount(name: &str, model: &Arc<Mutex<Model>>) -> std::io::Result<Self> {
        remove_left_over();
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder)?;
        let mut options = fuser::Config::default();
        options.mount_options = vec![fuser::MountOption::FSName("virtual-board".into())];
        options.acl = fuser::SessionACL::All;
        let session = fuser::spawn_mount(union::Union::new(Arc::clone(model)), &folder, &options)?;
        Ok(Self { folder, session: Some(session) })
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.session.take();
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// Unmounts trees of killed boards, whose file system no longer answers.
fn remove_left_over() {
    let entries = std::fs::read_dir(std::env::temp_dir());
    for entry in entries.into_iter().flatten().filter_map(Result::ok) {
        if is_left_over(&entry.file_name().to_string_lossy()) {
            let _ = Command::new("umount").arg("-l").arg(entry.path()).output();
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}
