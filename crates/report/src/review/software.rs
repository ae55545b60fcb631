//! Software versions and the kernel.

use super::{list, section};
use facts::plain::markdown;
use record::{Record, Survey};
use rules::kernel::{self, Eol};
use std::fmt::Write;

pub(super) fn versions(record: &Record) -> String {
    let machine = &record.machine;
    let mut lines: Vec<String> = machine.distribution.known().into_iter().map(|name| markdown(name)).collect();
    lines.extend(machine.build_system.known().map(|build| format!("Build scripts: {}", markdown(build))));
    lines.extend(machine.compiler.known().map(|compiler| format!("Compiler: {}", markdown(compiler))));
    let mut tools: Vec<String> = record
        .steps
        .iter()
        .filter_map(|step| step.tool.as_ref())
        // A user's own command has no version.
        .filter(|tool| !tool.version.is_empty())
        .map(|tool| format!("{} {}", markdown(&tool.name), markdown(&tool.version)))
        .collect();
    tools.sort_unstable();
    tools.dedup();
    lines.extend(tools);
    let firmware = machine.firmware.iter();
    lines.extend(firmware.map(|value| format!("{}: {}", markdown(&value.name), markdown(&value.value))));
    lines.extend(boot_chain(record));
    section("Software versions", &list(lines))
}

/// Rockchip's boot loader adds its versions to the kernel command line.
fn boot_chain(record: &Record) -> Option<String> {
    let cmdline = record.machine.kernel_cmdline.known()?;
    let value = cmdline.split_whitespace().find_map(|word| word.strip_prefix("androidboot.fwver="))?;
    Some(format!("Boot chain: {}", markdown(&value.replace(',', ", "))))
}

pub(super) fn kernel(record: &Record, first: &Survey) -> String {
    let mut text = String::new();
    if let Some(cmdline) = record.machine.kernel_cmdline.known() {
        let quiet = facts::plain(cmdline).replace('`', "'");
        let _ = writeln!(text, "  * `/proc/cmdline: {quiet}`");
    }
    for line in kernel::weakness_lines(&first.kernel) {
        let _ = writeln!(text, "  * Vulnerability {}", markdown(&line));
    }
    let verdict = kernel::verdict(record, &Eol::shipped());
    let mut words = vec![format!("Kernel {}", facts::plain(&verdict.release))];
    words.extend(kernel::lines(record));
    let _ = writeln!(text, "  * {}\n", markdown(&words.join(" / ")));
    for finding in &verdict.findings {
        let _ = writeln!(text, "{}\n", markdown(&finding.sentence()));
    }
    section("Kernel info", &text)
}
