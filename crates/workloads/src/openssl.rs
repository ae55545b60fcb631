//! `openssl`: `openssl speed`, AES encryption with the distribution's OpenSSL. Shows whether the CPU has AES instructions
//! and the library uses them. Without OpenSSL, `aes` runs instead, under its own name.
//!
//! Scores of equal major versions are comparable; the major version is the method, as for logs. Blocks of 16 KiB (8 KiB
//! before 1.1) measure the cipher, whose assembly for x86 and ARM has changed little from 1.0.2 to 3.x. Small blocks measure
//! calls, which became slower with the providers of 3.0. LibreSSL is a fork of 2014, whose figures have another name.

use super::Workload;
use super::attributes::{Attributes, CIPHER, CIPHERS, ClockForm, DurationRule};
use super::scored::{garbled, major, tool};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::{ToolKind, version_numbers};
use record::{Cipher, Failure, StepMeasurement, WorkloadId};
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const OPENSSL: Workload = Workload {
    id: WorkloadId::OpenSsl,
    about: "AES encryption with the distribution's OpenSSL (`openssl speed`) for six block sizes.",
    link: "https://docs.openssl.org/master/man1/openssl-speed/",
    tool: Some(&KIND),
    attributes: Attributes {
        takes: DurationRule::Fixed(6.0),
        heats: CIPHER,
        at_a_clock: Some(ClockForm::CIPHER),
        forms: CIPHERS,
        ..Attributes::PLAIN
    },
    run,
    ..Workload::PLAIN
};

const KIND: ToolKind = ToolKind {
    name: "OpenSSL",
    programs: &["openssl"],
    version_args: &["version"],
    // `OpenSSL 3.0.22 25 Aug 2026 (Library: ...)`, `OpenSSL 1.1.1n  15 Mar 2022`, `LibreSSL 3.8.2`.
    recognise: &|text| recognised("", r"^\s*(?:Open|Libre)SSL \d.*$", text),
    needs_no_rights: true,
    ..ToolKind::PLAIN
};

/// Time per block size, in versions with that option. The default of 3 s gives the same figure: version 3.0.22 on an EPYC,
/// 16 KiB, four runs each, 1024.9 MB/s (1019 to 1031) against 1026.1 MB/s (1022 to 1028). The slowest board encrypts about
/// 1000 blocks per second.
const SECONDS: &str = "1";
/// Six block sizes of 3 s, times three for busy machines.
const TIME_LIMIT: Duration = Duration::from_secs(60);

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    report.method = major(&found.version);
    let variant = context.job.variant.clone();
    let algorithm = variant.algorithm();
    let processes = context.job.threads.to_string();
    let mut arguments = vec!["speed", "-elapsed", "-evp", algorithm];
    // One process per CPU.
    if variant.is_parallel() {
        arguments.extend(["-multi", &processes]);
    }
    if has_seconds(&found.version) {
        arguments.extend(["-seconds", SECONDS]);
    }
    let output = context.program(report, &found, &arguments, TIME_LIMIT)?;
    let (measured, _) = parse(&output, algorithm).map_err(|why| garbled(why, &output))?;
    Ok(StepMeasurement::Cipher(measured))
}

/// `-seconds` came with OpenSSL 1.1.1.
fn has_seconds(version: &str) -> bool {
    version.starts_with("OpenSSL ") && version_numbers(version).as_slice() >= [1, 1, 1].as_slice()
}

/// The table of `openssl speed`: a heading with the block sizes, and a line of figures in 1000 bytes per second (with a `k`)
/// or, below 10,000, in bytes per second. Also returns unreadable lines.
///
/// # Errors
/// One sentence without its stop: what is missing or contradictory.
pub(super) fn parse(text: &str, algorithm: &str) -> Result<(Cipher, Vec<String>), String> {
    let mut sizes = None;
    let mut rates = None;
    let mut unread = Vec::new();
    for line in text.lines() {
        if let Some(found) = block_sizes(line) {
            sizes = Some(found);
        } else if let Some(found) = figures(line, algorithm) {
            rates = Some(found);
        } else if !is_chatter(line) {
            unread.push(line.to_owned());
        }
    }
    let sizes = sizes.ok_or("OpenSSL printed no table")?;
    let rates = rates.ok_or(format!("OpenSSL printed no figures for {algorithm}"))?;
    if sizes.len() != rates.len() {
        let (columns, values) = (sizes.len(), rates.len());
        return Err(format!("OpenSSL printed {values} figures for {columns} block sizes"));
    }
    if rates.contains(&0) {
        return Err(format!("OpenSSL printed a speed of 0 for {algorithm}"));
    }
    let rows = sizes.into_iter().zip(rates).collect();
    Ok((Cipher { algorithm: algorithm.to_owned(), rows }, unread))
}

/// `type             16 bytes     64 bytes ...`
fn block_sizes(line: &str) -> Option<Vec<u32>> {
    // With several processes the sizes are in the report of each process instead of a heading.
    if let Some(sizes) = line.strip_prefix("Got: +H:") {
        let sizes = sizes.split(' ').next()?.split(':');
        return sizes.map(|size| size.parse().ok()).collect();
    }
    let words: Vec<&str> = line.strip_prefix("type ")?.split_whitespace().collect();
    let size = |pair: &[&str]| match pair {
        [size, "bytes"] => size.parse().ok(),
        _ => None,
    };
    words.chunks(2).map(size).collect()
}

/// `AES-256-CBC     833883.14k   922928.00k ...`: version 3 writes the name in capitals.
fn figures(line: &str, algorithm: &str) -> Option<Vec<u64>> {
    let name = line.get(..algorithm.len())?;
    if !name.eq_ignore_ascii_case(algorithm) {
        return None;
    }
    let values = line.get(algorithm.len()..)?.split_whitespace();
    values.map(bytes_per_s).collect()
}

fn bytes_per_s(word: &str) -> Option<u64> {
    let (number, factor) = match word.strip_suffix('k') {
        Some(number) => (number, 1000.0),
        None => (word, 1.0),
    };
    let value: f64 = number.parse().ok()?;
    // Higher rates are garbage.
    (0.0..1e15).contains(&(value * factor)).then(|| (value * factor).round() as u64)
}

/// Whether a line has progress or facts about the build only.
fn is_chatter(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "+",
        "Forked child",
        "Got: ",
        "You have chosen",
        "Doing ",
        "version:",
        "built on:",
        "options:",
        "compiler:",
        "CPUINFO:",
        "The 'numbers' are in 1000s",
        "OpenSSL ",
        "LibreSSL ",
    ];
    line.trim().is_empty() || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::{Bench, Program};
    use proptest::prelude::*;
    use record::{FailureKind, Variant};

    const V3: &str = include_str!("../tool_output/openssl/3.0.22-x86_64-aes-256-cbc.txt");
    const PROCESSES: &str = include_str!("../tool_output/openssl/3.0.22-x86_64-aes-256-gcm-parallel.txt");
    const V1_1: &str = include_str!("../tool_output/openssl/1.1.1-made-aes-128-cbc.txt");
    const V1_0: &str = include_str!("../tool_output/openssl/1.0.2-made-aes-256-cbc.txt");

    #[test]
    fn every_version_is_read_whole() {
        let cases = [
            (V3, "aes-256-cbc", 6, (16, 702_839_150), (16384, 748_208_130)),
            (V1_1, "aes-128-cbc", 6, (16, 80_000_000), (16384, 163_840_000)),
            (V1_0, "aes-256-cbc", 5, (16, 10_000), (8192, 40_960_000)),
            (PROCESSES, "aes-256-gcm", 6, (16, 69752850), (16384, 6340345860)),
        ];
        for (text, algorithm, columns, first, last) in cases {
            let (found, unread) = parse(text, algorithm).unwrap();
            assert_eq!((found.algorithm.as_str(), found.rows.len()), (algorithm, columns));
            assert_eq!((found.rows[0], found.rows[columns - 1]), (first, last));
            assert_eq!(unread, Vec::<String>::new());
        }
    }

    #[test]
    fn garbled_output_is_refused() {
        let cases = [
            (String::new(), "no table"),
            (V3.replace("type ", "Typ  "), "no table"),
            (V3.replace("AES-256-CBC  ", "AES-128-GCM  "), "no figures for aes-256-cbc"),
            (V1_1.replace("163840.00k\n", "\n"), "5 figures for 6"),
            (V1_1.replace(" 80000.00k", "     0.00 "), "speed of 0"),
            (V1_1.replace(" 80000.00k", " 80000,00k"), "no figures"),
            (V1_1.replace(" 80000.00k", "       infk"), "no figures"),
        ];
        for (text, expected) in cases {
            let algorithm = if text.contains("128") { "aes-128-cbc" } else { "aes-256-cbc" };
            let algorithm = if text.contains("GCM") { "aes-256-cbc" } else { algorithm };
            let why = parse(&text, algorithm).unwrap_err();
            assert!(why.contains(expected), "{why:?} lacks {expected:?}");
        }
    }

    #[test]
    fn versions_are_told_apart() {
        // (what it prints, is it one, does it know `-seconds`)
        let cases = [
            ("OpenSSL 3.0.22 25 Aug 2026 (Library: OpenSSL 3.0.22 25 Aug 2026)", true, true),
            ("OpenSSL 1.1.1n  15 Mar 2022", true, true),
            ("OpenSSL 1.1.0g  2 Nov 2017", true, false),
            ("OpenSSL 1.0.2g  1 Mar 2016", true, false),
            ("LibreSSL 3.8.2", true, false),
            ("WARNING: can't open config file\nOpenSSL 1.0.2g  1 Mar 2016", true, false),
            ("openssl is a band from Leeds", false, false),
            ("OpenSSL for cats", false, false),
            ("", false, false),
        ];
        for (text, is_one, seconds) in cases {
            let version = (KIND.recognise)(text);
            assert_eq!(version.is_some(), is_one, "{text}");
            assert_eq!(has_seconds(&version.unwrap_or_default()), seconds, "{text}");
        }
    }

    fn check(version: &str, output: &str, expected: Result<u32, FailureKind>, arguments: &str) {
        let body = format!("case $1 in version) echo '{version}';; *) cat <<'END'\n{output}\nEND\n;; esac");
        let bench = Bench::new(&[Program { name: "openssl".into(), body }]);
        let job = Job { workload: WorkloadId::OpenSsl, variant: Variant::AES_128_CBC, threads: 1, ..Job::default() };
        bench.with(&job, |context, report| {
            assert_eq!(OPENSSL.missing(context), None);
            let kind = run(context, report).map_err(|failure| failure.kind);
            assert_eq!(kind.map(|_| report.method), expected);
            assert_eq!(report.tool.as_ref().unwrap().argv[1..].join(" "), arguments);
        });
    }

    #[test]
    fn old_versions_are_not_asked_for_what_they_lack() {
        let plain = "speed -elapsed -evp aes-128-cbc";
        check("OpenSSL 1.1.1n  15 Mar 2022", V1_1, Ok(1), &format!("{plain} -seconds 1"));
        check("OpenSSL 1.1.0g  2 Nov 2017", V1_1, Ok(1), plain);
        check("LibreSSL 3.8.2", V1_1, Ok(3), plain);
        check("LibreSSL 3.8.2", "Segmentation fault", Err(FailureKind::Garbled), plain);
    }

    proptest! {
        #[test]
        fn parse_never_panics(text in any::<String>(), algorithm in any::<String>()) {
            let _ = parse(&text, &algorithm);
            let _ = (KIND.recognise)(&text);
            let _ = has_seconds(&text);
        }

        #[test]
        fn damaged_report_never_panics(at in 0..V1_1.len(), with in "[0-9 .k\n-]{0,12}") {
            let text = format!("{}{with}{}", &V1_1[..at], &V1_1[at..]);
            if let Ok((found, _)) = parse(&text, "aes-128-cbc") {
                prop_assert!(found.rows.iter().all(|(_, rate)| *rate > 0));
            }
        }
    }
}
