//! Causes of lower or spoiled scores: ids here, texts in `data/causes.tsv`.

use record::table::{Row, Table};
use serde::Serialize;

const TABLE: Table = Table::of(include_str!("../../../../data/causes.tsv"));

macro_rules! causes {
    ($(#[$about:meta])* pub enum Cause { $($(#[$doc:meta])* $name:ident = $id:literal,)* }) => {
        $(#[$about])*
        pub enum Cause { $($(#[$doc])* #[serde(rename = $id)] $name,)* }

        impl Cause {
            /// All causes in order.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Id, as in `data/causes.tsv`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }
        }
    };
}

causes! {
    /// Causes of lower or spoiled scores, in order of precedence: no cause is the consequence of a later one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    pub enum Cause {
        /// The kernel ended programs because memory was full.
        OutOfMemory = "out-of-memory",
        /// The board stopped or started again during the run.
        BoardDied = "board-died",
        /// The run was ended before its end.
        RunCutShort = "run-cut-short",
        /// The machine was busy when the run began.
        StartedBusy = "started-busy",
        /// The supply gave less voltage than the board needs.
        LowVoltage = "low-voltage",
        /// CPUs were offline before the run.
        CpusOffline = "cpus-offline",
        /// A cgroup received less than the full time of its CPUs.
        CpuQuota = "cpu-quota",
        /// The host of a virtual machine gave its CPUs to others.
        StolenTime = "stolen-time",
        /// The program was stopped or frozen.
        Stopped = "stopped",
        /// CPUs or memory were slowed down at their temperature limit.
        Heat = "heat",
        /// CPUs were slowed down at a limit of power or current.
        PowerLimit = "power-limit",
        /// The kernel took CPUs offline during the run.
        CpusTakenAway = "cpus-taken-away",
        /// A setting holds clocks below what the hardware reaches.
        SettingLimit = "setting-limit",
        /// The governor did not give the highest clock.
        Governor = "governor",
        /// Other programs used the CPUs.
        Background = "background",
        /// The firmware holds clocks below what the kernel requests.
        FirmwareCap = "firmware-cap",
        /// Memory was too small, so the workload waited for swap.
        TooLittleMemory = "too-little-memory",
        /// Memory is slower than on other boards with the same chip.
        SlowMemory = "slow-memory",
        /// Placement of threads and memory differs between runs.
        NumaOrScheduler = "numa-or-scheduler",
        /// The workload waited for storage.
        StorageWait = "storage-wait",
        /// The kernel used CPU time: drivers, interrupts, compression of memory.
        KernelOverhead = "kernel-overhead",
        /// A crypto engine computed instead of the CPU.
        CryptoEngine = "crypto-engine",
        /// Clocks are set higher than the maker of the board sells it.
        Overclocked = "overclocked",
        /// The kernel reported a fault in itself.
        KernelTrouble = "kernel-trouble",
        /// The machine is virtual and shares hardware with others.
        Virtualised = "virtualised",
        /// Swapped pages are compressed twice.
        DoubleCompression = "double-compression",
        /// A figure exceeds what such a machine can reach.
        ImpossibleFigure = "impossible-figure",
        /// A step failed or was skipped for its stated reason.
        StepFailed = "step-failed",
        /// The kernel has no OPPs, so cores keep the clock that the firmware gave them.
        NoOpps = "no-opps",
        /// A limit of cpufreq is below the clock of similar boards.
        ClockLimit = "clock-limit",
        /// The highest clock that cpufreq offers is below that of similar boards, which have other OPPs or are overclocked.
        HighestOpp = "highest-opp",
        /// The clock of the cores is lower without a setting that explains it.
        Clock = "clock",
        /// The advertised clocks differ.
        ClaimedClock = "claimed-clock",
        /// All of memory is slower than on similar boards.
        DramClock = "dram-clock",
        /// Memory has less bandwidth at the usual latency.
        MemoryChannels = "memory-channels",
        /// 32-bit programs on 64-bit cores.
        Userland = "userland",
        /// Ciphers are computed without AES instructions.
        AesInstructions = "aes-instructions",
        /// The cores are of different types.
        CoreType = "core-type",
        /// The workloads ran with different numbers of threads.
        ThreadCount = "thread-count",
        /// The C libraries differ.
        CLibrary = "c-library",
        /// A diagnosis of one of the runs.
        Diagnosis = "diagnosis",
        /// The verdict of a report whose log is not there.
        Reported = "reported",
        /// The Record shows no cause.
        NotVisible = "not-visible",
    }
}

impl Cause {
    /// Cause with this id.
    pub fn of(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|cause| cause.as_str() == id)
    }

    fn row(self) -> Option<Row<'static>> {
        TABLE.rows().find(|row| row.get("cause") == self.as_str())
    }

    fn text(self, column: &str) -> &'static str {
        self.row().map_or("", |row| row.get(column))
    }

    /// Name in a sentence: "heat".
    pub fn words(self) -> &'static str {
        self.text("words")
    }

    /// Way to confirm it.
    pub fn confirm(self) -> &'static str {
        self.text("confirm")
    }

    /// Remedy, used if the rule that names the cause has none.
    pub fn remedy(self) -> &'static str {
        self.text("remedy")
    }

    /// Further reading.
    pub fn link(self) -> &'static str {
        self.text("source")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_words_confirmation_remedy_and_link() {
        let ids: Vec<&str> = TABLE.rows().map(|row| row.get("cause")).collect();
        assert_eq!(ids, Cause::ALL.iter().map(|cause| cause.as_str()).collect::<Vec<_>>());
        for cause in Cause::ALL {
            for text in [cause.words(), cause.confirm()] {
                let is_phrase = text.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit());
                assert!((is_phrase || text.starts_with("CPUs ")) && !text.ends_with('.'), "{text}");
            }
            let remedy = cause.remedy();
            assert!(remedy.starts_with(|c: char| c.is_uppercase()) && remedy.ends_with('.'), "{remedy}");
            assert!(cause.text("source").starts_with("https://"), "{}", cause.as_str());
        }
    }
}
