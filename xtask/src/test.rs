//! `cargo xtask test`: every test of the workspace, the programs of tests side by side. Half of them mostly wait for
//! what they have started, and one after the other they leave the machine idle for most of their time.

use crate::workspace::{cargo, run};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Programs that have the machine for themselves, as they take CPUs or all of their time from others.
const ALONE: [&str; 2] = ["virtual_board", "hotplug"];
/// So many of their tests at once: each waits until it has the room that it needs, and most of them mostly wait.
const THREADS_ALONE: &str = "8";

/// One program of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Program {
    /// Its package and target, for people.
    name: String,
    is_alone: bool,
    executable: PathBuf,
    /// The folder of its package, in which cargo would start it.
    folder: PathBuf,
}

/// Builds all tests and runs them; those that fail are named at the end.
pub(crate) fn main() -> Result<()> {
    let programs = built()?;
    ensure!(!programs.is_empty(), "cargo test --no-run told of no program of tests");
    let started = Instant::now();
    let (alone, together): (Vec<_>, Vec<_>) = programs.iter().partition(|program| program.is_alone);
    let mut failed = side_by_side(&together, std::thread::available_parallelism()?.get())?;
    failed.extend(side_by_side(&alone, 1)?);
    println!("{} programs of tests in {:.0} s", programs.len(), started.elapsed().as_secs_f64());
    let documented = run(cargo().args(["test", "--quiet", "--locked", "--workspace", "--doc"]));
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    documented
}

/// The programs of tests of the workspace, built.
fn built() -> Result<Vec<Program>> {
    let mut build = cargo();
    build.args(["test", "--locked", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    let output = build.stderr(Stdio::inherit()).output().context("cargo test --no-run")?;
    ensure!(output.status.success(), "the tests cannot be built: {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(program).collect())
}

/// The program that a message of cargo is about; none if it is about something else.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["profile"]["test"].as_bool()?;
    let executable = message["executable"].as_str().filter(|_| is_test)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let (target, kind) = (message["target"]["name"].as_str()?, message["target"]["kind"][0].as_str()?);
    let package = folder.file_name()?.to_string_lossy();
    // A program and a test of one name are two.
    Some(Program {
        name: format!("{package} {kind} {target}"),
        is_alone: kind == "test" && ALONE.contains(&target),
        executable: executable.into(),
        folder: folder.into(),
    })
}

/// Runs so many at a time, and names those that failed.
fn side_by_side(programs: &[&Program], workers: usize) -> Result<Vec<String>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failed = Vec::new();
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let started = Instant::now();
            let (text, is_good) = output(program).unwrap_or_else(|error| (format!("{error:#}\n"), false));
            tell(program, &text, is_good, started.elapsed());
            if !is_good {
                failed.push(program.name.clone());
            }
        }
        failed
    };
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).context("a thread");
        let threads = (0..workers).map(spawn).collect::<Result<Vec<_>>>()?;
        let mut failed = Vec::new();
        for thread in threads {
            failed.extend(thread.join().map_err(|_| anyhow!("a worker panicked"))?);
        }
        Ok(failed)
    })
}

/// What it printed, and whether all went well. A file takes what it prints: something that it left running would keep
/// a pipe open.
fn output(program: &Program) -> Result<(String, bool)> {
    let path = std::env::temp_dir().join(format!("sbc-bench-tests-{}-{}", std::process::id(), program.name));
    let mut file = File::options().create(true).truncate(true).read(true).write(true).open(&path)?;
    std::fs::remove_file(&path)?;
    let mut command = Command::new(&program.executable);
    if program.is_alone {
        command.env("RUST_TEST_THREADS", THREADS_ALONE);
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

/// All that a failed program printed; of a good one the line that counts its tests.
fn tell(program: &Program, text: &str, is_good: bool, took: Duration) {
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
}
