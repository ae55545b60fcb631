//! Switches between sets of settings: a setting outside the wanted set gets its original value. All changes are
//! journaled.

use crate::run::tell::RecordOutcome;
use machine::settings::{Node, Settings};
use record::Machine;
use workloads::job::setting::{Setting, nodes};

/// Changed nodes with their original values.
#[derive(Debug, Default)]
pub(crate) struct SettingsSwitcher {
    before: Vec<(Node, String)>,
}

impl SettingsSwitcher {
    /// Applies the wanted settings and restores all others.
    ///
    /// If settings cannot be changed, `settings` is the sentence with the reason.
    ///
    /// # Errors
    /// A setting could not be applied; one sentence.
    pub(crate) fn apply(
        &mut self,
        machine: &Machine,
        settings: Result<&mut Settings, &str>,
        wanted: &[Setting],
        tell: &mut RecordOutcome,
    ) -> Result<(), String> {
        let wanted = nodes(machine, wanted)?;
        if wanted.is_empty() && self.before.is_empty() {
            return Ok(());
        }
        let settings = settings.map_err(|why| format!("{why} No run was made with changed settings."))?;
        for (node, _) in &wanted {
            if self.before.iter().all(|(known, _)| known != node) {
                let value = settings.in_place(*node).map_err(|why| format!("{why}."))?;
                self.before.push((*node, value));
            }
        }
        // Restore first: the kernel refuses a minimum above the maximum.
        let back = self.before.iter().filter(|(node, _)| wanted.iter().all(|(other, _)| other != node));
        for (node, value) in back.chain(&wanted) {
            if let Some(unmet) = tell(settings.set(*node, value)) {
                let why = unmet.why.trim_end_matches('.');
                return Err(format!("{} could not be set to {value}: {why}.", node.path()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Root;
    use machine::settings::Outcome;
    use record::Policy;
    use testkit::Scratch;

    /// Board with one policy.
    fn board() -> Root {
        let mut text = "== /proc/sys/kernel/random/boot_id\n1\n".to_owned();
        for (file, value) in [
            ("scaling_governor", "performance"),
            ("scaling_available_governors", "performance schedutil"),
            ("scaling_max_freq", "1500000"),
            ("scaling_min_freq", "600000"),
            ("cpuinfo_max_freq", "1500000"),
            ("cpuinfo_min_freq", "600000"),
        ] {
            text.push_str(&format!("== /sys/devices/system/cpu/cpufreq/policy0/{file}\n{value}\n"));
        }
        Root::from_board(&text).unwrap()
    }

    #[test]
    fn sides_alternate_and_are_restored() {
        let (folder, root) = (Scratch::new("switch"), board());
        let machine = Machine { policies: vec![Policy::default()], ..Machine::default() };
        let mut settings = Settings::new(&root, &folder.join("journal")).unwrap();
        let mut switch = SettingsSwitcher::default();
        let mut changes = 0;
        let mut apply = |wanted: &[Setting]| {
            let mut tell = |outcome: Outcome| {
                changes += 1;
                outcome.tell(0, None, &mut |_| {})
            };
            switch.apply(&machine, Ok(&mut settings), wanted, &mut tell)
        };
        let now = || {
            let read = |node: Node| root.read_value(&node.path()).unwrap();
            (read(Node::Governor(0)), read(Node::ClockMax(0)))
        };
        let slow = [Setting::Governor("schedutil".into())];
        let low = [Setting::ClockMaxKhz(800_000)];
        apply(&slow).unwrap();
        assert_eq!(now(), ("schedutil".into(), "1500000".into()));
        apply(&low).unwrap();
        assert_eq!(now(), ("performance".into(), "800000".into()));
        apply(&slow).unwrap();
        assert_eq!(now(), ("schedutil".into(), "1500000".into()));
        let wrong = apply(&[Setting::Governor("fast".into())]).unwrap_err();
        assert!(wrong.contains("is not one of"), "{wrong}");
        apply(&[]).unwrap();
        assert_eq!(now(), ("performance".into(), "1500000".into()));
        assert!(changes >= 6);
    }

    #[test]
    fn switching_needs_root_and_cpufreq() {
        let mut machine = Machine::default();
        let wanted = [Setting::ClockMaxKhz(800_000)];
        let refused = |machine: &Machine| {
            SettingsSwitcher::default().apply(machine, Err("Settings need root."), &wanted, &mut |_| None).unwrap_err()
        };
        assert!(refused(&machine).contains("no cpufreq"));
        machine.policies.push(Policy::default());
        assert!(refused(&machine).contains("Settings need root"));
        let apply = SettingsSwitcher::default().apply(&machine, Err("no"), &[], &mut |_| None);
        assert_eq!(apply, Ok(()));
    }
}
