//! `sbc-bench update`: replaces this program by a newer one, after asking.

use super::Command;
use anyhow::{Context, Error};
use console::{input, output, status};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use machine::Timeline;
use net::update::{self, Source, Version};
use std::path::{Path, PathBuf};

/// Age in days from which a release is called old. Releases are more frequent; a mirror may withhold them.
const AGE_DAYS_MAX: i32 = 183;
/// Maximum size of a key, which has two lines.
const KEY_BYTES_MAX: u64 = 4 << 10;

/// Replace this program by a newer one
///
/// Verifies the signature and sum of the newer program, shows it and asks. The new one must start; otherwise the old
/// one stays. Programs of a package are left to the package manager.
#[derive(Debug, Default, clap::Args)]
#[command(hide = true)]
pub(crate) struct Update {
    /// Address of the release: https://..., or http:// on this host [default: that of the project, if it is built in]
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// Public key of minisign that the release is signed with [default: that of the project, if it is built in]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Only say what would be installed; exit with 1 if there is something newer
    #[arg(long)]
    check: bool,
    /// Do not ask for confirmation
    #[arg(long, short, conflicts_with = "check")]
    yes: bool,
}

impl Command for Update {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let key = self.key.as_deref().map(key).transpose()?;
        let source = Source::new(self.from.as_deref(), key.as_deref()).map_err(Error::msg)?;
        let program = std::env::current_exe().context("The path of this program is unknown")?;
        if let Some(why) = update::foreign_owner(&program) {
            anyhow::bail!("{why}");
        }
        let current =
            Version::parse(env!("CARGO_PKG_VERSION")).context("This program has no version of three numbers.")?;
        let found = source.newer_than(current).map_err(Error::msg)?;
        let (version, url) = (found.version, source.url());
        let now = Timeline::start().start_utc_ms();
        let age = age(&found.day, now).with_context(|| format!("{url}/SHA256SUMS has a date that is not valid"))?;
        let Some(newer) = found.newer else {
            anyhow::ensure!(
                version == current,
                "{url} has {version} of {}, older than this {current}: newer ones are withheld there, or it lags. Nothing was \
                 changed; use --from with another address.",
                found.day
            );
            output::print(&format!("{current} is up to date: {url} has {version} of {}.\n{age}", found.day))?;
            return Ok(0);
        };
        let path = facts::plain(&program.display().to_string());
        output::print(&format!(
            "{path}: {current} -> {version} from {url} (of {}, signature verified)\n{age}",
            found.day
        ))?;
        if self.check {
            return Ok(status::FAILURE);
        }
        if !self.yes && !output::is_confirmed("Replace this program?", "update")? {
            output::print("Nothing was changed.\n")?;
            return Ok(status::FAILURE);
        }
        source.install(&newer, &program).map_err(Error::msg)?;
        output::print(&format!("Updated to {version}.\n"))?;
        Ok(0)
    }
}

/// Warning about the age of a release; empty for a recent one.
fn age(day: &str, now_utc_ms: i64) -> anyhow::Result<String> {
    let day = day.parse::<Date>()?;
    let today = Timestamp::from_millisecond(now_utc_ms)?.to_zoned(TimeZone::UTC).date();
    let days = day.until(today)?.get_days();
    Ok(match days {
        // The clock of another time zone, or of the signer, may be ahead.
        ..-2 => {
            format!("The clock of this machine says {today}, before that day: how old the release is, is unknown.\n")
        }
        -2..=AGE_DAYS_MAX => String::new(),
        _ => format!("That was {days} days ago: newer ones may be withheld there; compare with another address.\n"),
    })
}

fn key(file: &Path) -> anyhow::Result<String> {
    let bytes = input::read(file, KEY_BYTES_MAX)?;
    String::from_utf8(bytes).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_release_and_wrong_clock_are_said() {
        let now = "2026-11-27T12:00:00Z".parse::<Timestamp>().unwrap().as_millisecond();
        for (day, expected) in [
            ("2026-11-27", ""),
            ("2026-11-28", ""),
            ("2026-05-28", ""),
            ("2026-05-27", "That was 184 days ago"),
            ("2020-01-01", "That was 2522 days ago"),
            ("2026-12-01", "The clock of this machine says 2026-11-27"),
        ] {
            let said = age(day, now).unwrap();
            assert!(said.starts_with(expected) && said.is_empty() == expected.is_empty(), "{day}: {said}");
        }
        assert!(age("2026-13-01", now).is_err() && age("yesterday", now).is_err());
    }
}
