//! `/proc/stat` of a board: time in which a thread waited for its share of the host's clock counts as
//! work, because on a board that slow it would have been.

use std::collections::BTreeMap;

/// The host counts CPU time in units of 10 ms, whatever its tick is; see proc_stat(5).
const UNITS_PER_S: f64 = 100.0;
/// Words before the value: the name, then user, nice, system, idle.
const USER: usize = 1;
const IDLE: usize = 4;

/// The host's text with so many seconds of each CPU moved from idle to user, no more than it has idled.
pub(super) fn stat(host: &str, waited_s: &BTreeMap<u32, f64>) -> String {
    let mut moved_in_all = 0;
    let mut lines = Vec::new();
    // The line of all CPUs comes first and needs the others.
    for line in host.lines().rev() {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let Some(cpu) = line.strip_prefix("cpu") else {
            lines.push(line.to_owned());
            continue;
        };
        let is_all = cpu.starts_with(' ');
        if is_all {
            // Two blanks follow the name.
            words.remove(1);
        }
        let value = |words: &[String], at: usize| -> u64 {
            words
                .get(at)
                .and_then(|word| word.parse().ok())
                .unwrap_or(0)
        };
        let idle = value(&words, IDLE);
        let number = words[0]["cpu".len()..].parse().ok();
        let waited = number.and_then(|cpu: u32| waited_s.get(&cpu).copied());
        let moved = match is_all {
            true => moved_in_all,
            false => ((waited.unwrap_or(0.0) * UNITS_PER_S) as u64).min(idle),
        };
        moved_in_all += moved;
        if words.len() > IDLE {
            words[USER] = (value(&words, USER) + moved).to_string();
            words[IDLE] = idle.saturating_sub(moved).to_string();
        }
        if is_all {
            words[0].push(' ');
        }
        lines.push(words.join(" "));
    }
    lines.reverse();
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_work() {
        let host = "cpu  100 0 50 1000 3 0 0 0 0 0\ncpu0 60 0 30 400 1 0 0 0 0 0\n\
                    cpu1 40 0 20 600 2 0 0 0 0 0\nintr 9 8\nctxt 5\n";
        assert_eq!(stat(host, &BTreeMap::new()), host);
        let waited = BTreeMap::from([(0, 1.5), (1, 100.0)]);
        let expected = "cpu  850 0 50 250 3 0 0 0 0 0\ncpu0 210 0 30 250 1 0 0 0 0 0\n\
                        cpu1 640 0 20 0 2 0 0 0 0 0\nintr 9 8\nctxt 5\n";
        assert_eq!(stat(host, &waited), expected);
    }
}
