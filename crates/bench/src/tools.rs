//! Finds external programs: on the PATH, without a shell, and only after asking them who they are.
//!
//! Another program of the same name is passed over and named; a program that hangs when asked for
//! its version is killed. Nothing is ever installed or downloaded from here.

use crate::child::{Child, Spec, Supervisor};
use machine::Root;
use record::{Missing, Reading};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time that a program has to tell its version. Slow boards with slow cards load it in a second.
const PROBE_LIMIT: Duration = Duration::from_secs(5);

/// A kind of program, by any of its names.
#[derive(Debug)]
pub struct ToolKind {
    /// What people call it.
    pub name: &'static str,
    /// Names of its program, best first.
    pub programs: &'static [&'static str],
    /// Arguments that make it tell its version.
    pub version_args: &'static [&'static str],
    /// Version in its own words, if the text is of this kind of program.
    pub recognise: fn(&str) -> Option<String>,
}

/// A program that was found and has told its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Name, for example `7zz`.
    pub name: String,
    /// Where it was found.
    pub path: String,
    /// Version in its own words.
    pub version: String,
}

/// The external programs of this machine. Every kind is looked for once.
#[derive(Debug)]
pub struct Tools {
    directories: Vec<PathBuf>,
    root: Root,
    known: Mutex<BTreeMap<&'static str, Reading<Found>>>,
}

impl Tools {
    /// Looks in the directories of the environment's PATH.
    pub fn on_path() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::in_directories(std::env::split_paths(&path).collect())
    }

    /// Looks in these directories, in this order.
    pub fn in_directories(directories: Vec<PathBuf>) -> Self {
        Self {
            directories,
            root: Root::system(),
            known: Mutex::default(),
        }
    }

    /// The first program of this kind: names in order, each in all directories.
    ///
    /// # Errors
    /// There is none; the reason names what was found instead.
    pub fn find(&self, kind: &'static ToolKind) -> Reading<Found> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(kind.name)
            .or_insert_with(|| self.search(kind))
            .clone()
    }

    fn search(&self, kind: &ToolKind) -> Reading<Found> {
        let mut passed_over = Vec::new();
        for name in kind.programs {
            for directory in self.directories.iter().filter(|path| path.is_absolute()) {
                let path = directory.join(name);
                if !is_program(&path) {
                    continue;
                }
                match self.ask(kind, name, &path) {
                    Ok(found) => return Ok(found),
                    // Many systems have /bin and /usr/bin as one directory.
                    Err(reason) if !passed_over.contains(&reason) => passed_over.push(reason),
                    Err(_) => {}
                }
            }
        }
        if passed_over.is_empty() {
            let names = kind.programs.join(", ");
            return Err(Missing::unsupported(
                names.clone(),
                format!("{} is not installed: no {names} on the PATH", kind.name),
            ));
        }
        Err(Missing::unsupported(
            kind.programs.join(", "),
            passed_over.join("; "),
        ))
    }

    fn ask(&self, kind: &ToolKind, name: &str, path: &Path) -> Result<Found, String> {
        let path = path.display().to_string();
        let words = [path.as_str()]
            .into_iter()
            .chain(kind.version_args.iter().copied());
        let argv: Vec<String> = words.map(str::to_owned).collect();
        let spec = Spec {
            argv: &argv,
            cpus: &[],
            time_limit: PROBE_LIMIT,
        };
        let child = Child::spawn(&spec).map_err(|failure| failure.message)?;
        let ended = child.finish(&mut Supervisor {
            root: &self.root,
            // A question takes a moment and has its own limit.
            cancelled: &AtomicI32::new(0),
            watch: &mut || {},
        });
        match ((kind.recognise)(&ended.output), ended.outcome) {
            // Some programs tell their version and end with an error status for lack of arguments.
            (Some(version), _) => Ok(Found {
                name: name.to_owned(),
                path,
                version,
            }),
            (None, Err(failure)) => Err(format!("{path} does not answer: {}", failure.message)),
            (None, Ok(())) => {
                let line = ended.output.lines().find(|line| !line.trim().is_empty());
                let line: String = line.unwrap_or_default().chars().take(60).collect();
                Err(format!("{path} is not {}: it answers {line:?}", kind.name))
            }
        }
    }
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
