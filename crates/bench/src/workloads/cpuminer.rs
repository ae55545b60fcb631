//! `cpuminer`: five minutes of scrypt on all CPUs by an installed miner, which mines nothing here. Its
//! rate over time shows whether the machine holds its clock under the heaviest vector code that people
//! run. Where no miner is installed, `simd` runs instead, under its own name.
//!
//! The miner never ends by itself: it is ended after its time.

use super::Workload;
use super::scored::{positive, tool};
use crate::Lab;
use crate::child::failure;
use crate::tools::ToolKind;
use record::{Failure, FailureKind, Measured, Series};
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const CPUMINER: Workload = Workload {
    id: "cpuminer",
    about: "Five minutes of scrypt by an installed cpuminer or minerd on all CPUs: heat, and its decline.",
    link: "https://github.com/tpruvot/cpuminer-multi",
    unit: "kH/s",
    higher_is_better: true,
    tool: Some(&KIND),
    shape: None,
    lacking: |lab| lab.tools.find(&KIND).err(),
    run,
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "cpuminer",
    programs: &["cpuminer", "cpuminer-multi", "minerd"],
    version_args: &["--version"],
    recognise: version_line,
    oldest: &[],
    variable: None,
};

/// As long as it takes a heatsink to get warm; what the bash program has always run.
const TIME: Duration = Duration::from_secs(300);
/// Its scores are those of old logs.
const METHOD_MULTI: u32 = 1;
/// The original miner, whose scrypt is other code.
const METHOD_MINERD: u32 = 2;

fn run(lab: &mut Lab) -> Result<Measured, Failure> {
    let found = tool(lab, &KIND)?;
    let is_multi = found.version.contains("cpuminer-multi");
    lab.method = if is_multi {
        METHOD_MULTI
    } else {
        METHOD_MINERD
    };
    let threads = format!("--threads={}", lab.job.threads.max(1));
    let mut arguments = vec!["--benchmark", "--algo=scrypt", &threads];
    if is_multi {
        arguments.push("--no-color");
    }
    let output = lab.program_for(&found, &arguments, TIME)?;
    let series =
        parse(&output).map_err(|why| failure(FailureKind::Garbled, format!("{why}."), &output))?;
    Ok(Measured::Series(Series {
        detail: found.version,
        ..series
    }))
}

/// `** cpuminer-multi 1.3.7 by tpruvot@github **` or, of the original, `cpuminer 2.5.1`.
fn version_line(text: &str) -> Option<String> {
    let plain = without_colours(text);
    let lines = plain.lines().map(|line| line.trim_matches(['*', ' ']));
    let is_version = |line: &&str| {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next().unwrap_or_default(), words.next());
        name.starts_with("cpuminer")
            && version.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    };
    let line = lines.into_iter().find(is_version)?;
    Some(line.split(" by ").next()?.to_owned())
}

/// Lines of all threads together: `[2026-04-30 23:59:56] Total: 7.99 kH/s`.
fn parse(text: &str) -> Result<Series, String> {
    let (mut values, mut at_ms, mut start) = (Vec::new(), Vec::new(), None);
    for line in without_colours(text).lines() {
        let Some((clock_s, words)) = stamped(line) else {
            continue;
        };
        let start_s: i64 = *start.get_or_insert(clock_s);
        let Some(rate) = words.strip_prefix("Total: ").and_then(kilohashes) else {
            continue;
        };
        values.push(rate);
        // Lines carry the time of day; a run over midnight goes on from 0.
        at_ms.push((clock_s - start_s).rem_euclid(86_400) * 1000);
    }
    if values.is_empty() {
        return Err("the miner printed no hash rate of all its threads".into());
    }
    Ok(Series {
        unit: "kH/s".into(),
        higher_is_better: true,
        at_ms,
        values,
        ..Series::default()
    })
}

/// Seconds since midnight, and the rest of the line.
fn stamped(line: &str) -> Option<(i64, &str)> {
    let (date, words) = line.trim().strip_prefix('[')?.split_once(']')?;
    let mut parts = date.split_once(' ')?.1.split(':').map(str::parse::<i64>);
    let (hour, minute, second) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..61).contains(&second);
    is_time.then_some((hour * 3600 + minute * 60 + second, words.trim()))
}

/// `7.99 kH/s`, `412.50 H/s`, `6.02 khash/s`.
fn kilohashes(words: &str) -> Option<f64> {
    let (number, unit) = words.split_once(' ')?;
    let number = positive(number)?;
    match unit.trim() {
        "H/s" | "hash/s" => Some(number / 1000.0),
        "kH/s" | "khash/s" => Some(number),
        "MH/s" => Some(number * 1000.0),
        _ => None,
    }
}

/// The text without the sequences that colour it.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        let end = behind.find(|c: char| c.is_ascii_alphabetic());
        rest = end.map_or("", |end| &behind[end + 1..]);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MULTI: &str = include_str!("../../tool_output/cpuminer/1.3.7-made.txt");
    const COLOURS: &str = include_str!("../../tool_output/cpuminer/1.3.7-made-colours.txt");
    const MINERD: &str = include_str!("../../tool_output/cpuminer/minerd-2.5.1-made.txt");

    #[test]
    fn rates_and_their_times_are_read() {
        for (text, values, at_ms) in [
            (MULTI, &[7.99, 8.12, 8.10][..], &[5000, 10_000, 15_000][..]),
            (COLOURS, &[0.4125, 1250.0], &[5000, 10_000]),
            (MINERD, &[6.02, 6.04], &[2000, 7000]),
        ] {
            let series = parse(text).unwrap();
            assert_eq!((&series.values[..], &series.at_ms[..]), (values, at_ms));
        }
        for broken in ["", "[x] Total: 5 kH/s", "[a 10:00:00] Total: 5,1 kH/s"] {
            assert!(parse(broken).unwrap_err().contains("no hash rate"));
        }
    }

    #[test]
    fn both_miners_are_recognised() {
        for (text, expected) in [
            (MULTI, Some("cpuminer-multi 1.3.7")),
            (COLOURS, Some("cpuminer-multi 1.3.7")),
            ("cpuminer 2.5.1\nfeatures: AVX2", Some("cpuminer 2.5.1")),
            ("cpuminer: unknown option", None),
            ("ccminer 2.3", None),
        ] {
            assert_eq!(version_line(text).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(\\[[0-9 :-]{0,12}\\] Total: .{0,12}\n|\x1b\\[.{0,5}|.){0,8}") {
            if let Ok(series) = parse(&text) {
                prop_assert_eq!(series.values.len(), series.at_ms.len());
            }
            let _ = version_line(&text);
        }
    }
}
