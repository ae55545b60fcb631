//! `data/log_format.tsv` has a row for each part of the log format that a reader knows, and each row names its readers.

use super::Problem;
use crate::workspace::File;

/// Views that use these parts for every result.
const VIEWS: [&str; 5] = ["machine", "settings", "figures", "timeline", "energy"];
/// Parts that are kept as text only; the reason follows the colon of `about`.
const TEXT: &str = "text";

/// Problems of the table.
pub(super) fn check(file: &File) -> Vec<Problem> {
    let rules: Vec<&str> = rules::of_runs().map(|rule| rule.id.as_str()).collect();
    let mut parts = logs::format_parts();
    let mut problems = Vec::new();
    let rows = file.text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).skip(1);
    for (index, line) in rows {
        let mut problem = |message: String| problems.push(Problem::new(&file.path, index + 1, message));
        let [part, read_by, about, _] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        match parts.iter().position(|known| known == part) {
            Some(at) => drop(parts.swap_remove(at)),
            None => problem(format!("`{part}` is named twice, or no reader knows it")),
        }
        if read_by == TEXT {
            if !about.contains(": ") {
                problem(format!("`{part}` is read by no rule: say why behind a colon"));
            }
            continue;
        }
        for reader in read_by.split(' ').filter(|reader| !rules.contains(reader) && !VIEWS.contains(reader)) {
            problem(format!("`{reader}` is neither a rule nor a view"));
        }
    }
    problems.extend(parts.iter().map(|part| Problem::new(&file.path, None, format!("`{part}` has no row"))));
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_names_its_readers() {
        let check = |rows: &str| {
            let file = File { path: "a.tsv".into(), text: format!("part\tread_by\tabout\tsource\n{rows}") };
            let found: Vec<String> = check(&file).iter().map(Problem::to_string).collect();
            found.into_iter().filter(|problem| !problem.ends_with("has no row")).collect::<Vec<_>>()
        };
        assert_eq!(check("monitoring %cpu\tbackground-activity figures\tx\tscript"), [""; 0]);
        assert_eq!(check("monitoring %cpu\tx\tx\tscript"), ["a.tsv:2: `x` is neither a rule nor a view"]);
        let twice = check("section Free\ttext\tx: y\tscript\nsection Free\ttext\tx\tscript");
        assert_eq!(twice.len(), 2, "{twice:?}");
    }
}
