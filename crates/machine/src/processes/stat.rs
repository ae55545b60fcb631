//! Parser of `/proc/PID/stat` (proc_pid_stat(5)).

/// CPU time of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessTimes {
    pub(super) name: String,
    pub(super) ticks: u64,
    /// Parent process.
    pub(super) parent: u32,
    /// Start in ticks since boot, which distinguishes it from later processes with the same id.
    pub(super) started: u64,
}

/// `pid (name) state ppid ...`: the name may contain blanks, brackets and newlines, so it ends at the last closing
/// bracket. Fields are counted from 1: 14 and 15 are user and system time, 22 the start.
pub(super) fn parse_process(text: &str) -> Option<ProcessTimes> {
    let (before, after) = text.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    // The first word after the name is field 3.
    let field = |number: usize| after.split_whitespace().nth(number - 3)?.parse::<u64>().ok();
    Some(ProcessTimes {
        // Process names are arbitrary bytes; control characters are replaced.
        name: name.replace(char::is_control, "\u{fffd}"),
        parent: u32::try_from(field(4)?).ok()?,
        ticks: field(14)?.saturating_add(field(15)?),
        started: field(22)?,
    })
}
