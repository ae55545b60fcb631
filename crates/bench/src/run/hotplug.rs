//! Takes other CPUs offline for programs that start a thread for every CPU regardless of affinity. All other programs
//! are limited by affinity.
//!
//! All changes are journaled ([`Settings`]), so that the CPUs return however the run ends.

use crate::run::tell::RecordOutcome;
use machine::settings::{Node, Settings};
use record::Machine;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;
use workloads::{Workload, workload};

/// Offline CPUs.
#[derive(Debug, Default)]
pub(crate) struct Hotplug {
    off: Vec<u32>,
    /// CPUs requested last, including those that stayed online.
    wanted: Vec<u32>,
}

/// CPUs that must be offline while this job runs; empty for a program that honours affinity.
pub(crate) fn cpus_to_hide(machine: &Machine, job: &Job) -> Vec<u32> {
    let hides = |workload: &Workload| workload.attributes.hides_other_cpus;
    let others_off = match &job.definition {
        Some(definition) => definition.others_off,
        None => workload(job.workload).is_some_and(hides),
    };
    let all = online_cpus(machine);
    let is_somewhere = job.cpus.iter().any(|cpu| all.contains(cpu));
    if !others_off || !is_somewhere {
        return Vec::new();
    }
    let is_other = |cpu: &u32| !job.cpus.contains(cpu);
    all.into_iter().filter(is_other).collect()
}

impl Hotplug {
    /// True if the offline CPUs must change.
    pub(crate) fn is_to_do(&self, off: &[u32]) -> bool {
        self.wanted != off
    }

    /// Takes these CPUs offline, and the CPUs of the previous call online.
    ///
    /// If settings cannot be changed, `settings` is the sentence with the reason.
    ///
    /// # Errors
    /// CPUs that stay online, with the reason: the program may start a thread for each.
    pub(crate) fn switch(
        &mut self,
        settings: Result<&mut Settings, &str>,
        off: &[u32],
        tell: &mut RecordOutcome,
    ) -> Result<(), String> {
        off.clone_into(&mut self.wanted);
        let settings = match settings {
            Ok(settings) => settings,
            Err(_) if off.is_empty() => return Ok(()),
            Err(why) => return Err(stays_on(off, why.trim_end_matches('.'))),
        };
        let mut set = |cpu: u32, value: &str| tell(settings.set(Node::CpuOnline(cpu), value));
        // A CPU that stays offline is tried again before the next step and at the end of the run.
        let mut left_off: Vec<u32> = Vec::new();
        for cpu in self.off.iter().filter(|cpu| !off.contains(cpu)) {
            if set(*cpu, "1").is_some() {
                left_off.push(*cpu);
            }
        }
        self.off.retain(|cpu| off.contains(cpu) || left_off.contains(cpu));
        let mut refused: Vec<(u32, String)> = Vec::new();
        for cpu in off {
            match set(*cpu, "0") {
                None if self.off.contains(cpu) => {}
                None => self.off.push(*cpu),
                Some(unmet) => refused.push((*cpu, unmet.why)),
            }
        }
        match refused.first() {
            None => Ok(()),
            Some((_, why)) => {
                let cpus: Vec<u32> = refused.iter().map(|(cpu, _)| *cpu).collect();
                Err(stays_on(&cpus, why))
            }
        }
    }
}

fn stays_on(cpus: &[u32], why: &str) -> String {
    let word = if cpus.len() == 1 { "CPU" } else { "CPUs" };
    let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
    format!(
        "{word} {} could not be taken offline, so the program may have started threads for them ({why})",
        cpus.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Root;
    use machine::settings::Outcome;
    use record::{Event, Variant, WorkloadId};
    use workloads::job::definition::Definition;
    use workloads::testing::machine;

    #[test]
    fn cpus_go_offline_only_on_request() {
        let big_little = machine(&[("A55", 2, 1800), ("A76", 2, 2400)]);
        let check = |workload: WorkloadId, cpus: &[u32], expected: &[u32]| {
            let job = Job::on(workload, Variant::ONLY, cpus.to_vec());
            assert_eq!(cpus_to_hide(&big_little, &job), expected, "{workload:?}");
        };
        check(WorkloadId::Geekbench, &[2, 3], &[0, 1]);
        check(WorkloadId::Phoronix, &[0, 1], &[2, 3]);
        check(WorkloadId::Geekbench, &[0, 1, 2, 3], &[]);
        check(WorkloadId::Geekbench, &[], &[]);
        check(WorkloadId::Geekbench, &[7], &[]);
        check(WorkloadId::SevenZip, &[2, 3], &[]);
        let own = |others_off| {
            let definition = Definition { others_off, ..Definition::of_command(vec!["make".into()]) };
            Job::of_program(&definition, vec![3])
        };
        assert_eq!(cpus_to_hide(&big_little, &own(false)), [0; 0]);
        assert_eq!(cpus_to_hide(&big_little, &own(true)), [0, 1, 2]);
    }

    #[test]
    fn cpus_go_offline_and_return() {
        let online = |cpu: u32| Node::CpuOnline(cpu).path();
        let board = format!("== /proc/sys/kernel/random/boot_id\n1\n== {}\n1\n== {}\n1\n", online(1), online(2));
        let root = Root::from_board(&board).unwrap();
        let name = format!("sbc-bench-hotplug-{}", std::process::id());
        let journal = std::env::temp_dir().join(name);
        let mut settings = Settings::new(&root, &journal).unwrap();
        let mut hotplug = Hotplug::default();
        let mut changes = 0;
        let mut check = |off: &[u32], expected: [&str; 2], stays: Option<&str>| {
            assert!(hotplug.is_to_do(off));
            let mut tell = |outcome: Outcome| {
                let mut count = |event| changes += u32::from(matches!(event, Event::SettingChanged { .. }));
                outcome.tell(0, None, &mut count)
            };
            let switched = hotplug.switch(Ok(&mut settings), off, &mut tell);
            assert!(!hotplug.is_to_do(off));
            let now = [1, 2].map(|cpu| root.read_value(&online(cpu)).unwrap());
            assert_eq!(now, expected);
            match stays {
                None => assert_eq!(switched, Ok(())),
                Some(words) => assert!(switched.unwrap_err().contains(words)),
            }
        };
        check(&[2], ["1", "0"], None);
        check(&[1, 2], ["0", "0"], None);
        // CPU 0 has no file to switch it by.
        check(&[0, 1], ["0", "1"], Some("CPU 0 could not"));
        check(&[], ["1", "1"], None);
        assert_eq!(changes, 4);
        let denied = Hotplug::default().switch(Err("Settings need root."), &[1], &mut |_| None);
        assert!(denied.unwrap_err().ends_with("(Settings need root)"));
        drop(settings);
        assert!(!journal.exists());
    }
}
