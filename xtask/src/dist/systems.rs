//! `cargo xtask package PART --check`: checks the contents of packages, runs lintian and rpmlint, and for each system
//! makes a minimal root with debootstrap, installs an older version of the .deb there, enables its units, upgrades,
//! uses, removes and purges it; in Debian then the same with the .rpm. Afterwards the root must be as before. Systems of
//! other architectures run under qemu. The machine itself stays unchanged.

mod namespace;
mod root;

use super::package::{self, HUB, Product, WEB, names};
use super::{Target, checksums, contents};
use crate::workspace::{self, said};
use anyhow::{Context, Result, bail, ensure};
use root::Root;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// A system; `systems.toml` describes its fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct System {
    name: String,
    suite: String,
    distribution: String,
    archs: Vec<String>,
    of: Option<Of>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Distribution {
    script: String,
    keyring: String,
    keyring_package: String,
    mirror: String,
    ports_mirror: String,
    included: String,
}

/// Shell command in a system, which must succeed, and the required part of its output.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    what: String,
    line: String,
    #[serde(default)]
    has: String,
    of: Option<Of>,
}

/// Packages of a step or a system that is not for all.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Of {
    Board,
    Hub,
    /// The .rpm, where the system has rpm.
    Rpm,
}

impl Of {
    fn part(part: &str) -> Self {
        if part == HUB { Self::Hub } else { Self::Board }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Systems {
    distribution: BTreeMap<String, Distribution>,
    system: Vec<System>,
    step: Vec<Step>,
}

static SYSTEMS: LazyLock<Systems> = LazyLock::new(|| workspace::table(include_str!("systems/systems.toml")));

impl System {
    fn distribution(&self) -> &'static Distribution {
        &SYSTEMS.distribution[&self.distribution]
    }

    fn has_arch(&self, target: &Target) -> bool {
        self.archs.contains(&target.deb_arch)
    }

    fn is_for(&self, part: &str) -> bool {
        self.of.is_none_or(|of| of == Of::part(part))
    }
}

const RPM: &str = "rpm $(rpm --force-debian --version > /dev/null 2>&1 && echo --force-debian) --nodeps --ignorearch";
const SHARED: &str = "/usr/share/fish/vendor_completions.d /usr/share/licenses /usr/share/zsh/site-functions";

/// Checks the packages in `target/package/PART`, and installs them in the named systems, or in all. A named system must
/// not be skipped, and nothing if `must_all`.
pub(crate) fn main(part: &str, names: &[&str], must_all: bool) -> Result<()> {
    let known: Vec<&str> = SYSTEMS.system.iter().map(|system| system.name.as_str()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        bail!("no system {unknown}; known are {}", known.join(", "));
    }
    let target_folder = workspace::target_folder()?;
    let folder = target_folder.join("package").join(part);
    contents::check(part, &folder)?;
    if part == WEB {
        return Ok(());
    }
    let target = super::target(part)?;
    let package = deb(&folder, part)?;
    let mut not_tried = Vec::new();
    for (program, words, file) in [("lintian", LINTIAN, ".deb"), ("rpmlint", RPMLINT, ".rpm")] {
        if lint(program, words, &folder, file)? {
            println!("{program:14}0 errors, 0 warnings");
        } else {
            not_tried.push(format!("{program}: it is not installed"));
        }
    }
    let is_wanted = |system: &&System| {
        names.contains(&system.name.as_str()) || names.is_empty() && system.has_arch(target) && system.is_for(part)
    };
    for system in SYSTEMS.system.iter().filter(is_wanted) {
        match try_in(system, part, target, &target_folder, &package).with_context(|| system.name.clone())? {
            Outcome::Passed(line) => println!("{:14}{line}", system.name),
            Outcome::Skipped(why) => not_tried.push(format!("{}: {why}", system.name)),
        }
    }
    for line in &not_tried {
        println!("not tried: {line}");
    }
    let must_all = must_all || !names.is_empty() || std::env::var_os("SBC_BENCH_NO_SKIP").is_some();
    ensure!(not_tried.is_empty() || !must_all, "{} not tried", not_tried.len());
    Ok(())
}

/// The only .deb of a folder, if `SHA256SUMS` matches.
fn deb(folder: &Path, arch: &str) -> Result<PathBuf> {
    let missing = || format!("{} has no .deb: run cargo xtask package {arch}", folder.display());
    let paths = workspace::files_of(folder, &["deb"]).with_context(missing)?;
    let [path] = &paths[..] else { bail!("{}", missing()) };
    let sum = checksums(folder, &[workspace::name(path)])?;
    let known = fs::read_to_string(folder.join("SHA256SUMS"))?;
    ensure!(known.contains(String::from_utf8(sum)?.trim()), "{} is not what SHA256SUMS says", path.display());
    Ok(path.clone())
}

const LINTIAN: &[&str] = &["--fail-on", "error,warning", "--allow-root"];
const RPMLINT: &[&str] = &["--strict", "--config", "packaging/rpm/rpmlint.toml"];

/// Fails on an error or a warning without an override; false if the program is missing.
fn lint(program: &str, words: &[&str], folder: &Path, end: &str) -> Result<bool> {
    let files = names(folder)?.into_iter().filter(|name| name.ends_with(end)).map(|name| folder.join(name));
    let mut command = Command::new(program);
    let Ok(output) = command.args(words).args(files).current_dir(workspace::root()).output() else {
        return Ok(false);
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} finds errors or warnings:\n{said}");
    Ok(true)
}

enum Outcome {
    Passed(String),
    /// Reason that the system was skipped.
    Skipped(String),
}

fn try_in(system: &System, part: &str, target: &Target, target_folder: &Path, package: &Path) -> Result<Outcome> {
    let made = match Root::made(system, target, &target_folder.join("systems"))? {
        Ok(root) => root,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let root = made.copy()?;
    let before = root.listing()?;
    let folder = root.path().join("package");
    fs::create_dir(&folder)?;
    fs::copy(package, folder.join("now.deb"))?;
    older(package, &folder)?;
    let booted = folder.join("booted");
    fs::write(&booted, include_str!("systems/booted.sh"))?;
    fs::set_permissions(&booted, fs::Permissions::from_mode(0o755))?;
    let has_rpm = root.path().join("usr/bin/rpm").exists();
    if has_rpm {
        let current = workspace::files_of(package.parent().context("a package has a folder")?, &["rpm"])?;
        fs::copy(current.first().context("no .rpm is built")?, folder.join("now.rpm"))?;
        package::older_rpm(part, target, target_folder, &folder.join("before.rpm"))?;
    }
    let product = Product::of(part);
    let steps = steps(part, has_rpm);
    for step in &steps {
        let line = step.line.replace("$NAME", &product.name).replace("$UNITS", &product.units).replace("$RPM", RPM);
        let line = line.replace("$SHARED", SHARED);
        let has = step.has.replace("$VERSION", env!("CARGO_PKG_VERSION"));
        let output = root.shell(&line)?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(
            output.status.success() && said.contains(&has),
            "{}: `{}` ended with {}, and its output has to contain {:?}:\n{said}{}",
            step.what,
            step.line,
            output.status,
            has,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::remove_dir_all(&folder)?;
    let after = root.listing()?;
    let left: Vec<&String> = after.iter().filter(|line| !before.contains(*line)).collect();
    let gone: Vec<&String> = before.iter().filter(|line| !after.contains(*line)).collect();
    ensure!(left.is_empty() && gone.is_empty(), "at the end: left or changed {left:#?}, gone or changed {gone:#?}");
    let deb_arch = &target.deb_arch;
    let what = if has_rpm { ".deb and .rpm" } else { ".deb" };
    let count = steps.len();
    Ok(Outcome::Passed(format!("{deb_arch}: {count} steps of the {what} passed; 0 files left, changed or gone")))
}

/// All steps of a part, in their order.
fn steps(part: &str, has_rpm: bool) -> Vec<&'static Step> {
    let own = Of::part(part);
    let is_wanted = |step: &&Step| step.of.is_none_or(|of| of == own || of == Of::Rpm && has_rpm);
    SYSTEMS.step.iter().filter(is_wanted).collect()
}

/// Makes a copy of the package with an older version, to upgrade from.
fn older(package: &Path, folder: &Path) -> Result<()> {
    let unpacked = folder.join("unpacked");
    said(Command::new("dpkg-deb").arg("--raw-extract").arg(package).arg(&unpacked))?;
    let control = unpacked.join("DEBIAN/control");
    let text = fs::read_to_string(&control)?;
    let line = |line: &str| if line.starts_with("Version:") { "Version: 0.0.1-1".to_owned() } else { line.to_owned() };
    fs::write(&control, text.lines().map(|text| line(text) + "\n").collect::<String>())?;
    said(
        Command::new("dpkg-deb").args(["--build", "--root-owner-group"]).arg(&unpacked).arg(folder.join("before.deb")),
    )?;
    Ok(fs::remove_dir_all(&unpacked)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_architecture_has_a_system() {
        for target in &crate::dist::DIST.target {
            assert!(SYSTEMS.system.iter().any(|system| system.has_arch(target)), "{}", target.deb_arch);
        }
    }

    #[test]
    fn steps_are_those_of_the_part() {
        let count = |part, has_rpm| steps(part, has_rpm).len();
        assert_eq!((count(HUB, false), count("x86_64", false), count("x86_64", true)), (19, 22, 30));
    }

    #[test]
    fn package_that_is_missing_or_changed_is_refused() {
        let scratch = testkit::Scratch::new("package");
        let folder = scratch.join("x86_64");
        let refusal = || deb(&folder, "x86_64").unwrap_err().to_string();
        assert!(refusal().ends_with("run cargo xtask package x86_64"), "{}", refusal());
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.deb"), "a").unwrap();
        fs::write(folder.join("SHA256SUMS"), checksums(&folder, &["a.deb".to_owned()]).unwrap()).unwrap();
        assert!(deb(&folder, "x86_64").is_ok());
        fs::write(folder.join("a.deb"), "b").unwrap();
        assert!(refusal().ends_with("is not what SHA256SUMS says"), "{}", refusal());
    }
}
