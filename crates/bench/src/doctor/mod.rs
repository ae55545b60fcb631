//! Capabilities of a machine: one [`Capability`] for each [`Subject`], found by the readers that runs use. Nothing is
//! measured or set; other programs are only asked for their version.
//!
//! To add a subject: write its function in the file of its kind, and add a line to [`SUBJECTS`].

mod sensors;
mod subjects;
mod system;

use machine::{Root, Sampler, SamplerOptions, Timeline};
use process::tools::Tools;
use record::{ChannelId, Event, Machine, Missing};
use std::path::Path;
use std::time::Duration;
use workloads::measure::emulation::identified;
use workloads::packages::{self, DISTRIBUTIONS, ToolStatus};

/// Maximum time for the first value of slow sources (I2C, batteries, firmware), which have their own threads.
const SLOW_SOURCES: Duration = Duration::from_millis(60);

/// Availability of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// All of it.
    Yes,
    /// Partly, or with a limitation.
    Partly,
    /// Nothing.
    No,
    /// Unknown: the files are those of another machine, or the source is unreadable.
    Unknown,
}

impl Availability {
    /// Finding without a remedy.
    fn because(self, because: impl Into<String>) -> Finding {
        self.with_remedy(because, "")
    }

    /// Finding with its remedy.
    fn with_remedy(self, because: impl Into<String>, way_out: impl Into<String>) -> Finding {
        (self, because.into(), way_out.into())
    }

    /// Word in text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly => "partly",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// Result for one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Id of the subject, or name of a tool.
    pub subject: &'static str,
    /// Availability.
    pub measurable: Availability,
    /// Description of the source, or the reason why there is none; without a full stop.
    pub because: String,
    /// Remedy as an imperative without a full stop; empty if none is needed or possible.
    pub way_out: String,
}

/// A subject of the examination.
#[derive(Debug)]
struct Subject {
    /// Name in kebab-case, as in JSON.
    id: &'static str,
    /// Examines it.
    look: fn(&Facts) -> Finding,
}

/// Availability, source or reason, and remedy.
type Finding = (Availability, String, String);

/// Every subject, in the order of the report.
const SUBJECTS: &[Subject] = &[
    Subject { id: "root", look: subjects::root },
    Subject { id: "board", look: subjects::board },
    Subject { id: "environment", look: subjects::environment },
    Subject { id: "quota", look: subjects::quota },
    Subject { id: "cpus", look: subjects::cpus },
    Subject { id: "cycle-counters", look: subjects::cycle_counters },
    Subject { id: "cpufreq", look: subjects::cpufreq },
    Subject { id: "settings", look: subjects::settings },
    Subject { id: "cpu-hotplug", look: subjects::cpu_hotplug },
    Subject { id: "temperature", look: sensors::temperature },
    Subject { id: "power", look: sensors::power },
    Subject { id: "meters", look: sensors::meters },
    Subject { id: "throttling", look: sensors::throttling },
    Subject { id: "sensors", look: sensors::all },
    Subject { id: "pressure", look: system::pressure },
    Subject { id: "kernel-log", look: system::kernel_log },
    Subject { id: "results", look: system::results },
    Subject { id: "ram-disks", look: system::ram_disks },
];

/// Input of all subjects.
struct Facts<'a> {
    root: &'a Root,
    machine: Machine,
    /// Sampler after its first samples.
    sampler: Sampler,
    /// Unreadable sources with reasons.
    gaps: Vec<(ChannelId, Missing)>,
    /// The directory of results.
    results: &'a Path,
}

/// Examines all subjects. `results` is the directory for results of runs.
pub fn examine(root: &Root, results: &Path) -> (Machine, Vec<Capability>) {
    let machine = identified(root);
    let (sampler, gaps) = samples(root);
    let facts = Facts { root, machine, sampler, gaps, results };
    let capability = |subject: &Subject| {
        let (measurable, because, way_out) = (subject.look)(&facts);
        Capability { subject: subject.id, measurable, because, way_out }
    };
    let mut found: Vec<Capability> = SUBJECTS.iter().map(capability).collect();
    // Unreadable sources without a row above.
    found.extend(system::unread(root));
    (facts.machine, found)
}

/// Examines the external programs of workloads, on the running system only.
pub fn examine_tools(tools: &Tools) -> Vec<Capability> {
    let distribution = packages::distribution(tools);
    packages::survey(tools).iter().map(|status| tool(status, distribution)).collect()
}

/// Sampler after its first samples, and the channels without a value.
fn samples(root: &Root) -> (Sampler, Vec<(ChannelId, Missing)>) {
    let mut sampler = Sampler::new(root, &SamplerOptions::default());
    let timeline = Timeline::start();
    sampler.tick(&timeline);
    if sampler.latest().contains(&machine::sensors::NONE) && !root.is_board() {
        std::thread::sleep(SLOW_SOURCES);
        sampler.tick(&timeline);
    }
    let gaps = sampler.take_gaps().into_iter().filter_map(|event| match event {
        Event::Gap { channel, gap } => Some((channel, gap.missing)),
        _ => None,
    });
    let gaps = gaps.collect();
    (sampler, gaps)
}

/// Availability of one tool. `distribution` is the index in [`DISTRIBUTIONS`] of the installed package manager.
fn tool(status: &ToolStatus, distribution: Option<usize>) -> Capability {
    let used_for = status.used_for.join(", ");
    let (measurable, because, way_out) = match &status.found {
        Ok(found) => Availability::Yes.because(format!("{}; used by {used_for}", found.version)),
        Err(missing) => {
            Availability::No.with_remedy(format!("{missing}; used by {used_for}"), way_to(status, distribution))
        }
    };
    Capability { subject: status.name, measurable, because, way_out }
}

/// Command that installs it, or its address if it has no package.
fn way_to(status: &ToolStatus, distribution: Option<usize>) -> String {
    if distribution.is_some_and(|place| status.packages[place].is_some()) {
        return format!("sbc-bench install-tools {}", quoted(status.name));
    }
    if !status.about.is_empty() {
        return status.about.to_owned();
    }
    let named = DISTRIBUTIONS.iter().zip(&status.packages);
    let named = named.filter_map(|(distribution, package)| Some(format!("{} ({distribution})", (*package)?)));
    format!("install {}", named.collect::<Vec<_>>().join(", "))
}

/// Quotes a name for a shell.
fn quoted(name: &str) -> String {
    if name.contains(' ') { format!("\"{name}\"") } else { name.to_owned() }
}

#[cfg(test)]
mod tests;
