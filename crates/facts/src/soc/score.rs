//! Scoring: evidence in, ranked candidates out.
//!
//! The score of a SoC is the sum of the weights of all evidence that allows it. Each weight exceeds the sum of all
//! lower ones, so evidence narrows the table in order of authority, and evidence that would exclude everything is
//! ignored.

use super::answer::{Answer, Candidate, Confidence};
use super::boards;
use super::evidence::{Evidence, Kind};
use super::facts::Facts;
use super::gather::{self, without_packages};
use super::names;
use super::settle;
use super::spelling::squash;
use super::table::{Soc, TABLES};
use record::Total;
use std::cmp::Reverse;

/// Maximum number of candidates shown after the answer.
const OTHERS_MAX: usize = 8;
/// Largest set of named SoCs that counts as an answer.
const FEW: usize = 6;

enum Conclusion<'a> {
    OwnName(&'a str),
    /// SoC that the device tree names and that is missing from the table.
    Unlisted(String, Vec<Evidence>),
    Ranked(Ranking),
}

struct Ranking {
    confidence: Confidence,
    why: String,
    /// All indistinguishable SoCs, with or without evidence.
    top: Vec<usize>,
    /// Next candidates.
    next: Vec<usize>,
    evidence: Vec<Evidence>,
}

/// Identifies the SoC.
pub(super) fn answer(facts: &Facts) -> Answer {
    let mut answer = match conclude(facts) {
        Conclusion::OwnName(name) => of_own_name(name),
        Conclusion::Unlisted(name, evidence) => of_unlisted(name, evidence),
        Conclusion::Ranked(ranked) => of_ranked(ranked),
    };
    if !is_named(&answer.evidence) && !answer.candidates.is_empty() && !facts.cores.is_empty() {
        answer.cores = Some(facts.cores.text());
    }
    answer.settle = settle::hints(facts, &answer);
    answer
}

/// Names of the indistinguishable SoCs, as in [`answer`].
///
/// # Errors
///
/// The reason why the SoC is unknown.
pub(super) fn names(facts: &Facts) -> Result<Vec<String>, String> {
    match conclude(facts) {
        Conclusion::OwnName(name) => Ok(vec![name.to_owned()]),
        Conclusion::Unlisted(name, _) => Ok(vec![name]),
        Conclusion::Ranked(ranked) if ranked.confidence == Confidence::Unknown => Err(ranked.why),
        Conclusion::Ranked(ranked) if !is_named(&ranked.evidence) => Err(ranked.why),
        Conclusion::Ranked(ranked) => {
            let socs = without_packages(&ranked.top).into_iter();
            Ok(socs.map(|soc| TABLES.socs[soc].full_name()).collect())
        }
    }
}

fn conclude(facts: &Facts) -> Conclusion<'_> {
    if let Some(name) = &facts.x86_name {
        return Conclusion::OwnName(name);
    }
    let evidence = gather::all(facts);
    match unlisted(facts, &evidence) {
        Some(name) => Conclusion::Unlisted(name, evidence),
        None => Conclusion::Ranked(ranked(facts, evidence)),
    }
}

fn of_own_name(name: &str) -> Answer {
    let candidate = Candidate {
        name: name.to_owned(),
        short_name: name.to_owned(),
        also: Vec::new(),
        score: weight(Kind::OwnName),
        supported_by: vec![Kind::OwnName],
        contradicted_by: Vec::new(),
        source: None,
    };
    let evidence = Evidence {
        kind: Kind::OwnName,
        says: name.to_owned(),
        from: "model name".to_owned(),
        leaves: 1,
        socs: Vec::new(),
    };
    Answer {
        confidence: Confidence::Certain,
        why: "named by the CPU's model name".to_owned(),
        candidates: vec![candidate],
        others: Vec::new(),
        evidence: vec![evidence],
        settle: Vec::new(),
        cores: None,
    }
}

/// True if evidence names the SoC; cores alone do not.
fn is_named(evidence: &[Evidence]) -> bool {
    evidence.iter().any(|one| one.kind.names() || one.kind == Kind::Guess)
}

/// Each kind weighs more than all kinds below it together.
fn weight(kind: Kind) -> u32 {
    1 << (Kind::Guess as u32 - kind as u32)
}

fn ranked(facts: &Facts, evidence: Vec<Evidence>) -> Ranking {
    let mut scores = vec![0_u32; TABLES.socs.len()];
    for one in &evidence {
        // Some cores may be hidden, so their number orders candidates and excludes none.
        if !matches!(one.kind, Kind::Count | Kind::Absent) {
            one.socs.iter().for_each(|soc| scores[*soc] += weight(one.kind));
        }
    }
    let best = scores.iter().max().copied().unwrap_or(0);
    let ordered = |wanted: &dyn Fn(u32) -> bool| -> Vec<usize> {
        let socs = scores.iter().enumerate().filter(|(_, score)| wanted(**score));
        let has_more_cores = |soc: usize| {
            evidence.iter().filter(|one| matches!(one.kind, Kind::Count | Kind::Absent)).any(|one| !one.allows(soc))
        };
        let distance = |soc: usize| (has_more_cores(soc), clock_distance(&TABLES.socs[soc], facts.clock_khz_max));
        let mut keys: Vec<_> = socs.map(|(soc, score)| (Reverse(*score), distance(soc), soc)).collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, _, soc)| soc).collect()
    };
    let top = ordered(&|score| score == best);
    let mut next = ordered(&|score| 0 < score && score < best);
    next.truncate(OTHERS_MAX);
    let reason = reason(&top, facts, &evidence);
    let (confidence, why) = reason.unwrap_or_else(|why| (Confidence::Unknown, why));
    Ranking { confidence, why, top, next, evidence }
}

fn of_ranked(Ranking { confidence, why, top, next, evidence }: Ranking) -> Answer {
    let all = |socs: &[usize], top: &[usize]| -> Vec<Candidate> {
        socs.iter().map(|soc| candidate(*soc, top, &evidence)).collect()
    };
    let mut likely = without_packages(&top);
    let (candidates, others) = match confidence {
        Confidence::Unknown => {
            likely.truncate(OTHERS_MAX);
            let is_any_for_them = likely.first().is_some_and(|soc| score(*soc, &evidence) > 0);
            (Vec::new(), if is_any_for_them { all(&likely, &top) } else { Vec::new() })
        }
        _ => {
            // If evidence names a SoC with these cores, a SoC with other cores is excluded, not less likely.
            let has_other_cores = |one: &Candidate| {
                let cores = [Kind::Cores, Kind::Steppings, Kind::Features];
                one.contradicted_by.iter().any(|kind| cores.contains(kind))
            };
            let candidates = all(&likely, &top);
            let mut others = all(&next, &[]);
            if confidence >= Confidence::Likely && candidates.iter().any(|one| !has_other_cores(one)) {
                others.retain(|one| !has_other_cores(one));
            }
            (candidates, others)
        }
    };
    Answer { confidence, why, candidates, others, evidence, settle: Vec::new(), cores: None }
}

fn score(soc: usize, evidence: &[Evidence]) -> u32 {
    let allowing = evidence.iter().filter(|one| one.allows(soc));
    allowing.map(|one| weight(one.kind)).total()
}

/// Advertised clocks order candidates only: kernels may advertise clocks that no chip reaches.
fn clock_distance(soc: &Soc, claimed_khz: Option<u32>) -> u32 {
    match (soc.clock_mhz_max, claimed_khz) {
        (Some(nominal), Some(khz)) => nominal.abs_diff(khz / 1000),
        _ => 0,
    }
}

fn candidate(soc: usize, top: &[usize], evidence: &[Evidence]) -> Candidate {
    let row = &TABLES.socs[soc];
    let (for_it, against): (Vec<_>, Vec<_>) = evidence.iter().partition(|one| one.allows(soc));
    let kinds = |list: Vec<&Evidence>| list.into_iter().map(|one| one.kind).collect();
    let also = row.also.iter().flat_map(|list| list.split(", "));
    let packages = top.iter().filter(|other| TABLES.socs[**other].die == Some(soc));
    let relatives = packages.chain(row.die.iter()).map(|other| TABLES.socs[*other].name);
    let aliases = row.aliases.iter().copied();
    let short_name = row.full_name();
    let mut known: Vec<String> = Vec::new();
    for name in also.chain(relatives).chain(aliases) {
        if name != row.name && name != short_name && !known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            known.push(name.to_owned());
        }
    }
    let also = known;
    Candidate {
        name: match also.as_slice() {
            [] => short_name.clone(),
            also => format!("{short_name} ({})", also.join(", ")),
        },
        short_name,
        also,
        score: score(soc, evidence),
        supported_by: kinds(for_it),
        contradicted_by: kinds(against),
        source: Some(row.source),
    }
}

/// Confidence that the SoC is one of these, with the reason; the error is the reason why it is unknown.
fn reason(top: &[usize], facts: &Facts, evidence: &[Evidence]) -> Result<(Confidence, String), String> {
    let Some(first) = top.first().copied() else {
        return Err("the table of SoCs is empty".to_owned());
    };
    let allows = |one: &&Evidence| one.allows(first);
    let fits = |kind: Kind| evidence.iter().filter(allows).any(|one| one.kind == kind);
    let naming = || evidence.iter().filter(allows).filter(|one| one.kind.names());
    // Decisive evidence leaves no more candidates than remain in the end.
    let fewest = naming().map(|one| one.leaves).min();
    let named = naming().find(|one| Some(one.leaves) == fewest);
    let cores_known = !facts.cores.is_empty();
    let cores_fit = fits(Kind::Cores) && fits(Kind::Steppings);
    let features_fit = facts.features.is_empty() || fits(Kind::Features);
    let count = without_packages(top).len();
    if let Some(named) = named {
        let doubt = cores_known && !cores_fit;
        // Names alone are sufficient; if cores were necessary, it is a conclusion.
        let by_names = named.leaves == 1;
        let authority = named.kind.is_authority() || named.kind == Kind::Hardware;
        let confidence = match count {
            _ if doubt => Confidence::Possible,
            1 if authority && by_names => Confidence::Certain,
            1..=FEW => Confidence::Likely,
            _ => Confidence::Possible,
        };
        let but = if doubt { ", but its core types do not match" } else { "" };
        return Ok((confidence, format!("named by {} {:?}{but}", named.kind.words(), named.says)));
    }
    if facts.is_guest {
        let why = "nothing names it, and the core types of a virtual machine depend on its host";
        return Err(why.to_owned());
    }
    if cores_known && cores_fit && features_fit {
        return Ok((Confidence::Possible, of_cores(count, fits(Kind::Count))));
    }
    if !cores_known && features_fit && facts.is_riscv() {
        let why = "only the instruction set is known".to_owned();
        return Ok((Confidence::Possible, why));
    }
    if fits(Kind::Guess) {
        return Ok((Confidence::Possible, "only a guess in the log names it".to_owned()));
    }
    Err(if cores_known && fits(Kind::Cores) && !features_fit {
        "nothing names it, and no known SoC with these core types has these features".to_owned()
    } else if cores_known {
        "nothing names it, and no known SoC has these core types".to_owned()
    } else {
        "nothing names it, and its core types are unknown".to_owned()
    })
}

fn of_cores(count: usize, exact: bool) -> String {
    let seen = if exact { "" } else { "; some cores are missing" };
    match count {
        1 => format!("nothing names it; one known SoC has these cores{seen}"),
        _ => format!("nothing names it; {count} known SoCs have these cores{seen}"),
    }
}

/// Strings of device trees that name no SoC but a platform.
const PLATFORMS: [&str; 5] = ["apple,arm-platform", "arm,vexpress", "brcm,bcmbca", "linux,dummy-virt", "xen,xenvm"];

/// A SoC that a file names and that the table does not have: by the last string of `compatible` that is a SoC's (Devicetree
/// Specification 2.3.1), else by a part number in a text.
fn unlisted(facts: &Facts, evidence: &[Evidence]) -> Option<String> {
    if evidence.iter().any(|one| one.kind.names()) {
        return None;
    }
    let strings = facts.compatible.iter().enumerate().rev();
    let mut strings = strings.filter(|(_, text)| !PLATFORMS.contains(&text.as_str()));
    let of_tree = strings.find_map(|(index, text)| {
        let (prefix, part) = text.split_once(',')?;
        let vendor = TABLES.prefixes.get(prefix)?;
        let part = part.trim();
        let is_last = index > 0 && index + 1 == facts.compatible.len();
        let is_name = (part.bytes().any(|c| c.is_ascii_digit()) || is_last) && !squash(part).is_empty();
        (is_name && (index > 0 || facts.compatible.len() == 1)).then(|| format!("{vendor} {part}"))
    });
    let of_texts = || {
        let sayings = ["hardware", "soc_machine", "cpu_model", "soc_id"].iter().filter_map(|name| facts.saying(name));
        sayings.map(|saying| saying.value.as_str()).find_map(names::unlisted)
    };
    of_tree.or_else(of_texts).or_else(|| boards::unlisted(facts.board.as_deref()?))
}

fn of_unlisted(name: String, evidence: Vec<Evidence>) -> Answer {
    Answer {
        confidence: Confidence::Likely,
        why: "named by its files; not in the SoC table".to_owned(),
        candidates: vec![Candidate {
            short_name: name.clone(),
            name,
            also: Vec::new(),
            score: weight(Kind::Compatible),
            supported_by: vec![Kind::Compatible],
            contradicted_by: Vec::new(),
            source: None,
        }],
        others: Vec::new(),
        evidence,
        settle: Vec::new(),
        cores: None,
    }
}
