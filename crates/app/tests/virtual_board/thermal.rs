//! Thermal tests of boards with different constants, and of one without a sensor.

use crate::rig::{Concurrency, PROGRAM, check_near, command_with, in_some_try, slow_board};
use facts::Facts;
use record::ChannelId;
use testkit::virtual_board::{Board, ZoneSpec};

#[test]
fn thermal_without_sensor() {
    in_some_try(|| {
        let mut board = testkit::found!(slow_board("quick"));
        board.thermal.has_sensor = false;
        board.meter = None;
        let script = format!("exec {PROGRAM} thermal --force --quiet --log $LOG --duration 6s --cool-down 5s");
        let seen = command_with(Concurrency::Others, &board, &["sh", "-c", &script]);
        seen.check_left("thermal");
        let answer = Facts::of(seen.record()).thermal().clone().expect("a thermal test is in the Record");
        assert_eq!(answer.temperature, None);
        assert!(answer.power_fit.is_err());
        assert!(answer.step_fit.is_err());
        assert_eq!(answer.milliwatts, None);
        assert!(answer.score.is_some());
        // In a virtual machine, the rule about guests reports it.
        assert!(seen.has("no-temperature") || seen.has("virtualised"), "{:#?}", seen.sentences());
    });
}

#[test]
fn limit_and_answer_of_a_thermal_test_are_of_one_sensor() {
    in_some_try(|| {
        let mut board = testkit::found!(slow_board("quick"));
        // Its own trip point is at 80 °C, and at full load its CPUs stay at 70.
        board.thermal.zone = vec![ZoneSpec { name: "bigcore0-thermal".into(), above_k: 30.0 }];
        let script =
            format!("exec {PROGRAM} thermal --force --quiet --log $LOG --duration 6s --cool-down 5s --max-temp 75");
        let seen = command_with(Concurrency::Others, &board, &["sh", "-c", &script]);
        let record = seen.record();
        let choice = record.soc_temperature.known().expect("the run keeps its choice");
        assert_eq!(choice.channel, ChannelId::zone_temperature(0), "{choice:?}");
        let answer = Facts::of(record).thermal().clone().expect("a thermal test is in the Record");
        assert_eq!(answer.ended_early, None);
        let [_, hottest, _] = answer.temperature.expect("a temperature was read");
        let own = record.samples.channel(&choice.channel).and_then(|own| own.values.iter().flatten().max());
        assert!(hottest * 1000.0 <= *own.unwrap() as f64, "{hottest} °C, {own:?}");
    });
}

/// Boards by chance: degrees around, K per W, time constant in s, idle power and that of a busy core in W.
const BY_CHANCE: [[f64; 5]; 3] = [[11.3, 7.9, 2.3, 2.7, 2.2], [36.2, 14.6, 3.4, 0.9, 1.1], [23.8, 3.8, 1.6, 3.6, 5.3]];

/// The load alone does not tell resistance from surroundings; idling and cooling do. Everything that slows this
/// machine down, another board among it, slows power and temperature alike.
#[test]
fn thermal_constants_of_random_boards() {
    let board = testkit::found!(slow_board("quick"));
    let board = &board;
    std::thread::scope(|scope| {
        for constants in BY_CHANCE {
            scope.spawn(move || in_some_try(|| check_constants(board.clone(), constants)));
        }
    });
}

fn check_constants(mut board: Board, constants: [f64; 5]) {
    let [ambient_c, k_per_w, tau_s, idle_w, core_w] = constants;
    board.thermal.ambient_c = ambient_c;
    board.thermal.k_per_w = k_per_w;
    board.thermal.tau_s = tau_s;
    board.thermal.idle_w = idle_w;
    board.policy[0].core_w = core_w;
    let script = format!("exec {PROGRAM} thermal --force --quiet --log $LOG --duration 12s --cool-down 15s");
    let seen = command_with(Concurrency::Others, &board, &["sh", "-c", &script]);
    let answer = Facts::of(seen.record()).thermal().clone().expect("a thermal test is in the Record");
    let fit = answer.power_fit.expect("the constants are told");
    let is_near = |found: f64, truth: f64, off: f64| (found - truth).abs() <= off;
    let resistance = is_near(fit.k_per_w.value, k_per_w, 0.1 * k_per_w);
    let ambient = is_near(fit.ambient_celsius.value, ambient_c, 4.0);
    assert!(resistance && ambient, "{fit:?} of {:?}", board.thermal);
    let found_s = answer.tau_s().unwrap().value;
    check_near("time constant, in s", found_s, tau_s, 5.0);
}
