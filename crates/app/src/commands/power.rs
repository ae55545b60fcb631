//! `sbc-bench measure power`: what the machine draws in each of its states.

use super::{Command, CommandResult, Verb};
use crate::args::Environment;
use crate::args::groups::TuneFlags;
use crate::args::run::{RunArgs, RunFlags};
use bench::AnyTask;
use bench::power::{Part, Power, WatchOff};
use console::output;
use core::net::IpAddr;
use machine::{LazyMachine, Root};

/// Measure power: idle, light and full load, peak, suspend, off
///
/// Measures each state until its mean power is known within 2 %, or its time is over; about ten minutes. It needs a sensor or
/// meter of the whole board: `sbc-bench list meters`. `sbc-bench explain --format power` prints the table of a review.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct PowerFlags {
    /// Parts to measure [default: idle, devices and load]
    ///
    /// idle: up to 40 s for each governor and as found; devices: up to 40 s for each device of --off or --all-devices; load: up to 16 s for
    /// each load and number of CPUs; suspend: 20 s for each sleep state. --dry-run prints the time in all.
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    only: Vec<String>,
    /// Switch a device off and measure idle power without it: display, network, wifi, bluetooth, usb, or a name such as eth1.
    /// Links in use, drives and input devices stay on
    #[arg(long = "off", value_name = "DEVICE", value_delimiter = ',')]
    devices: Vec<String>,
    /// Switch off one device after the other
    #[arg(long)]
    all_devices: bool,
    /// Also suspend the machine to each sleep state, woken by the alarm of its clock
    #[arg(long)]
    suspend: bool,
    /// Print what would be measured and switched, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Measure another machine, which is off, with the meter of --meter
    #[arg(long, conflicts_with_all = ["only", "devices", "all_devices", "suspend", "dry_run"])]
    watch_off: bool,
    #[command(flatten)]
    tune: TuneFlags,
    #[command(flatten)]
    run: RunFlags,
}

/// The measurement with the states of this machine, which are found when it starts.
#[derive(Debug)]
struct PowerCommand {
    run: RunArgs,
    parts: Vec<Part>,
    devices: Vec<String>,
    all_devices: bool,
    dry_run: bool,
    peers: Vec<IpAddr>,
}

impl Verb for PowerFlags {
    fn checked(self, environment: &Environment) -> CommandResult {
        let parts = self.parts()?;
        let run = |task| RunArgs::of(task, self.run, self.tune, environment);
        if self.watch_off {
            return Ok(Box::new(run(AnyTask::of(WatchOff))?));
        }
        let none = Power { parts: Vec::new(), devices: Vec::new(), sleeps: Vec::new(), notes: Vec::new() };
        Ok(Box::new(PowerCommand {
            run: run(AnyTask::of(none))?,
            parts,
            devices: self.devices,
            all_devices: self.all_devices,
            dry_run: self.dry_run,
            peers: Environment::login().into_iter().collect(),
        }))
    }
}

impl PowerFlags {
    fn parts(&self) -> Result<Vec<Part>, String> {
        let part = |word: &String| {
            let known = Part::ALL.iter().find(|(own, _)| own == word).map(|(_, part)| *part);
            known.ok_or_else(|| format!("--only must be a list of idle, devices, load and suspend, not {word:?}."))
        };
        let mut parts = self.only.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        if parts.is_empty() {
            parts = vec![Part::Idle, Part::Devices, Part::Load];
        }
        if self.suspend && !parts.contains(&Part::Suspend) {
            parts.push(Part::Suspend);
        }
        if (self.all_devices || !self.devices.is_empty()) && !parts.contains(&Part::Devices) {
            return Err("--off and --all-devices need the part devices in --only.".into());
        }
        Ok(parts)
    }
}

impl Command for PowerCommand {
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        let power = Power::of(root, &self.parts, &self.devices, self.all_devices, &self.peers);
        let power = power.map_err(anyhow::Error::msg)?;
        if self.dry_run {
            let machine = LazyMachine::new(root);
            if let Some(why) = bench::refusal(&power, &machine, &self.run.options) {
                anyhow::bail!(why);
            }
            output::print(&(power.outline(machine.machine(), self.run.options.tune).join("\n") + "\n"))?;
            return Ok(0);
        }
        power.notes.iter().for_each(|note| output::note(note));
        Box::new(RunArgs { task: AnyTask::of(power), ..self.run }).run(root)
    }

    fn into_run(self: Box<Self>) -> Option<RunArgs> {
        Some(self.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_by_flags() {
        let parts = |only: &str, suspend, all_devices| {
            let only = only.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect();
            PowerFlags { only, suspend, all_devices, ..PowerFlags::default() }.parts()
        };
        assert_eq!(parts("", false, true).unwrap(), [Part::Idle, Part::Devices, Part::Load]);
        assert_eq!(parts("idle,load", true, false).unwrap(), [Part::Idle, Part::Load, Part::Suspend]);
        assert!(parts("idle,fan", false, false).unwrap_err().contains("\"fan\""));
        assert!(parts("idle", false, true).unwrap_err().starts_with("--off"));
    }
}
