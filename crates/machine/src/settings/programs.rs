//! Running programs that are known to write a setting: candidates for a change by another process. sysfs does not show
//! which of them wrote it.

use super::Node;
use crate::{Root, processes};
use record::table::{Row, Table};

const TABLE: Table = Table::of(include_str!("../../../../data/setting_programs.tsv"));

/// Names of running programs that can write this setting.
pub(super) fn candidates(root: &Root, node: Node) -> Vec<String> {
    let column = match node {
        Node::ClockMax(_) => "limit",
        Node::Governor(_) => "governor",
        _ => return Vec::new(),
    };
    let writes = |row: &Row<'_>| row.get(column) == "yes";
    let known: Vec<_> = TABLE.rows().filter(writes).collect();
    let comm = |pid: u32| root.read_value(&format!("/proc/{pid}/comm")).ok();
    let running: Vec<String> = processes::all(root).into_iter().filter_map(comm).collect();
    let is_running = |comm: &str| running.iter().any(|name| name == comm);
    let found = known.into_iter().filter(|row| is_running(row.get("comm")));
    found.map(|row| row.get("program").to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::super::tests::{BOARD, journal, set};
    use super::*;

    /// Reason reported for a changed setting while these processes run.
    fn said(test: &str, running: &[&str], node: Node, wanted: &str, found: &str) -> (String, Vec<String>) {
        let processes = running.iter().enumerate();
        let processes: String = processes.map(|(n, comm)| format!("== /proc/{}/comm\n{comm}\n", n + 7)).collect();
        let root = Root::from_board(&format!("{BOARD}{processes}")).unwrap();
        let mut settings = Settings::new(&root, &journal(test)).unwrap();
        set(&mut settings, node, wanted);
        let mut unmet = None;
        // A governor is set once more before it is reported.
        for _ in 0..2 {
            root.write(&node.path(), found).unwrap();
            for outcome in settings.check() {
                unmet = outcome.tell(0, None, &mut |_| {}).or(unmet);
            }
        }
        let unmet = unmet.unwrap();
        (unmet.why, unmet.programs)
    }

    #[test]
    fn only_running_programs_that_can_write_the_setting_are_named() {
        let limit = |test, running: &[&str]| said(test, running, Node::ClockMax(0), "1800000", "1008000");
        let plain = "it was changed by another process";
        assert_eq!(limit("nobody", &["sh", "gamemoded"]), (plain.into(), vec![]));
        let (why, programs) = limit("limit", &["tuned", "sh"]);
        assert_eq!((why, programs), (format!("{plain}; tuned is running and can set it"), vec!["tuned".into()]));
        let (why, _) = limit("several", &["tuned", "thermald"]);
        assert_eq!(why, format!("{plain}; thermald, tuned are running and can set it"));
        let (why, _) =
            said("governor", &["power-profiles-", "thermald"], Node::Governor(0), "performance", "powersave");
        assert_eq!(why, format!("{plain}; power-profiles-daemon is running and can set it"));
    }

    #[test]
    fn names_fit_the_kernel_and_stand_once() {
        let names: Vec<&str> = TABLE.rows().map(|row| row.get("comm")).collect();
        assert!(names.is_sorted_by(|a, b| a < b) && names.iter().all(|name| name.len() <= 15), "{names:?}");
    }
}
