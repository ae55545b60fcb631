//! Thermal tests with and without a reliable meter, to the percent.

use crate::rig::{RunOutcome, board, check_near, command, in_some_try, program};
use facts::Facts;
use facts::thermal::ThermalResult;
use record::{ChannelId, MeterChannel};
use testkit::virtual_board::{Board, MeterAccuracy, MeterLocation, MeterSpec, Truth};

/// So far may a figure be off, in percent.
const PERCENT: f64 = 5.0;

fn answer(seen: &RunOutcome) -> ThermalResult {
    let what = format!("no thermal test in the Record: {:#?}", seen.sentences());
    Facts::of(seen.record()).thermal().clone().expect(&what)
}

/// Truth of the board during the load.
fn loaded(seen: &RunOutcome) -> (i64, Vec<&Truth>) {
    let window = answer(seen).window;
    let (start, end) = (window.start_utc_ms.unwrap(), window.end_utc_ms.unwrap());
    let trace = seen.done.trace.iter();
    let inside = trace.filter(|truth| (start..=end).contains(&truth.at_utc_ms));
    (start, inside.collect())
}

#[test]
fn thermal_constants_without_heatsink() {
    in_some_try(|| {
        let board = testkit::found!(board("throttling"));
        let words = ["thermal", "--log", "$LOG", "--cool-to", "45", "--duration", "15s", "--cool-down", "10s"];
        let seen = program(&board, &words);
        seen.check_left("thermal");
        let answer = answer(&seen);
        let (start_ms, truths) = loaded(&seen);
        let hot = truths.iter().find(|truth| truth.level > 0);
        let hot = hot.expect("the board itself throttled");
        let throttle = answer.throttle.as_ref().expect("throttling was seen");
        let after_s = throttle.after_ms as f64 / 1000.0;
        let true_s = (hot.at_utc_ms - start_ms) as f64 / 1000.0;
        check_near("first throttled after, in s", after_s, true_s, PERCENT);
        let steady = &truths[truths.len() * 3 / 4..];
        let mean_khz = |khz: fn(&Truth) -> u32| {
            steady.iter().map(|truth| f64::from(khz(truth))).sum::<f64>() / steady.len() as f64
        };
        let real_khz = mean_khz(|truth| truth.real_khz[0]);
        let [_, measured_khz] = answer.measured_khz.expect("a clock was measured");
        check_near("steady measured clock, in kHz", measured_khz, real_khz, PERCENT);
        let [_, claimed_khz] = answer.claimed_khz.expect("a clock was claimed");
        check_near("steady reported clock, in kHz", claimed_khz, real_khz, PERCENT);
        let fit = answer.power_fit.expect("power is known");
        check_near(
            "time constant, in s",
            fit.tau_s.expect("the time constant shows").value,
            board.thermal.tau_s,
            PERCENT,
        );
        check_near("thermal resistance, in K/W", fit.k_per_w.value, board.thermal.k_per_w, PERCENT);
        for rule in ["thermal-throttling", "thermal-result"] {
            assert!(seen.has(rule), "{rule}: {:#?}", seen.sentences());
        }
    });
}

/// A short test on a board that is quick.
fn quick(board: &Board, meter: &str) -> RunOutcome {
    let script =
        format!("exec {} thermal --force --quiet --log $LOG --duration 6s --cool-down 5s {meter}", crate::rig::PROGRAM);
    let seen = command(board, &["sh", "-c", &script]);
    seen.check_left("thermal");
    seen
}

#[test]
fn implausible_meter_is_reported_and_unused() {
    in_some_try(|| {
        let mut board = testkit::found!(board("quick"));
        for (says, expected) in [
            (MeterAccuracy::Zero, "says 0 W while the machine runs"),
            (MeterAccuracy::Constant, "all the time, idle and under load"),
            (MeterAccuracy::Tenfold, "its own voltage and current make"),
        ] {
            board.meter.as_mut().unwrap().says = says;
            let seen = quick(&board, "");
            let sentences = seen.sentences();
            let is_named = sentences.iter().any(|sentence| sentence.contains(expected));
            assert!(is_named, "{says:?}: {sentences:#?}");
            let answer = answer(&seen);
            assert!(answer.power_fit.is_err(), "{says:?}");
            assert_eq!(answer.milliwatts, None, "{says:?}");
            // Five readings in each time constant leave more open than power and temperature together.
            let tau = answer.tau_s().expect("the temperature alone tells it");
            check_near("time constant, in s", tau.value, board.thermal.tau_s, 10.0);
        }
    });
}

#[test]
fn network_meter_may_disappear() {
    in_some_try(|| {
        let mut board = testkit::found!(board("quick"));
        board.meter = Some(MeterSpec {
            place: MeterLocation::Network,
            volts: 5.1,
            says: MeterAccuracy::Truth,
            gone_after_s: Some(9.0),
            delay_s: 0.0,
            counter_wraps_j: None,
        });
        let seen = quick(&board, "--meter netio-json:$VIRTUAL_BOARD_METER");
        let channel = seen.record().samples.channel(&ChannelId::meter(MeterChannel::Power)).expect("a meter");
        assert!(channel.values.iter().any(Option::is_some), "it answered at first");
        assert!(!channel.gaps.is_empty(), "that it went away is in the Record");
        // Earlier readings may give the resistance; a meter that went away must not spoil it.
        if let Ok(fit) = answer(&seen).power_fit {
            check_near("thermal resistance, in K/W", fit.k_per_w.value, board.thermal.k_per_w, 10.0);
        }
    });
}
