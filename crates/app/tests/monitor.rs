//! The monitor from the outside: lines, JSON, recordings, marks, metrics.

use crate::outcome::{board, finished, interrupt, text};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use testkit::Scratch;

/// A folder for one test, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("mon-{name}")))
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

/// The monitor; what runs at the same time in other tests is not announced to it.
fn sbc_bench(folder: &Folder, words: &[&str]) -> Command {
    let mut command = crate::outcome::sbc_bench(words);
    command.env("XDG_RUNTIME_DIR", &folder.0).env("TZ", "UTC");
    command
}

fn output(folder: &Folder, words: &[&str]) -> Output {
    sbc_bench(folder, words).output().unwrap()
}

/// Header and first row of a board.
fn check_lines(name: &str, clocks: &str, width_max: usize) {
    let folder = Folder::new(name);
    let output = output(&folder, &["--root", &board(name), "-m", "0.05", "--count", "3"]);
    let shown = text(&output.stdout);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 4, "{name}: {shown}");
    assert!(lines[0].contains(clocks), "{name}: {}", lines[0]);
    let width = |line: &str| line.chars().count();
    for line in &lines {
        assert!(width(line) <= width_max, "{name}: {line}");
    }
    // Each name ends where its values end, give or take the unit.
    for row in &lines[1..] {
        let end = |line: &str, at: usize| {
            line.split_whitespace().nth(at).map(|word| {
                let start = word.as_ptr() as usize - line.as_ptr() as usize;
                width(&line[..start]) + width(word)
            })
        };
        let load = lines[0].find("load").unwrap() + "load".len();
        let row_load = (1..9).find(|at| end(row, *at) == Some(load));
        assert!(row_load.is_some(), "{name}:\n{}\n{row}", lines[0]);
        assert!(width(row).abs_diff(width(lines[0])) <= 1, "{name}:\n{}\n{row}", lines[0]);
    }
}

#[test]
fn lines_fit_80_columns_with_any_policies() {
    for (name, clocks) in [
        ("beaglebone-black", "Time        CPU    load"),
        ("rk3399", "Time       big.LITTLE   load"),
        ("rk3588", "Time       cpu0/cpu4/cpu6    load"),
        ("cix-p1", "cpu0/cpu2/cpu6/cpu8/cpu10"),
        ("ryzen-32-policies", "Time        CPU    load"),
        ("x86-hybrid-laptop", "Time       big.LITTLE   load"),
        ("server-96-cores", "Time      CPU n/a"),
        ("nothing", "Time      CPU n/a"),
    ] {
        check_lines(name, clocks, 80);
    }
}

#[test]
fn json_lines_name_every_channel() {
    let folder = Folder::new("jsonl");
    let output = output(&folder, &["-m", "0.05", "--count", "3", "--jsonl"]);
    let values: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<&str> = values.iter().map(|value| value["event"].as_str().unwrap()).collect();
    assert_eq!(events[..3], ["started", "machine", "channels"]);
    assert_eq!(events.iter().filter(|event| **event == "row").count(), 3);
    let last = values.iter().rfind(|value| value["event"] == "row").unwrap();
    assert!(last["values"]["cpu.idle"].is_i64(), "{last}");
    assert!(last["utc_ms"].as_i64().unwrap() > 1_700_000_000_000);
}

/// A row stands for itself: the latest value of each channel, and what people look at.
#[test]
fn full_rows_of_json_need_no_memory() {
    let folder = Folder::new("full");
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../logs/src/fixtures");
    let mut logs = std::fs::read_dir(log).unwrap().map(|entry| entry.unwrap().path());
    let rows = |file: &Path| -> Vec<serde_json::Value> {
        let words = ["monitor", "--replay", file.to_str().unwrap(), "--speed", "max", "--jsonl=full"];
        let lines = text(&output(&folder, &words).stdout);
        let values = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        values.filter(|value| value["event"] == "row").collect()
    };
    let rows = logs.find_map(|file| Some(rows(&file)).filter(|rows| rows.len() > 3)).expect("a log has rows");
    let channels = |row: &serde_json::Value| row["values"].as_object().unwrap().len();
    assert!(rows[1..].iter().all(|row| channels(row) >= channels(&rows[0])));
    let now = &rows[3]["now"];
    let clocks = now["clock_mhz"].as_object().unwrap();
    assert!(clocks.values().all(|mhz| (100.0..6000.0).contains(&mhz.as_f64().unwrap())) && !clocks.is_empty(), "{now}");
    assert!((0.0..=100.0).contains(&now["cpu_percent"].as_f64().unwrap()), "{now}");
}

#[test]
fn recording_is_marked_and_replayed_in_every_view() {
    let folder = Folder::new("record");
    let file = folder.file("a.rec");
    let words = ["-m", "0.05", "--quiet", "--record", &file];
    let child = sbc_bench(&folder, &words).spawn().unwrap();
    testkit::wait_for("the monitor writes", || {
        output(&folder, &["mark", "fan", "off"]);
        let recorded = std::fs::read_to_string(&file).unwrap_or_default();
        recorded.contains("fan off").then_some(())
    });
    // The monitor sees the mark and goes on.
    let size = std::fs::metadata(&file).unwrap().len();
    testkit::wait_for("the monitor writes", || (std::fs::metadata(&file).unwrap().len() > size + 500).then_some(()));
    let second = output(&folder, &["-m", "--record", &file]);
    assert!(text(&second.stderr).contains("another monitor"), "{}", text(&second.stderr));
    interrupt(&child);
    assert!(child.wait_with_output().unwrap().status.success());

    let replay = |more: &[&str]| {
        let words = [&["monitor", "--replay", &file, "--speed", "max"], more].concat();
        let output = output(&folder, &words);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let lines = replay(&["--lines"]);
    assert!(lines.starts_with("Time ") && lines.lines().count() > 3, "{lines}");
    let json = replay(&["--jsonl"]);
    assert_eq!(json.matches("\"text\":\"fan off\"").count(), 1, "{json}");
    // Into a pipe as well as on a terminal.
    let (marks, rows): (Vec<&str>, Vec<&str>) = lines.lines().skip(1).partition(|line| line.starts_with("--- "));
    assert_eq!((marks, rows.len()), (vec!["--- fan off"], json.matches("\"event\":\"row\"").count()));
    // The last row alone, however long the rows before it took.
    let last_ms: f64 =
        json.rsplit("\"at_ms\":").next().and_then(|rest| rest.split([',', '}']).next()).unwrap().parse().unwrap();
    let later = replay(&["--seek", &format!("{}s", last_ms / 1000.0)]);
    assert!(later.lines().count() < lines.lines().count());
    let record = text(&output(&folder, &["report", &file, "--format", "record"]).stdout);
    assert!(record.contains("fan off"), "{record}");
    // Nobody writes it any more, so the next one is not meant for it unless it is named.
    output(&folder, &["mark", "too late"]);
    assert!(!replay(&["--jsonl"]).contains("too late"));
    assert!(output(&folder, &["mark", "late", "--to", &file]).status.success());
    assert!(replay(&["--jsonl"]).contains("\"text\":\"late\""));
}

#[test]
fn full_disk_does_not_end_the_monitor() {
    let folder = Folder::new("full");
    let output = output(&folder, &["-m", "0.05", "--count", "4", "--record", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1), "what was asked for is not there");
    assert_eq!(text(&output.stdout).lines().count(), 5);
    let error = text(&output.stderr);
    assert_eq!(error.matches("No space left on device").count(), 1, "{error}");
    assert!(error.contains("/dev/full lacks the last "), "{error}");
}

#[test]
fn metrics_are_served_and_written() {
    let folder = Folder::new("metrics");
    let file = folder.file("sbc.prom");
    let words = ["-m", "0.05", "--quiet", "--prometheus", "127.0.0.1:0", "--textfile", &file];
    let mut child = sbc_bench(&folder, &words).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let address = said.split("http://").nth(1).unwrap().split('/').next().unwrap();
    let page = testkit::wait_for("the monitor writes", || {
        let mut connection = TcpStream::connect(address).unwrap();
        connection.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut page = String::new();
        connection.read_to_string(&mut page).unwrap();
        page.contains("node_load1 ").then_some(page)
    });
    let written = testkit::wait_for("the monitor writes", || std::fs::read_to_string(&file).ok());
    interrupt(&child);
    assert!(child.wait().unwrap().success());
    assert!(!Path::new(&file).exists(), "values of nobody stay");
    let (head, body) = page.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    for text in [body, &written] {
        check_exposition(text);
    }
}

/// A job of cron takes some rows and leaves the file to its collector.
#[test]
fn metrics_of_a_counted_monitor_are_kept() {
    let folder = Folder::new("counted-metrics");
    let file = folder.file("sbc.prom");
    let words = ["-m", "0.05", "--count", "2", "--quiet", "--textfile", &file];
    assert!(sbc_bench(&folder, &words).status().unwrap().success());
    check_exposition(&std::fs::read_to_string(&file).unwrap());
}

/// A 0 silences an alert, so only what could be seen has a value.
#[test]
fn throttling_that_nothing_reports_has_no_metric() {
    for (name, reasons) in [("nothing", &[][..]), ("raspberry-pi-5", &["under_voltage", "clock_limit"])] {
        let folder = Folder::new(&format!("unseen-{name}"));
        let file = folder.file("sbc.prom");
        let words = ["-m", "0.05", "--quiet", "--textfile", &file, "--root", &board(name)];
        let mut child = sbc_bench(&folder, &words).spawn().unwrap();
        let written = testkit::wait_for("the monitor writes", || {
            let text = std::fs::read_to_string(&file).ok()?;
            text.contains("# TYPE").then_some(text)
        });
        interrupt(&child);
        assert!(child.wait().unwrap().success());
        assert_eq!(written.contains("sbc_bench_throttled"), !reasons.is_empty(), "{name}: {written}");
        assert!(!written.contains("reason=\"heat\""), "{name}: {written}");
        for reason in reasons {
            assert!(written.contains(&format!("sbc_bench_throttled{{reason=\"{reason}\"}} ")), "{name}: {written}");
        }
    }
}

/// The text format as its specification has it: a value belongs to the last `# TYPE`, no metric
/// comes twice.
fn check_exposition(text: &str) {
    let line = r#"^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.e+-]+$"#;
    let line = regex_lite::Regex::new(line).unwrap();
    let (mut metric, mut seen) = (String::new(), std::collections::BTreeSet::new());
    for text in text.lines() {
        if let Some(head) = text.strip_prefix("# TYPE ") {
            metric = head.split(' ').next().unwrap().to_owned();
            assert!(seen.insert(text.to_owned()), "{metric} comes twice");
        } else if !text.starts_with('#') {
            assert!(line.is_match(text), "{text}");
            assert!(text.starts_with(&metric), "{text} under {metric}");
            assert!(seen.insert(text.rsplit_once(' ').unwrap().0.to_owned()), "{text} twice");
        }
    }
}

#[test]
fn impossible_options_are_refused() {
    let folder = Folder::new("wrong");
    let own = folder.file("notes.txt");
    std::fs::write(&own, "my notes\n").unwrap();
    for (words, expected) in [
        (&["-m", "--tui"][..], "needs a terminal"),
        (&["-m", "--record", &own], "is not a recording"),
        (&["-m", "--record", "/none/x"], "directory /none does not exist; create it first"),
        (&["monitor", "--replay", "/none"], "Cannot read /none"),
        (&["monitor", "--replay", &own], "neither an sbc-bench log nor a result file"),
        (&["mark", " "], "needs a text"),
    ] {
        let output = output(&folder, words);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {error}");
        assert!(error.contains(expected), "{words:?}: {error}");
    }
    assert_eq!(std::fs::read_to_string(&own).unwrap(), "my notes\n");
}

/// A file of the kernel that suddenly never answers any more.
#[test]
fn hanging_sensor_loses_only_its_values() {
    if !Path::new("/proc/pressure/cpu").exists() {
        return testkit::skip("this kernel has no /proc/pressure");
    }
    let folder = Folder::new("hanging");
    let file = folder.file("watched");
    let words = ["-m", "0.5", "--count", "24", "--record", &file];
    let mut command = sbc_bench(&folder, &words);
    let plan = "run read /proc/pressure/cpu 3 hang";
    let output = finished(command.env("SBC_BENCH_FAULTS", plan));
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(shown.lines().count(), 25, "{shown}{said}");
    assert!(said.contains("not responded"), "{said}");
    let record = record::read_stream(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(record.samples.at_ms.len(), 24);
}

/// Lines of the monitor for people, and the explanation of its recording in one line.
fn shown_and_explained(folder: &Folder, board: &str) -> (String, String) {
    let file = folder.file("a.rec");
    let words = ["--root", board, "-m", "0.05", "--count", "4", "--record", &file];
    let shown = sbc_bench(folder, &words).env("SPACING", "yes").output().unwrap();
    let explained = output(folder, &["explain", &file]);
    let explained = text(&explained.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    (text(&shown.stdout), explained)
}

#[test]
fn monitor_and_findings_name_one_sensor() {
    for (name, source, highest) in [
        // The big cores are hotter than the sensor that stands for the SoC.
        ("rk3588", "thermal_zone0/temp (soc-thermal): SoC", "Highest temperature: 43.5°C"),
        ("exynos-5422", "thermal_zone0/temp (cpu0-thermal): first cluster or core", "Highest temperature: 51.0°C"),
        ("ryzen-32-policies", "temp1_input (k10temp Tctl): control temperature of AMD", "Highest temperature: 48.9°C"),
    ] {
        let folder = Folder::new(&format!("one-{name}"));
        let (shown, explained) = shown_and_explained(&folder, &board(name));
        assert!(shown.contains(source), "{name}: {shown}");
        let celsius = highest.rsplit(' ').next().unwrap();
        assert!(shown.contains(&format!(" {celsius}")), "{name}: {shown}");
        assert!(explained.contains(highest), "{name}: {explained}");
        let recorded = std::fs::read_to_string(folder.file("a.rec")).unwrap();
        assert_eq!(recorded.matches(r#"{"event":"soc_temperature","#).count(), 1, "{name}: it is told once");
    }
}

#[test]
fn a_board_with_a_gpu_sensor_only_has_no_temperature_of_its_cpus_and_says_so() {
    let folder = Folder::new("gpu-only");
    let zone = "/sys/class/thermal/thermal_zone0";
    let board = folder.file("gpu.board");
    let files =
        format!("== /proc/loadavg\n0.10 0.20 0.30 1/99 999\n== {zone}/type\ngpu-thermal\n== {zone}/temp\n51000\n");
    std::fs::write(&board, files).unwrap();
    let (shown, explained) = shown_and_explained(&folder, &board);
    assert!(shown.contains("Thermal source: none"), "{shown}");
    assert!(!shown.contains("51.0"), "{shown}");
    assert!(!explained.contains("51.0"), "{explained}");
    let why = "No sensor reports the CPU temperature";
    assert!(explained.contains(why) && explained.contains("gpu-thermal (GPU only)"), "{explained}");
}

/// A monitor that is killed leaves no program of a meter behind.
#[test]
fn killed_monitor_ends_the_program_of_its_meter() {
    let folder = Folder::new("killed");
    let pid_file = folder.file("pid");
    let meter = format!("command:echo $$ >{pid_file}; while :; do echo 5.0 W; sleep 0.1; done");
    let mut monitor = sbc_bench(&folder, &["-m", "0.1", "--jsonl", "--meter", &meter]);
    let mut monitor = monitor.stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(monitor.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    let runs = || Path::new("/proc").join(pid.trim()).join("cmdline").metadata().is_ok() && !is_zombie(pid.trim());
    assert!(runs(), "{pid}");
    monitor.kill().unwrap();
    monitor.wait().unwrap();
    testkit::wait_until("the program has ended", || !runs());
}

fn is_zombie(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with('Z'))
}
