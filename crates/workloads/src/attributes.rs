//! Attributes of workloads, in place of lists of their ids in other modules.

use record::{Mode, Variant};

/// Attributes of a workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attributes {
    /// Duration of a step, if neither its form nor its caller defines it.
    pub takes: DurationRule,
    /// It starts a thread for each CPU of the machine, regardless of which CPUs it may use: the others are switched off
    /// meanwhile, where that can be done.
    pub hides_other_cpus: bool,
    /// The form of it that heats, in a thermal test.
    pub heats: &'static Variant,
    /// How it runs where clocks are compared; none if that takes one of its forms by name.
    pub at_a_clock: Option<AtAClock>,
    /// How often it runs at one OPP of a walk; none if that takes one of its forms by name.
    pub at_an_opp: Option<AtAnOpp>,
    /// Its forms in the standard run.
    pub forms: &'static [Variant],
    /// It counts whole seconds for minutes: other work may run at the same time, although it is built in.
    pub ticks: bool,
    /// Which targets of the command line it uses.
    pub needs: Needs,
    /// It runs a program of the user's own, and nothing without.
    pub is_users_own: bool,
    /// What a run of it is called in the Record where it has a name of its own: those of the bash program, which
    /// stand in published lists.
    pub mode: Option<&'static Mode>,
}

/// Targets of the command line that a workload uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// `--dir`: the drive of a directory; the current one if none is named.
    pub directory: bool,
    /// `--host`, without which it does not run.
    pub host: bool,
    /// `--ssh-config`: it reaches the host by SSH.
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

    /// Resource shared by several workloads.
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
    /// Its work: so many seconds at 2 GHz, by runs on x86 and ARM boards. They only have to be about right.
    Work(f64),
    /// Work on every pair of CPUs.
    Pairs,
}

/// Form of a workload for comparisons of clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtAClock {
    /// Its form.
    pub variant: &'static Variant,
    /// On all CPUs, and not on the fastest alone.
    pub on_all_cpus: bool,
}

/// Repetitions of a workload at one OPP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtAnOpp {
    /// Once: it goes on until its score is steady by itself.
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

impl AtAClock {
    /// The same work on the fastest CPU, again and again.
    pub(super) const ONE_FORM: Self = Self::on_one_cpu(ONLY);
    /// One packer on the fastest CPU.
    pub(super) const SINGLE: Self = Self::on_one_cpu(SINGLE);
    /// One cipher on the fastest CPU.
    pub(super) const CIPHER: Self = Self::on_one_cpu(CIPHER);

    const fn on_one_cpu(variant: &'static Variant) -> Self {
        Self { variant, on_all_cpus: false }
    }
}

pub(super) const ONLY: &Variant = &Variant::ONLY;
const MULTI: &Variant = &Variant::MULTI;
const SINGLE: &Variant = &Variant::SINGLE;
/// The cipher that stands for all of them.
pub(super) const CIPHER: &Variant = &Variant::AES_256_CBC;

/// Attributes of workloads with one form.
pub(super) const ONE_FORM: &[Variant] = &[Variant::ONLY];
/// Attributes of ciphers.
pub(super) const CIPHERS: &[Variant] = &[Variant::AES_128_CBC, Variant::AES_192_CBC, Variant::AES_256_CBC];
/// Attributes of packers.
pub(super) const PACKERS: &[Variant] = &[Variant::SINGLE, Variant::MULTI, Variant::CORE_TYPE];
