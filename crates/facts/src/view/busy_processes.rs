//! Other processes that used the CPUs, by name.

use record::{BusyProcess, Record, StableSort};

/// Busiest foreign processes during these steps, busiest first, each with its highest use.
pub fn busy_processes(record: &Record, steps: &[usize]) -> Vec<BusyProcess> {
    let mut found: Vec<BusyProcess> = Vec::new();
    let steps = steps.iter().filter_map(|step| record.steps.get(*step));
    for process in steps.flat_map(|step| &step.busiest) {
        match found.iter_mut().find(|known| known.pid == process.pid && known.name == process.name) {
            Some(known) => known.hundredths_percent = known.hundredths_percent.max(process.hundredths_percent),
            None => found.push(process.clone()),
        }
    }
    found.stable_sort_by_key(|process| std::cmp::Reverse(process.hundredths_percent));
    found
}

/// At most three of them as words: `apt (PID 412, 96 % of one CPU), gzip (PID 414, 12 % of one CPU)`. Empty without
/// processes.
pub fn process_words(processes: &[BusyProcess]) -> String {
    let words = processes.iter().take(3).map(|process| {
        let percent = f64::from(process.hundredths_percent) / 100.0;
        format!("{} (PID {}, {percent:.0} % of one CPU)", process.name, process.pid)
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The words, and after a colon the processes; those that end within the measured time have no name.
pub fn with_processes(words: String, processes: &[BusyProcess]) -> String {
    if processes.is_empty() { words } else { format!("{words}: {}", process_words(processes)) }
}
