//! `sbc-bench update`: a newer program in the place of this one, after showing it and asking.

use crate::args::UpdateArgs;
use crate::{input, output, status};
use anyhow::{Context, Error};
use bench::update::{self, Found, Source, Version};
use std::io::{BufRead, IsTerminal};
use std::path::Path;

/// A key has two lines.
const KEY_BYTES_MAX: u64 = 4 << 10;

pub(crate) fn run(args: &UpdateArgs) -> anyhow::Result<u8> {
    let key = args.key.as_deref().map(key).transpose()?;
    let source = Source::new(args.from.as_deref(), key.as_deref()).map_err(Error::msg)?;
    let program = std::env::current_exe().context("The path of this program is unknown")?;
    if let Some(why) = update::foreign_owner(&program) {
        anyhow::bail!("{why}");
    }
    let current = Version::parse(env!("CARGO_PKG_VERSION")).context("This program has no version of three numbers.")?;
    let newest = match source.newer_than(current).map_err(Error::msg)? {
        Found::NothingNewer(version) => {
            output::print(&format!("{current} is up to date: {} has {version}.\n", source.url()))?;
            return Ok(0);
        }
        Found::Newer(version, newer) => {
            let path = explain::plain(&program.display().to_string());
            output::print(&format!("{path}: {current} -> {version} from {} (signature verified)\n", source.url()))?;
            (version, newer)
        }
    };
    if args.check {
        return Ok(status::FAILURE);
    }
    if !args.yes && !agreed()? {
        output::print("Nothing was changed.\n")?;
        return Ok(status::FAILURE);
    }
    source.install(&newest.1, &program).map_err(Error::msg)?;
    output::print(&format!("Updated to {}.\n", newest.0))?;
    Ok(0)
}

fn key(file: &Path) -> anyhow::Result<String> {
    let bytes = input::read(file, KEY_BYTES_MAX)?;
    String::from_utf8(bytes).with_context(|| file.display().to_string())
}

/// Asks once; without a terminal --yes is required.
fn agreed() -> anyhow::Result<bool> {
    anyhow::ensure!(std::io::stdin().is_terminal(), "Standard input is not a terminal; use --yes to update.");
    output::print("Replace this program? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
