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
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

struct System {
    name: &'static str,
    suite: &'static str,
    distribution: &'static Distribution,
    /// Debian's names of architectures.
    archs: &'static [&'static str],
}

struct Distribution {
    /// Script of debootstrap, common to all suites.
    script: &'static str,
    keyring: &'static str,
    /// Package that contains the keyring.
    keyring_package: &'static str,
    mirror: &'static str,
    /// Mirror of other architectures than amd64.
    ports_mirror: &'static str,
    /// Additional packages of a root: maintainer scripts call systemctl.
    included: &'static str,
}

const DEBIAN: Distribution = Distribution {
    script: "sid",
    keyring: "/usr/share/keyrings/debian-archive-keyring.gpg",
    keyring_package: "debian-archive-keyring",
    mirror: "http://deb.debian.org/debian",
    ports_mirror: "http://deb.debian.org/debian",
    included: "systemd,rpm",
};
const UBUNTU: Distribution = Distribution {
    script: "gutsy",
    keyring: "/usr/share/keyrings/ubuntu-archive-keyring.gpg",
    keyring_package: "ubuntu-keyring",
    mirror: "http://archive.ubuntu.com/ubuntu",
    ports_mirror: "http://ports.ubuntu.com/ubuntu-ports",
    included: "systemd",
};

const ARCHS: &[&str] = &["amd64", "arm64", "armhf", "riscv64"];
const SYSTEMS: &[System] = &[
    System { name: "debian-11", suite: "bullseye", distribution: &DEBIAN, archs: &["amd64"] },
    System { name: "debian-12", suite: "bookworm", distribution: &DEBIAN, archs: &["amd64", "arm64", "armhf"] },
    System { name: "debian-13", suite: "trixie", distribution: &DEBIAN, archs: ARCHS },
    System { name: "ubuntu-22.04", suite: "jammy", distribution: &UBUNTU, archs: ARCHS },
    System { name: "ubuntu-24.04", suite: "noble", distribution: &UBUNTU, archs: ARCHS },
];

/// Shell command in a system, which must succeed, and the required part of its output.
struct Step {
    what: &'static str,
    line: &'static str,
    has: &'static str,
}

/// First steps. `/package/now.deb` is the package, `/package/before.deb` the same with an older version, `$NAME` its
/// name, `$UNITS` the units that an owner enables, `/package/booted` runs a command as under systemd. Every root contains
/// the dependencies of the package.
const BEFORE: &[Step] = &[
    Step { what: "install an older version", line: "dpkg --install /package/before.deb", has: "" },
    Step { what: "its version", line: "dpkg-query --show $NAME", has: "0.0.1-1" },
    Step { what: "enable", line: ENABLE, has: "wants/sbc-bench" },
    Step {
        what: "upgrade",
        line: "/package/booted apt-get install --yes --no-install-recommends /package/now.deb",
        has: "systemctl try-restart sbc-bench-",
    },
];

/// Enables the units, and lists the links to them.
const ENABLE: &str = "systemctl --quiet enable $UNITS && find /etc/systemd -name 'sbc-bench*'";

/// Checks that no unit is enabled after a removal.
const NONE_ENABLED: Step =
    Step { what: "units of a removed package", line: "! find /etc/systemd -name 'sbc-bench*' | grep .", has: "" };

/// Last steps of the .deb.
const AFTER: &[Step] = &[
    Step {
        what: "remove",
        line: "/package/booted dpkg --remove $NAME && test ! -e /usr/bin/$NAME",
        has: "systemctl stop sbc-bench-",
    },
    NONE_ENABLED,
    Step { what: "install again", line: "dpkg --install /package/now.deb", has: "" },
    Step { what: "remove without systemd", line: "systemctl --quiet enable $UNITS && dpkg --remove $NAME", has: "" },
    NONE_ENABLED,
    Step { what: "purge", line: "dpkg --purge $NAME && ! dpkg-query --show $NAME", has: "" },
];

/// Steps of the .rpm, of which `/package/now.rpm` is the package and `/package/before.rpm` an older version. Debian has
/// no database of rpm with the dependencies, and rpm before 4.20 asks for an option there.
const RPM_STEPS: &[Step] = &[
    Step {
        what: "rpm: install an older version",
        line: "mkdir -p $SHARED && $RPM --install /package/before.rpm",
        has: "",
    },
    Step { what: "rpm: its version", line: "rpm --query $NAME", has: "-0.0.1-" },
    Step { what: "rpm: enable", line: ENABLE, has: "wants/sbc-bench" },
    Step {
        what: "rpm: upgrade",
        line: "/package/booted $RPM --upgrade /package/now.rpm",
        has: "systemctl try-restart sbc-bench-",
    },
    Step { what: "rpm: --version", line: "$NAME --version", has: concat!(" ", env!("CARGO_PKG_VERSION")) },
    Step { what: "rpm: files", line: "rpm --verify --nodeps $NAME && echo same", has: "same" },
    Step {
        what: "rpm: remove",
        line: "/package/booted rpm --erase $NAME && test ! -e /usr/bin/$NAME && rmdir -p --ignore-fail-on-non-empty $SHARED",
        has: "systemctl --quiet stop sbc-bench-",
    },
    NONE_ENABLED,
];
const RPM: &str = "rpm $(rpm --force-debian --version > /dev/null 2>&1 && echo --force-debian) --nodeps --ignorearch";
/// Folders that Fedora's package `filesystem` has.
const SHARED: &str = "/usr/share/fish/vendor_completions.d /usr/share/licenses /usr/share/zsh/site-functions";

/// Steps of all products after the upgrade.
const BOTH: &[Step] = &[
    Step { what: "--version", line: "$NAME --version", has: concat!(" ", env!("CARGO_PKG_VERSION")) },
    Step { what: "manual", line: "gzip -dc /usr/share/man/man1/$NAME.1.gz", has: ".TH sbc-bench" },
    Step {
        what: "notices",
        line: "gzip -d < /usr/share/doc/$NAME/third-party.txt.gz > /tmp/notices && $NAME licences | cmp - /tmp/notices && \
               rm /tmp/notices && cat /usr/share/doc/$NAME/copyright",
        has: "Files: data/reference.tsv",
    },
    Step { what: "sums", line: "dpkg --verify $NAME && echo same", has: "same" },
    // Prints what this version of systemd would ignore.
    Step {
        what: "units",
        line: "cd /usr/lib/systemd/system && ! systemd-analyze verify --man=no sbc-bench*.service 2>&1 | grep sbc-bench",
        has: "",
    },
    Step {
        what: "completions",
        line: "bash -c \". /usr/share/bash-completion/completions/$NAME; complete -p $NAME\"",
        has: "sbc-bench",
    },
];

/// A workload of the user's and settings of the units, which outlive upgrades and the removal.
const MINE: Step = Step {
    what: "files of the user's",
    line: "printf '[[workload]]\\nname = \"mine\"\\ncommand = [\"true\"]\\n' > /etc/sbc-bench/workloads.d/mine.toml && \
           echo SBC_BENCH_HUB=x > /etc/sbc-bench/hub.conf && echo x | tee /etc/sbc-bench/hub.token > /etc/sbc-bench/monitor.conf",
    has: "",
};
/// Files of the user that must remain after the removal. Those of the units go with the purge.
const MINE_IS_KEPT: Step = Step {
    what: "data of a removed package",
    line: "ls /var/lib/sbc-bench /etc/sbc-bench/hub.token /etc/sbc-bench/workloads.d && \
           rm /etc/sbc-bench/workloads.d/mine.toml",
    has: "mine.toml",
};

/// Steps of the hub between the upgrade and the removal.
const HUB_STEPS: &[Step] = &[
    Step {
        what: "token",
        line: "sbc-bench-hub migrate --data /tmp/hub && sbc-bench-hub token make farm --data /tmp/hub | wc -c && \
               sbc-bench-hub token list --data /tmp/hub",
        has: "farm",
    },
    Step {
        what: "serve",
        line: "sbc-bench-hub serve --data /tmp/hub --listen 127.0.0.1:8321 2> /dev/null & \
               bash -c 'for try in $(seq 100); do if exec 3<> /dev/tcp/127.0.0.1/8321; then break; fi 2> /dev/null; sleep 0.1; done; \
               printf \"GET /readyz HTTP/1.0\\r\\n\\r\\n\" >&3; cat <&3'; kill $!; wait || true; rm -r /tmp/hub",
        has: "ready",
    },
    Step { what: "unit", line: "cat /usr/lib/systemd/system/sbc-bench-hub.service", has: "DynamicUser=yes" },
];

/// Steps of the boards' program.
const STEPS: &[Step] = &[
    Step { what: "identify", line: "sbc-bench identify", has: "CPU" },
    Step { what: "doctor", line: "sbc-bench doctor", has: "root" },
    Step { what: "list definitions", line: "sbc-bench list definitions", has: "mine" },
    // 2 and 3 are verdicts about a busy machine.
    Step {
        what: "a run",
        line: "sbc-bench run --force --quiet -- true || test $? -le 3; ls /var/lib/sbc-bench/runs /var/log/sbc-bench.log",
        has: ".json",
    },
];

/// Checks the packages in `target/package/PART`, and installs them in the named systems, or in all. A named system must
/// not be skipped, and nothing if `must_all`.
pub(crate) fn main(part: &str, names: &[&str], must_all: bool) -> Result<()> {
    if let Some(unknown) = names.iter().find(|name| SYSTEMS.iter().all(|system| system.name != **name)) {
        let known: Vec<&str> = SYSTEMS.iter().map(|system| system.name).collect();
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
    let has_arch = |system: &System| system.archs.contains(&target.deb_arch);
    let is_wanted = |system: &&System| names.contains(&system.name) || names.is_empty() && has_arch(system);
    for system in SYSTEMS.iter().filter(is_wanted) {
        match try_in(system, part, target, &target_folder, &package).with_context(|| system.name.to_owned())? {
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
        let line = step.line.replace("$NAME", product.name).replace("$UNITS", product.units).replace("$RPM", RPM);
        let line = line.replace("$SHARED", SHARED);
        let output = root.shell(&line)?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(
            output.status.success() && said.contains(step.has),
            "{}: `{}` ended with {}, and its output has to contain {:?}:\n{said}{}",
            step.what,
            step.line,
            output.status,
            step.has,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::remove_dir_all(&folder)?;
    let after = root.listing()?;
    let left: Vec<&String> = after.iter().filter(|line| !before.contains(*line)).collect();
    let gone: Vec<&String> = before.iter().filter(|line| !after.contains(*line)).collect();
    ensure!(left.is_empty() && gone.is_empty(), "at the end: left or changed {left:#?}, gone or changed {gone:#?}");
    let deb_arch = target.deb_arch;
    let what = if has_rpm { ".deb and .rpm" } else { ".deb" };
    let count = steps.len();
    Ok(Outcome::Passed(format!("{deb_arch}: {count} steps of the {what} passed; 0 files left, changed or gone")))
}

/// All steps of a part, in their order.
fn steps(part: &str, has_rpm: bool) -> Vec<&'static Step> {
    let (first, own, kept): (&[Step], _, _) = match part {
        HUB => (&[], HUB_STEPS, None),
        _ => (&[MINE], STEPS, Some(&MINE_IS_KEPT)),
    };
    let (upgrade, removal) = (BEFORE.len() - 1, AFTER.len() - 1);
    let deb = BEFORE[..upgrade].iter().chain(first).chain(&BEFORE[upgrade..]).chain(BOTH).chain(own);
    let deb = deb.chain(&AFTER[..removal]).chain(kept).chain(&AFTER[removal..]);
    deb.chain(RPM_STEPS.iter().filter(|_| has_rpm)).collect()
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
        for target in crate::dist::TARGETS {
            let has = |system: &System| system.archs.contains(&target.deb_arch);
            assert!(SYSTEMS.iter().any(has), "{}", target.deb_arch);
        }
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
