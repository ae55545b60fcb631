//! The checkout: where it is, its files, and calls of cargo in it.
//!
//! The only module that walks folders; the checks get paths and texts.

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::de::DeserializeOwned;
use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;

/// Words of a task's command line. Options are taken from it in any order.
pub(crate) struct Words<'a>(pub(crate) Vec<&'a str>);

impl<'a> Words<'a> {
    /// Takes a flag.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|word| *word != name);
        self.0.len() < before
    }

    /// Takes an option with a fixed number of values.
    pub(crate) fn values<const N: usize>(&mut self, name: &str) -> Result<Option<[&'a str; N]>> {
        let Some(at) = self.0.iter().position(|word| *word == name) else { return Ok(None) };
        ensure!(at + N < self.0.len(), "{name} needs {N} values");
        let values: Vec<&str> = self.0.drain(at..=at + N).skip(1).collect();
        Ok(values.try_into().ok())
    }

    /// Takes an option with one value of a type.
    pub(crate) fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>> {
        let parsed = |[text]: [&str; 1]| text.parse().map_err(|_| anyhow!("{name} cannot be {text}"));
        self.values(name)?.map(parsed).transpose()
    }

    /// Fails if a word remains.
    pub(crate) fn end(&self) -> Result<()> {
        match self.0.first() {
            Some(word) => bail!("unknown or incomplete option: {word}"),
            None => Ok(()),
        }
    }
}

/// Rust's names of the machines that boards' programs are built for.
pub(crate) const TRIPLES: [&str; 4] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "armv7-unknown-linux-gnueabihf",
    "riscv64gc-unknown-linux-gnu",
];

/// The variable that names another checkout of the same commit: what is built there must be equal.
pub(crate) const ROOT: &str = "SBC_BENCH_CHECKOUT";

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    env::var_os(ROOT).map_or_else(|| xtask.parent().unwrap_or(xtask).to_path_buf(), PathBuf::from)
}

/// One text file of the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    /// Path from the workspace's folder, with `/`.
    pub(crate) path: String,
    /// Content.
    pub(crate) text: String,
}

/// Path of every file of the checkout, sorted. Build folders are left out, wherever they are: cargo marks them with a
/// `CACHEDIR.TAG`.
pub(crate) fn paths() -> Result<Vec<String>> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if !path.is_dir() {
                found.push(path.strip_prefix(&root)?.to_string_lossy().into_owned());
            } else if path.file_name() != Some(OsStr::new(".git")) && !path.join("CACHEDIR.TAG").exists() {
                folders.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Every file of the checkout that `wanted` says yes to, sorted by path.
pub(crate) fn files(wanted: impl Fn(&str) -> bool) -> Result<Vec<File>> {
    let root = root();
    let wanted = paths()?.into_iter().filter(|path| wanted(path));
    let read = |path: String| {
        let text = std::fs::read_to_string(root.join(&path)).with_context(|| path.clone())?;
        Ok(File { path, text })
    };
    wanted.map(read).collect()
}

/// A table in TOML that is compiled into the program.
pub(crate) fn table<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Sorted paths of the entries of a folder.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = folder.read_dir().with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// Files of a folder with one of these endings, sorted.
pub(crate) fn files_of(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = entries(folder)?;
    files.retain(|file| file.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending)));
    Ok(files)
}

/// Name of a file or folder, without those that contain it.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Replaces a folder by an empty one.
pub(crate) fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(std::fs::create_dir_all(folder)?)
}

/// Installs packages of PyPI into a virtual environment, unless the program is there. Returns the folder of its programs.
pub(crate) fn python_programs(environment: &Path, packages: &[&str], program: &str) -> Result<PathBuf> {
    let programs = environment.join("bin");
    if !programs.join(program).exists() {
        let python = run(Command::new("python3").args(["-m", "venv"]).arg(environment));
        python.context("python3 (package python3-venv)")?;
        let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(programs.join("python")).args(words).args(packages))?;
    }
    Ok(programs)
}

/// A process that is killed when dropped.
pub(crate) struct ChildProcess(pub(crate) Child);

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a program that serves a page, and reads the address that it prints.
pub(crate) fn served(program: &Path, words: &[&str]) -> Result<(ChildProcess, String)> {
    let (told, output) = std::io::pipe()?;
    let mut command = Command::new(program);
    command.args(words).current_dir(root()).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let child = ChildProcess(command.spawn().with_context(|| program.display().to_string())?);
    // The last writer is the program.
    drop(command);
    for line in BufReader::new(told).lines() {
        let line = line?;
        if let Some(at) = line.find("http://") {
            return Ok((child, line[at..].split_whitespace().next().unwrap_or_default().to_owned()));
        }
    }
    bail!("{} tells no address", words.join(" "))
}

/// Prints that something was not tried, also into the list of `./test`.
pub(crate) fn list_skip(line: &str) -> Result<()> {
    println!("{line}");
    if let Some(list) = env::var_os("SBC_BENCH_SKIPS") {
        writeln!(std::fs::File::options().append(true).create(true).open(list)?, "{line}")?;
    }
    Ok(())
}

/// As [`list_skip`]; fails where nothing may be skipped.
pub(crate) fn skip(what: &str) -> Result<()> {
    list_skip(&format!("skipped: {what}"))?;
    ensure!(env::var_os("SBC_BENCH_NO_SKIP").is_none(), "not tried, and SBC_BENCH_NO_SKIP is set");
    Ok(())
}

/// A call of the cargo that started this, in the workspace's folder. Only tests are compiled by clippy.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).env_remove("RUSTC_WORKSPACE_WRAPPER");
    command
}

/// Builds a program as the tests do, by clippy where they were, so that nothing is compiled again. Returns its path.
pub(crate) fn built_for_tests(package: &str) -> Result<PathBuf> {
    let mut command = cargo();
    if let Some(wrapper) = env::var_os("RUSTC_WORKSPACE_WRAPPER") {
        command.env("RUSTC_WORKSPACE_WRAPPER", wrapper);
    }
    run(command.args(["build", "--locked", "--quiet", "--package", package, "--bin", package]))?;
    Ok(target_folder()?.join("debug").join(package))
}

/// The argument of cargo's `--config` with the flags of a target.
pub(crate) fn rustflags(triple: &str, flags: impl Iterator<Item = String>) -> String {
    let flags: Vec<String> = flags.map(|flag| format!("\"{flag}\"")).collect();
    format!("target.{triple}.rustflags=[{}]", flags.join(","))
}

/// Flags of the compiler that keep paths of this machine out of messages of panics.
pub(crate) fn remapped(target_folder: &Path) -> Result<Vec<String>> {
    let home = env::var("CARGO_HOME").or_else(|_| env::var("HOME").map(|home| format!("{home}/.cargo")))?;
    let places = [
        (home, "/cargo"),
        (root().display().to_string(), "/sbc-bench"),
        (target_folder.display().to_string(), "/target"),
    ];
    Ok(places.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect())
}

/// Runs a program, which has to succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{:?}", command.get_program()))?;
    ensure!(status.success(), "{:?} ended with {status}", command.get_program());
    Ok(())
}

/// Output of a program, which has to succeed.
pub(crate) fn said(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{:?}", command.get_program()))?;
    let why = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{:?} ended with {}: {}", command.get_program(), output.status, why.trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// A call of Git in the checkout.
pub(crate) fn git(words: &[&str]) -> Result<String> {
    said(Command::new("git").arg("-C").arg(root()).args(words))
}

/// The commit of the checkout as `./bench` asks for it; none where something was changed since, or git does not tell.
pub(crate) fn commit() -> Option<String> {
    let is_clean = git(&["status", "--porcelain"]).ok()?.is_empty();
    is_clean.then(|| git(&["rev-parse", "--short=12", "HEAD"]).ok())?
}

/// `cargo metadata` of the workspace's own packages, as JSON. Needs no network.
pub(crate) fn metadata() -> Result<serde_json::Value> {
    let text = said(cargo().args(["metadata", "--format-version=1", "--no-deps", "--offline"]))?;
    Ok(serde_json::from_str(&text)?)
}

/// Build directory of cargo.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata = metadata()?;
    let folder = metadata["target_directory"].as_str().context("cargo metadata names no target folder")?;
    Ok(PathBuf::from(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_in_any_order() {
        let mut words = Words(vec!["--two", "a", "b", "--number", "5", "--flag"]);
        assert!(words.flag("--flag") && !words.flag("--flag"));
        assert_eq!(words.value("--number").unwrap(), Some(5));
        assert_eq!(words.value::<u32>("--number").unwrap(), None);
        assert!(words.end().is_err());
        assert_eq!(words.values("--two").unwrap(), Some(["a", "b"]));
        words.end().unwrap();
        assert!(Words(vec!["--two", "a"]).values::<2>("--two").is_err());
        assert!(Words(vec!["--number", "x"]).value::<u32>("--number").is_err());
    }
}
