//! The table of relations: for every rule its relations to causes, the scores that it applies to, the evidence of harm,
//! and the remedy.

mod at_rest;
mod find;
mod forms;

pub use at_rest::AT_REST;
pub use find::{lines_of, of};
pub use forms::{CLAUSES, Form, SHORT};

use super::relation::{Relation, RelationCondition as W, RuleRelations, ScoreScope as J};
use super::*;
use facts::Cause as C;

type Line = (Relation, W);

const fn root(cause: C) -> Line {
    (Relation::Root(cause), W::Always)
}

const fn root_if(cause: C, when: W) -> Line {
    (Relation::Root(cause), when)
}

const fn evidence(cause: C) -> Line {
    (Relation::Evidence(cause), W::Always)
}

const fn evidence_if(cause: C, when: W) -> Line {
    (Relation::Evidence(cause), when)
}

const fn follows(cause: C) -> Line {
    (Relation::Follows(cause), W::Always)
}

const fn follows_if(cause: C, when: W) -> Line {
    (Relation::Follows(cause), when)
}

const fn contradicts(cause: C) -> Line {
    (Relation::Contradicts(cause), W::Always)
}

/// Clocks or scores dropped at the throttling temperature without another explanation.
const HIDDEN_HEAT: Line = (Relation::Alone(C::Heat), W::Hot);
const NOTE: Line = (Relation::Note, W::Always);

const fn row(
    rule: &'static Rule,
    judges: J,
    lines: &'static [Line],
    harm: &'static str,
    remedy: &'static str,
) -> RuleRelations {
    RuleRelations { rule, lines, judges, harm, remedy }
}

/// A rule whose findings are harmless remarks.
const fn note(rule: &'static Rule, remedy: &'static str) -> RuleRelations {
    row(rule, J::Nothing, &[NOTE], NO_HARM, remedy)
}

const NO_HARM: &str = "none: it lowers no score";
const COOL: &str = "Cool the SoC better (heat sink, fan, airflow) and repeat the run.";

/// All rules for runs.
pub const RELATIONS: &[RuleRelations] = &[
    row(
        &background_activity::RULE,
        J::All,
        &[follows_if(C::OutOfMemory, W::OutOfMemory), follows(C::StartedBusy), root_if(C::Background, W::CpusWereBusy)],
        "other programs used CPU time while a score was measured",
        "Stop other programs (timers, updates, desktops) and repeat the run.",
    ),
    row(
        &board_died::RULE,
        J::All,
        &[root(C::BoardDied)],
        "the board stopped or restarted before the end",
        "If the machine restarted, look at the power supply and at the temperature before the end; if it stayed up, find out what killed the program.",
    ),
    note(&built_in_used::RULE, "Install the named program for scores that compare with those of others."),
    row(&clock_above_claim::RULE, J::Nothing, &[evidence_if(C::Overclocked, W::Overclocked), NOTE], NO_HARM, ""),
    row(
        &clock_below_claim::RULE,
        J::All,
        &[
            follows_if(C::LowVoltage, W::Uncapped),
            follows_if(C::Heat, W::HotUncapped),
            follows_if(C::Background, W::Unsteady),
            root(C::FirmwareCap),
        ],
        "the clock measured before any load is 3 % or more below the advertised one",
        "Update the boot loader and the firmware of the board.",
    ),
    note(&clock_chain_odd::RULE, ""),
    row(
        &clock_column_untrue::RULE,
        J::FullLoad,
        &[evidence_if(C::Heat, W::Hot), evidence(C::PowerLimit), evidence(C::Virtualised), NOTE],
        NO_HARM,
        "",
    ),
    row(
        &clock_disturbed::RULE,
        J::Nothing,
        &[follows(C::Background), NOTE],
        NO_HARM,
        "Repeat `sbc-bench measure clock` on a quiet machine.",
    ),
    note(&clock_from_aes::RULE, ""),
    row(
        &clock_lower_all_cpus::RULE,
        J::FullLoad,
        &[follows_if(C::Heat, W::Hot), root_if(C::PowerLimit, W::TemperatureKnown)],
        "with all CPUs busy the clock is 5 % or more below that of one CPU, and the CPU has no turbo",
        "Use a stronger power supply, or raise the power limits in the BIOS.",
    ),
    row(
        &clock_lower_hot::RULE,
        J::FullLoad,
        &[follows(C::LowVoltage), follows(C::Heat), follows(C::PowerLimit), HIDDEN_HEAT],
        "the clock measured under load or right after it is 2 % or more below the cold one",
        COOL,
    ),
    row(&clock_methods_differ::RULE, J::Nothing, &[evidence(C::FirmwareCap), NOTE], NO_HARM, ""),
    row(&clock_ok::RULE, J::Nothing, &[contradicts(C::FirmwareCap), NOTE], NO_HARM, ""),
    row(
        &cores_killed::RULE,
        J::All,
        &[follows_if(C::Heat, W::Hot), root(C::CpusTakenAway)],
        "CPUs were taken offline while a score was measured",
        "Disable the governor that takes CPUs offline by load; where it was hot, cool the SoC.",
    ),
    row(
        &cpu_quota::RULE,
        J::All,
        &[root(C::CpuQuota)],
        "1 % or more of the CPU time was withheld",
        "Remove the limit (cpu.max) of the cgroup.",
    ),
    row(
        &cpus_restricted::RULE,
        J::FullLoad,
        &[root_if(C::CpusOffline, W::Says(&["not allowed"])), NOTE],
        "the program was not allowed on some CPUs",
        "Start the program outside of the cpuset or of `taskset`.",
    ),
    row(&emulated::RULE, J::All, &[root(C::Virtualised)], "the CPU is emulated", "Run it on the machine itself."),
    row(
        &fewer_dictionaries::RULE,
        J::Compression,
        &[follows_if(C::TooLittleMemory, W::Says(&["dictionaries"])), NOTE],
        "none: the score is right, but does not compare with others",
        "Compare only with results of the same dictionaries.",
    ),
    row(
        &governor::RULE,
        J::All,
        &[root(C::Governor)],
        "the governor cost 3 % or more of a score",
        "Use the governor `performance` for the run.",
    ),
    row(&hot::RULE, J::Nothing, &[evidence(C::Heat), NOTE], NO_HARM, COOL),
    row(
        &impossible_figures::RULE,
        J::All,
        &[root(C::ImpossibleFigure)],
        "a clock or a score is higher than that of any such machine",
        "Check the clock of the system and the source of the log, and repeat the run.",
    ),
    row(
        &io_wait::RULE,
        J::All,
        &[follows(C::OutOfMemory), follows_if(C::TooLittleMemory, W::Swapped), root(C::StorageWait)],
        "2 % or more of the CPU time of a phase was waited for storage",
        "Find what reads or writes (`iotop`) and stop it.",
    ),
    row(
        &kernel_trouble::RULE,
        J::All,
        &[follows_if(C::OutOfMemory, W::OutOfMemory), root(C::KernelTrouble)],
        "the kernel reported a fault of its own",
        "Report the messages to the maintainers of the kernel.",
    ),
    row(&latency_unsteady::RULE, J::Memory, &[follows(C::Background), follows(C::SlowMemory), NOTE], NO_HARM, ""),
    note(&libc_slow::RULE, "Update the C library or the distribution."),
    row(
        &limit_by_program::RULE,
        J::All,
        &[root(C::SettingLimit)],
        "another program lowered a clock limit while a score was measured",
        "Stop the program that sets it (a thermal daemon, tuned, power profiles) for scores of the board alone.",
    ),
    note(&limit_lifted::RULE, "Use `--no-tuning` for the scores with it."),
    row(
        &limited_by_setting::RULE,
        J::All,
        &[root(C::SettingLimit)],
        "a setting cost 2 % or more of the clock of a step",
        "Remove the limit; repeat the run if an earlier step of it had set it.",
    ),
    row(
        &log_remark::RULE,
        J::Nothing,
        &[
            evidence_if(C::TooLittleMemory, W::Says(&["Swap configured"])),
            evidence_if(C::PowerLimit, W::Says(&["Powercap", "powercap"])),
            evidence_if(C::Heat, W::Says(&["hrottling"])),
            NOTE,
        ],
        NO_HARM,
        "",
    ),
    row(
        &low_voltage::RULE,
        J::All,
        &[root(C::LowVoltage)],
        "the voltage was below what the board needs",
        "Use a stronger power supply with a short, thick cable, and measure the voltage at the board.",
    ),
    row(
        &memory_slow::RULE,
        J::Memory,
        &[follows_if(C::Heat, W::Hot), follows(C::Background), root(C::SlowMemory)],
        "memory is 20 % or more slower than that of other boards with this SoC",
        "Look at the clock of the memory and at its governor.",
    ),
    note(&meter_implausible::RULE, "Check the meter."),
    note(&no_temperature::RULE, ""),
    row(
        &no_throttling::RULE,
        J::FullLoad,
        &[
            contradicts(C::Heat),
            contradicts(C::PowerLimit),
            follows(C::NotVisible),
            follows_if(C::Background, W::Says(&["got slower"])),
            follows_if(C::TooLittleMemory, W::Says(&["got slower"])),
            follows_if(C::KernelOverhead, W::Says(&["got slower"])),
            NOTE,
        ],
        NO_HARM,
        "",
    ),
    row(
        &offline_cpus::RULE,
        J::FullLoad,
        &[root(C::CpusOffline)],
        "CPUs of the machine were off during the run",
        "Bring all CPUs online (`/sys/devices/system/cpu/cpuN/online`), and look for `maxcpus=` in the kernel's command line.",
    ),
    note(&old_verdict_wrong::RULE, ""),
    row(
        &opp_not_honoured::RULE,
        J::Nothing,
        &[follows(C::FirmwareCap), evidence_if(C::Overclocked, W::Overclocked), NOTE],
        NO_HARM,
        "",
    ),
    note(&others_off::RULE, ""),
    row(
        &out_of_memory::RULE,
        J::All,
        &[root(C::OutOfMemory)],
        "the kernel was out of memory and killed programs",
        "Add swap (zram) or close other programs.",
    ),
    row(
        &power_limit::RULE,
        J::FullLoad,
        &[follows(C::LowVoltage), follows_if(C::Heat, W::Hot), root_if(C::PowerLimit, W::TemperatureKnown)],
        "the clock fell under load below the temperature of throttling",
        "Check the power supply and its cable.",
    ),
    row(&report_verdict::RULE, J::All, &[root(C::Reported)], "the report says so", "Explain its log or result file."),
    row(
        &rpi_config::RULE,
        J::All,
        &[root(C::SettingLimit), evidence_if(C::Overclocked, W::Overclocked), NOTE],
        "config.txt lowers clocks",
        "Remove the setting and repeat the run for the scores of the board as sold.",
    ),
    row(
        &rpi_firmware::RULE,
        J::FullLoad,
        &[
            root_if(C::LowVoltage, W::Bit(0)),
            follows_if(C::LowVoltage, W::Bit(1)),
            follows_if(C::LowVoltage, W::Bit(2)),
            root(C::Heat),
        ],
        "the firmware reported it in the run, or since boot and scores fell",
        COOL,
    ),
    row(
        &rpi_firmware_clock::RULE,
        J::All,
        &[follows(C::LowVoltage), follows(C::Heat), HIDDEN_HEAT, root_if(C::FirmwareCap, W::FirmwareAsked)],
        "the clock of the firmware was lower than the advertised one in several samples",
        "Look at the temperature limits and clocks in config.txt.",
    ),
    row(
        &run_cut_short::RULE,
        J::All,
        &[root(C::RunCutShort)],
        "the run did not reach its end",
        "Get the whole log, or run it again to the end.",
    ),
    note(&score_high::RULE, ""),
    row(
        &score_low::RULE,
        J::CompressionSingle,
        &[follows(C::SlowMemory), follows(C::Background), follows(C::FirmwareCap), NOTE],
        NO_HARM,
        "",
    ),
    row(
        &scores_decline::RULE,
        J::CompressionMulti,
        &[
            follows_if(C::LowVoltage, W::RateFell),
            follows_if(C::Heat, W::RateFell),
            follows_if(C::PowerLimit, W::RateFell),
            follows(C::CpusTakenAway),
            follows_if(C::TooLittleMemory, W::Swapped),
            follows(C::StolenTime),
            follows(C::CpuQuota),
            follows_if(C::Background, W::UseFell),
            follows(C::KernelOverhead),
            (Relation::Alone(C::Background), W::UseFell),
            HIDDEN_HEAT,
        ],
        "the last run is 3 % or more below the first",
        "Repeat the run with better cooling, and compare.",
    ),
    row(
        &scores_unstable::RULE,
        J::CompressionMulti,
        &[
            follows_if(C::TooLittleMemory, W::Swapped),
            follows(C::Heat),
            follows(C::PowerLimit),
            follows(C::Background),
            follows(C::SlowMemory),
            root_if(C::NumaOrScheduler, W::ManyNodes),
        ],
        "runs differ by 7 % or more",
        "Repeat the run.",
    ),
    row(
        &series_declines::RULE,
        J::All,
        &[follows(C::LowVoltage), follows(C::Heat), follows(C::PowerLimit), HIDDEN_HEAT],
        "the load's own rate fell by 3 % or more while it ran",
        COOL,
    ),
    row(&setting_unmet::RULE, J::Nothing, &[evidence(C::SettingLimit), NOTE], NO_HARM, ""),
    note(&settings_not_restored::RULE, "Run `sbc-bench recover`."),
    note(&sevenzip_version::RULE, ""),
    row(
        &started_busy::RULE,
        J::All,
        &[root(C::StartedBusy)],
        "25 % or more of a CPU was in use when the run began",
        "Wait until the machine is idle.",
    ),
    row(
        &step_time::RULE,
        J::All,
        &[root(C::Stopped)],
        "a workload stood still for 2 % or more of its time",
        "Find what stopped the program (job control, a freezer of cgroups, suspend) and repeat the run.",
    ),
    row(
        &steps_missing::RULE,
        J::All,
        &[
            root_if(C::StepFailed, W::Skipped),
            follows_if(C::OutOfMemory, W::OutOfMemory),
            follows(C::BoardDied),
            follows(C::RunCutShort),
            follows(C::KernelTrouble),
            follows_if(C::TooLittleMemory, W::Swapped),
            root_if(C::StepFailed, W::Reasoned),
        ],
        "a score is missing",
        "Read why it failed, mend that and repeat the run.",
    ),
    row(
        &stolen_time::RULE,
        J::All,
        &[root(C::StolenTime)],
        "2 % or more of the CPU time went to other guests of the host",
        "Use a host that runs nothing else.",
    ),
    note(&summary_wrong::RULE, ""),
    note(&supply_droops::RULE, "Measure the voltage at the input of the board, idle and under load, or try another supply and cable."),
    row(
        &swap_on_slow_storage::RULE,
        J::Nothing,
        &[evidence(C::TooLittleMemory), NOTE],
        NO_HARM,
        "Use zram in its place.",
    ),
    row(
        &swapping::RULE,
        J::Compression,
        &[follows(C::OutOfMemory), root(C::TooLittleMemory)],
        "a score was measured while memory was swapped",
        "Free memory, use zram, or fewer dictionaries.",
    ),
    row(
        &system_time::RULE,
        J::All,
        &[
            root_if(C::CryptoEngine, W::CiphersAlone),
            follows_if(C::TooLittleMemory, W::Swapped),
            root_if(C::NumaOrScheduler, W::ManyNodes),
            root(C::KernelOverhead),
        ],
        "8 % or more of the CPU time of a phase was used by the kernel",
        "Look which interrupts and kernel threads use it.",
    ),
    row(
        &thermal_throttling::RULE,
        J::FullLoad,
        &[root(C::Heat)],
        "clocks were lowered at the temperature limit, by 1 % or more",
        COOL,
    ),
    note(&topology_unclear::RULE, ""),
    note(&unread_lines::RULE, ""),
    row(
        &virtualised::RULE,
        J::All,
        &[evidence(C::StolenTime), root(C::Virtualised), NOTE],
        NO_HARM,
        "Run it on the machine itself.",
    ),
    row(
        &zswap_on_zram::RULE,
        J::Compression,
        &[evidence_if(C::TooLittleMemory, W::Swapped), root_if(C::DoubleCompression, W::Swapped), NOTE],
        "memory was swapped",
        "Disable zswap (`zswap.enabled=0`).",
    ),
];

#[cfg(test)]
mod tests;
