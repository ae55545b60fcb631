//! Copies of a log as people pass it on: cut, or in any form.

use crate::{read, read_all};

#[test]
fn rows_of_a_cut_pass_are_no_clocks() {
    let log = include_str!("../fixtures/0.9.72-standard.txt");
    let record = read(&log[log.find("Cpufreq OPP:  408").unwrap()..]);
    let Some(record::Outcome::Done(record::StepMeasurement::Clock(clocks))) =
        record.steps.first().map(|step| &step.outcome)
    else {
        panic!("{:?}", record.steps)
    };
    assert!(clocks.points.iter().all(|point| point.cpu == 4), "{clocks:?}");
}

#[test]
fn copies_of_a_log_have_its_values() {
    let log = include_str!("../fixtures/0.9.72-standard.txt");
    let lines = |of: &dyn Fn(usize, &str) -> String| -> String {
        let lines: Vec<String> = log.lines().zip(1..).map(|(line, number)| of(number, line)).collect();
        lines.join("\n")
    };
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let escaped = |text: &str, escape: char| -> String {
        let is_plain =
            |byte: u8| byte == b'\n' && escape == '=' || byte.is_ascii_graphic() && byte != b'=' && byte != b'%';
        let of = |byte: u8| if is_plain(byte) { char::from(byte).into() } else { format!("{escape}{byte:02X}") };
        text.bytes().map(of).collect()
    };
    let done = |record: &record::Record| {
        record.steps.iter().filter(|step| matches!(step.outcome, record::Outcome::Done(_))).count()
    };
    let [plain] = read_all(log).try_into().unwrap();
    for (name, copy) in [
        ("journal", lines(&|number, line| format!("Apr {number} 12:05:29 host sbc-bench[{number}]: {line}"))),
        ("chat", lines(&|number, line| format!("[12:{:02}] <tk> {line}", number % 60))),
        ("file and line", lines(&|number, line| format!("log.txt:{number}:{line}"))),
        ("patch", format!("--- a\n+++ b\n{}", lines(&|_, line| format!("+{line}")))),
        ("comments", lines(&|_, line| format!("# {line}").trim_end().into())),
        ("table", lines(&|_, line| format!("| {line} |"))),
        ("quotation marks", lines(&|_, line| format!("\"{line}\""))),
        ("ends of lines", lines(&|_, line| format!("{}$", line.replace('\t', "^I")))),
        ("visible colours", lines(&|_, line| format!("^[[1;32m{line}^[[0m"))),
        ("colours without escape", lines(&|_, line| format!("[1;32m{line}[0m"))),
        ("wide characters", log.replace(':', "：").replace('(', "（").replace(')', "）")),
        ("UTF-8 as Latin-1", log.bytes().map(char::from).collect()),
        ("quoted-printable", escaped(log, '=')),
        ("percent", escaped(log, '%')),
        ("string of JSON", json(log)),
        ("messages of a container", lines(&|_, line| format!("{{\"log\":{},\"time\":\"12:00\"}}", json(line)))),
    ] {
        let [read] = read_all(&copy).try_into().unwrap_or_else(|results| panic!("{name}: {results:?}"));
        let (read, plain) = (&read.record, &plain.record);
        assert_eq!(read.machine.board, plain.machine.board, "{name}");
        assert_eq!(
            (&read.samples.at_ms, &read.samples.channels),
            (&plain.samples.at_ms, &plain.samples.channels),
            "{name}"
        );
        assert_eq!(done(read), done(plain), "{name}");
    }
}
