//! Lines above the first row on a terminal: board, CPUs, and the sensor used for the temperature.

use super::Columns;
use facts::view::topology;
use record::{Fact, Record};

/// Hardware in a few lines; `temperature_why` is the reason for the choice of the SoC sensor.
pub fn summary(record: &Record, columns: &Columns, temperature_why: Option<&str>) -> String {
    let machine = &record.machine;
    let known = |fact: &Fact<String>| fact.known().cloned();
    let kernel = known(&machine.kernel_release).map(|release| match machine.kernel_arch.known() {
        Some(arch) => format!("Kernel: {release}/{arch}"),
        None => format!("Kernel: {release}"),
    });
    let userland = known(&machine.userland_arch).map(|arch| format!("Userland: {arch}"));
    let parts = [known(&machine.board), known(&facts::soc::name(machine)), kernel, userland];
    let mut parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.dedup();
    let line = match parts.len() {
        0 => "Unknown machine.".to_owned(),
        _ => parts.join(", "),
    };
    let source = match (temperature_why, columns.temperature()) {
        (Some(why), _) => why.to_owned(),
        (None, Some(place)) => {
            let channel = &record.samples.channels[place];
            format!("{} ({})", channel.source, channel.label)
        }
        (None, None) => "none (no SoC temperature sensor found)".to_owned(),
    };
    let mut text = format!("{line}\n\n{}\nThermal source: {source}\n", topology(machine));
    let (policies, clocks) = columns.policies_and_clocks();
    if policies > clocks {
        let of = match clocks {
            1 => "all CPUs".to_owned(),
            _ => "each core type".to_owned(),
        };
        text.push_str(&format!("Clocks: {policies} policies; showing the highest clock of {of}\n"));
    }
    text
}
