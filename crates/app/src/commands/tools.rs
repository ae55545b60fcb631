//! `sbc-bench list tools` and `sbc-bench install-tools`: the external programs that workloads can run,
//! and the packages they come in.

use crate::output;
use bench::Tools;
use bench::packages::{self, DISTRIBUTIONS, Installation, ToolStatus};
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};

/// Shows every tool: found or not, its version, what it is used for, its packages.
pub(crate) fn list() -> anyhow::Result<u8> {
    let mut text = String::new();
    for status in packages::survey(&tools()?) {
        let _ = write!(text, "{}", paragraph(&status));
    }
    let left_aside = &bench::search_path().left_aside;
    if !left_aside.is_empty() {
        text.push_str("\nLeft aside, because root runs only what nobody else can replace:\n");
    }
    for (folder, why) in left_aside {
        let _ = writeln!(text, "{:<20} {why}", folder.display().to_string());
    }
    text.push_str("\n`sbc-bench install-tools [NAME]...` installs what is missing.\n");
    output::print(&text)?;
    Ok(0)
}

fn paragraph(status: &ToolStatus) -> String {
    let found = match &status.found {
        Ok(found) => format!("{} ({})", found.path, found.version),
        Err(missing) => format!("not found: {missing}"),
    };
    let mut lines = vec![format!("{:<20} {found}", status.name), format!("used for {}", status.used_for.join(", "))];
    let package =
        |(distribution, package): (&&str, &Option<&str>)| package.map(|package| format!("{distribution} {package}"));
    let names = DISTRIBUTIONS.iter().zip(&status.packages);
    let names: Vec<String> = names.filter_map(package).collect();
    if !names.is_empty() {
        lines.push(format!("packages: {}", names.join(", ")));
    }
    if !status.about.is_empty() {
        lines.push(status.about.to_owned());
    }
    lines.join("\n                     ") + "\n"
}

/// Those that a run would use.
pub(super) fn tools() -> anyhow::Result<Tools> {
    let user = crate::args::calling_user().map_err(anyhow::Error::msg)?;
    Ok(Tools::of_user(user.map(std::sync::Arc::new)))
}

/// Shows the command, asks, and runs it.
pub(crate) fn install(names: &[String], yes: bool) -> anyhow::Result<u8> {
    let installation =
        packages::installation(&tools()?, names, machine::is_root()).map_err(|why| anyhow::anyhow!("{why}."))?;
    for note in &installation.notes {
        output::print(&format!("{note}\n"))?;
    }
    if installation.command.is_empty() {
        output::print("There is nothing to install.\n")?;
        return Ok(0);
    }
    output::print(&format!("{}\n", installation.command.join(" ")))?;
    if !yes && !agreed()? {
        output::print("Nothing was installed.\n")?;
        return Ok(crate::status::FAILURE);
    }
    packages::install(&installation).map_err(|why| anyhow::anyhow!("{why}."))?;
    report(names, &installation)
}

/// Asks once; whoever cannot answer has to say so beforehand.
fn agreed() -> anyhow::Result<bool> {
    anyhow::ensure!(
        std::io::stdin().is_terminal(),
        "nobody can be asked here; with --yes the command above runs at once."
    );
    output::print("Run this? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// What is there now.
fn report(names: &[String], installation: &Installation) -> anyhow::Result<u8> {
    let now = packages::installation(&tools()?, names, machine::is_root()).map_err(|why| anyhow::anyhow!("{why}."))?;
    let is_new = |note: &&String| !installation.notes.contains(note);
    for note in now.notes.iter().filter(is_new) {
        output::print(&format!("{note}\n"))?;
    }
    anyhow::ensure!(
        now.command.is_empty(),
        "the packages are installed, but a program is still not found: see `sbc-bench list tools`."
    );
    Ok(0)
}
