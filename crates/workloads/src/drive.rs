//! `drive`: the drive under a chosen folder by fio: large files, random blocks, many small files.
//!
//! Direct I/O bypasses the page cache. On file systems without it, files are written back before the clock stops and
//! dropped from the cache before they are read. It measures the file system on the drive, not the bare device.

use super::attributes::{Attributes, Needs};
use super::scored::{garbled, higher, json, not_started, positive, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::faults;
use machine::files::OwnFolder;
use process::tools::{InstalledProgram, ToolKind};
use record::{Failure, Scores, StepMeasurement, Variant, WorkloadId};
use rustix::fs::fstatvfs;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

const VARIANTS: &[Variant] = &[
    Variant::own("write"),
    Variant::own("read"),
    Variant::own("random-read"),
    Variant::own("random-write"),
    Variant::own("small-files"),
];

/// The entry in the table of workloads.
pub(super) const DRIVE: Workload = Workload {
    id: WorkloadId::Drive,
    about: "Large files, random blocks and small files on the drive of --dir (default: current directory), with fio.",
    link: "https://fio.readthedocs.io/en/latest/fio_doc.html",
    tool: Some(&KIND),
    shape: Some(Shape { variants: VARIANTS, places: Places::All, repetitions: 1, seconds: SECONDS }),
    attributes: Attributes { needs: Needs::DIRECTORY, ..Attributes::PLAIN },
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "fio",
    programs: &["fio"],
    recognise: &|text| recognised("fio", r"^fio-(.*\S)", text),
    // Older ones count bandwidth in KiB only.
    oldest: &[3, 0],
    ..ToolKind::PLAIN
};

/// Rises when the files or the access pattern change.
const METHOD: u32 = 1;
/// Longer than the pauses of cards that collect garbage.
const SECONDS: u64 = 10;
/// Larger than caches of drives; slow cards write it in a minute.
const LARGE_BYTES: u64 = 512 << 20;
const SMALL_BYTES: u64 = 16 << 10;
const SMALL_FILES: u64 = 10_000;
/// Minimum free space on the drive; a full one breaks more than a benchmark.
const SPARE_BYTES: u64 = 128 << 20;
/// The large file at 1 MB/s.
const PREPARING_LIMIT: Duration = Duration::from_secs(600);
/// Allowance for drives that stall, and for the removal of files.
const SPARE_TIME: Duration = Duration::from_secs(120);

/// Size of the large file; smaller in quick tests.
fn large_bytes() -> u64 {
    (LARGE_BYTES / u64::from(faults::haste())).max(16 << 20)
}

/// Number of small files; fewer in quick tests.
fn small_files() -> u64 {
    (SMALL_FILES / u64::from(faults::haste())).max(100)
}

/// Files in fio's working directory.
const LARGE: &str = "large";
const SMALL: &str = "small";
const RESULTS: &str = "fio.json";
/// Upper bound of the size of results.
const RESULTS_BYTES_MAX: u64 = 16 << 20;

/// Way to bypass the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cache {
    PassedBy,
    Dropped,
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    report.method = METHOD;
    let refused = |why: String| not_started(format!("{why}."));
    let folder = context.site.drive_folder().map_err(refused)?;
    let context = &context.in_folder(&folder);
    let is_small = context.job.variant.as_str() == "small-files";
    let written = match folder.length(LARGE) {
        Some(length) if !is_small && length >= large_bytes() => 0,
        _ if is_small => SMALL_BYTES * small_files(),
        _ => large_bytes(),
    };
    check_space(&context.site.drive(), &folder, written).map_err(refused)?;
    if written > 0 && !is_small {
        prepare(context, report, &found, &folder)?;
    }
    if is_small {
        let made = folder.make_folder(SMALL);
        made.map_err(|why| refused(why.to_string()))?;
    }
    report.start_timing(context.timeline);
    let outcome = measure(context, report, &found, &folder);
    // The next repetition must create the small files, not rewrite them.
    let removed = folder.remove(SMALL);
    outcome.and_then(|measured| match removed {
        Ok(()) => Ok(measured),
        Err(why) => Err(refused(why.to_string())),
    })
}

/// Refuses to fill a drive: it must have room for `bytes` and [`SPARE_BYTES`].
pub(super) fn check_space(drive: &Path, folder: &OwnFolder, bytes: u64) -> Result<(), String> {
    let Ok(space) = fstatvfs(folder.descriptor()) else { return Ok(()) };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    let needed = bytes + SPARE_BYTES;
    (bytes == 0 || free >= needed).then_some(()).ok_or_else(|| {
        format!(
            "{} has {} MB free, {} MB are needed; use another directory (--dir)",
            drive.display(),
            free / 1_000_000,
            needed / 1_000_000
        )
    })
}

/// Writes the large file to the drive, for forms that read it.
fn prepare(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    folder: &OwnFolder,
) -> Result<(), Failure> {
    let file = format!("--filename={LARGE}");
    let size = format!("--size={}", large_bytes());
    let arguments = ["--name=prepare", &file, &size, "--rw=write", "--bs=1M", "--end_fsync=1", "--eta=never"];
    let done = context.program(report, found, &arguments, PREPARING_LIMIT);
    done.map(|_| ()).map_err(|failure| explained(failure, folder.path()))
}

fn measure(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    folder: &OwnFolder,
) -> Result<StepMeasurement, Failure> {
    let first = once(context, report, found, folder, Cache::PassedBy);
    let (output, cache) = match first {
        Err(failure) if takes_no_direct(&failure.output_tail) => {
            report.start_timing(context.timeline);
            (once(context, report, found, folder, Cache::Dropped), Cache::Dropped)
        }
        other => (other, Cache::PassedBy),
    };
    let output = output.map_err(|failure| explained(failure, folder.path()))?;
    let how = match cache {
        Cache::PassedBy => "direct I/O",
        Cache::Dropped => {
            report.not_comparable = Some("buffered I/O (the file system does not support O_DIRECT)".into());
            "buffered I/O; page cache dropped before and synced after"
        }
    };
    let scores = parse(&output, context.job.variant.as_str()).map_err(|why| garbled(why, &output))?;
    let folder = context.site.drive();
    Ok(StepMeasurement::Scores(Scores {
        detail: format!("{} in {}, {how}", scores.detail, folder.display()),
        ..scores
    }))
}

/// Runs fio and returns its results, which go to a file to keep them apart from messages.
fn once(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    folder: &OwnFolder,
    cache: Cache,
) -> Result<String, Failure> {
    let refused = |why: String| not_started(format!("{why}."));
    // Results of an earlier step must not be taken for new ones.
    let removed = folder.remove(RESULTS);
    removed.map_err(|why| refused(why.to_string()))?;
    let time = context.time_or(Duration::from_secs(SECONDS));
    let mut arguments = arguments(context.job.variant.as_str(), time, cache);
    arguments.push(format!("--output={RESULTS}"));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let messages = context.program(report, found, &arguments, time + SPARE_TIME)?;
    let results = folder.files().read(OsStr::new(RESULTS), RESULTS_BYTES_MAX);
    let results = results.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    results.map_err(|why| garbled(format!("fio wrote no results: {why}"), &messages))
}

fn arguments(variant: &str, time: Duration, cache: Cache) -> Vec<String> {
    let mut words: Vec<String> =
        ["--name=drive", "--ioengine=psync", "--output-format=json", "--eta=never", "--invalidate=1"]
            .map(str::to_owned)
            .to_vec();
    words.push(format!("--runtime={}", time.as_secs().max(1)));
    if variant == "small-files" {
        words.extend([
            format!("--directory={SMALL}"),
            format!("--nrfiles={}", small_files()),
            format!("--filesize={SMALL_BYTES}"),
            format!("--bs={SMALL_BYTES}"),
        ]);
        let rest = "--rw=write --openfiles=1 --create_on_open=1 --fsync_on_close=1 \
                    --file_service_type=sequential";
        words.extend(rest.split_whitespace().map(str::to_owned));
        return words;
    }
    words.push(format!("--filename={LARGE}"));
    words.push(format!("--size={}", large_bytes()));
    let work = match variant {
        "write" => "--rw=write --bs=1M",
        "random-read" => "--rw=randread --bs=4k --norandommap",
        "random-write" => "--rw=randwrite --bs=4k --norandommap",
        _ => "--rw=read --bs=1M",
    };
    let cache = match cache {
        // The file is read or written repeatedly until time is up; no access hits memory.
        Cache::PassedBy => "--direct=1 --time_based",
        Cache::Dropped => "--direct=0 --end_fsync=1",
    };
    let rest = work.split_whitespace().chain(cache.split_whitespace());
    words.extend(rest.map(str::to_owned));
    words
}

fn takes_no_direct(output: &str) -> bool {
    output.contains("direct=1") || output.contains("Invalid argument")
}

/// The failure with the reason of the drive, if fio printed one.
fn explained(failure: Failure, place: &Path) -> Failure {
    match reason(&failure.output_tail) {
        Some(why) => Failure { message: format!("fio failed in {}: {why}.", place.display()), ..failure },
        None => failure,
    }
}

/// `No space left on device` of `fio: io_u error on file X: No space left on device: write offset=...`,
/// or of `fio: pid=1, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device`.
fn reason(output: &str) -> Option<String> {
    let line = output.lines().rfind(|line| line.starts_with("fio: ") && line.contains("error="))?;
    let why = line.rsplit_once("error=")?.1.trim();
    (!why.is_empty()).then(|| why.to_owned())
}

/// The only job of fio's JSON.
pub(super) fn parse(output: &str, variant: &str) -> Result<Scores, String> {
    let why = if output.contains('{') { "fio's JSON is incomplete" } else { "fio printed no JSON" };
    let value = json(output).ok_or(why)?;
    let job = &value["jobs"][0];
    let side = match variant {
        "read" | "random-read" => &job["read"],
        _ => &job["write"],
    };
    let number = |name: &str| {
        let found = side[name].as_f64().filter(|value| value.is_finite() && *value > 0.0);
        found.ok_or_else(|| format!("fio's JSON has no {name} for {variant}"))
    };
    let row = match variant {
        "small-files" => higher("", number("iops")?, "files/s"),
        "random-read" | "random-write" => higher("", number("iops")?, "IOPS"),
        _ => higher("", number("bw_bytes")? / 1e6, "MB/s"),
    };
    let what = match variant {
        "small-files" => format!("{} KiB files, fsync after each", SMALL_BYTES >> 10),
        "random-read" | "random-write" => "4 KiB blocks, queue depth 1".to_owned(),
        _ => "1 MiB blocks".to_owned(),
    };
    let slow = side["clat_ns"]["percentile"]["99.000000"].to_string();
    let slow = positive(&slow).map_or(String::new(), |ns| format!(", 99 % within {:.2} ms", ns / 1e6));
    let drives = value["disk_util"].as_array().into_iter().flatten();
    let drives: Vec<&str> = drives.filter_map(|disk| disk["name"].as_str()).collect();
    let on = if drives.is_empty() { String::new() } else { format!(" on {}", drives.join(" and ")) };
    Ok(Scores { rows: vec![row], detail: format!("{what}{slow}{on}"), ..Scores::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::{Bench, Program};

    const WRITE: &str = include_str!("../tool_output/fio/3.33-x86_64-write.txt");
    const READ: &str = include_str!("../tool_output/fio/3.33-x86_64-read.txt");
    const RANDOM: &str = include_str!("../tool_output/fio/3.33-x86_64-randread.txt");
    const SMALL: &str = include_str!("../tool_output/fio/3.33-x86_64-small.txt");
    const FULL: &str = include_str!("../tool_output/fio/3.33-x86_64-full.txt");

    #[test]
    fn every_form_is_read() {
        for (text, variant, value, unit) in [
            (WRITE, "write", 3_217.356_817, "MB/s"),
            (READ, "read", 1_343.477_080, "MB/s"),
            (RANDOM, "random-read", 20_335.332_334, "IOPS"),
            (SMALL, "small-files", 2_777.777_778, "files/s"),
        ] {
            let found = parse(text, variant).unwrap();
            assert_eq!(found.rows, [higher("", value, unit)]);
            assert!(found.detail.contains("99 % within") && found.detail.ends_with(" on vda"));
        }
        assert!(parse(WRITE, "read").unwrap_err().contains("no bw_bytes for read"));
        assert!(parse("fio: bad option", "read").unwrap_err().contains("no JSON"));
        assert!(parse(&WRITE[..500], "write").unwrap_err().contains("incomplete"));
    }

    #[test]
    fn full_drive_error() {
        assert_eq!(reason(FULL).as_deref(), Some("No space left on device"));
        assert_eq!(reason(WRITE), None);
    }

    #[test]
    fn names_have_no_path() {
        let words = arguments("write", Duration::from_secs(2), Cache::PassedBy);
        assert!(words.iter().all(|word| !word.contains('/')), "{words:?}");
        assert!(words.contains(&"--filename=large".to_owned()), "{words:?}");
        assert!(words.contains(&"--direct=1".to_owned()) && words.contains(&"--runtime=2".to_owned()));
    }

    fn folder() -> OwnFolder {
        OwnFolder::make(&std::env::temp_dir(), &mut |_, _| Ok(())).unwrap()
    }

    /// Runs the workload with a made fio; the failure's message, or the score.
    fn check(body: &str, variant: &str) -> Result<f64, String> {
        let bench = Bench::new(&[Program {
            name: "fio".into(),
            body: format!("[ \"$1\" = --version ] && echo fio-3.33 && exit\n{body}"),
        }]);
        let job = Job { workload: WorkloadId::Drive, variant: variant.into(), ..Job::default() };
        let folder = folder();
        let outcome = bench.with_targets(&job, Some(folder.path()), run);
        let left = folder.files().names().unwrap();
        assert!(left.is_empty(), "{left:?} were left");
        match outcome {
            Ok(StepMeasurement::Scores(scores)) => Ok(scores.rows[0].value),
            Ok(other) => panic!("{other:?}"),
            Err(failure) => Err(failure.message),
        }
    }

    #[test]
    fn file_systems_without_direct_input_are_asked_again() {
        let output = concat!(env!("CARGO_MANIFEST_DIR"), "/tool_output/fio/3.33-x86_64-write.txt");
        let body = format!(
            "case \"$*\" in *--direct=1*)\n\
             echo 'fio: looks like your file system does not support direct=1/buffered=0'; exit 1;; esac\n\
             for word in \"$@\"; do case $word in --output=*) cat {output} > ${{word#--output=}};; esac; done"
        );
        assert_eq!(check(&body, "write"), Ok(3_217.356_817));
    }

    #[test]
    fn crash_and_full_drive_errors() {
        let why = check("kill -SEGV $$", "write").unwrap_err();
        assert!(why.contains("SIGSEGV"), "{why}");
        let full = concat!(env!("CARGO_MANIFEST_DIR"), "/tool_output/fio/3.33-x86_64-full.txt");
        let why = check(&format!("head -n 2 {full}; exit 1"), "write").unwrap_err();
        assert!(why.contains("No space left on device"), "{why}");
        let why = check(":", "small-files").unwrap_err();
        assert!(why.contains("no results"), "{why}");
    }

    #[test]
    fn space_is_checked_first() {
        let here = folder();
        assert_eq!(check_space(here.path(), &here, 0), Ok(()));
        let why = check_space(here.path(), &here, u64::MAX - SPARE_BYTES).unwrap_err();
        assert!(why.contains("MB free") && why.contains("--dir"), "{why}");
    }

    #[test]
    fn missing_fio() {
        let job = Job::default();
        let missing = Bench::new(&[]).with(&job, |context, _| DRIVE.missing(context));
        assert!(missing.map(|missing| missing.to_string()).unwrap().contains("fio"));
    }
}
