//! `cargo xtask test`: all tests of the workspace, with the test programs in parallel. Half of them mostly wait for child
//! processes, and would leave the machine idle if run one by one. Programs that `./test --full` needs afterwards are built
//! meanwhile.

use crate::workspace::{cargo, list_skip, root, target_folder};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Test programs that run alone: they take CPUs offline or need exact timing.
const ALONE: [&str; 2] = ["virtual_board", "hotplug"];
/// Programs that take minutes or change the machine, and the filter of the tests that the first tier runs.
const FIRST_TIER: [(&str, Option<&str>); 2] = [("virtual_board", Some("settings::")), ("hotplug", None)];
/// Threads of a program that runs alone. Its tests mostly wait for child processes.
const THREADS_ALONE: usize = 8;
/// Threads per CPU of a program of integration tests, which mostly wait for child processes.
const THREADS_PER_CPU: usize = 2;
/// Number of listed slowest programs.
const SLOWEST: usize = 10;

/// A test program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Program {
    /// Package, kind and name of the target.
    name: String,
    is_alone: bool,
    /// Whether its tests start processes of the whole program.
    is_integration: bool,
    /// Filter of the tests to run.
    filter: Option<&'static str>,
    executable: PathBuf,
    /// Folder of the package, the working directory that cargo would set.
    folder: PathBuf,
}

/// Builds all tests with lints, runs them and lists failed programs at the end. The first tier omits tests that take
/// minutes or change the machine.
pub(crate) fn main(is_full: bool) -> Result<()> {
    let (mut programs, lints) = built()?;
    ensure!(!programs.is_empty(), "cargo test --no-run listed no test program");
    if !is_full {
        for why in leave_out(&mut programs) {
            list_skip(&format!("excused: {why}"))?;
        }
    }
    // Integration tests take longest.
    programs.sort_by_key(|program| !program.is_integration);
    let started = Instant::now();
    let (alone, together): (Vec<_>, Vec<_>) = programs.iter().partition(|program| program.is_alone);
    let cpus = std::thread::available_parallelism()?.get();
    let ahead = is_full.then(build_ahead).transpose()?;
    let mut done = side_by_side(&together, cpus)?;
    // The steps that use these binaries report build failures.
    ahead.map(|mut ahead| ahead.wait()).transpose()?;
    done.extend(side_by_side(&alone, 1)?);
    println!("{} programs of tests in {:.0} s", programs.len(), started.elapsed().as_secs_f64());
    if is_full {
        done.sort_by_key(|(_, _, took)| std::cmp::Reverse(*took));
        println!("slowest:");
        for (name, _, took) in done.iter().take(SLOWEST) {
            println!("{:>7.1} s  {name}", took.as_secs_f64());
        }
    }
    let failed: Vec<&str> = done.iter().filter(|(_, is_good, _)| !is_good).map(|(name, ..)| &**name).collect();
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    ensure!(lints == 0, "{lints} warnings of the compiler and clippy");
    Ok(())
}

/// Builds fuzz targets and static binaries at the lowest priority.
fn build_ahead() -> Result<Child> {
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(std::env::current_exe()?).args(["test", "--ahead"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("nice")
}

/// The builds of [`build_ahead`].
pub(crate) fn ahead() -> Result<()> {
    crate::dist::build_checked()?;
    crate::fuzz::build(true).map(drop)
}

/// Repeats the integration tests beside two busy loops, with runs, references and definitions of a user present
/// (`xtask/used.sh`), and counts failures. Requires root for a mount namespace.
pub(crate) fn used(times: &str) -> Result<()> {
    let times: u32 = times.parse().with_context(|| format!("{times} is not a number"))?;
    let (mut programs, _) = built()?;
    leave_out(&mut programs);
    programs.retain(|program| program.is_integration);
    let binary = target_folder()?.join("debug/sbc-bench");
    let mut failures = 0;
    for round in 1..=times {
        for program in &programs {
            let started = Instant::now();
            let mut command = Command::new("unshare");
            command.arg("-m").arg(root().join("xtask/used.sh")).arg(&binary).arg(&program.executable);
            let (text, is_good) = output_of(command, program)?;
            print(program, &text, is_good, started.elapsed());
            failures += u32::from(!is_good);
        }
        println!("round {round}: {failures} programs failed so far");
    }
    ensure!(failures == 0, "{failures} programs failed on a machine in use");
    Ok(())
}

/// Removes tests that the first tier omits and returns the reasons.
fn leave_out(programs: &mut Vec<Program>) -> Vec<String> {
    let mut left_out = Vec::new();
    programs.retain_mut(|program| {
        let tier = FIRST_TIER.iter().find(|(name, _)| program.is_alone && program.name.ends_with(name));
        let Some((_, filter)) = tier else { return true };
        program.filter = *filter;
        let rest = filter.map_or(String::new(), |filter| format!(", but for {filter}"));
        left_out.push(format!("{}{rest}: takes minutes or CPUs; ./test --full runs it", program.name));
        filter.is_some()
    });
    left_out
}

/// Builds the test programs of the workspace, prints warnings and returns their number.
fn built() -> Result<(Vec<Program>, usize)> {
    let mut build = cargo();
    // One build yields both lints and programs.
    build.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    build.args(["test", "--locked", "--workspace", "--all-targets", "--no-run", "--message-format=json"]);
    let mut child = build.stdout(Stdio::piped()).spawn().context("cargo test --no-run")?;
    let messages = BufReader::new(child.stdout.take().context("a pipe")?);
    let (mut programs, mut lints) = (Vec::new(), 0);
    for line in messages.lines() {
        let line = line?;
        if let Some(text) = lint(&line) {
            print!("{text}");
            lints += 1;
        }
        programs.extend(program(&line));
    }
    let status = child.wait()?;
    ensure!(status.success(), "the tests cannot be built: {status}");
    Ok((programs, lints))
}

/// Parses a warning or error of the compiler or of clippy.
fn lint(line: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    let message = message.get("message").filter(|_| message["reason"] == "compiler-message")?;
    let is_lint = ["warning", "error"].contains(&message["level"].as_str()?);
    message["rendered"].as_str().filter(|_| is_lint).map(str::to_owned)
}

/// Parses the test program in a message of cargo.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["profile"]["test"].as_bool()?;
    let executable = message["executable"].as_str().filter(|_| is_test)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let (target, kind) = (message["target"]["name"].as_str()?, message["target"]["kind"][0].as_str()?);
    // `--all-targets` also builds the benchmarks, for their lints.
    if kind == "bench" {
        return None;
    }
    let package = folder.file_name()?.to_string_lossy();
    // A program and a test may have the same name.
    Some(Program {
        name: format!("{package} {kind} {target}"),
        is_alone: kind == "test" && ALONE.contains(&target),
        is_integration: kind == "test",
        filter: None,
        executable: executable.into(),
        folder: folder.into(),
    })
}

/// Runs the programs in parallel on this number of workers. Returns name, success and duration of each.
fn side_by_side(programs: &[&Program], workers: usize) -> Result<Vec<(String, bool, Duration)>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let started = Instant::now();
            let (text, is_good) = output(program).unwrap_or_else(|error| (format!("{error:#}\n"), false));
            print(program, &text, is_good, started.elapsed());
            done.push((program.name.clone(), is_good, started.elapsed()));
        }
        done
    };
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).context("a thread");
        let threads = (0..workers).map(spawn).collect::<Result<Vec<_>>>()?;
        let mut done = Vec::new();
        for thread in threads {
            done.extend(thread.join().map_err(|_| anyhow!("a worker panicked"))?);
        }
        Ok(done)
    })
}

/// Runs a program. Returns its output and whether it succeeded.
fn output(program: &Program) -> Result<(String, bool)> {
    output_of(Command::new(&program.executable), program)
}

/// The output goes to a file, as a child process that is still running would keep a pipe open.
fn output_of(mut command: Command, program: &Program) -> Result<(String, bool)> {
    let path = std::env::temp_dir().join(format!("sbc-bench-tests-{}-{}", std::process::id(), program.name));
    let mut file = File::options().create(true).truncate(true).read(true).write(true).open(&path)?;
    std::fs::remove_file(&path)?;
    command.args(program.filter);
    if program.is_alone {
        command.env("RUST_TEST_THREADS", THREADS_ALONE.to_string());
    } else if program.is_integration {
        let cpus = std::thread::available_parallelism()?.get();
        command.env("RUST_TEST_THREADS", (cpus * THREADS_PER_CPU).to_string());
    }
    let status = command
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file.try_clone()?)
        .status()
        .with_context(|| program.executable.display().to_string())?;
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), status.success()))
}

/// Prints the whole output of a failed program, and the line with the test counts of a successful one.
fn print(program: &Program, text: &str, is_good: bool, took: Duration) {
    let seconds = took.as_secs_f64();
    if !is_good {
        println!("--- {}: failed after {seconds:.1} s\n{text}---", program.name);
        return;
    }
    let counted = text.lines().rfind(|line| line.starts_with("test result: "));
    let counted = counted.and_then(|line| line.strip_prefix("test result: ok. ")).unwrap_or(text.trim());
    let counted = counted.split("; finished").next().unwrap_or_default();
    println!("{seconds:>7.1} s  {}: {counted}", program.name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_tests_in_messages_of_cargo() {
        let message = |kind: &str, name: &str, is_test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/w/crates/app/Cargo.toml","target":{{"kind":["{kind}"],
                "name":"{name}"}},"profile":{{"test":{is_test}}},"executable":{executable}}}"#
            )
        };
        let board = program(&message("test", "virtual_board", true, r#""/t/board""#)).unwrap();
        assert_eq!(board.name, "app test virtual_board");
        assert!(board.is_alone);
        assert_eq!((board.executable, board.folder), ("/t/board".into(), "/w/crates/app".into()));
        assert_eq!(program(&message("bench", "load", true, r#""/t/b""#)), None);
        assert!(!program(&message("bin", "virtual_board", true, r#""/t/b""#)).unwrap().is_alone);
        for other in [
            message("bin", "sbc-bench", false, r#""/t/b""#),
            message("lib", "bench", true, "null"),
            r#"{"reason":"build-finished","success":true}"#.into(),
            "not JSON".into(),
        ] {
            assert_eq!(program(&other), None, "{other}");
        }
    }

    #[test]
    fn warnings_in_messages_of_cargo() {
        let message = |reason: &str, level: &str| {
            format!(r#"{{"reason":"{reason}","message":{{"level":"{level}","rendered":"{level}: a\n"}}}}"#)
        };
        assert_eq!(lint(&message("compiler-message", "warning")).as_deref(), Some("warning: a\n"));
        assert_eq!(lint(&message("compiler-message", "error")).as_deref(), Some("error: a\n"));
        assert_eq!(lint(&message("compiler-message", "failure-note")), None);
        assert_eq!(lint(&message("other", "warning")), None);
        assert_eq!(lint("not JSON"), None);
    }

    #[test]
    fn first_tier_runs_settings_on_virtual_boards_and_no_hotplug() {
        let program = |name: &str| Program {
            name: format!("app test {name}"),
            is_alone: name != "integration",
            is_integration: true,
            filter: None,
            executable: "/t/x".into(),
            folder: "/w".into(),
        };
        let mut programs = ["integration", "hotplug", "virtual_board"].map(program).to_vec();
        assert_eq!(leave_out(&mut programs).len(), 2);
        let left: Vec<_> = programs.iter().map(|program| (&*program.name, program.filter)).collect();
        assert_eq!(left, [("app test integration", None), ("app test virtual_board", Some("settings::"))]);
    }
}
