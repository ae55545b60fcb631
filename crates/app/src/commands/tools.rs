//! `sbc-bench list tools` and `sbc-bench install-tools`: the external programs that workloads can run,
//! and the packages they come in.

use super::Command;
use console::output;
use process::tools::Tools;
use std::fmt::Write as _;
use workloads::packages::{self, DISTRIBUTIONS, InstallPlan, ToolStatus};

/// Shows every tool: found or not, its version, what it is used for, its packages.
pub(crate) fn list() -> anyhow::Result<u8> {
    let mut text = String::new();
    for status in packages::survey(&tools()?) {
        let _ = write!(text, "{}", paragraph(&status));
    }
    let left_aside = &process::search_path::search_path().left_aside;
    if !left_aside.is_empty() {
        text.push_str("\nIgnored, because root runs only programs that no other user can replace:\n");
    }
    for (folder, why) in left_aside {
        let _ = writeln!(text, "{:<20} {why}", folder.display().to_string());
    }
    text.push_str("\nInstall missing tools with `sbc-bench install-tools [NAME]...`.\n");
    output::print_text(&text)?;
    Ok(0)
}

fn paragraph(status: &ToolStatus) -> String {
    let found = match &status.found {
        Ok(found) => format!("{} ({})", found.path, found.version),
        Err(missing) => format!("not found: {missing}"),
    };
    let mut lines = vec![found, format!("used by {}", status.used_for.join(", "))];
    let packages = packages_of(status);
    if !packages.is_empty() {
        lines.push(format!("packages: {}", packages.join(", ")));
    }
    if !status.about.is_empty() {
        lines.push(status.about.to_owned());
    }
    let names = [status.name, "", "", ""];
    names.iter().zip(&lines).map(|(name, line)| output::row(name, 21, line)).collect()
}

/// Packages that contain it, each with its distribution.
pub(super) fn packages_of(tool: &ToolStatus) -> Vec<String> {
    let all = DISTRIBUTIONS.iter().zip(&tool.packages);
    all.filter_map(|(distribution, package)| package.map(|package| format!("{distribution} {package}"))).collect()
}

/// Tools that a run would use.
pub(super) fn tools() -> anyhow::Result<Tools> {
    let user = crate::args::program::calling_user().map_err(anyhow::Error::msg)?;
    Ok(Tools::of_user(user.map(std::sync::Arc::new)))
}

/// Install missing external tools
///
/// Uses the distribution's package manager and shows the command before it runs.
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct InstallTools {
    /// Tools from `sbc-bench list tools` [default: all missing ones]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

impl Command for InstallTools {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let installation = packages::installation(&tools()?, &self.names, machine::is_root())
            .map_err(|why| anyhow::anyhow!("{why}."))?;
        for note in &installation.notes {
            output::print(&format!("{note}\n"))?;
        }
        if installation.command.is_empty() {
            output::print("Nothing to install.\n")?;
            return Ok(0);
        }
        output::print(&format!("{}\n", installation.command.join(" ")))?;
        if !self.yes && !output::is_confirmed("Run this?", "run the command above")? {
            output::print("Nothing was installed.\n")?;
            return Ok(console::status::FAILURE);
        }
        packages::install(&installation).map_err(|why| anyhow::anyhow!("{why}."))?;
        report(&self.names, &installation)
    }
}

/// Notes what changed, and fails if a program is still missing.
fn report(names: &[String], installation: &InstallPlan) -> anyhow::Result<u8> {
    let now = packages::installation(&tools()?, names, machine::is_root()).map_err(|why| anyhow::anyhow!("{why}."))?;
    let is_new = |note: &&String| !installation.notes.contains(note);
    for note in now.notes.iter().filter(is_new) {
        output::print(&format!("{note}\n"))?;
    }
    anyhow::ensure!(
        now.command.is_empty(),
        "The packages were installed but a program is still missing; see `sbc-bench list tools`."
    );
    Ok(0)
}
