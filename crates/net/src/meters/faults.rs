//! Faults of meters, simulated by a server or a program: each must become a gap with its reason.

use super::guard::Guard;
use super::{Address, Source};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

/// Behaviour of the server for one request.
enum ServerAction<'a> {
    /// Answers with this body.
    Body(&'a str),
    /// Sends these bytes only.
    Bytes(&'a str),
    /// Sends nothing until all timeouts have passed.
    Late,
    /// The connection closes.
    Closes,
}
use ServerAction::{Body, Bytes, Closes, Late};

/// Power in milliwatts and energy in microjoules, or nothing new.
type Values = Option<(Option<i64>, Option<i64>)>;
/// Values, or words of the reason of a gap.
type Outcome<'a> = Result<Values, &'a str>;

const fn watts<'a>(milliwatts: i64) -> Outcome<'a> {
    Ok(Some((Some(milliwatts), None)))
}

fn source(text: &str) -> Box<dyn Source> {
    let address = Address::parse(text).unwrap();
    (address.kind.open)(&address, None).unwrap()
}

/// One poll; `now` is its time for the guard.
fn outcome(source: &mut dyn Source, guard: &mut Guard, now: Instant) -> Result<Values, String> {
    let answer = source.read().and_then(|answer| answer.map_or(Ok(None), |answer| guard.check(&answer.outputs, now)));
    let first = answer.map(|outputs| Some(outputs?[0]));
    let values = first.map(|output| output.map(|output| (output.milliwatts, output.microjoules)));
    values.map_err(|failure| failure.missing("the meter").to_string())
}

/// Polls a meter once per simulated second.
fn check(fault: &str, meter: &str, script: &[(ServerAction, Outcome)]) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut source = source(&meter.replace("HOST", &server.local_addr().unwrap().to_string()));
    let (mut guard, begin) = (Guard::default(), Instant::now());
    for (second, (says, expected)) in (0..).zip(script) {
        let got = std::thread::scope(|scope| {
            let server = &server;
            scope.spawn(move || {
                let (mut stream, _) = server.accept().unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let text = match says {
                    Body(body) => {
                        format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len())
                    }
                    Bytes(bytes) => (*bytes).to_owned(),
                    Closes => String::new(),
                    Late => {
                        std::thread::sleep(Duration::from_millis(2500));
                        String::new()
                    }
                };
                let _ = stream.write_all(text.as_bytes());
            });
            outcome(source.as_mut(), &mut guard, begin + Duration::from_secs(second))
        });
        match (&got, expected) {
            (Err(why), Err(words)) => assert!(why.contains(words), "{fault}, second {second}: {why}"),
            (Ok(got), Ok(expected)) => assert_eq!(got, expected, "{fault}, second {second}"),
            _ => panic!("{fault}, second {second}: {got:?}"),
        }
    }
}

#[test]
fn faults_of_a_server_are_gaps() {
    let power = "json:http://HOST/#$.power:W";
    let five = Body("{\"power\":5}");
    check("none", power, &[(five, watts(5_000)), (Body("{\"power\":5}"), watts(5_000))]);
    for (says, words) in [
        (Closes, "unexpected text"),
        (Late, "timed out"),
        (Bytes("HTTP/1.1 503 Busy\r\nContent-Length: 11\r\n\r\n{\"power\":5}"), "HTTP 503"),
        (Bytes("HTTP/1.1 401 Who\r\nContent-Length: 0\r\n\r\n"), "permission"),
        (Bytes("HTTP/1.1 302 Moved\r\nLocation: /x\r\nContent-Length: 11\r\n\r\n{\"power\":5}"), "HTTP 302"),
        (Bytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"power\":5}"), "unexpected text"),
        (Bytes("\u{1}\u{2}\u{3}"), "unexpected text"),
        (Body("{\"power\":"), "unexpected text"),
        (Body("{\"power\":null}"), "has null at $.power, which is no usable number in W"),
        (Body("{\"other\":5,\"t\":1}"), "has no value at $.power; the keys of $ are other, t"),
        (Body("{\"power\":\"5 kVA\"}"), "has \"5 kVA\" at $.power"),
        (Body("{\"power\":\"230 V\"}"), "has \"230 V\" at $.power"),
        (Body("{\"power\":{\"w\":5}}"), "has an object at $.power"),
        (Body("[{\"power\":5}]"), "$ is a list of 1"),
        (Body("{\"power\":5300}"), "no board"),
        (Body("{\"power\":-300}"), "no board"),
        (Body("{\"power\":1e300}"), "has 1e+300 at $.power"),
    ] {
        // The meter recovers afterwards.
        check(
            words,
            power,
            &[(Body("{\"power\":5}"), watts(5_000)), (says, Err(words)), (Body("{\"power\":5}"), watts(5_000))],
        );
    }
}

#[test]
fn values_that_cannot_be_right_are_gaps() {
    let power = "json:http://HOST/#$.power:W";
    let stamped = "json:http://HOST/#$.power:W,$.t:time";
    let counted = "json:http://HOST/#$.power:W,$.energy:Wh";
    let direct = "json:http://HOST/#$.power:W,$.v:V,$.a:A";
    check(
        "unit in the value",
        power,
        &[(Body("{\"power\":\"5 W\"}"), watts(5_000)), (Body("{\"power\":\"5300 mW\"}"), watts(5_300))],
    );
    let same = || Body("{\"power\":5,\"t\":7}");
    check(
        "stale from the first answer on",
        stamped,
        &[
            (same(), Ok(None)),
            (same(), Ok(None)),
            (same(), Ok(None)),
            (same(), Ok(None)),
            (same(), Ok(None)),
            (same(), Ok(None)),
            (same(), Err("old time stamp")),
            (same(), Err("old time stamp")),
            (Body("{\"power\":6,\"t\":8}"), watts(6_000)),
            (Body("{\"power\":6,\"t\":3}"), Err("earlier time stamp")),
            (Body("{\"power\":6}"), Err("does not send")),
        ],
    );
    let count = |milliwatts, microjoules| Ok(Some((Some(milliwatts), microjoules)));
    check(
        "counter that wraps",
        counted,
        &[
            (Body("{\"power\":3600,\"energy\":1}"), Err("no board")),
            (Body("{\"power\":36,\"energy\":65535}"), count(36_000, Some(65_535 * 3_600_000_000))),
            (Body("{\"power\":36,\"energy\":0}"), Err("went back")),
            (Body("{\"power\":36,\"energy\":1}"), count(36_000, None)),
        ],
    );
    check(
        "counter that jumps",
        counted,
        &[
            (Body("{\"power\":36,\"energy\":1.00}"), count(36_000, Some(3_600_000_000))),
            (Body("{\"power\":36,\"energy\":1.01}"), count(36_000, Some(3_636_000_000))),
            (Body("{\"power\":36,\"energy\":1010}"), Err("power allows")),
            (Body("{\"power\":36,\"energy\":1011}"), count(36_000, None)),
        ],
    );
    check(
        "power that jumps or changes its unit",
        direct,
        &[
            (Body("{\"power\":5,\"v\":5.1,\"a\":1}"), watts(5_000)),
            (Body("{\"power\":50,\"v\":5.1,\"a\":1}"), Err("does not fit")),
            (Body("{\"power\":0.005,\"v\":5.1,\"a\":1}"), Err("does not fit")),
            (Body("{\"power\":5000,\"v\":5.1,\"a\":1}"), Err("no board")),
            (Body("{\"power\":5,\"v\":5100,\"a\":1}"), Err("no board")),
        ],
    );
}

#[test]
fn faults_of_exporters_are_gaps() {
    let exporter = "prometheus:http://HOST/metrics#watts{socket=\"3\"}:W,time:time";
    check(
        "exporter",
        exporter,
        &[
            (Body("watts{socket=\"3\"} 5\ntime 1\n"), Ok(None)),
            (Body("watts{socket=\"3\"} 5\ntime 2\n"), watts(5_000)),
            (Body("watts{socket=\"3\"} 5\ntime 2\n"), Ok(None)),
            (Body("watts{socket=\"4\"} 5\ntime 3\n"), Err("its labels are socket=\"4\"")),
            (Body("watts{socket=\"3\"} NaN\ntime 4\n"), Err("has no value at watts")),
            (Body("power_watts 5\ntime 5\n"), Err("its metrics of power are power_watts")),
            (Body("time 6\n"), Err("none of its 1 metrics is named so")),
        ],
    );
    let power = |meter: &str, watts: &str| format!("sbc_bench_channel_watts{{channel=\"{meter}.power\"}} {watts}\n");
    let time = |meter: &str, seconds| format!("sbc_bench_meter_time_seconds{{channel=\"{meter}.power\"}} {seconds}\n");
    let ticks = "# HELP\nsbc_bench_sampler_ticks_total 9\n";
    let one = |seconds| power("meter", "5") + &time("meter", seconds);
    let lost = power("hwmon0", "9") + &time("meter", 2) + ticks;
    let script = [
        (Body(&one(1)), Ok(None)),
        (Body(&one(2)), watts(5_000)),
        // Samples are taken, and the meter has stopped.
        (Body(&one(2)), Ok(None)),
        (Body(&lost), Err("passes on no reading of a power meter")),
    ];
    check("a meter that the other sbc-bench lost", "sbc-bench:HOST", &script);
    // The second meter does not take the place of the first.
    let (first, second) = (power("meter", "5"), power("meter2", "70"));
    let times = |seconds| time("meter", seconds) + &time("meter2", seconds);
    let both = |seconds| first.clone() + &second + &times(seconds);
    let script = [
        (Body(&both(1)), Ok(None)),
        (Body(&both(2)), watts(5_000)),
        (Body(&(second.clone() + &time("meter", 2) + &time("meter2", 3))), Ok(Some((None, None)))),
    ];
    check("one of two meters that the other sbc-bench lost", "sbc-bench:HOST/all", &script);
    let sockets = "json:http://HOST/#$.s[*].power:W,$.s[*].ok:valid";
    let script = [
        (Body("{\"s\":[{\"power\":5,\"ok\":true},{\"power\":70,\"ok\":true}]}"), watts(5_000)),
        (Body("{\"s\":[{\"power\":0,\"ok\":false},{\"power\":70,\"ok\":true}]}"), Ok(Some((None, None)))),
    ];
    check("one of two sockets that is not valid", sockets, &script);
}

#[test]
fn faults_of_a_program_are_gaps() {
    for (command, words) in [
        ("echo 5; sleep 0.2; echo garbage; sleep 9", "\"garbage\""),
        ("echo 5; sleep 0.2; echo 5300; sleep 9", "no board"),
        ("true", "ended without a reading"),
        ("echo no such device >&2; exit 1", "\"no such device\""),
        ("exec nothing-of-this-name", "nothing-of-this-name"),
        ("echo '{\"p\":5}'; sleep 0.2; echo '{\"q\":9}'; sleep 9#$.p:W", "the keys of $ are q"),
        ("echo '{\"p\":5,\"t\":2}'; sleep 0.2; echo '{\"p\":9,\"t\":1}'; sleep 9#$.p:W,$.t:time", "earlier time stamp"),
        ("head -c 99999 /dev/zero; sleep 9", "unexpected text"),
    ] {
        let mut source = source(&format!("command:{command}"));
        let mut guard = Guard::default();
        let begin = Instant::now();
        let why = loop {
            match outcome(source.as_mut(), &mut guard, Instant::now()) {
                Err(why) => break why,
                Ok(None) | Ok(Some((Some(5_000), None))) => {}
                Ok(number) => panic!("{command}: {number:?}"),
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "{command}");
        };
        assert!(why.contains(words), "{command}: {why}");
    }
}

/// A program that ends after each reading is started again.
#[test]
fn program_that_ends_is_read_again() {
    let mut source = source("command:echo 5");
    let mut numbers = Vec::new();
    let begin = Instant::now();
    while numbers.len() < 4 {
        numbers.extend(outcome(source.as_mut(), &mut Guard::default(), Instant::now()).unwrap());
        assert!(begin.elapsed() < Duration::from_secs(60), "{numbers:?}");
    }
    assert_eq!(numbers, [(Some(5_000), None); 4]);
}

/// A changed unit is another channel: the round stays incomplete, and the silence is reported.
#[test]
fn program_that_changes_its_unit_falls_silent() {
    let mut source = source("command:echo 5 W; sleep 1.2; echo 5 W; while sleep 0.1; do echo 5 V; done");
    let mut guard = Guard::default();
    let mut numbers = Vec::new();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(3) {
        numbers.extend(outcome(source.as_mut(), &mut guard, Instant::now()).unwrap());
    }
    assert!(numbers.iter().all(|number| *number == (Some(5_000), None)), "{numbers:?}");
}
