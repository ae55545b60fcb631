//! Table of causes: name, confirmation, remedy and link of each.

use super::Cause::{self, *};

/// Texts about a cause.
pub struct CauseRow {
    /// The cause.
    pub cause: Cause,
    /// Name in a sentence: "heat".
    pub words: &'static str,
    /// Way to confirm it.
    pub confirm: &'static str,
    /// Remedy, used if the rule that names it has none.
    pub remedy: &'static str,
    /// Further reading.
    pub link: &'static str,
}

const fn row(
    cause: Cause,
    words: &'static str,
    confirm: &'static str,
    remedy: &'static str,
    link: &'static str,
) -> CauseRow {
    CauseRow { cause, words, confirm, remedy, link }
}

const CPUFREQ: &str = "https://docs.kernel.org/admin-guide/pm/cpufreq.html";
const HOTPLUG: &str = "https://docs.kernel.org/core-api/cpu_hotplug.html";
const MEMORY: &str = "https://docs.kernel.org/admin-guide/mm/concepts.html";
const PROC: &str = "https://docs.kernel.org/filesystems/proc.html";
const BUGS: &str = "https://docs.kernel.org/admin-guide/bug-hunting.html";

/// All causes in the order in which one explains the others.
pub(crate) const CAUSES: &[CauseRow] = &[
    row(
        OutOfMemory,
        "out of memory",
        "look for `Out of memory` in the kernel messages",
        "Add swap (zram) or close other programs.",
        MEMORY,
    ),
    row(
        BoardDied,
        "a run that died",
        "repeat the run with a serial console attached",
        "Check the power supply and the cooling.",
        "https://docs.kernel.org/admin-guide/ramoops.html",
    ),
    row(RunCutShort, "a run cut short", "look whether the log has its last section", "Run it again to the end.", BUGS),
    row(
        StartedBusy,
        "a busy machine at the start",
        "look at `top` before the run",
        "Wait until the machine is idle.",
        PROC,
    ),
    row(
        LowVoltage,
        "under-voltage",
        "measure the voltage at the board under load",
        "Use a stronger power supply with a short, thick cable.",
        "https://docs.kernel.org/hwmon/sysfs-interface.html",
    ),
    row(CpusOffline, "offline CPUs", "read `/sys/devices/system/cpu/online`", "Bring all CPUs online.", HOTPLUG),
    row(
        CpuQuota,
        "a CPU quota",
        "read `cpu.max` of the cgroup",
        "Remove the limit (cpu.max) of the cgroup.",
        "https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu",
    ),
    row(StolenTime, "steal time", "watch `st` in `top`", "Use a host that runs nothing else.", PROC),
    row(
        Heat,
        "heat",
        "repeat the run with a fan and compare",
        "Cool the SoC better (heat sink, fan, airflow) and repeat the run.",
        "https://docs.kernel.org/driver-api/thermal/sysfs-api.html",
    ),
    row(
        PowerLimit,
        "a power or current limit",
        "repeat the run with a stronger supply or a higher limit and compare",
        "Check the power supply, and on x86 the power limits (PL1 and PL2) in the BIOS.",
        "https://docs.kernel.org/power/powercap/powercap.html",
    ),
    row(
        CpusTakenAway,
        "CPUs taken offline",
        "look for `shutdown` of CPUs in the kernel messages",
        "Disable the governor that takes CPUs offline by load.",
        HOTPLUG,
    ),
    row(
        SettingLimit,
        "a limit that was set",
        "read `scaling_max_freq` of every policy",
        "Remove the limit.",
        "https://docs.kernel.org/admin-guide/pm/cpufreq.html#policy-interface-in-sysfs",
    ),
    row(
        Governor,
        "the governor",
        "repeat the run with the governor `performance`",
        "Use the governor `performance` for the run.",
        "https://docs.kernel.org/admin-guide/pm/cpufreq.html#generic-scaling-governors",
    ),
    row(
        Background,
        "other tasks",
        "look at `top` while a score is measured",
        "Stop other programs (timers, updates, desktops) and repeat the run.",
        PROC,
    ),
    row(
        FirmwareCap,
        "a clock below the advertised one",
        "measure the clock of a cold machine with `sbc-bench measure clock`",
        "Update the boot loader and the firmware of the board.",
        CPUFREQ,
    ),
    row(
        TooLittleMemory,
        "too little memory",
        "repeat the run with other programs stopped and watch the swap use",
        "Free memory or use zram.",
        MEMORY,
    ),
    row(
        SlowMemory,
        "slow memory",
        "read the clock of the memory controller (`/sys/class/devfreq`)",
        "Check the clock of the memory and its governor.",
        "https://docs.kernel.org/driver-api/devfreq.html",
    ),
    row(
        NumaOrScheduler,
        "the placement of threads and memory",
        "repeat the run bound to one node (`numactl`)",
        "Bind the workload to one node and repeat the run.",
        "https://docs.kernel.org/admin-guide/mm/numaperf.html",
    ),
    row(
        StorageWait,
        "storage and interrupts",
        "look at `iotop` and `/proc/interrupts` while a score is measured",
        "Find what reads or writes (`iotop`) and stop it.",
        PROC,
    ),
    row(
        CryptoEngine,
        "a crypto engine",
        "compare with `openssl speed` without `-evp`",
        "Compare this figure only with others of the same engine.",
        "https://docs.kernel.org/crypto/index.html",
    ),
    row(
        Overclocked,
        "overclocking",
        "read `config.txt`",
        "Remove the setting for the scores of a stock board.",
        "https://www.raspberrypi.com/documentation/computers/config_txt.html",
    ),
    row(
        KernelTrouble,
        "a kernel fault",
        "read the kernel messages of the run",
        "Report the messages to the maintainers of the kernel.",
        BUGS,
    ),
    row(
        Virtualised,
        "virtualisation",
        "run `systemd-detect-virt`",
        "Run it on the machine itself.",
        "https://www.freedesktop.org/software/systemd/man/latest/systemd-detect-virt.html",
    ),
    row(
        DoubleCompression,
        "memory compressed twice",
        "read `/sys/module/zswap/parameters/enabled`",
        "Disable zswap (`zswap.enabled=0`).",
        "https://docs.kernel.org/admin-guide/mm/zswap.html",
    ),
    row(
        ImpossibleFigure,
        "an impossible figure",
        "repeat the run and compare",
        "Check the clock of the system and the source of the log, and repeat the run.",
        "https://github.com/ThomasKaiser/sbc-bench/tree/master/results",
    ),
    row(
        StepFailed,
        "a failed step",
        "run the program of the step alone",
        "Read why it failed, mend that and repeat the run.",
        "https://github.com/ThomasKaiser/sbc-bench#readme",
    ),
    row(
        NotVisible,
        "a cause that is not visible here",
        "repeat the run and compare",
        "Repeat the run; what comes back has a cause that this machine does not report.",
        "https://github.com/ThomasKaiser/sbc-bench#7-zip",
    ),
];

impl Cause {
    /// Texts about it.
    pub fn row(self) -> &'static CauseRow {
        CAUSES.iter().find(|row| row.cause == self).unwrap_or(&CAUSES[CAUSES.len() - 1])
    }

    /// Name in a sentence.
    pub fn words(self) -> &'static str {
        self.row().words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_its_words_its_confirmation_its_remedy_and_its_link() {
        assert_eq!(CAUSES.len(), Cause::ALL.len());
        for (row, cause) in CAUSES.iter().zip(Cause::ALL) {
            assert_eq!((row.cause, cause.row().cause), (*cause, *cause));
            for text in [row.words, row.confirm] {
                let is_phrase = text.starts_with("CPUs ") || text.starts_with(|c: char| c.is_lowercase());
                assert!(is_phrase && !text.ends_with('.'), "{text}");
            }
            assert!(row.remedy.starts_with(|c: char| c.is_uppercase()) && row.remedy.ends_with('.'), "{}", row.remedy);
            assert!(row.link.starts_with("https://"), "{}", row.link);
        }
    }
}
