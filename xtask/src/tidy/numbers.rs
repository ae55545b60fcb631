//! One function formats numbers of figures: `number` in `facts/src/number.rs`. Format strings that choose digits for a number
//! with a unit of scores are refused, so that all reports print the same value.

use super::{Problem, rust};
use crate::workspace::File;

/// Units of scores.
const UNITS: [&str; 5] = ["MIPS", "MB/s", "kB/s", "kH/s", "ns"];
/// Exempt files: the formatter itself, and the formats of the bash program, which other programs parse.
const PLACES: [&str; 3] =
    ["crates/facts/src/number.rs", "crates/report/src/log/", "crates/report/src/review/measured.rs"];

/// Format strings with a precision and a unit of scores.
pub(super) fn check(file: &File) -> Vec<Problem> {
    let reports = [
        "crates/compare/src/",
        "crates/explain/src/",
        "crates/facts/src/",
        "crates/rules/src/",
        "crates/report/src/",
        "crates/page/src/",
        "crates/app/src/",
    ];
    let is_report = reports.iter().any(|at| file.path.starts_with(at));
    if !is_report || PLACES.iter().any(|place| file.path.starts_with(place)) {
        return Vec::new();
    }
    let refused = rust::tokens(&file.text).into_iter().filter(|token| token.string().is_some_and(has_own_digits));
    let message = "use `facts::number` or `with_unit`: each score has the same digits in all reports";
    refused.map(|token| Problem::new(&file.path, token.line, message)).collect()
}

/// Whether the text is like `{value:.1} ns`.
fn has_own_digits(text: &str) -> bool {
    let ends = text.match_indices("} ");
    ends.into_iter().any(|(at, _)| {
        let unit = text[at + 2..].split(|c: char| !c.is_ascii_alphanumeric() && c != '/').next().unwrap_or_default();
        let inside = text[..at].rsplit('{').next().unwrap_or_default();
        UNITS.contains(&unit) && inside.split_once(':').is_some_and(|(_, form)| form.contains('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_scores_stand_in_one_place() {
        for (path, text, expected) in [
            ("crates/report/src/a.rs", "format!(\"{mips:.0} MIPS\")", 1),
            ("crates/page/src/a.rs", "format!(\"in {:>7.1} ns.\")", 1),
            ("crates/page/src/a.rs", "format!(\"{mips} MIPS, {:.1} nsec, {x:.1} %\")", 0),
            ("crates/report/src/log/a.rs", "format!(\"{mips:.0} MIPS\")", 0),
            ("crates/machine/src/a.rs", "format!(\"{mips:.0} MIPS\")", 0),
            ("crates/page/src/a.rs", "#[cfg(test)]\nmod tests {\nconst A: &str = \"{mips:.0} MIPS\";\n}", 0),
        ] {
            assert_eq!(check(&File { path: path.into(), text: text.into() }).len(), expected, "{path}: {text}");
        }
    }
}
