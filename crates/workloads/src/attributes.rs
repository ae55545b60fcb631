//! Attributes of workloads, in place of lists of their ids in other modules.

use record::{Mode, Variant};

/// Attributes of a workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attributes {
    /// Duration of a step, unless its variant or caller defines it.
    pub takes: DurationRule,
    /// Whether it starts a thread for each online CPU regardless of affinity; other CPUs are switched off meanwhile if
    /// possible.
    pub hides_other_cpus: bool,
    /// Variant for thermal tests.
    pub heats: &'static Variant,
    /// Form in comparisons of clocks; `None` if they take a variant by name.
    pub at_a_clock: Option<ClockForm>,
    /// Repetitions at each OPP of a walk; `None` if that takes a variant by name.
    pub at_an_opp: Option<OppRepetitions>,
    /// Variants in the standard run.
    pub forms: &'static [Variant],
    /// Whether it counts seconds for minutes, so that other work may run concurrently.
    pub ticks: bool,
    /// Targets of the command line that it uses.
    pub needs: Needs,
    /// Whether it runs a program of the user.
    pub is_users_own: bool,
    /// Mode of its runs in the Record, for modes of the bash program, which are in published lists.
    pub mode: Option<&'static Mode>,
}

/// Targets of the command line that a workload uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// `--dir`: the drive of a directory, by default the current one.
    pub directory: bool,
    /// `--host`, which is required.
    pub host: bool,
    /// `--ssh-config`, for SSH to the host.
    pub ssh: bool,
}

impl Needs {
    /// The machine alone.
    pub const NOTHING: Self = Self { directory: false, host: false, ssh: false };
    /// A directory on a drive.
    pub(super) const DIRECTORY: Self = Self { directory: true, ..Self::NOTHING };
    /// Another host.
    pub(super) const HOST: Self = Self { host: true, ..Self::NOTHING };
    /// A directory, and another host with an SSH server.
    pub(super) const DIRECTORY_AND_SSH: Self = Self { directory: true, host: true, ssh: true };

    /// Required target, as the end of a sentence.
    pub fn asks_for(self) -> &'static str {
        match (self.host, self.ssh) {
            (true, true) => ", needs --host and an SSH key for it",
            (true, false) => ", needs --host",
            (false, _) => "",
        }
    }

    /// Union of the targets of two workloads.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { directory: self.directory || other.directory, host: self.host || other.host, ssh: self.ssh || other.ssh }
    }
}

/// Rule for the duration of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DurationRule {
    /// Fixed number of seconds.
    Fixed(f64),
    /// Work in seconds at 2 GHz, estimated from runs on x86 and ARM boards.
    Work(f64),
    /// Work on every pair of CPUs.
    Pairs,
}

/// Form of a workload in comparisons of clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockForm {
    /// Variant.
    pub variant: &'static Variant,
    /// Whether it runs on all CPUs instead of the fastest.
    pub on_all_cpus: bool,
}

/// Repetitions of a workload at one OPP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OppRepetitions {
    /// Once: the workload itself repeats until its score is steady.
    Once,
    /// Until its score is steady.
    UntilSteady,
}

impl Attributes {
    /// Default attributes.
    pub(super) const PLAIN: Self = Self {
        takes: DurationRule::Work(6.0),
        hides_other_cpus: false,
        heats: MULTI,
        at_a_clock: None,
        at_an_opp: None,
        forms: ONE_FORM,
        ticks: false,
        needs: Needs::NOTHING,
        is_users_own: false,
        mode: None,
    };
}

impl ClockForm {
    /// The only variant on the fastest CPU.
    pub(super) const ONE_FORM: Self = Self::on_one_cpu(ONLY);
    /// One thread of compression on the fastest CPU.
    pub(super) const SINGLE: Self = Self::on_one_cpu(SINGLE);
    /// The main cipher on the fastest CPU.
    pub(super) const CIPHER: Self = Self::on_one_cpu(CIPHER);

    const fn on_one_cpu(variant: &'static Variant) -> Self {
        Self { variant, on_all_cpus: false }
    }
}

pub(super) const ONLY: &Variant = &Variant::ONLY;
const MULTI: &Variant = &Variant::MULTI;
const SINGLE: &Variant = &Variant::SINGLE;
/// The main cipher.
pub(super) const CIPHER: &Variant = &Variant::AES_256_CBC;

/// Variants of workloads with a single one.
pub(super) const ONE_FORM: &[Variant] = &[Variant::ONLY];
/// Variants of ciphers.
pub(super) const CIPHERS: &[Variant] = &[Variant::AES_128_CBC, Variant::AES_192_CBC, Variant::AES_256_CBC];
/// Variants of compression.
pub(super) const PACKERS: &[Variant] = &[Variant::SINGLE, Variant::MULTI, Variant::CORE_TYPE];
