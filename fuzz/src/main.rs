//! `fuzz [--scaling] [--seconds N] [--keep] [--folder DIR] [TARGET...]`: feeds every target with inputs made of its seeds, guided by the branches
//! they take, and names what panics, hangs for a second or asks for 256 MB.
//!
//! `--scaling` repeats words of the seeds up to the limit of the target's caller instead, and reports those whose cost grows
//! faster than the input (`scaling::GROWTH_MAX`). `--seconds` bounds the larger sizes; every word is tried at the smallest.
//!
//! Each target runs in a process of its own. An input that fails is kept in `fuzz/artifacts`; it belongs into
//! `fuzz/seeds/TARGET` together with what mends it, so that it is tried again for ever. `--folder` names another
//! `fuzz` than that of the build, so that a long run and the work go on side by side.

use sbc_bench_fuzz::coverage::Coverage;
use sbc_bench_fuzz::limits::{self, Counting};
use sbc_bench_fuzz::mutate::{self, Random, mutate, words};
use sbc_bench_fuzz::scaling::{GROWTH_MAX, Scaling};
use sbc_bench_fuzz::{Target, files, seeds, targets};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Longer inputs are not mutated further: inputs that break a parser are short.
const BYTES_MAX: usize = mutate::BYTES_MAX;
/// Default CPU time for each target in seconds.
const SECONDS: u64 = 10;

/// Stack that this program uses below a target.
const OWN_STACK_BYTES: usize = 64 << 10;

/// Makes the allocator keep freed memory (mallopt(3)).
const MALLOC_KEEPS: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "1"), ("MALLOC_TRIM_THRESHOLD_", "4294967296"), ("MALLOC_MMAP_THRESHOLD_", "33554432")];
/// Time limit of a target as a multiple of its CPU time.
const WAITING: u64 = 4;

struct Options {
    seconds: u64,
    keep: bool,
    is_scaling: bool,
    folder: PathBuf,
    names: Vec<String>,
}

fn options() -> Options {
    let mut options = Options {
        seconds: SECONDS,
        keep: false,
        is_scaling: false,
        folder: env!("CARGO_MANIFEST_DIR").into(),
        names: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => options.seconds = words.next().and_then(|n| n.parse().ok()).unwrap_or(SECONDS),
            "--keep" => options.keep = true,
            "--scaling" => options.is_scaling = true,
            "--folder" => options.folder = words.next().unwrap_or_default().into(),
            _ => options.names.push(word),
        }
    }
    options
}

fn main() -> ExitCode {
    let options = options();
    let all = targets();
    if let [one, name] = &options.names[..]
        && one == "one"
    {
        let target = all.iter().find(|target| target.name == name).expect("a target");
        let begin = || fuzz(target, &options);
        // The stack of production, and that of this program below it.
        let thread = std::thread::Builder::new().stack_size(target.stack_bytes + OWN_STACK_BYTES);
        return std::thread::scope(|scope| {
            let thread = thread.spawn_scoped(scope, begin).expect("a thread");
            thread.join().unwrap_or(ExitCode::FAILURE)
        });
    }
    let is_asked = |target: &&Target| options.names.is_empty() || options.names.iter().any(|name| name == target.name);
    let begin = Instant::now();
    let asked: Vec<&Target> = all.iter().filter(is_asked).collect();
    let (count, next, failed) = (asked.len(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    // Each has a process of its own, which uses one CPU.
    let at_once = std::thread::available_parallelism().map_or(1, |cpus| cpus.get());
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(target) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = run(target, &options) {
                        println!("{:<20} FAILED: {why}", target.name);
                        failed.lock().expect("no panic").push(target.name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no panic");
    let took_s = begin.elapsed().as_secs();
    println!(
        "{count} targets in {took_s} s, {} failed{}",
        failed.len(),
        failed.iter().fold(String::new(), |all, name| all + " " + name)
    );
    ExitCode::from(u8::from(!failed.is_empty() || count == 0))
}

/// One target in a process of its own.
fn run(target: &Target, options: &Options) -> Result<(), String> {
    let mut child = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
    child.args(["--seconds", &options.seconds.to_string()]);
    child.arg("--folder").arg(&options.folder);
    let flags = [("--keep", options.keep), ("--scaling", options.is_scaling)];
    child.args(flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag));
    // Memory that is freed stays with the process: page faults would be taken for cost that grows with the input.
    child.envs(MALLOC_KEEPS);
    let child = child.args(["one", target.name]).spawn().map_err(|e| e.to_string())?;
    let current = current(options, child.id());
    let status = { child }.wait().map_err(|e| e.to_string())?;
    let input = std::fs::read(&current).unwrap_or_default();
    let _ = std::fs::remove_file(&current);
    if status.success() {
        return Ok(());
    }
    let why = match status.code() {
        Some(limits::HANGS) => "hangs".to_owned(),
        Some(limits::TOO_LARGE) => "asks for too much memory".to_owned(),
        Some(limits::GROWS) => format!("takes more than {GROWTH_MAX} times as long for four times the input"),
        Some(_) => "panics".to_owned(),
        None => status.to_string(),
    };
    let kept = options.folder.join("artifacts").join(format!("{}-{}", target.name, input.len()));
    std::fs::write(&kept, &input).map_err(|e| e.to_string())?;
    Err(format!("{why} with {}", kept.display()))
}

/// The input that a process is working at.
fn current(options: &Options, pid: u32) -> PathBuf {
    let artifacts = options.folder.join("artifacts");
    let _ = std::fs::create_dir_all(&artifacts);
    artifacts.join(format!("current-{pid}"))
}

fn fuzz(target: &Target, options: &Options) -> ExitCode {
    let corpus = options.folder.join("corpus").join(target.name);
    let mut inputs = seeds(target, &options.folder);
    let own = inputs.len();
    inputs.extend(files(&corpus));
    inputs.iter_mut().for_each(|input| input.truncate(BYTES_MAX));
    let words = words(&inputs[..own]);
    let file =
        std::fs::File::create(current(options, std::process::id())).expect("the folder of artifacts can be written");
    let mut coverage = Coverage::default();
    limits::watch();
    let mut once = |input: &[u8]| {
        // An input that kills the process is kept here.
        file.set_len(input.len() as u64).expect("a file of our own");
        file.write_all_at(input, 0).expect("a file of our own");
        limits::begin(input.len());
        let before_ns = limits::thread_cpu_ns();
        target.run(input);
        let cost_ns = limits::thread_cpu_ns() - before_ns;
        limits::end();
        (coverage.take(), cost_ns)
    };
    for input in &inputs {
        once(input);
    }
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut random = Random(seed.map_or(1, |since| since.as_nanos() as u64));
    let (begin, begin_cpu_ns, mut runs) = (Instant::now(), limits::cpu_ns(), 0_u64);
    // CPU time, as a niced run on a busy machine gets little of it; what waits for sockets has an end, too.
    let is_over = || {
        let used = Duration::from_nanos(limits::cpu_ns() - begin_cpu_ns);
        used.as_secs() >= options.seconds || begin.elapsed().as_secs() >= options.seconds * WAITING
    };
    if options.is_scaling {
        let mut scaling = Scaling::new(&inputs[..own], target.bytes_max, random);
        scaling.try_all(|input| once(input).1, options.seconds * 1_000_000_000);
        println!("{:<20} {scaling}, {:>4} s of CPU", target.name, limits::cpu_ns() / 1_000_000_000);
        return ExitCode::from(if scaling.is_linear() { 0 } else { limits::GROWS as u8 });
    }
    while !is_over() {
        let input = mutate(&mut random, &inputs, &words, target.bytes_max);
        runs += 1;
        if once(&input).0 && input.len() <= BYTES_MAX {
            if options.keep {
                let _ = std::fs::create_dir_all(&corpus);
                let name = format!("{:016x}", random.clone().next());
                let _ = std::fs::write(corpus.join(name), &input);
            }
            inputs.push(input);
        }
    }
    let guided = if Coverage::is_there() { "" } else { ", blind" };
    println!(
        "{:<20} {runs:>9} runs, {:>5} inputs, {:>6} edges, {:>4} s of CPU{guided}",
        target.name,
        inputs.len(),
        coverage.edges,
        limits::cpu_ns() / 1_000_000_000
    );
    ExitCode::SUCCESS
}
