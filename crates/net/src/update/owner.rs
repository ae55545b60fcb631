//! Detects programs owned by a package manager, which must replace them itself.

use process::search_path::search_path;
use std::path::Path;
use std::process::{Command, Stdio};

/// A package manager that can find the package of a file.
struct Manager {
    /// Command; the file is appended.
    question: &'static [&'static str],
    /// Command that updates a package.
    advice: &'static str,
}

const MANAGERS: &[Manager] = &[
    Manager { question: &["dpkg-query", "--search"], advice: "apt-get install --only-upgrade" },
    Manager { question: &["rpm", "--query", "--queryformat", "%{NAME}: ", "--file"], advice: "dnf upgrade" },
    Manager { question: &["apk", "info", "--quiet", "--who-owns"], advice: "apk upgrade" },
    Manager { question: &["pacman", "--query", "--quiet", "--owns"], advice: "pacman -S" },
];

/// Directories owned by package managers.
const STORES: &[(&str, &str)] = &[("/nix/store", "Nix"), ("/gnu/store", "Guix"), ("/snap", "snap")];

/// Reason not to replace a program, as a sentence; `None` if no package manager owns it.
pub(super) fn of(program: &Path) -> Option<String> {
    if let Some((_, name)) = STORES.iter().find(|(folder, _)| program.starts_with(folder)) {
        return Some(format!("{} belongs to {name}; use that to update it.", program.display()));
    }
    MANAGERS.iter().find_map(|manager| manager.package(program))
}

impl Manager {
    fn package(&self, program: &Path) -> Option<String> {
        let path = search_path().program(self.question[0])?;
        let mut command = Command::new(path);
        command.args(&self.question[1..]).arg(program).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.env("LC_ALL", "C").output().ok().filter(|output| output.status.success())?;
        let said = String::from_utf8_lossy(&output.stdout);
        let package = said.split([':', '\n']).next().unwrap_or_default().trim();
        let advice = self.advice;
        Some(format!("{} belongs to the package {package}; use: {advice} {package}", program.display()))
    }
}
