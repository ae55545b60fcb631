//! Packages of Debian, fetched by apt with separate configuration, lists and cache, and unpacked. Existing ones are not fetched
//! again.

use super::machines::{Machine, Package};
use super::modules;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Debian's keys, of the package `debian-archive-keyring`.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
const MIRROR: &str = "http://deb.debian.org/debian";
/// Suites that packages are taken from.
const SUITES: [&str; 3] = ["bookworm", "trixie", LATER];
/// Suite for packages that their own suite does not have at the moment: a mirror during an update has inconsistent lists.
const LATER: &str = "forky";

/// Fetches and unpacks the missing packages of machines.
///
/// # Errors
/// No apt, no keys of Debian, no network, or a package is gone.
pub(super) fn fetch(folder: &Path, machines: &[&Machine]) -> Result<()> {
    let unpacked = folder.join("unpacked");
    fs::create_dir_all(&unpacked)?;
    let mut wanted: Vec<&Package> = machines.iter().flat_map(|machine| machine.packages()).collect();
    wanted.retain(|package| !unpacked.join(package.folder).exists());
    if wanted.is_empty() {
        return Ok(());
    }
    let config = configure(folder)?;
    // One missing list fails the update, which matters only if a package cannot be downloaded then.
    let update = apt(&config, folder, "apt-get", &["update", "--quiet"]);
    for package in wanted {
        let target = unpacked.join(package.folder);
        if target.exists() {
            continue;
        }
        let fetched = one(&config, folder, package, package.suite, &target).or_else(|error| {
            println!("{} of {} cannot be fetched, so it is that of {LATER}: {error:#}", package.name, package.suite);
            one(&config, folder, package, LATER, &target)
        });
        if let Err(error) = fetched {
            let lists = update.as_ref().err().map(|error| format!("; {error:#}")).unwrap_or_default();
            return Err(error.context(format!("{} for {}{lists}", package.name, package.arch)));
        }
    }
    Ok(())
}

/// Downloads one package of a suite and unpacks it into its folder.
fn one(config: &str, folder: &Path, package: &Package, suite: &str, target: &Path) -> Result<()> {
    let asked = format!("{}:{}/{suite}", package.name, package.arch);
    let download = folder.join("download");
    workspace::empty(&download)?;
    let names = if package.is_meta {
        let show = |asked: &str| {
            let shown = apt(config, &download, "apt-cache", &["show", "--no-all-versions", asked])?;
            anyhow::Ok(String::from_utf8_lossy(&shown.stdout).into_owned())
        };
        let full = |name: &str| format!("{name}:{}/{suite}", package.arch);
        let image = image_of(&show(&asked)?).map(full).context("it names no kernel")?;
        let shown = show(&image)?;
        [image].into_iter().chain(parts_of(&shown).map(full)).collect()
    } else {
        vec![asked]
    };
    println!("fetching {}", names.join(" "));
    let words = ["download", "--quiet"].into_iter().chain(names.iter().map(String::as_str));
    apt(config, &download, "apt-get", &words.collect::<Vec<_>>())?;
    let part = target.with_extension("part");
    let _ = fs::remove_dir_all(&part);
    for file in workspace::entries(&download)? {
        workspace::run(Command::new("dpkg-deb").arg("-x").arg(file).arg(&part))?;
    }
    tidied(&part)?;
    let is_whole = !package.is_meta || ["kernel", "modules"].iter().all(|name| part.join(name).exists());
    ensure!(is_whole, "no kernel with modules is in {}", names.join(" "));
    fs::rename(&part, target)?;
    Ok(fs::remove_dir_all(&download)?)
}

/// Moves files with paths that depend on the release to `kernel`, `modules` and `trees`.
fn tidied(unpacked: &Path) -> Result<()> {
    let first = |folder: &Path, prefix: &str| {
        workspace::entries(folder).ok()?.into_iter().find(|path| workspace::name(path).starts_with(prefix))
    };
    for (folder, prefix, name) in [
        ("boot", "vmlinu", "kernel"),
        ("lib/modules", "", "modules"),
        ("usr/lib/modules", "", "modules"),
        // Since Debian 14 all three are in one folder, with a link to the trees.
        ("modules", "vmlinu", "kernel"),
        ("modules", "dtb", "trees"),
        ("usr/lib", "linux-image-", "trees"),
    ] {
        let target = unpacked.join(name);
        if let Some(path) = first(&unpacked.join(folder), prefix).filter(|_| !target.exists()) {
            fs::rename(path, target)?;
        }
    }
    let modules = unpacked.join("modules");
    if modules.exists() {
        modules::reduce(&modules)?;
    }
    for rest in ["boot", "lib", "usr/lib"] {
        let _ = fs::remove_dir_all(unpacked.join(rest));
    }
    Ok(())
}

/// Writes apt's configuration; returns its path.
fn configure(folder: &Path) -> Result<String> {
    ensure!(Path::new(KEYS).exists(), "{KEYS} is not there (package debian-archive-keyring)");
    let apt = folder.join("apt");
    for part in ["lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(apt.join(part))?;
    }
    let lines = SUITES.map(|suite| format!("deb [signed-by={KEYS}] {MIRROR} {suite} main\n"));
    fs::write(apt.join("sources.list"), lines.concat())?;
    fs::write(apt.join("status"), "")?;
    let at = apt.display();
    let text = format!(
        "Dir::State \"{at}\";\nDir::State::status \"{at}/status\";\nDir::State::lists \"{at}/lists\";\n\
         Dir::Cache \"{at}/cache\";\nDir::Etc::sourcelist \"{at}/sources.list\";\nDir::Etc::sourceparts \"/dev/null\";\n\
         Dir::Etc::preferencesparts \"/dev/null\";\nAPT::Architecture \"amd64\";\n\
         APT::Architectures {{ \"amd64\"; \"arm64\"; \"armhf\"; \"riscv64\"; }};\nAcquire::Languages \"none\";\n\
         Acquire::Retries \"2\";\nAcquire::http::Timeout \"20\";\nAPT::Sandbox::User \"root\";\n"
    );
    let config = apt.join("apt.conf");
    fs::write(&config, text)?;
    Ok(config.display().to_string())
}

fn apt(config: &str, folder: &Path, program: &str, arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(program);
    let output = command.args(arguments).env("APT_CONFIG", config).current_dir(folder).output();
    let output = output.with_context(|| program.to_owned())?;
    ensure!(output.status.success(), "{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(output)
}

/// The kernel package on which a package like `linux-image-arm64` depends.
fn image_of(shown: &str) -> Option<&str> {
    let depends = shown.lines().find_map(|line| line.strip_prefix("Depends: "))?;
    depends.split([',', ' ', '|']).find(|word| word.starts_with("linux-image-"))
}

/// Parts of a kernel package since Debian 14: `linux-binary-6.19-arm64`.
fn parts_of(shown: &str) -> impl Iterator<Item = &str> {
    let depends = shown.lines().find_map(|line| line.strip_prefix("Depends: ")).unwrap_or_default();
    let is_part = |word: &&str| ["linux-base-", "linux-binary-", "linux-modules-"].iter().any(|p| word.starts_with(p));
    depends.split([',', ' ', '|']).filter(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_of_several_packages_names_them() {
        let shown = "Package: linux-image-7.2.12+deb14-arm64\nDepends: dracut | initramfs-tools (>= 0.120+deb8u2) | \
                     linux-initramfs-tool, linux-base-7.2.12+deb14-arm64 (= 7.2.12-1), \
                     linux-binary-7.2.12+deb14-arm64 (= 7.2.12-1), linux-modules-7.2.12+deb14-arm64 (= 7.2.12-1)\n\
                     Pre-Depends: linux-base (>= 4.17~)\n";
        let kind = |name: &str| name.trim_end_matches("-7.2.12+deb14-arm64").to_owned();
        assert_eq!(parts_of(shown).map(kind).collect::<Vec<_>>(), ["linux-base", "linux-binary", "linux-modules"]);
        assert_eq!(parts_of("Depends: linux-base (>= 4.3~), kmod\n").count(), 0);
    }

    #[test]
    fn a_package_of_no_release_names_its_kernel() {
        let shown = "Package: linux-image-arm64\nVersion: 6.12.107-1\n\
                     Depends: linux-image-6.12.107+deb13-arm64 (= 6.12.107-1)\nSize: 1444\n";
        assert_eq!(image_of(shown), Some("linux-image-6.12.107+deb13-arm64"));
        assert_eq!(image_of("Package: x\n"), None);
    }
}
