//! Lines of each tool, programs that end, and real programs where installed.

use super::super::Meter;
use super::super::testing::row_of;
use super::*;
use machine::sensors::NONE;
use proptest::prelude::*;

fn first_row(text: &str) -> Vec<i64> {
    row_of(&Meter::start(text, 0, None).unwrap())[1..].to_vec()
}

#[test]
fn commands_give_their_readings() {
    for (command, expected) in [
        ("command:while sleep 0.1; do echo 4.5; done", [NONE, 4_500, NONE, NONE]),
        ("command:while sleep 0.1; do echo 5.0 V, 400 mA; done", [NONE, 2_000, 5_000, 400]),
        ("command:while sleep 0.1; do echo P=2.1W; echo E: 7 J; done", [7_000_000, 2_100, NONE, NONE]),
        (
            "command:while sleep 0.1; do echo '{\"p\":5,\"t\":'$((n += 1))'}'; done#$.p:W,$.t:time",
            [NONE, 5_000, NONE, NONE],
        ),
        // Programs that end are restarted.
        ("command:echo 3 W", [NONE, 3_000, NONE, NONE]),
        // Output to a terminal is line-buffered.
        ("command:awk 'BEGIN { for (;;) { print 2.5; system(\"sleep 0.1\") } }'", [NONE, 2_500, NONE, NONE]),
    ] {
        assert_eq!(first_row(command), expected, "{command}");
    }
}

#[test]
fn readings_in_lines() {
    for (line, expected) in [
        ("5.3", "W 5300"),
        ("-1e-3 W", "W -1"),
        ("P1: 2.1 W DC", "P1 W 2100"),
        ("A1: 3.0902 mV DC", "A1 V 3.0902"),
        ("D+: 0.6 V", ""),
        ("12.0V 0.5A 6W 3mWh", "V 12000, A 500, W 6000, J 10800000"),
        ("power=4.5 W\tvoltage=5.1 V", "power W 4500, voltage V 5100"),
        ("nan W", ""),
        ("Error: Connection refused", ""),
        ("3 apples", ""),
        ("1 2 3", ""),
    ] {
        let shown = |reading: &LabelledValue| {
            let unit = match reading.unit.what {
                Quantity::Power => "W",
                Quantity::Energy => "J",
                Quantity::Voltage => "V",
                Quantity::Current => "A",
                _ => "?",
            };
            format!("{} {unit} {}", reading.label, reading.value).trim().to_owned()
        };
        let got: Vec<String> = parse_readings(line).iter().map(shown).collect();
        assert_eq!(got.join(", "), expected, "{line}");
    }
}

#[test]
fn round_is_complete_when_every_channel_is_new() {
    let begin = Instant::now();
    let mut round = Round::default();
    let mut at = |seconds: f64, line: &str| {
        let answer = round.line(line, begin + Duration::from_secs_f64(seconds)).unwrap();
        answer.map(|answer| (answer.outputs[0].millivolts, answer.outputs[0].milliwatts))
    };
    for line in ["V: 5 V", "V: 5 V", "I: 1 A", "I: 1 A"] {
        assert_eq!(at(0.1, line), None);
    }
    assert_eq!(at(1.1, "V: 6 V"), Some((Some(6_000), Some(6_000))));
    assert_eq!(at(2.1, "V: 7 V"), None);
    assert_eq!(at(2.2, "I: 2 A"), Some((Some(7_000), Some(14_000))));
    // A changed unit or a single channel does not complete a round.
    assert_eq!(at(3.1, "V: 8 V"), None);
    assert_eq!(at(3.2, "I: 5 V"), None);
}

#[test]
fn messages_of_mqtt() {
    let known = || MQTT_VALUES.iter().filter_map(|fields| Fields::parse(fields).ok()).collect();
    for (payload, expected) in [
        (
            r#"{"Time":"2026-01-01T00:00:10","ENERGY":{"Total":0.5,"Power":5.3,"Voltage":230,"Current":0.05}}"#,
            Some((5_300, true)),
        ),
        (r#"{"power":2.6,"energy":0.01,"voltage":229,"linkquality":80}"#, Some((2_600, false))),
        ("4.25", Some((4_250, false))),
        ("online", None),
        (r#"{"Time":"2026-01-01T00:00:10","Wifi":{"AP":1}}"#, None),
    ] {
        let answer = Form::Fields(known()).line(payload, Instant::now());
        let got = answer
            .ok()
            .flatten()
            .map(|answer| (answer.outputs[0].milliwatts.unwrap(), answer.outputs[0].clock.is_some()));
        assert_eq!(got, expected, "{payload}");
    }
}

/// Number of programs whose command contains the word.
fn running(word: &str) -> usize {
    let root = machine::Root::system();
    let has = |pid: &u32| root.read(&format!("/proc/{pid}/cmdline")).is_ok_and(|text| text.contains(word));
    machine::processes::children_of(&root, std::process::id()).iter().filter(|pid| has(pid)).count()
}

#[test]
fn program_ends_with_its_meter() {
    let meter = Meter::start("command:while sleep 0.1; do echo 4; done; : word-of-this-test", 0, None).unwrap();
    row_of(&meter);
    assert_eq!(running("word-of-this-test"), 1);
    drop(meter);
    assert_eq!(running("word-of-this-test"), 0);
}

#[test]
fn command_runs_as_the_calling_user() {
    if !machine::is_root() {
        return testkit::skip("root, to start programs as others");
    }
    let user = Caller {
        uid: 65534,
        gid: 65534,
        groups: vec![65534],
        name: "someuser".into(),
        home: "/nonexistent".into(),
        shell: "/bin/sh".into(),
    };
    let meter = Meter::start("command:echo $(id -u) mW", 0, Some(&user)).unwrap();
    assert_eq!(row_of(&meter)[2], 65_534);
}

#[test]
fn sigrok_demo_device() {
    if search_path().program("sigrok-cli").is_none() {
        return testkit::skip("sigrok-cli is not installed: apt-get install sigrok-cli");
    }
    let meter = Meter::start("sigrok:demo:analog_channels=1:logic_channels=0,samplerate=10", 0, None).unwrap();
    let note = meter.note().unwrap();
    assert!(note.ends_with(" gives a voltage but no power or current."), "{note}");
    let row = row_of(&meter);
    assert!((-10_000..=10_000).contains(&row[3]), "{row:?}");
    assert_eq!(row[2], NONE);
    drop(meter);
    assert_eq!(running("analog_channels=1"), 0);
}

#[test]
fn mosquitto_gives_new_messages_only() {
    let sbin =
        ["/usr/sbin/mosquitto", "/usr/bin/mosquitto"].into_iter().find(|path| std::path::Path::new(path).exists());
    let (Some(broker), Some(publish)) = (sbin, search_path().program("mosquitto_pub")) else {
        return testkit::skip("mosquitto is not installed: apt-get install mosquitto mosquitto-clients");
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let argv = [broker, "-p", &port.to_string()].map(str::to_owned);
    let spec = ChildSpec::new(&argv, Duration::MAX);
    let broker = Child::stream(&spec, machine::terminal().unwrap()).unwrap();
    let send = |topic: &str, message: &str, retains: bool| {
        let mut command = std::process::Command::new(&publish);
        command.args(["-p", &port.to_string(), "-t", topic, "-m", message]).args(retains.then_some("-r"));
        command.output().unwrap().status.success()
    };
    while !send("tele/plug/SENSOR", r#"{"Time":"2025-12-31T00:00:00","ENERGY":{"Power":99}}"#, true) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let tasmota = Meter::start(&format!("mqtt:127.0.0.1:{port}/tele/plug/SENSOR"), 0, None).unwrap();
    let esphome = Meter::start(&format!("mqtt:127.0.0.1:{port}/desk/sensor/power/state"), 1, None).unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut second = 10;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                second += 1;
                send(
                    "tele/plug/SENSOR",
                    &format!(r#"{{"Time":"2026-01-01T00:00:{second}","ENERGY":{{"Power":5.3}}}}"#),
                    false,
                );
                send("desk/sensor/power/state", "4.25", false);
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        assert_eq!(row_of(&tasmota)[2], 5_300);
        assert_eq!(row_of(&esphome)[2], 4_250);
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    drop((tasmota, esphome, broker));
    assert_eq!(running(&port.to_string()), 0);
}

proptest! {
    #[test]
    fn lines_never_panic(text in "([0-9.eE+-]|[WVAJm]|kWh|P1: |,|;|=|\n|\\PC){0,120}") {
        foreign(&text);
    }
}
