//! The table of rules. One rule is one file; each looks at a Record and returns findings.

use crate::Finding;
use record::Record;

/// A check over a Record.
pub struct Rule {
    /// Kebab-case name, unique.
    pub id: &'static str,
    /// One sentence on what it looks for.
    pub about: &'static str,
    /// Where to read more.
    pub link: &'static str,
    /// The check itself.
    pub check: fn(&Record) -> Vec<Finding>,
}

/// All rules, sorted by id.
pub const RULES: &[Rule] = &[];

/// Every finding of every rule, worst first, in the order of the table otherwise.
pub fn check(record: &Record) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| (rule.check)(record)).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}
