//! Atomic replacement of the program: an update that is killed at any moment leaves one that starts.

use super::sums::Version;
use machine::files::Folder;
use process::search_path::search_path;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Name of the new program before the exchange, and of the old one until the new one has started.
const ASIDE: &str = ".sbc-bench.update";
/// Maximum time of a program to print its version.
const TIME_MAX: Duration = Duration::from_secs(30);
/// Interval between checks.
const PAUSE: Duration = Duration::from_millis(20);

/// Program to replace.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    folder: Folder,
    name: OsString,
}

impl Place {
    /// Prepares the replacement of a program; removes leftovers of a killed update.
    ///
    /// # Errors
    /// Its directory cannot be opened; one sentence.
    pub(super) fn of(program: &Path) -> Result<Self, String> {
        let parts = program.parent().zip(program.file_name());
        let (parent, name) = parts.ok_or_else(|| format!("{} is not the path of a program.", program.display()))?;
        let folder = Folder::open(parent).map_err(|error| format!("{error}."))?;
        let place = Self { path: program.to_owned(), folder, name: name.to_owned() };
        place.clear();
        Ok(place)
    }

    /// Replaces the program by one of this version. The new program is started before and after; if it does not start
    /// in place, the old one is restored.
    ///
    /// # Errors
    /// The old program is in its place; one sentence.
    pub(super) fn put(&self, program: &[u8], version: Version) -> Result<(), String> {
        let put = self.try_put(program, version);
        self.clear();
        put
    }

    fn try_put(&self, program: &[u8], version: Version) -> Result<(), String> {
        let aside = OsStr::new(ASIDE);
        let kept = |why: String| format!("{why} {} is as it was.", self.path.display());
        let access = self.folder.access(&self.name).map_err(|error| kept(format!("{error}.")))?;
        let written = self.folder.replace(aside, program, access);
        written.map_err(|error| kept(format!("{error}.")))?;
        starts(&self.folder.path().join(aside), version).map_err(kept)?;
        self.folder.exchange(aside, &self.name).map_err(|error| kept(format!("{error}.")))?;
        let Err(why) = starts(&self.path, version) else { return Ok(()) };
        match self.folder.exchange(aside, &self.name) {
            Ok(()) => Err(kept(why)),
            Err(error) => Err(format!("{why} The old one could not come back: {error}.")),
        }
    }

    /// A failure to remove the old program is harmless.
    fn clear(&self) {
        for name in self.folder.names().unwrap_or_default() {
            // A temporary file of ASIDE has the same prefix.
            if name.as_encoded_bytes().starts_with(ASIDE.as_bytes()) {
                let _ = self.folder.remove(&name);
            }
        }
        let _ = self.folder.sync();
    }
}

/// Checks the version that a program prints.
fn starts(program: &Path, version: Version) -> Result<(), String> {
    let expected = format!("sbc-bench {version}");
    let mut command = Command::new(program);
    command.arg("--version").env("PATH", search_path().variable());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let refused = |why: String| format!("The new program does not start: {why}.");
    let child = command.spawn().map_err(|error| refused(error.to_string()))?;
    let said = output(child).map_err(|error| refused(error.to_string()))?;
    let line = said.lines().next().unwrap_or_default();
    if line == expected || line.starts_with(&format!("{expected} ")) {
        Ok(())
    } else {
        Err(refused(format!("it says {line:?} and not {expected:?}")))
    }
}

/// Output of a program that succeeds in time.
fn output(mut child: Child) -> io::Result<String> {
    let started = Instant::now();
    loop {
        if child.try_wait()?.is_some() {
            let output = child.wait_with_output()?;
            return if output.status.success() {
                Ok(String::from_utf8_lossy(&output.stdout).into_owned())
            } else {
                Err(io::Error::other(format!("it ends with {}", output.status)))
            };
        }
        if started.elapsed() > TIME_MAX {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other(format!("it did not end within {} s", TIME_MAX.as_secs())));
        }
        std::thread::sleep(PAUSE);
    }
}
