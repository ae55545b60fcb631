//! Runs the program on a board, and collects its results and the truth of the board.

use facts::Finding;
use record::Record;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use testkit::virtual_board::{Board, FinishedRun, Model, lacking, run};
use testkit::{Scratch, disagreement};

/// Number of boards at once; most of them wait most of the time.
const PLACES: u32 = 3;
static TAKEN: Mutex<u32> = Mutex::new(0);
static LEFT: Condvar = Condvar::new();

/// Boards that may run in parallel to that of a test. Each has a `/sys` and groups of its own, but the CPUs are those of
/// this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Concurrency {
    /// Nothing: the test measures, takes CPUs offline, or kills processes.
    Nothing,
    /// Other boards: the test checks texts and settings.
    Others,
}

/// A board's place on this machine, free again when dropped.
pub(crate) struct BoardSlot(u32);

impl BoardSlot {
    /// Waits until a board may run in parallel to the running ones.
    pub(crate) fn wait(company: Concurrency) -> Self {
        let places = match company {
            Concurrency::Nothing => PLACES,
            Concurrency::Others => 1,
        };
        let lacks_room = |taken: &mut u32| *taken + places > PLACES;
        let taken = LEFT.wait_while(taken(), lacks_room);
        *taken.unwrap_or_else(PoisonError::into_inner) += places;
        Self(places)
    }
}

impl Drop for BoardSlot {
    fn drop(&mut self) {
        *taken() -= self.0;
        LEFT.notify_all();
    }
}

fn taken() -> MutexGuard<'static, u32> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The journal of settings is not that of this machine; then the given command, in silence.
const ENTER: &str = "mkdir -p /var/lib/sbc-bench && mount -t tmpfs tmpfs /var/lib/sbc-bench && \
                     exec \"$@\" >$LOG.out 2>&1";
/// The program, for scripts.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_sbc-bench");

/// For `export` and `env`: readings of clocks, heating and pauses are an eighth as long. For tests in which it counts what
/// is done, not how well it is known.
pub(crate) const HASTE: &str = "SBC_BENCH_FAULTS_HASTE=8";

/// Outcome of a run.
pub(crate) struct RunOutcome {
    /// Its Record; none if it was killed before there was one.
    pub(crate) record: Option<Record>,
    /// Findings of the rules.
    pub(crate) findings: Vec<Finding>,
    /// Both outputs.
    pub(crate) said: String,
    /// Truth of the board.
    pub(crate) done: FinishedRun,
}

impl RunOutcome {
    /// The Record.
    pub(crate) fn record(&self) -> &Record {
        self.record.as_ref().expect("a Record was written")
    }

    /// True if this rule has something to say.
    pub(crate) fn has(&self, rule: &str) -> bool {
        let mut rules = self.findings.iter().map(|finding| finding.rule);
        rules.any(|found| found.as_str() == rule)
    }

    /// Everything that was found, for messages.
    pub(crate) fn sentences(&self) -> Vec<String> {
        self.findings.iter().map(Finding::sentence).collect()
    }

    /// The settings of the Record, what was printed and the exit status say the same, where that is the program's own.
    pub(crate) fn check_agreement(&self, what: &str) {
        let differs = disagreement(self.record.as_ref(), &self.said, self.done.status.code());
        assert_eq!(differs, None, "{what}");
    }

    /// Every run must restore the settings and leave no process.
    pub(crate) fn check_left(&self, what: &str) {
        let before = Model::new(self.done.model.board.clone());
        let what = format!("{what}: {}", self.said);
        for (before, after) in before.policies.iter().zip(&self.done.model.policies) {
            assert_eq!(before.governor, after.governor, "{what}");
            assert_eq!(before.khz_min, after.khz_min, "{what}");
            assert_eq!(before.khz_max, after.khz_max, "{what}");
            assert_eq!(before.rate_limit_us, after.rate_limit_us, "{what}");
        }
        assert_eq!(before.switches, self.done.model.switches, "{what}");
        assert_eq!(self.done.left_running, [""; 0], "{what}");
    }
}

/// The board of this name; none where no board can run, and the test is skipped.
#[track_caller]
pub(crate) fn board(name: &str) -> Option<Board> {
    if let Some(what) = lacking() {
        testkit::skip(&format!("no virtual board can run here: {what}"));
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards/virtual");
    let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap();
    Some(Board::parse(&text).unwrap())
}

/// Runs the program with these arguments.
pub(crate) fn program(board: &Board, words: &[&str]) -> RunOutcome {
    let own = [PROGRAM, words[0], "--force", "--quiet"];
    command(board, &[&own[..], &words[1..]].concat())
}

/// The same in [`HASTE`].
pub(crate) fn program_in_haste(board: &Board, words: &[&str]) -> RunOutcome {
    let own = ["env", HASTE, PROGRAM, words[0], "--force", "--quiet"];
    command(board, &[&own[..], &words[1..]].concat())
}

/// The same board with a third of its clocks: three of them find room on one machine. Where the clocks of boards together
/// exceed those of the machine, its kernel lets them stop each other, their sensors and what simulates them for seconds.
#[track_caller]
pub(crate) fn slow_board(name: &str) -> Option<Board> {
    let mut board = board(name)?;
    for (khz, _) in board.policy.iter_mut().flat_map(|policy| &mut policy.opps) {
        *khz /= 3;
    }
    Some(board)
}

/// A board that stood still for longer, because the machine was too busy, proves nothing.
const STOOD_STILL_S_MAX: f64 = 0.5;
/// Number of tries.
const TRIES: usize = 3;

/// Runs any command; the program in it finds its log in `$LOG`.
pub(crate) fn command(board: &Board, words: &[&str]) -> RunOutcome {
    command_with(Concurrency::Nothing, board, words)
}

/// The same, of which nothing is asked that other boards could change.
pub(crate) fn command_with(company: Concurrency, board: &Board, words: &[&str]) -> RunOutcome {
    let mut seen = command_once(company, board, words);
    for _ in 1..TRIES {
        let still_s = seen.done.stood_still_s;
        if still_s <= STOOD_STILL_S_MAX {
            break;
        }
        eprintln!("once more: this machine is so busy that the board stood still for {still_s:.1} s");
        seen = command_once(company, board, words);
    }
    seen
}

fn command_once(company: Concurrency, board: &Board, words: &[&str]) -> RunOutcome {
    let _turn = BoardSlot::wait(company);
    let out = Folder::new();
    let log = format!("LOG={}", out.0.join("log").display());
    let words = words.iter().map(|word| match *word {
        "$LOG" => out.0.join("log").into_os_string(),
        word => OsString::from(word),
    });
    let enter = ["env", &log, "sh", "-c", ENTER, "sh"].map(OsString::from);
    let command: Vec<OsString> = enter.into_iter().chain(words).collect();
    let done = run(board.clone(), None, &command).unwrap();
    let text = std::fs::read_to_string(out.0.join("log.json")).ok();
    let record: Option<Record> = text.map(|text| record::from_json(&text).unwrap());
    let said = std::fs::read(out.0.join("log.out")).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    RunOutcome {
        findings: record.as_ref().map(|record| rules::check(&facts::Facts::of(record))).unwrap_or_default(),
        record,
        said,
        done,
    }
}

/// Where figures need not be exact, they may be off by this factor: a machine that is busy with other things moves every moment of
/// a board, but no right figure so far.
const LOOSE_FACTOR: f64 = 2.0;

/// Checks that a value is near another one.
pub(crate) fn check_near(what: &str, found: f64, expected: f64, percent: f64) {
    let off = 100.0 * (found / expected - 1.0);
    let within = if off.abs() <= percent { "within" } else { "not within" };
    eprintln!("{what}: {found:.3}, on the board {expected:.3} ({off:+.1} %, {within} {percent} %)");
    let is_near = if crate::IS_EXACT {
        off.abs() <= percent
    } else {
        (1.0 / LOOSE_FACTOR..=LOOSE_FACTOR).contains(&(found / expected))
    };
    assert!(is_near, "{what}: {found} instead of {expected}");
}

/// A test of what moments decide, which a machine that is busy with other things can spoil: it must pass once
/// in a few tries.
pub(crate) fn in_some_try(test: impl Fn()) {
    for _ in 1..TRIES {
        if catch_unwind(AssertUnwindSafe(&test)).is_ok() {
            return;
        }
        eprintln!("once more: this machine may have been busy with other things");
    }
    test();
}

/// Directory for the files of a run.
pub(crate) struct Folder(pub(crate) Scratch);

impl Folder {
    /// A new one.
    pub(crate) fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Self(Scratch::new(&format!("board-{number}")))
    }
}
