//! Traces of a run that died, in the kernel and the hardware. Each source is documented by the kernel or the vendor;
//! missing sources are data with a reason.

use crate::Root;
use crate::vcio::{self, Firmware};
use identify::boot_messages;
use record::{Aftermath, ErrorCounter, LastWords, MachineChecks, Missing, Reading, ResetReason, WatchdogStatus};

/// Documentation/ABI/testing/pstore; systemd moves the files to its own directory (systemd-pstore(8)).
const PSTORE: [&str; 2] = ["/sys/fs/pstore", "/var/lib/systemd/pstore"];
/// Documentation/admin-guide/ras.rst; parts other than memory have sibling directories with their instances
/// (Documentation/driver-api/edac.rst).
const EDAC: &str = "/sys/devices/system/edac";
/// Rows of `/proc/interrupts` that count hardware errors (arch/x86/kernel/irq.c). `MCP` counts polls and `TRM` thermal
/// events; machinecheck in sysfs contains settings only.
const MACHINE_CHECKS: [&str; 3] = ["MCE", "THR", "DFR"];
/// Documentation/ABI/testing/sysfs-class-watchdog.
const WATCHDOGS: &str = "/sys/class/watchdog";
/// The firmware of a Raspberry Pi stores its register PM_RSTS there: "Configuration properties" of the Raspberry Pi
/// documentation.
const RPI_RSTS: &str = "/proc/device-tree/chosen/bootloader/rsts";
/// Documentation/ABI/testing/sysfs-platform-power-on-reason; power controllers of Tegra use the other name
/// (drivers/soc/tegra/pmc.c).
const PLATFORM: &str = "/sys/devices/platform";
const REASON_FILES: [&str; 2] = ["power_on_reason", "reset_reason"];
/// Text of a reason that `explain` matches.
const POWER_CAME_ON: &str = "power came on";
/// Kernel command line options of Android boot loaders (source.android.com, "Canonical boot reason").
const REASON_OPTIONS: [&str; 2] = ["androidboot.bootreason=", "bootreason="];
/// Number of last lines kept of each pstore file; they contain the fault.
const LINES_MAX: usize = 40;
const FILES_MAX: usize = 8;
/// Maximum number of boot messages that are searched.
const BOOT_RECORDS_MAX: usize = 4000;
/// Boot messages about earlier events: errors that firmware (BERT) and processor recorded, and the reset reason of AMD
/// processors (Documentation/arch/x86/amd-debugging.rst).
const OF_THE_TIME_BEFORE: [&str; 3] = ["[Hardware Error]", "BERT:", "Previous system reset reason"];

/// Collects all traces after the death of a run with this boot id.
pub fn aftermath(root: &Root, boot_id: &str, now_utc_ms: i64) -> Aftermath {
    let messages = boot_messages(root, BOOT_RECORDS_MAX);
    let is_told = |text: &String| OF_THE_TIME_BEFORE.iter().any(|words| text.contains(words));
    Aftermath {
        looked_utc_ms: now_utc_ms,
        restarted: restarted(root, boot_id).into(),
        last_words: last_words(root).into(),
        memory_errors: memory_errors(root).into(),
        machine_checks: machine_checks(root).into(),
        watchdogs: watchdogs(root).into(),
        reset_reasons: reset_reasons(root),
        hardware_messages: messages.into_iter().filter(is_told).take(LINES_MAX).collect(),
    }
}

fn restarted(root: &Root, boot_id: &str) -> Reading<bool> {
    const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
    if boot_id.is_empty() {
        return Err(Missing::unsupported(BOOT_ID, "the run recorded no boot id"));
    }
    Ok(root.read_value(BOOT_ID)? != boot_id)
}

fn last_words(root: &Root) -> Reading<Vec<LastWords>> {
    let [kept_by_kernel, moved] = PSTORE;
    let listed = root.list(kept_by_kernel);
    let mut paths: Vec<String> = Vec::new();
    for name in listed.as_deref().unwrap_or_default() {
        paths.push(format!("{kept_by_kernel}/{name}"));
    }
    // One directory per crash, named by its time; the last one is relevant.
    if let Some(last) = root.list(moved).unwrap_or_default().pop() {
        let folder = format!("{moved}/{last}");
        let inside = root.list(&folder).unwrap_or_default();
        paths.extend(inside.iter().map(|name| format!("{folder}/{name}")));
    }
    if paths.is_empty() {
        listed?;
    }
    let words = paths.iter().filter_map(|path| {
        let text = root.read(path).ok()?;
        let lines = text.lines().map(printable).filter(|line| !line.is_empty());
        let mut lines: Vec<String> = lines.collect();
        lines.drain(..lines.len().saturating_sub(LINES_MAX));
        let file = path.rsplit('/').next().unwrap_or(path).to_owned();
        let written_utc_ms = root.written_utc_ms(path);
        let words = LastWords { file, lines, written_utc_ms };
        Some(words).filter(|words| !words.lines.is_empty())
    });
    Ok(words.take(FILES_MAX).collect())
}

fn memory_errors(root: &Root) -> Reading<Vec<ErrorCounter>> {
    let parts = root.list(EDAC)?;
    let mut counters = Vec::new();
    for part in parts {
        let folder = format!("{EDAC}/{part}");
        for instance in root.list(&folder).unwrap_or_default() {
            let number = |file| root.read_number(&format!("{folder}/{instance}/{file}"));
            if let (Ok(corrected), Ok(uncorrected)) = (number("ce_count"), number("ue_count")) {
                counters.push(ErrorCounter {
                    corrected,
                    uncorrected,
                    controller: match part.as_str() {
                        "mc" => instance,
                        _ => format!("{part}/{instance}"),
                    },
                });
            }
        }
    }
    Ok(counters)
}

fn machine_checks(root: &Root) -> Reading<Vec<MachineChecks>> {
    const INTERRUPTS: &str = "/proc/interrupts";
    let found = parse_machine_checks(&root.read(INTERRUPTS)?);
    if found.is_empty() {
        let reason = "the kernel counts no machine checks on this CPU architecture";
        return Err(Missing::unsupported(INTERRUPTS, reason));
    }
    Ok(found)
}

/// Parses rows such as ` MCE:   0   1   Machine check exceptions`: a count for each online CPU.
fn parse_machine_checks(text: &str) -> Vec<MachineChecks> {
    let row = |line: &str| {
        let (kind, rest) = line.split_once(':')?;
        let kind = MACHINE_CHECKS.into_iter().find(|known| *known == kind.trim())?;
        let counts = rest.split_whitespace().map_while(|word| word.parse::<u64>().ok());
        Some(MachineChecks { kind: kind.to_owned(), count: counts.fold(0, u64::saturating_add) })
    };
    text.lines().filter_map(row).collect()
}

fn watchdogs(root: &Root) -> Reading<Vec<WatchdogStatus>> {
    let names = root.list(WATCHDOGS)?;
    let status = names.into_iter().filter_map(|name| {
        let file = |file| format!("{WATCHDOGS}/{name}/{file}");
        Some(WatchdogStatus {
            bootstatus: root.read_number(&file("bootstatus")).ok()?,
            identity: root.read_value(&file("identity")).unwrap_or(name.clone()),
        })
    });
    Ok(status.collect())
}

fn reset_reasons(root: &Root) -> Vec<ResetReason> {
    let mut reasons = Vec::new();
    let mut tell = |path: &str, says: String| {
        reasons.push(ResetReason { path: path.to_owned(), says: printable(&says) });
    };
    if let Ok(bytes) = root.read_bytes(RPI_RSTS)
        && let Ok(bits) = <[u8; 4]>::try_from(bytes.as_slice())
    {
        tell(RPI_RSTS, rpi_words(u32::from_be_bytes(bits)));
    } else if let Ok(bits) = Firmware::open(root).map(|firmware| firmware.reset_bits())
        && let Ok(bits) = bits
    {
        // Firmware before 2020 has to be queried.
        tell(vcio::PATH, rpi_words(bits));
    }
    for device in root.list(PLATFORM).unwrap_or_default() {
        for file in REASON_FILES {
            let path = format!("{PLATFORM}/{device}/{file}");
            if let Ok(says) = root.read_value(&path) {
                tell(&path, says);
            }
        }
    }
    let command_line = root.read("/proc/cmdline").unwrap_or_default();
    for option in command_line.split_whitespace() {
        let says = REASON_OPTIONS.iter().find_map(|key| option.strip_prefix(key));
        if let Some(says) = says.filter(|says| !says.is_empty()) {
            tell("/proc/cmdline", says.to_owned());
        }
    }
    reasons
}

/// Untrusted text without control characters.
fn printable(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    text.trim_end().to_owned()
}

/// PM_RSTS of the BCM2835 and its successors. Bit 12 is set at power-on and stays set, so it is only relevant if no
/// other bit is set. Bit 5 is set by a watchdog reset, which these boards also use to reboot; bit 9 by software, bit 1
/// by the debugger. The even bits up to 10 contain the boot partition, where 63 means halt
/// (drivers/watchdog/bcm2835_wdt.c).
fn rpi_words(bits: u32) -> String {
    const PARTITION: u32 = 0x555;
    let words = [(0x20, "watchdog or restart"), (0x200, "software"), (0x2, "debugger")];
    let mut set: Vec<&str> = words.iter().filter(|(mask, _)| bits & mask != 0).map(|(_, words)| *words).collect();
    if bits & PARTITION == PARTITION {
        set.push("halted");
    }
    if set.is_empty() && bits & 0x1000 != 0 {
        set.push(POWER_CAME_ON);
    }
    match set.as_slice() {
        [] => format!("{bits:#x}"),
        set => format!("{bits:#x}: {}", set.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Fact;

    const BOARD: &str = "\
== /proc/sys/kernel/random/boot_id
new
== /sys/fs/pstore/dmesg-ramoops-0
Panic#1 Part1
<0>[  120.5] Kernel panic - not syncing: Asynchronous SError Interrupt

== /sys/fs/pstore/console-ramoops-0
\\
== /sys/devices/system/edac/mc/mc0/ce_count
17
== /sys/devices/system/edac/mc/mc0/ue_count
1
== /sys/devices/system/edac/mc/power/control
auto
== /sys/devices/system/edac/cpu_cache/cpu_cache0/ce_count
3
== /sys/devices/system/edac/cpu_cache/cpu_cache0/ue_count
0
== /sys/devices/system/edac/cpu_cache/log_ce
1
== /proc/interrupts
           CPU0       CPU1
  1:          0          9   IO-APIC   1-edge      i8042
TRM:          5          6   Thermal event interrupts
THR:          0          2   Threshold APIC interrupts
MCE:          1          0   Machine check exceptions
MCP:         70         71   Machine check polls
== /sys/class/watchdog/watchdog0/bootstatus
32
== /sys/class/watchdog/watchdog0/identity
Broadcom BCM2835 Watchdog timer
== /proc/device-tree/chosen/bootloader/rsts
\\0\\0\\x10\\0
\\
== /sys/devices/platform/fffffd00.rstc/power_on_reason
watchdog timeout
== /proc/cmdline
root=/dev/mmcblk0p2 androidboot.bootreason=kernel_panic
== /dev/kmsg
5,0,0,-;Linux version 6.6
4,1,10,-;BERT: [Hardware Error]: Skipped 1 error records
";

    #[test]
    fn aftermath_sources() {
        let found = aftermath(&Root::from_board(BOARD).unwrap(), "old", 7);
        assert_eq!(found.restarted, Fact::Known(true));
        let words = found.last_words.known().unwrap();
        assert_eq!(words[0].file, "dmesg-ramoops-0");
        assert!(words[0].lines[1].contains("SError"));
        assert_eq!(words.len(), 1, "an empty file says nothing");
        let errors = found.memory_errors.known().unwrap();
        let errors: Vec<_> = errors.iter().map(|e| (e.controller.as_str(), e.corrected, e.uncorrected)).collect();
        assert_eq!(errors, [("cpu_cache/cpu_cache0", 3, 0), ("mc0", 17, 1)]);
        let checks = found.machine_checks.known().unwrap();
        let checks: Vec<_> = checks.iter().map(|c| (c.kind.as_str(), c.count)).collect();
        assert_eq!(checks, [("THR", 2), ("MCE", 1)]);
        assert_eq!(found.watchdogs.known().unwrap()[0].bootstatus, 32);
        let says: Vec<&str> = found.reset_reasons.iter().map(|r| r.says.as_str()).collect();
        assert_eq!(says, ["0x1000: power came on", "watchdog timeout", "kernel_panic"]);
        assert_eq!(found.hardware_messages.len(), 1);
    }

    #[test]
    fn missing_sources_have_reasons() {
        let found = aftermath(&Root::empty(), "old", 7);
        assert!(found.restarted.missing().is_some());
        assert!(found.last_words.missing().is_some());
        assert!(found.memory_errors.missing().is_some());
        assert!(found.machine_checks.missing().is_some());
        assert!(found.watchdogs.missing().is_some());
        assert_eq!((found.reset_reasons.len(), found.hardware_messages.len()), (0, 0));
        let same = aftermath(&Root::from_board(BOARD).unwrap(), "new", 7);
        assert_eq!(same.restarted, Fact::Known(false));
        let lost = aftermath(&Root::from_board(BOARD).unwrap(), "", 7);
        assert!(lost.restarted.missing().is_some());
    }

    proptest::proptest! {
        #[test]
        fn parse_machine_checks_never_panics(text in "( ?(MCE|THR|x): {0,2}[0-9]{0,22} ?\\PC{0,9}\n){0,9}", bits: u32) {
            parse_machine_checks(&text);
            proptest::prop_assert!(rpi_words(bits).starts_with("0x"));
        }
    }

    #[test]
    fn register_of_a_raspberry_pi_is_told_in_words() {
        for (bits, expected) in [
            (0x1000, "0x1000: power came on"),
            (0x20, "0x20: watchdog or restart"),
            (0x1020, "0x1020: watchdog or restart"),
            (0x1555, "0x1555: halted"),
            // The boot partition 2 is not a reason.
            (0x4, "0x4"),
            (0x0, "0x0"),
        ] {
            assert_eq!(rpi_words(bits), expected);
        }
    }
}
