//! Streams of dead, living and finished runs.

use super::*;
use record::recording::frame;
use record::{Event, Mode, Run, Source};
use std::io::Write;
use testkit::Scratch;

/// Directory of runs, removed with its test.
struct OwnRuns(PathBuf, Runs, Scratch);

impl OwnRuns {
    fn new(name: &str) -> Self {
        let folder = Scratch::new(&format!("runs-{name}"));
        let path = folder.join("runs");
        Self(path.clone(), Runs::make(&path).unwrap(), folder)
    }

    fn names(&self) -> Vec<String> {
        let names = self.1.folder.names().unwrap();
        names.iter().map(|name| name.to_string_lossy().into_owned()).collect()
    }
}

fn line(event: &Event) -> String {
    frame(&serde_json::to_string(event).unwrap())
}

fn started() -> String {
    line(&Event::Started {
        schema: 1,
        source: Source::Run { version: "0".into(), target: "test".into() },
        run: Box::new(Run { mode: Mode::Standard, ..Run::default() }),
    })
}

fn begins(step: &str) -> String {
    line(&Event::StepBegins { step: step.into(), repetition: 0, at_ms: 7 })
}

fn ended() -> String {
    line(&Event::Ended { end: End::Finished, elapsed_ms: 9 })
}

fn write(new: &NewRun, text: &str) {
    (&*new.file).write_all(text.as_bytes()).unwrap();
}

/// Leftovers as `stem step`, or the reason why they are unreadable.
fn left(runs: &Runs) -> Vec<String> {
    let told = runs.left_behind().unwrap().into_iter().map(|left| match left {
        Leftover::Run(left) => {
            let died = left.record.run.died_in.as_ref();
            let step = died.and_then(|died| died.step.clone());
            format!("{} {}", left.has_ended, step.unwrap_or_default())
        }
        Leftover::Unreadable { why, kept } => match kept {
            Some(kept) => format!("{why} -> {}", kept.file_name().unwrap().display()),
            None => why.to_string(),
        },
    });
    told.collect()
}

#[test]
fn two_runs_in_one_second_have_their_own_files() {
    let own = OwnRuns::new("second");
    let stems: Vec<String> = (0..3)
        .map(|number| {
            let new = own.1.begin("2026-11-22T03-34-41Z").unwrap();
            own.1.keep(&new.stem, "", &format!("{number}"), "log").unwrap();
            new.stem
        })
        .collect();
    let alive = own.1.begin("2026-11-22T03-34-41Z").unwrap();
    let second = own.1.begin("2026-11-22T03-34-41Z").unwrap();
    assert_ne!(alive.stem, second.stem);
    for (number, stem) in stems.iter().enumerate() {
        let kept = std::fs::read_to_string(own.0.join(format!("{stem}.json")));
        assert_eq!(kept.unwrap(), number.to_string());
    }
}

#[test]
fn files_and_folder_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let own = OwnRuns::new("mode");
    let new = own.1.begin("now").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&own.0), mode(&new.path)), (0o700, 0o600));
    own.1.keep(&new.stem, "", "{}", "log").unwrap();
    for name in own.names() {
        assert_eq!(mode(&own.0.join(&name)), 0o600, "{name}");
    }
}

#[test]
fn only_dead_runs_are_found() {
    let own = OwnRuns::new("died");
    let alive = own.1.begin("alive").unwrap();
    write(&alive, &started());
    assert_eq!(left(&own.1), Vec::<String>::new());
    let died = own.1.begin("died").unwrap();
    write(&died, &[started(), begins("sevenzip °")].concat());
    drop(died);
    assert_eq!(left(&own.1), ["false sevenzip °"]);
    drop(alive);
    assert_eq!(left(&own.1), ["false ", "false sevenzip °"]);
    // A run being recovered is locked; another start skips it.
    let held = own.1.left_behind().unwrap();
    assert_eq!(left(&own.1), Vec::<String>::new());
    let Some(Leftover::Run(run)) = held.first() else { panic!("{held:?}") };
    let kept = own.1.recover(run, "{}").unwrap();
    assert!(kept.ends_with(format!("{}.json", run.stem)));
}

#[test]
fn finished_run_is_not_dead() {
    let own = OwnRuns::new("ended");
    // Killed between keeping the Record and removing the stream.
    let new = own.1.begin("kept").unwrap();
    write(&new, &[started(), ended()].concat());
    std::fs::write(own.0.join(format!("{}.json", new.stem)), "{}").unwrap();
    drop(new);
    assert_eq!(left(&own.1), Vec::<String>::new());
    assert!(own.names().iter().all(|name| !name.ends_with(".stream")));
    // Neither its Record nor its end could be written.
    let new = own.1.begin("full").unwrap();
    write(&new, &[started(), begins("step")].concat());
    own.1.mark_ended(&new.stem);
    drop(new);
    assert_eq!(left(&own.1), ["true step"]);
    for left in own.1.left_behind().unwrap() {
        let Leftover::Run(left) = left else { panic!() };
        own.1.recover(&left, "{}").unwrap();
    }
    assert_eq!(left(&own.1), Vec::<String>::new());
    // Killed before the first line.
    drop(own.1.begin("nothing").unwrap());
    assert_eq!(left(&own.1), Vec::<String>::new());
}

#[test]
fn foreign_stream_files_are_refused() {
    let own = OwnRuns::new("foreign");
    let at = |name: &str| own.0.join(name);
    let pipe = std::process::Command::new("mkfifo").arg(at("a.stream")).status();
    assert!(pipe.unwrap().success());
    std::fs::write(own.2.join("elsewhere"), started()).unwrap();
    std::os::unix::fs::symlink("../elsewhere", at("b.stream")).unwrap();
    std::fs::create_dir(at("c.stream")).unwrap();
    std::fs::write(at("d.stream"), [0; 600]).unwrap();
    let mut expected = vec!["named pipe", "is a symbolic link", "a directory", "no complete line"];
    if machine::is_root() {
        std::fs::write(at("e.stream"), started()).unwrap();
        std::os::unix::fs::chown(at("e.stream"), Some(65_534), None).unwrap();
        expected.push("another user");
    }
    let told = left(&own.1);
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.contains(expected), "{told}: {expected}");
    }
}

#[test]
fn a_stream_that_says_nothing_is_told_once_and_counts_among_the_runs() {
    let own = OwnRuns::new("nothing");
    let at = |name: &str| own.0.join(name);
    let stem = "2026-01-01T00-00-00Z-1";
    for (end, kept) in
        [("stream", stem.to_owned()), ("ended.stream", format!("{stem}-2")), ("events.jsonl", format!("{stem}-3"))]
    {
        std::fs::write(at(&format!("{stem}.{end}")), [0; 600]).unwrap();
        let told = left(&own.1);
        assert_eq!(told.len(), 1);
        assert!(told[0].ends_with(&format!(" -> {kept}.unreadable")), "{told:?}");
        assert_eq!(left(&own.1), Vec::<String>::new());
        let bytes = std::fs::read(at(&format!("{kept}.unreadable"))).unwrap();
        assert_eq!(bytes, [0; 600]);
    }
    for number in 0..2 * RUNS_MAX {
        let name = format!("2026-02-01T00-00-00Z-{number}.unreadable");
        std::fs::write(at(&name), "").unwrap();
    }
    own.1.bound("z").unwrap();
    assert_eq!(own.names().len(), 2 * RUNS_MAX);
    assert!(!at(&format!("{stem}.unreadable")).exists());
    // Files of other users keep their names.
    std::fs::write(at("my.stream"), "mine").unwrap();
    assert!(!left(&own.1)[0].contains("->"));
}

/// A drive that fails at first and succeeds later.
#[test]
fn a_stream_that_cannot_be_read_for_a_moment_is_not_lost() {
    let own = OwnRuns::new("moment");
    let new = own.1.begin("now").unwrap();
    write(&new, &[started(), begins("step")].concat());
    drop(new);
    let with = |plan: &str| faults::plan::under(plan, || left(&own.1));
    let told = with("run read .stream 0 EIO");
    assert!(told.len() == 1 && !told[0].contains("->"), "{told:?}");
    assert_eq!(with("run read .stream 1 EIO; run read .stream 2 EIO"), ["false step"]);
}

#[test]
fn bad_sector_is_left_out_and_the_rest_is_kept() {
    let own = OwnRuns::new("sector");
    let new = own.1.begin("now").unwrap();
    let long = begins(&"x".repeat(5000));
    write(&new, &[started(), long, begins("step")].concat());
    new.file.write_all_at(&[0xff; 512], 2000).unwrap();
    drop(new);
    let Some(Leftover::Run(left)) = own.1.left_behind().unwrap().pop() else { panic!() };
    assert_eq!(left.record.run.died_in.unwrap().step.unwrap(), "step");
    assert_eq!(left.record.run.unreadable.len(), 1);
}

#[test]
fn oldest_runs_are_pruned() {
    let names: Vec<OsString> = (0..500).map(|number| format!("{number:03}").into()).collect();
    let of_size = |bytes| -> Vec<(&OsString, u64)> { names.iter().map(|name| (name, bytes)).collect() };
    assert_eq!(beyond(&of_size(1)).len(), 500 - 2 * RUNS_MAX);
    assert_eq!(*beyond(&of_size(1)).last().unwrap(), &names[0]);
    assert_eq!(beyond(&of_size(1 << 20)).len(), 500 - 256);
    assert_eq!(beyond(&of_size(1 << 40)).len(), 498, "the latest stays");
}

#[test]
fn only_files_of_runs_are_counted_and_removed() {
    let check = |name: &str, expected: bool| assert_eq!(is_stem(OsStr::new(name)), expected, "{name}");
    check("2026-11-22T03-34-41Z-4711", true);
    check("2026-11-22T03-34-41Z-4711-2", true);
    check("exp1", false);
    check("2026-11-22", false);
    check("2026-11-22T03-34-41Z-of-mine", false);
}
