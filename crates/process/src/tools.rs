//! Finds external programs on PATH, without a shell, and identifies them by their version output.
//!
//! Other programs with the same name are skipped and reported; a program that hangs is killed. Nothing is installed or
//! downloaded.

use crate::child::{Child, ChildSpec};
use crate::search_path::{is_program, search_path};
use machine::{Caller, Root, Trust, threads};
use record::{Missing, Reading, StableSort};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Maximum time for the version output. Slow boards with slow cards need a second to load a program.
const PROBE_LIMIT: Duration = Duration::from_secs(5);

/// Parses the version from a program's output; `None` if it is another program.
pub type VersionReader = dyn Fn(&str) -> Option<String> + Sync;

/// Kind of program with any of several names.
pub struct ToolKind {
    /// Common name.
    pub name: &'static str,
    /// Names of its program, best first.
    pub programs: &'static [&'static str],
    /// Arguments that print the version.
    pub version_args: &'static [&'static str],
    /// Version as printed, if this kind of program wrote the output.
    pub recognise: &'static VersionReader,
    /// Minimum version; empty if all are sufficient.
    pub oldest: &'static [u32],
    /// Preferred version, used wherever it is installed; all installed versions are then searched. `None` if the first
    /// program is sufficient.
    pub is_preferred: Option<fn(&str) -> bool>,
    /// Environment variable with the path of the program or its directory. Its value is used or rejected, never
    /// replaced.
    pub variable: Option<&'static str>,
    /// True for programs that users install themselves: they may be in directories of the user who called root, and run
    /// with that user's rights.
    pub is_users: bool,
    /// True for programs that compute or use the network and need no root rights. Others open drives, counters,
    /// displays or directories of the run, which are root's.
    pub needs_no_rights: bool,
}

impl std::fmt::Debug for ToolKind {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl ToolKind {
    /// Defaults: any version printed by `--version`, found on PATH, run with the rights of this process.
    pub const PLAIN: Self = Self {
        name: "",
        programs: &[],
        version_args: &["--version"],
        recognise: &|_| None,
        oldest: &[],
        is_preferred: None,
        variable: None,
        is_users: false,
        needs_no_rights: false,
    };

    /// True if it runs with the rights of the user who called root.
    fn runs_as_caller(&self) -> bool {
        self.is_users || self.needs_no_rights
    }
}

/// Program that was found and has printed its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledProgram {
    /// Name, for example `7zz`.
    pub name: String,
    /// Path.
    pub path: String,
    /// Version in its own words.
    pub version: String,
    /// True if it runs with the rights of the user who called root ([`Tools::user`]).
    pub runs_as_caller: bool,
}

/// External programs of this machine. Each kind is searched once.
#[derive(Debug)]
pub struct Tools {
    directories: Vec<PathBuf>,
    user: Option<Arc<Caller>>,
    is_trusting: bool,
    root: Root,
    probe_limit: Duration,
    known: Mutex<BTreeMap<&'static str, Reading<Vec<InstalledProgram>>>>,
    notes: Mutex<Vec<String>>,
}

impl Tools {
    /// Searches the directories of PATH.
    pub fn on_path() -> Self {
        Self::of_user(None)
    }

    /// As [`Tools::on_path`], for root on behalf of this user, whose own programs run as the user.
    pub fn of_user(user: Option<Arc<Caller>>) -> Self {
        Self { user, is_trusting: !machine::is_root(), ..Self::in_directories(search_path().with_games()) }
    }

    /// Searches these directories in order.
    pub fn in_directories(directories: Vec<PathBuf>) -> Self {
        Self {
            directories,
            user: None,
            is_trusting: true,
            root: Root::system(),
            probe_limit: PROBE_LIMIT,
            known: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// Program of this kind: the one that the user named, else the preferred version, else the first by names in order,
    /// each in all directories.
    ///
    /// # Errors
    /// None was found; the reason names rejected programs.
    pub fn find(&self, kind: &'static ToolKind) -> Reading<InstalledProgram> {
        self.find_all(kind).map(|found| found[0].clone())
    }

    /// All programs of this kind, one per version, that of [`Tools::find`] first; only that one if no version is
    /// preferred.
    ///
    /// # Errors
    /// As [`Tools::find`].
    pub fn find_all(&self, kind: &'static ToolKind) -> Reading<Vec<InstalledProgram>> {
        if let Some(known) = self.known().get(kind.name) {
            return known.clone();
        }
        // Without the lock, so that other kinds can be searched meanwhile.
        let found = self.search(kind);
        self.known().entry(kind.name).or_insert(found).clone()
    }

    /// Searches several kinds in parallel, because each takes as long as its program.
    pub fn find_at_once(&self, kinds: &[&'static ToolKind]) {
        std::thread::scope(|scope| {
            let ask = |kind: &&'static ToolKind| {
                let kind = *kind;
                threads::spawn_scoped(scope, "tool", move || drop(self.find_all(kind)))
            };
            // A kind whose thread is rejected is searched later.
            let asking: Vec<_> = kinds.iter().filter_map(|kind| ask(kind).ok()).collect();
            asking.into_iter().for_each(threads::join);
        });
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<&'static str, Reading<Vec<InstalledProgram>>>> {
        threads::lock(&self.known)
    }

    fn search(&self, kind: &ToolKind) -> Reading<Vec<InstalledProgram>> {
        let mut found: Vec<InstalledProgram> = self.named(kind)?.into_iter().collect();
        let is_named = !found.is_empty();
        let mut passed_over = Vec::new();
        for (name, path) in self.candidates(kind) {
            if !found.is_empty() && kind.is_preferred.is_none() {
                break;
            }
            match self.answer(kind, name, &path) {
                Ok(other) if found.iter().any(|known| known.version == other.version) => {}
                Ok(other) => found.push(other),
                // Many systems have /bin and /usr/bin as one directory.
                Err(reason) if !passed_over.contains(&reason) => passed_over.push(reason),
                Err(_) => {}
            }
        }
        self.note(kind, &passed_over);
        if let Some(is_preferred) = kind.is_preferred.filter(|_| !is_named) {
            found.stable_sort_by_key(|found| !is_preferred(&found.version));
        }
        match (found.is_empty(), passed_over.is_empty()) {
            (false, _) => Ok(found),
            (true, true) => {
                let names = kind.programs.join(", ");
                let why = format!("{} is not installed (no {names} in PATH)", kind.name);
                Err(Missing::unsupported(names, why))
            }
            (true, false) => Err(Missing::unsupported(kind.programs.join(", "), passed_over.join("; "))),
        }
    }

    /// Program named by the user's variable, as a file or in that directory; `None` if the variable is not set.
    fn named(&self, kind: &ToolKind) -> Reading<Option<InstalledProgram>> {
        let Some(variable) = kind.variable else { return Ok(None) };
        let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        let refused = |why: String| {
            let value = value.to_string_lossy();
            Missing::unsupported(variable, format!("{variable}={value} is not usable: {why}"))
        };
        let path = std::path::absolute(&value).map_err(|error| refused(error.to_string()))?;
        let inside = kind.programs.iter().map(|name| (*name, path.join(name)));
        let itself = kind.programs.iter().take(1).map(|name| (*name, path.clone()));
        let Some((name, program)) = itself.chain(inside).find(|(_, path)| is_program(path)) else {
            return Err(refused("it is neither a program nor a directory with one".to_owned()));
        };
        self.answer(kind, name, &program).map(Some).map_err(refused)
    }

    /// Reason why the program named by the user's variable is not usable; `None` if it is usable or not set.
    pub fn misnamed(&self, kind: &ToolKind) -> Option<Missing> {
        self.named(kind).err()
    }

    /// Version output of a program.
    fn answer(&self, kind: &ToolKind, name: &str, path: &Path) -> Result<InstalledProgram, String> {
        match self.objection(path, kind.is_users) {
            Some(why) => Err(why),
            None => self.ask(kind, name, path),
        }
    }

    /// User whose rights users' programs get; `None` for those of this process.
    pub fn user(&self) -> Option<&Caller> {
        self.user.as_deref()
    }

    /// First program with this name, of any kind.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let absolute = self.directories.iter().filter(|path| path.is_absolute());
        absolute
            .map(|directory| directory.join(name))
            .find(|path| is_program(path) && self.objection(path, false).is_none())
    }

    /// Reason why root must not run it: another user could have put it there.
    fn objection(&self, path: &Path, is_users: bool) -> Option<String> {
        if self.is_trusting {
            return None;
        }
        let user = self.user().filter(|_| is_users).map(|user| user.uid);
        let why = Trust::new(&self.root, user).objection(path)?;
        Some(format!("{} is ignored because {why}", path.display()))
    }

    /// Programs of the search path with a name of this kind, in order of preference.
    fn candidates(&self, kind: &ToolKind) -> Vec<(&'static str, PathBuf)> {
        let mut candidates = Vec::new();
        for name in kind.programs {
            let absolute = self.directories.iter().filter(|path| path.is_absolute());
            candidates.extend(absolute.map(|directory| (*name, directory.join(name))));
        }
        candidates.retain(|(_, path)| is_program(path));
        candidates
    }

    fn note(&self, kind: &ToolKind, passed_over: &[String]) {
        let mut notes = threads::lock(&self.notes);
        let name = kind.name;
        notes.extend(passed_over.iter().map(|why| format!("Not used for {name}: {why}.")));
    }

    /// Sentences about programs that have the name of a tool but are something else, each reported once.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *threads::lock(&self.notes))
    }

    fn ask(&self, kind: &ToolKind, name: &str, path: &Path) -> Result<InstalledProgram, String> {
        let path = path.display().to_string();
        let words = [path.as_str()].into_iter().chain(kind.version_args.iter().copied());
        let argv: Vec<String> = words.map(str::to_owned).collect();
        let spec = ChildSpec {
            user: self.user().filter(|_| kind.runs_as_caller()),
            ..ChildSpec::new(&argv, self.probe_limit)
        };
        let child = Child::spawn(&spec).map_err(|failure| failure.message)?;
        let ended = child.wait(&self.root);
        match ((kind.recognise)(&ended.output), ended.outcome) {
            // Some programs print their version and exit with an error because of missing arguments.
            (Some(version), _) if is_older(&version, kind.oldest) => {
                let least: Vec<String> = kind.oldest.iter().map(u32::to_string).collect();
                Err(format!("{path} is too old: version {version}, needs {}", least.join(".")))
            }
            (Some(version), _) => {
                Ok(InstalledProgram { name: name.to_owned(), path, version, runs_as_caller: kind.runs_as_caller() })
            }
            (None, Err(failure)) => Err(format!("{path} does not work: {}", failure.message)),
            (None, Ok(())) => {
                let line = ended.output.lines().find(|line| !line.trim().is_empty());
                let line: String = line.unwrap_or_default().chars().take(60).collect();
                Err(format!("{path} is not {}: it printed {line:?}", kind.name))
            }
        }
    }
}

/// The first dotted number of a text: `[1, 0, 20]` of `sysbench 1.0.20`.
pub fn version_numbers(text: &str) -> Vec<u32> {
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let Some(word) = text.split_whitespace().find(is_version) else { return Vec::new() };
    let parts = word.split(|c: char| !c.is_ascii_digit());
    parts.map_while(|part| part.parse().ok()).collect()
}

/// True if the version is known to be older than the minimum.
pub fn is_older(version: &str, oldest: &[u32]) -> bool {
    let numbers = version_numbers(version);
    !numbers.is_empty() && numbers.as_slice() < oldest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Program, Programs};

    const KIND: ToolKind = ToolKind {
        name: "Tool",
        programs: &["best", "other"],
        recognise: &|text| Some(text.strip_prefix("Tool ")?.trim().to_owned()),
        ..ToolKind::PLAIN
    };

    fn program(name: &str, body: &str) -> Program {
        Program { name: name.into(), body: body.into() }
    }

    fn check(programs: &[Program], expected: Result<(&str, &str), &str>) {
        let made = Programs::new(programs);
        let mut tools = Tools::in_directories(vec![made.directory().to_owned()]);
        tools.probe_limit = Duration::from_secs(1);
        match (tools.find(&KIND), expected) {
            (Ok(found), Ok(expected)) => {
                assert_eq!((found.name.as_str(), found.version.as_str()), expected);
                assert!(found.path.ends_with(&found.name));
            }
            (Err(missing), Err(words)) => {
                assert!(missing.to_string().contains(words), "{missing}");
            }
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn preferred_tool_name_and_version() {
        let other = || program("other", "echo Tool 2");
        check(&[other(), program("best", "echo Tool 1")], Ok(("best", "1")));
        check(&[other()], Ok(("other", "2")));
        // The exit status of a recognised program does not matter.
        check(&[program("best", "echo Tool 1; exit 7")], Ok(("best", "1")));
        check(&[program("best", "[ \"$1\" = --version ] && echo Tool 3 >&2")], Ok(("best", "3")));
    }

    #[test]
    fn unusable_tool_is_reported_and_skipped() {
        check(&[], Err("Tool is not installed (no best, other in PATH)"));
        check(&[program("best", "echo Hello")], Err("/best is not Tool: it printed \"Hello\""));
        check(&[program("best", "exit 3")], Err("best exited with status 3"));
        check(&[program("best", "kill -ILL $$")], Err("illegal instruction"));
        check(&[program("best", "sleep 100")], Err("best exceeded its time limit of 1s"));
        let wrong = program("best", "echo Hello");
        check(&[wrong, program("other", "echo Tool 2")], Ok(("other", "2")));
    }

    #[test]
    fn preferred_version_comes_first_and_others_stay_known() {
        const PREFERRED: ToolKind = ToolKind { is_preferred: Some(|version| version == "16.02"), ..KIND };
        let versions = |programs: &[Program]| -> Vec<String> {
            let made = Programs::new(programs);
            let tools = Tools::in_directories(vec![made.directory().to_owned()]);
            tools.find_all(&PREFERRED).unwrap().into_iter().map(|found| found.version).collect()
        };
        let new = || program("best", "echo Tool 26.02");
        assert_eq!(versions(&[new()]), ["26.02"]);
        assert_eq!(versions(&[new(), program("other", "echo Tool 16.02")]), ["16.02", "26.02"]);
        // Two names of one version are one program.
        assert_eq!(versions(&[new(), program("other", "echo Tool 26.02")]), ["26.02"]);
    }

    #[test]
    fn directories_are_searched_in_order_and_only_for_programs() {
        let (first, second) = (Programs::new(&[]), Programs::new(&[program("best", "echo Tool 2")]));
        let directories = [&first, &second].map(|made| made.directory().to_owned());
        // Directories and files that are not executable are not programs.
        std::fs::create_dir(directories[0].join("best")).unwrap();
        std::fs::write(directories[0].join("other"), "text").unwrap();
        let tools = Tools::in_directories([PathBuf::from(".")].into_iter().chain(directories).collect());
        assert_eq!(tools.find(&KIND).unwrap().version, "2");
        // The result is cached.
        drop(second);
        assert_eq!(tools.find(&KIND).unwrap().version, "2");
    }
}
