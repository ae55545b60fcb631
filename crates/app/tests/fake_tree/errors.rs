//! Every kind of system call of a whole run failing once, by every error that it can give: the run goes on to
//! its end, the settings are back, the results are kept, and what failed is told.

use crate::kills::RUN;
use crate::tree::{Call, Tree, can_run, difference, for_each};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Errors by kind of call. `EINTR` is left out where the standard library calls again by itself.
const ERRORS: &[(&str, &[&str])] = &[
    (
        "open",
        &["EIO", "ENODEV", "EPERM", "EBUSY", "EMFILE", "EROFS"],
    ),
    ("read", &["EIO", "EAGAIN", "ENODEV", "EINVAL"]),
    ("list", &["EIO", "EPERM", "EMFILE"]),
    ("link", &["EIO", "EPERM"]),
    (
        "write",
        &[
            "ENOSPC", "EIO", "EAGAIN", "EPERM", "EBUSY", "EROFS", "ENODEV", "torn",
        ],
    ),
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
];

/// Kinds of calls that change or start something: none of these may fail in silence.
const TOLD: &[&str] = &[
    "write", "sync", "lock", "rename", "spawn", "pipe", "affinity",
];

/// Precautions: without them a program runs as well, and nothing that is measured or set hangs on them.
const PRECAUTIONS: &[&str] = &["/oom_score_adj", "/sys/fs/cgroup"];

/// One call that is to fail.
struct Failure {
    word: String,
    /// The part of its path that is the same in every run.
    place: String,
    errno: &'static str,
}

/// What all of them came to.
#[derive(Default)]
struct Tally {
    failures: usize,
    kinds: BTreeSet<String>,
    /// Failures that nothing in the output and the Record tells.
    silent: Vec<String>,
    troubles: Vec<String>,
}

#[test]
fn a_run_survives_every_call_that_fails_and_says_so() {
    if !can_run() {
        return testkit::was_skipped();
    }
    let tree = Tree::new();
    let output = tree.run(RUN, "");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
    let failures = failures(&tree.trace());
    let tally = Mutex::new(Tally::default());
    for_each(&failures, |failure| {
        let outcome = fail(failure);
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(failure, outcome);
    });
    let tally = tally.into_inner().unwrap();
    eprintln!(
        "system calls made to fail: {} of {} kinds; runs that lost something or changed something for good: {}; \
         failures of reading that nothing tells: {}",
        tally.failures,
        tally.kinds.len(),
        tally.troubles.len(),
        tally.silent.len(),
    );
    tally
        .silent
        .iter()
        .for_each(|silent| eprintln!("  not told: {silent}"));
    assert_eq!(tally.troubles, [""; 0]);
}

impl Tally {
    fn add(&mut self, failure: &Failure, outcome: Result<bool, String>) {
        let what = format!("{} {} {}", failure.word, failure.place, failure.errno);
        self.failures += 1;
        self.kinds.insert(failure.word.clone());
        match outcome {
            Ok(true) => {}
            Ok(false)
                if PRECAUTIONS
                    .iter()
                    .any(|place| failure.place.starts_with(place)) => {}
            Ok(false) if TOLD.contains(&failure.word.as_str()) => {
                self.troubles.push(format!("{what}: nobody is told"));
            }
            Ok(false) => self.silent.push(what),
            Err(trouble) => self.troubles.push(format!("{what}: {trouble}")),
        }
    }
}

/// Every kind of call on every kind of place once, the errors in turns; all errors where something changes.
fn failures(trace: &[Call]) -> Vec<Failure> {
    let of_run = trace.iter().filter(|call| call.role == "run");
    let kinds: BTreeSet<(String, String)> = of_run
        .map(|call| (call.word.clone(), place(&call.path)))
        .collect();
    let mut failures = Vec::new();
    for (index, (word, place)) in kinds.into_iter().enumerate() {
        let errors = ERRORS.iter().find(|(kind, _)| *kind == word);
        let (_, errors) = errors.unwrap_or_else(|| panic!("{word} has no errors"));
        let is_own = TOLD.contains(&word.as_str());
        let wanted: Vec<&str> = match is_own {
            true => errors.to_vec(),
            // Reading is many: one error each, and every sixth place of it.
            false if index % 6 == 0 => vec![errors[index / 6 % errors.len()]],
            false => Vec::new(),
        };
        failures.extend(wanted.into_iter().map(|errno| Failure {
            word: word.clone(),
            place: place.clone(),
            errno,
        }));
    }
    failures
}

/// What stays of a path when process ids and dates are taken out: its longest part without them.
fn place(path: &str) -> String {
    let is_own = |part: &&str| !part.is_empty();
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let has_id =
        |part: &str| is_number(part) || part.len() > 3 && part.chars().any(|c| c.is_ascii_digit());
    let parts: Vec<&str> = path.split('/').filter(is_own).collect();
    let fixed = parts
        .split(|part| has_id(part))
        .max_by_key(|parts| parts.concat().len());
    match fixed {
        Some(parts) if path.starts_with('/') => format!("/{}", parts.join("/")),
        _ => path.to_owned(),
    }
}

/// True if the failure is told; an error if something was lost or stays changed.
fn fail(failure: &Failure) -> Result<bool, String> {
    let tree = Tree::new();
    let before = tree.settings();
    let plan = format!("run {} {} 1 {}", failure.word, failure.place, failure.errno);
    let output = tree.run(RUN, &plan);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    let record = std::fs::read(tree.path("log/sbc-bench.json")).unwrap_or_default();
    let told = [shown.as_str(), said.as_str(), &text(&record)].concat();
    if said.contains("panicked") || !matches!(output.status.code(), Some(0..=5)) {
        return Err(format!("it ended by {}: {said}", output.status));
    }
    tree.wait_for_ends()?;
    // A setting that could not be put back is told, and `sbc-bench restore` puts it back.
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
    let errno = machine::faults::plan::ERRNOS
        .iter()
        .find(|(name, _)| *name == failure.errno);
    let number = errno.map_or(28, |(_, errno)| errno.raw_os_error());
    let words = std::io::Error::from_raw_os_error(number).to_string();
    let words = words
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned();
    let mut signs = vec![
        words,
        format!("error {number}"),
        format!("\"io\":{number}"),
        "Nothing is tuned".to_owned(),
        "could not be kept on disk".to_owned(),
        "no CPU of".to_owned(),
        r#""unmet_settings":[{"#.to_owned(),
    ];
    // A file that is set stands in every Record; one that is only read stands there if it is missing.
    if !TOLD.contains(&failure.word.as_str()) {
        signs.extend(failure.place.rsplit('/').next().map(str::to_owned));
    }
    Ok(signs.iter().any(|sign| told.contains(sign.as_str())))
}
