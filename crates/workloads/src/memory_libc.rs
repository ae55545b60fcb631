//! Memory bandwidth of `memcpy` and `memset` of the machine's C library.
//!
//! The library of this program may be another one, so a small program is generated like those of the distribution
//! (`microbench::probe`), kept in memory, and started by the distribution's loader. It times the same work as the rows
//! `libc memcpy copy` and `libc memset fill` of tinymembench: 32 MiB from one buffer to another, one untimed call, then
//! doubling numbers of calls for half a second. It is repeated until results agree, and the best counts.

use super::Workload;
use super::attributes::{Attributes, DurationRule};
use super::memory::{in_haste, rate};
use super::scored::{garbled, not_started};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::available_kib;
use machine::faults::{self, Call as Asked};
use microbench::probe::{Call, Pattern};
use process::tools::InstalledProgram;
use record::{
    Bandwidth, BandwidthRow, Failure, MemoryOperation, Missing, Reading, RepetitionStats, StepMeasurement, StopReason,
    WorkloadId,
};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const MEMORY_LIBC: Workload = Workload {
    id: WorkloadId::MemoryLibc,
    about: "Bytes per second that memcpy and memset of the machine's own C library copy and fill.",
    link: "https://github.com/ssvb/tinymembench",
    attributes: Attributes { takes: DurationRule::Fixed(5.0), ..Attributes::PLAIN },
    lacking: |context| ready(context).err(),
    run,
    ..Workload::PLAIN
};

/// Rises when the calls or their timing change.
const METHOD: u32 = 1;
/// Programs of the distribution that show its format. The shell of some systems is static.
const PROGRAMS: [&str; 4] = ["/bin/sh", "/usr/bin/env", "/bin/ls", "/bin/bash"];
/// Upper bound of a program; shells have a tenth of it, multi-call binaries up to half.
const PROGRAM_BYTES_MAX: usize = 4 << 20;
/// Size of each of the two buffers.
const BUFFER_BYTES: u32 = 32 << 20;
/// Minimum duration of a repetition.
const LEAST_NS: u32 = 500_000_000;
/// One and a half times both buffers.
const AVAILABLE_KIB_MIN: u64 = 96 << 10;
/// Limit of a repetition; the slowest known board copies 32 MiB in half a second.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Repetitions agree if their standard deviation is below this share of the best.
const AGREES: f64 = 0.001;

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let pattern = ready(context).map_err(not_started)?;
    let rows = [measure(context, report, &pattern, Call::Copy)?, measure(context, report, &pattern, Call::Fill)?];
    // The program does not verify: every program of the machine would notice a wrong copy.
    Ok(StepMeasurement::Bandwidth(Bandwidth {
        buffer_bytes: u64::from(buffer_bytes()),
        verified: false,
        rows: rows.into(),
    }))
}

/// Image of the program, if all its parts are available.
fn ready(context: &WorkloadContext) -> Reading<Pattern> {
    if let Ok(kib @ ..AVAILABLE_KIB_MIN) = available_kib(context.root) {
        let why = format!("only {kib} KiB of memory are available, and the buffers of this method need 65536");
        return Err(Missing::unsupported("/proc/meminfo", why));
    }
    let mut whys = Vec::new();
    for path in PROGRAMS {
        let read = context.root.read_head(path, PROGRAM_BYTES_MAX).map_err(|missing| missing.to_string());
        let found =
            read.and_then(|bytes| microbench::probe::parse_program(&bytes).map_err(|why| format!("{path} {why}")));
        match found.and_then(|pattern| bound(context, path, pattern)) {
            Ok(pattern) => return Ok(pattern),
            Err(why) => whys.push(why),
        }
    }
    let why = format!("nothing shows how programs are bound to the C library of this machine: {}", whys.join("; "));
    Err(Missing::unsupported(PROGRAMS[0], why))
}

/// Size of a buffer; smaller in quick tests.
fn buffer_bytes() -> u32 {
    in_haste(u64::from(BUFFER_BYTES)) as u32
}

/// The pattern of the program at `path`, if a program like it can be generated and its loader exists.
fn bound(context: &WorkloadContext, path: &str, pattern: Pattern) -> Result<Pattern, String> {
    image(&pattern, Call::Copy).map_err(|missing| missing.to_string())?;
    match context.root.read_head(&pattern.loader, 1) {
        Ok(_) => Ok(pattern),
        Err(missing) => Err(format!("the loader of {path} is not there: {missing}")),
    }
}

fn image(pattern: &Pattern, call: Call) -> Reading<Vec<u8>> {
    let made = microbench::probe::image(pattern, call, buffer_bytes(), LEAST_NS / faults::haste());
    made.map_err(|why| Missing::unsupported(pattern.loader.as_str(), why))
}

/// Repeats one call until it is known, each time in a new process.
fn measure(
    context: &WorkloadContext,
    report: &mut StepReport,
    pattern: &Pattern,
    call: Call,
) -> Result<BandwidthRow, Failure> {
    let (routine, operation) = match call {
        Call::Copy => ("libc memcpy copy", MemoryOperation::Copy),
        Call::Fill => ("libc memset fill", MemoryOperation::Fill),
    };
    let image = image(pattern, call).map_err(not_started)?;
    let kept = faults::pass(Asked::Open, "memfd", || in_memory(&image));
    let kept = kept.map_err(|why| not_started(format!("no program can be kept in memory: {why}")))?;
    let program = format!("/proc/self/fd/{}", kept.as_raw_fd());
    let loader = InstalledProgram {
        name: "libc".into(),
        path: pattern.loader.clone(),
        version: pattern.libc.clone(),
        runs_as_caller: false,
    };
    let times = if context.job.is_extensive { 3..=10 } else { 2..=3 };
    let mut bytes_per_s = Vec::with_capacity(*times.end());
    let ended = loop {
        bytes_per_s.push(once(context, report, &loader, &program)?);
        if bytes_per_s.len() >= *times.start() && agree(&bytes_per_s) {
            break StopReason::Narrow;
        }
        if bytes_per_s.len() == *times.end() {
            break StopReason::Times;
        }
    };
    let rates: Vec<f64> = bytes_per_s.iter().map(|rate| *rate as f64 / 1e6).collect();
    report.repeated.extend(RepetitionStats::of(routine, "MB/s", &rates, ended));
    Ok(BandwidthRow {
        routine: routine.to_owned(),
        operation,
        bytes_per_s,
        printed_deviation_percent: None,
        line: None,
    })
}

/// Runs the program once; bytes per second.
fn once(
    context: &WorkloadContext,
    report: &mut StepReport,
    loader: &InstalledProgram,
    program: &str,
) -> Result<u64, Failure> {
    let output = context.program(report, loader, &[program], TIME_LIMIT)?;
    let timed = microbench::probe::parse_line(&output)
        .map_err(|why| garbled(format!("The program that calls libc {why}"), &output))?;
    Ok(rate(timed.calls * u64::from(buffer_bytes()), timed.elapsed_ns))
}

/// A file in memory that child processes inherit.
fn in_memory(bytes: &[u8]) -> std::io::Result<File> {
    const NAME: &str = "sbc-bench-libc";
    // The loader maps it and the file itself is not executed, which newer kernels require to be declared.
    let file = match memfd_create(NAME, MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => memfd_create(NAME, MemfdFlags::empty()),
        made => made,
    }?;
    let mut file = File::from(file);
    file.write_all(bytes)?;
    Ok(file)
}

/// Whether the sample standard deviation is small relative to the maximum.
fn agree(bytes_per_s: &[u64]) -> bool {
    let count = bytes_per_s.len() as f64;
    let rates = || bytes_per_s.iter().map(|rate| *rate as f64);
    let mean = rates().sum::<f64>() / count;
    let squares: f64 = rates().map(|rate| (rate - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt() < AGREES * rates().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::{Bench, Program};
    use machine::Root;
    use microbench::arch::LIBC_LOOPS;
    use record::FailureKind;

    const JOB: fn() -> Job = || Job { workload: WorkloadId::MemoryLibc, cpus: vec![0], threads: 1, ..Job::default() };

    /// A machine whose shell is this file.
    fn with_shell(shell: &[u8], available_kib: u64) -> Bench {
        let mut bench = Bench::new(&[]);
        let place = bench.tools_directory().to_owned();
        std::fs::create_dir_all(place.join("bin")).unwrap();
        std::fs::create_dir_all(place.join("proc")).unwrap();
        std::fs::write(place.join("bin/sh"), shell).unwrap();
        std::fs::write(place.join("proc/meminfo"), format!("MemAvailable: {available_kib} kB\n")).unwrap();
        bench.root = Root::of_folder(&place);
        bench
    }

    fn pattern(loader: &str) -> Pattern {
        Pattern::new(LIBC_LOOPS[0].isa, 0, loader, "libc.so.6")
    }

    fn lacks(bench: &Bench) -> String {
        bench.with(&JOB(), |context, _| MEMORY_LIBC.missing(context)).map_or_else(String::new, |why| why.to_string())
    }

    #[test]
    fn a_machine_without_a_loader_says_so() {
        let check = |shell: &[u8], expected: &str| {
            let why = lacks(&with_shell(shell, 1 << 20));
            assert!(why.contains(expected), "{why}");
        };
        check(b"#!/bin/other\n", "/bin/sh is not an ELF file; /usr/bin/env");
        check(b"\x7fELF\x02\x01", "/bin/sh is cut off");
        assert!(lacks(&Bench::new(&[])).contains("nothing shows how programs are bound"));
        let whole = microbench::probe::image(&pattern("/lib/ld.so.1"), Call::Copy, 1, 1).unwrap();
        check(&whole, "the loader of /bin/sh is not there: /lib/ld.so.1 does not exist; ");
        assert!(lacks(&with_shell(b"", 90_000)).contains("only 90000 KiB of memory are available"));
    }

    /// Measures a copy by a loader that is this line of shell.
    fn copied(loader: &str, is_extensive: bool) -> Result<(BandwidthRow, Vec<RepetitionStats>), Failure> {
        let bench = Bench::new(&[Program { name: "loader".into(), body: loader.into() }]);
        let loader = bench.tools_directory().join("loader");
        let pattern = pattern(loader.to_str().unwrap());
        bench.with(&Job { is_extensive, ..JOB() }, |context, report| {
            measure(context, report, &pattern, Call::Copy).map(|row| (row, std::mem::take(&mut report.repeated)))
        })
    }

    #[test]
    fn the_loader_is_handed_a_program_and_repeated_until_it_agrees() {
        let digits = |word: u64| format!("{word:022o}");
        let line = |ns| [1, 5, 0, 5, ns].map(digits).join(" ");
        // The program is there, as long as the loader looks at it.
        let even = format!("head -c 4 $1 | grep -q ELF && echo {}", line(100_000_000));
        let (row, repeated) = copied(&even, false).unwrap();
        assert_eq!(row.bytes_per_s, [335_544_320; 2]);
        assert_eq!((repeated[0].n, repeated[0].ended), (2, StopReason::Narrow));
        assert_eq!(copied(&even, true).unwrap().0.bytes_per_s.len(), 3);
        let uneven = format!("echo {}$(date +%N | cut -c 1-8 | tr 89 67)", &line(0)[..106]);
        let (row, repeated) = copied(&uneven, true).unwrap();
        assert_eq!((row.bytes_per_s.len(), repeated[0].ended), (10, StopReason::Times));
        assert_eq!(copied(&uneven, false).unwrap().0.bytes_per_s.len(), 3);
    }

    #[test]
    fn a_hostile_program_is_refused() {
        let check = |loader: &str, kind, expected: &str| {
            let failed = copied(loader, false).unwrap_err();
            assert_eq!(failed.kind, kind, "{failed:?}");
            assert!(failed.message.contains(expected), "{failed:?}");
        };
        check("true", FailureKind::Garbled, "The program that calls libc printed no times.");
        check("head -c 2000000 /dev/zero", FailureKind::Garbled, "printed no times");
        check(
            "echo 00000000002 00000000001 00000000000 00000000002 00000000000",
            FailureKind::Garbled,
            "reported 2 calls between 1 s 0 ns and 2 s 0 ns",
        );
        check("echo no such library; exit 127", FailureKind::ExitStatus, "127");
    }

    #[test]
    fn the_library_of_this_machine_is_measured() {
        let mut bench = Bench::new(&[]);
        bench.root = Root::system();
        let measured = bench.with(&JOB(), |context, report| match MEMORY_LIBC.missing(context) {
            Some(missing) => Err(missing.to_string()),
            None => Ok((MEMORY_LIBC.run)(context, report).unwrap()),
        });
        let measured = match measured {
            Ok(StepMeasurement::Bandwidth(measured)) => measured,
            Ok(other) => panic!("{other:?}"),
            Err(why) => return testkit::skip(&why),
        };
        let routines: Vec<&str> = measured.rows.iter().map(|row| row.routine.as_str()).collect();
        assert_eq!(routines, ["libc memcpy copy", "libc memset fill"]);
        assert!(measured.rows.iter().flat_map(|row| &row.bytes_per_s).all(|rate| *rate > 0));
    }
}
