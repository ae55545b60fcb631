//! Clock passes of a run, their CPUs and order. [`crate::run::clock_pass`] measures them.

use super::Runner;
use super::tell::{RecordOutcome, outcome_recorder};
use crate::question::retain_wanted;
use crate::run::clock_pass::ClockPass;
use machine::settings::Settings;
use record::{Cluster, Event, Machine, Outcome, SetClock, Step, WorkloadId};
use workloads::job::cpus::online_clusters;
use workloads::measure::emulation::with_emulation;

impl Runner<'_> {
    /// Measures the ramp of each cluster to full clock, before settings change.
    pub(super) fn ramps(&mut self, machine: &Machine) {
        if !self.begins("ramps") {
            return;
        }
        for cluster in self.wanted_clusters(machine) {
            let name = format!("clock ramp of CPUs {}", first_and_last(&cluster.cpus));
            self.clock_step(machine, &name, |pass, _, _| pass.as_found(&cluster));
        }
    }

    /// Clusters reduced to the wanted CPUs.
    fn wanted_clusters(&self, machine: &Machine) -> Vec<Cluster> {
        let task = self.context.task;
        let mut clusters = online_clusters(machine);
        for cluster in &mut clusters {
            retain_wanted(task, machine, &mut cluster.cpus);
        }
        clusters.retain(|cluster| !cluster.cpus.is_empty());
        clusters
    }

    pub(super) fn cold_clocks(&mut self, machine: &Machine) {
        for cluster in self.wanted_clusters(machine) {
            let name = format!("clock of CPUs {}", first_and_last(&cluster.cpus));
            self.clock_step(machine, &name, |pass, settings, tell| pass.cluster(&cluster, settings, tell));
        }
        self.top_clocks(machine);
    }

    /// Measures every CPU alone, then all at once.
    fn top_clocks(&mut self, machine: &Machine) {
        self.clock_step(machine, "clock of each CPU alone", |pass, _, _| pass.every_cpu());
        self.clock_step(machine, "clock of all CPUs at once", |pass, _, _| pass.all_at_once());
    }

    pub(super) fn hot_clocks(&mut self, machine: &Machine) {
        self.clock_step(machine, "clock under load", |pass, _, _| pass.under_load());
        for cluster in self.wanted_clusters(machine) {
            let name = format!("clock of CPUs {} after load", first_and_last(&cluster.cpus));
            self.clock_step(machine, &name, |pass, _, _| pass.after_load(&cluster));
        }
    }

    /// Measures the clock at one OPP of a walk, on the first CPU of the set.
    pub(super) fn opp_clock(&mut self, machine: &Machine, cpus: &[u32], khz: u32) {
        let name = format!("{} MHz on CPUs {}", khz / 1000, first_and_last(cpus));
        self.clock_step(machine, &name, |pass, _, _| Step {
            set_clock: Some(SetClock::Khz(khz)),
            ..pass.at_opp(cpus, khz)
        });
    }

    fn clock_step(
        &mut self,
        machine: &Machine,
        name: &str,
        measure: impl FnOnce(&ClockPass, Option<&mut Settings>, &mut RecordOutcome) -> Step,
    ) {
        if self.interrupted().is_some() || self.is_already_measured().is_some() {
            return;
        }
        if let Some(why) = self.why_left_out(name) {
            self.step_left_out(Step::new(WorkloadId::Clock, 1, name, Outcome::Skipped(why)));
            return;
        }
        self.silent_step_begins(name, 0, true);
        let pass = ClockPass {
            root: self.context.root,
            machine,
            timeline: self.context.timeline,
            task: self.context.task,
            options: self.context.options,
            cancelled: self.context.cancelled,
        };
        let timeline = self.context.timeline;
        let mut tell = outcome_recorder(&mut self.recorder, self.context.progress, timeline, None);
        let step = measure(&pass, self.settings.as_mut(), &mut tell);
        drop(tell);
        self.estimates.clock_step(&step);
        self.step_ended(step);
        self.record_emulation();
    }

    /// Records emulation that only clock readings have shown, on systems that forbid new code.
    fn record_emulation(&mut self) {
        let known = &self.recorder.record().machine;
        let told = with_emulation(self.context.root, known);
        if known.emulated_by().is_none() && told.emulated_by().is_some() {
            self.recorder.append(Event::Machine { machine: Box::new(told) });
        }
    }
}

fn first_and_last(cpus: &[u32]) -> String {
    match cpus {
        [first, .., last] => format!("{first}-{last}"),
        [one] => one.to_string(),
        [] => String::new(),
    }
}
