//! Each kind of system call of a run fails once with each of its errors: the run ends normally, restores the settings,
//! keeps the results, and reports the failure.

use crate::fake_tree::agreement::check_agreement;
use crate::fake_tree::kills::{ALL, RUN};
use crate::fake_tree::tree::{Call, Tree, can_run, difference, for_each};
use crate::outcome::text;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Errors by kind of call: those that the kernel can give for it. `EINTR` is left out where the standard library
/// calls again by itself.
const ERRORS: &[(&str, &[&str])] = &[
    ("open", &["EIO", "ENODEV", "EPERM", "EBUSY", "EMFILE", "EROFS", "EAGAIN", "ENOSPC"]),
    ("read", &["EIO", "EAGAIN", "ENODEV", "EINVAL", "EPERM", "EBUSY"]),
    ("list", &["EIO", "EPERM", "EMFILE", "ENODEV"]),
    ("link", &["EIO", "EPERM", "ENODEV"]),
    ("write", &["ENOSPC", "EIO", "EAGAIN", "EPERM", "EBUSY", "EROFS", "ENODEV", "torn"]),
    ("sync", &["ENOSPC", "EIO", "EROFS"]),
    ("lock", &["EAGAIN", "EINTR", "EIO"]),
    ("rename", &["ENOSPC", "EIO", "EROFS", "EPERM"]),
    ("remove", &["EIO", "EBUSY", "EROFS", "EPERM"]),
    ("folder", &["ENOSPC", "EIO", "EROFS", "EPERM"]),
    ("spawn", &["EAGAIN", "EPERM", "EIO"]),
    ("pipe", &["EMFILE"]),
    ("thread", &["EAGAIN"]),
    ("affinity", &["EPERM", "EINVAL", "EINTR"]),
    ("perf", &["EPERM", "ENODEV", "EBUSY", "EMFILE"]),
    ("ioctl", &["EPERM", "ENODEV", "EIO", "EINTR"]),
];

/// Kinds of calls that change or start something: each of them fails by every error, everywhere.
const CHANGES: &[&str] = &["write", "sync", "lock", "rename", "spawn", "pipe", "affinity"];
/// Calls that only read are many: outside of `cargo xtask bench --kills` every place of this number fails, by one
/// error.
const SAMPLED: usize = 6;

/// Failures without a report, with reasons.
const UNTOLD: &[(&str, &str)] = &[
    ("write /oom_score_adj", "a precaution"),
    ("write /sys/fs/cgroup", "a precaution"),
    ("folder /sys/fs/cgroup", "a precaution"),
    ("remove /sys/fs/cgroup", "a precaution"),
    ("open /sys/fs/cgroup", "a precaution"),
    ("lock /sys/fs/cgroup", "it is tried again"),
    ("link /proc/self/ns/pid", "it is tried again"),
    ("link /proc/self ", "it says whether /proc is that of another container, which is rare"),
    ("read /environ EPERM", "kernels keep that of some programs from root as well"),
    ("open /environ EPERM", "the same"),
    ("open /comm EPERM", "the same"),
    ("open /children EPERM", "the same"),
    ("open /schedstat EPERM", "the same"),
    ("read /comm EPERM", "the same"),
    ("list /task EPERM", "the same"),
    ("read /children EPERM", "the same"),
    ("read /schedstat EPERM", "the same"),
    ("read /stat EPERM", "the same"),
    ("read /status EPERM", "the same"),
    ("read /dev/kmsg EAGAIN", "there is no message, which is an answer"),
    ("perf perf_event_open", "most boards have no counters, and steps without them are as good"),
    ("remove /var/lib/sbc-bench", "the next start removes it, and what is restored is found to be"),
    ("thread slow-sensors", "they are read without a thread of their own"),
    ("thread looks", "the machine is looked at before the wait ends, not during it"),
    ("thread tables", "tables are read when they are needed"),
];

/// A sample has more than this.
const FAILURES_MIN: usize = 100;

/// One call that is to fail.
struct Failure {
    word: String,
    /// The part of its path that is the same in every run.
    place: String,
    errno: &'static str,
}

/// Outcomes of all failures.
#[derive(Default)]
struct Tally {
    failures: usize,
    kinds: BTreeSet<String>,
    places: BTreeSet<(String, String)>,
    troubles: Vec<String>,
}

#[test]
fn failing_system_calls_are_survived_and_reported() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let output = tree.run(RUN, "");
    assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{output:?}");
    let failures = failures(&tree.trace());
    let tally = Mutex::new(Tally::default());
    for_each(&failures, |failure| {
        let outcome = fail(failure);
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(failure, outcome);
    });
    let tally = tally.into_inner().unwrap();
    eprintln!(
        "system calls made to fail: {} of {} kinds at {} places; runs that lost something, changed something for \
         good or were silent: {}",
        tally.failures,
        tally.kinds.len(),
        tally.places.len(),
        tally.troubles.len(),
    );
    assert_eq!(tally.troubles, [""; 0]);
    assert!(tally.failures > FAILURES_MIN, "hardly any call was reached");
}

/// Where the runs cannot be read, every command reports that it is unknown whether a run died.
#[test]
fn runs_that_cannot_be_looked_at_are_told() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    tree.run(RUN, "");
    std::fs::write(tree.path("lib/sbc-bench/runs/broken.json"), "{").unwrap();
    let check = |words: &[&str], plan: &str, expected: &[&str]| {
        let output = tree.run(words, plan);
        let both = [&output.stdout[..], &output.stderr[..]].concat();
        let said = String::from_utf8_lossy(&both).into_owned();
        for part in expected {
            assert!(said.contains(part), "{words:?} {plan}: {said}");
        }
    };
    let unknown = "Whether an earlier run died is unknown";
    let no_list = "run list /var/lib/sbc-bench/runs 1 EIO";
    for (plan, why) in
        [(no_list, "Input/output error"), ("run open /var/lib/sbc-bench/runs 1 EMFILE", "Too many open files")]
    {
        check(&["recover"], plan, &[unknown, why]);
        check(RUN, plan, &[unknown, why]);
    }
    check(&["run", "--resume"], no_list, &["Input/output error"]);
    let left_aside = ["broken.json", "is not an sbc-bench result file", "Nothing to resume"];
    check(&["run", "--resume"], "", &left_aside);
}

impl Tally {
    fn add(&mut self, failure: &Failure, outcome: Result<bool, String>) {
        let what = format!("{} {} {}", failure.word, failure.place, failure.errno);
        self.failures += 1;
        self.kinds.insert(failure.word.clone());
        let place = (failure.word.clone(), failure.place.clone());
        self.places.insert(place);
        let may_be_silent = || {
            let mut untold = UNTOLD.iter();
            untold.any(|(known, _)| what.starts_with(known))
        };
        let trouble = match outcome {
            Ok(true) => return,
            Ok(false) if may_be_silent() => return,
            Ok(false) => "nobody is told".to_owned(),
            Err(trouble) => trouble,
        };
        eprintln!("{what}: {trouble}");
        self.troubles.push(format!("{what}: {trouble}"));
    }
}

/// Every kind of call on every kind of place by every error; of those that only read a sample, unless all are
/// wanted.
fn failures(trace: &[Call]) -> Vec<Failure> {
    let of_run = trace.iter().filter(|call| call.role == "run");
    let kinds: BTreeSet<(String, String)> = of_run.map(|call| (call.word.clone(), place(&call.path))).collect();
    let mut failures = Vec::new();
    let is_whole = std::env::var_os(ALL).is_some();
    for (index, (word, place)) in kinds.into_iter().enumerate() {
        let errors = ERRORS.iter().find(|(kind, _)| *kind == word);
        let (_, errors) = errors.unwrap_or_else(|| panic!("{word} has no errors"));
        let wanted: Vec<&str> = match is_whole || CHANGES.contains(&word.as_str()) {
            true => errors.to_vec(),
            false if index % SAMPLED == 0 => vec![errors[index / SAMPLED % errors.len()]],
            false => Vec::new(),
        };
        failures.extend(wanted.into_iter().map(|errno| Failure { word: word.clone(), place: place.clone(), errno }));
    }
    failures
}

/// Longest part of a path without process ids and dates.
fn place(path: &str) -> String {
    let is_own = |part: &&str| !part.is_empty();
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let has_id = |part: &str| is_number(part) || part.len() > 3 && part.chars().any(|c| c.is_ascii_digit());
    let parts: Vec<&str> = path.split('/').filter(is_own).collect();
    let fixed = parts.split(|part| has_id(part)).max_by_key(|parts| parts.concat().len());
    match fixed {
        Some(parts) if path.starts_with('/') => format!("/{}", parts.join("/")),
        _ => path.to_owned(),
    }
}

/// True if the failure is reported; an error if results are lost or a setting stays changed.
fn fail(failure: &Failure) -> Result<bool, String> {
    let tree = Tree::new();
    let before = tree.settings();
    let plan = format!("run {} {} 1 {}", failure.word, failure.place, failure.errno);
    let output = tree.run(RUN, &plan);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    let record = std::fs::read(tree.path("log/sbc-bench.json")).unwrap_or_default();
    let told = [shown.as_str(), said.as_str(), &text(&record)].concat();
    if said.contains("panicked") || !matches!(output.status.code(), Some(0..=6)) {
        return Err(format!("it ended by {}: {said}", output.status));
    }
    tree.wait_for_ends()?;
    check_agreement(&tree, &output)?;
    // `sbc-bench recover` restores a setting that the run reported.
    if output.status.code() == Some(5) {
        tree.run(&["restore"], "");
    }
    let differs = difference(&before, &tree.settings());
    if !differs.is_empty() {
        return Err(differs);
    }
    if record.is_empty() && !shown.contains("measured cold") && said.is_empty() {
        return Err(format!("the results are lost: {shown}{said}"));
    }
    let number = errno_of(failure.errno);
    let words = std::io::Error::from_raw_os_error(number).to_string();
    let words = words.split(" (os error").next().unwrap_or_default();
    let signs = [
        words,
        &format!("error {number}"),
        "No settings are tuned",
        "are kept in RAM",
        "none of the CPUs",
        r#""unmet_settings":[{"#,
    ];
    let is_said = signs.iter().any(|sign| told.contains(sign));
    let record = serde_json::from_slice(&record).unwrap_or_default();
    Ok(is_said || is_missing(&record, failure, number))
}

fn errno_of(name: &str) -> i32 {
    let mut errnos = machine::faults::plan::ERRNOS.iter();
    let errno = errnos.find(|(known, _)| *known == name);
    // A torn write is that of a full disk.
    errno.map_or(28, |(_, errno)| errno.raw_os_error())
}

/// True if something in a Record is missing for just that: this place, and this reason.
fn is_missing(value: &serde_json::Value, failure: &Failure, number: i32) -> bool {
    use serde_json::Value;
    match value {
        Value::Array(values) => values.iter().any(|value| is_missing(value, failure, number)),
        Value::Object(fields) => {
            // A reader names the link that it followed (`/bin/sh`), the call that fails the file (`/usr/bin/dash`).
            let is_there = |path: &str| {
                let file = std::fs::canonicalize(path).unwrap_or_default();
                path.contains(&failure.place) || file == Path::new(&failure.place)
            };
            let path = fields.get("path").and_then(Value::as_str);
            let is_place = path.is_some_and(is_there);
            let is_why = match fields.get("why") {
                Some(Value::String(why)) => match failure.errno {
                    "EPERM" => why == "denied",
                    "ENODEV" => why == "absent",
                    _ => false,
                },
                Some(why) => why["io"] == number,
                None => false,
            };
            let mut inside = fields.values();
            is_place && is_why || inside.any(|value| is_missing(value, failure, number))
        }
        _ => false,
    }
}
