//! Parts of one run: data kept of those that died, and when they count as one run.

use super::*;
use crate::soc_temperature::{SocReason, SocTemperature};
use crate::{
    Channel, ChannelId, ChannelKind, Failure, Gap, Gate, KernelMessage, Mark, Missing, Mode, Outcome, RestoreOutcome,
    SettingChange, StartedStage, State, Step, Unit, Variant, WorkloadId, nothing_known,
};

const DIED_MS: i64 = 41_000;
const SIMD: &str = WorkloadId::Simd.as_str();
const STOCKFISH: &str = WorkloadId::Stockfish.as_str();

fn died_in(step: &str, restarted: bool) -> DeathPoint {
    DeathPoint {
        step: Some(step.into()),
        repetition: 1,
        began_ms: Some(10_000),
        at_ms: DIED_MS,
        aftermath: Fact::Known(Aftermath { restarted: Fact::Known(restarted), ..Aftermath::default() }),
        signal: None,
    }
}

fn run(boot_id: &str) -> Run {
    Run {
        started: Fact::Known(1_000_000),
        boot_id: boot_id.into(),
        mode: Mode::Standard,
        died_in: Some(died_in(STOCKFISH, true)),
        ..Run::default()
    }
}

fn step(workload: WorkloadId) -> Step {
    let skipped = Outcome::Skipped(Missing::absent("x"));
    Step::new(workload, 1, Variant::ONLY, skipped)
}

/// Record with all kinds of data, and more rows than a block.
fn died() -> Record {
    let mut record = Record::new(nothing_known().source, run("first"));
    record.gate = Fact::Known(Gate::default());
    record.states = vec![State::default()];
    record.settings = vec![SettingChange {
        path: "/sys/x".into(),
        at_ms: Some(4),
        restored: RestoreOutcome::Done,
        ..SettingChange::default()
    }];
    record.steps = [WorkloadId::Clock, WorkloadId::OpenSsl, WorkloadId::OpenSsl].map(step).into();
    let rows = 2 * ROWS as i64 + 7;
    record.samples.interval_ms = 500;
    record.samples.at_ms = (0..rows).map(|row| 500 * row).collect();
    let mut whole = Channel::new(ChannelId::own("a"), Unit::Count, ChannelKind::Gauge);
    whole.values = (0..rows).map(Some).collect();
    whole.gaps = vec![Gap { at_ms: 3, missing: Missing::absent("a") }];
    let mut late = Channel::new(ChannelId::own("b"), Unit::Count, ChannelKind::Counter);
    late.values = (0..rows).map(|row| Some(row).filter(|row| *row > 900)).collect();
    record.samples.channels = vec![whole, late];
    let (channel, why) = (ChannelId::own("a"), SocReason::Name { about: "CPU".into() });
    record.soc_temperature = Fact::Known(SocTemperature { channel, why });
    record.unread = vec![Missing::absent("/proc/x")];
    record.marks = vec![Mark { at_ms: 7, text: "fan off".into() }];
    record.kernel_messages = Fact::Known(vec![KernelMessage { at_ms: Some(9), text: "hot".into(), line: None }]);
    let begun = |stage: &str, first_step| StartedStage { stage: stage.into(), first_step };
    record.run.stages = vec![begun("clocks", 0), begun("ciphers", 1)];
    record
}

fn resumed(record: &Record, now_utc_ms: i64) -> Resumption {
    Resumption::of(&record.run, now_utc_ms).unwrap()
}

#[test]
fn resumed_run_keeps_results() {
    let before = died();
    let mut record = before.clone();
    record.resume(resumed(&before, 1_641_000), "second".into());
    let mut events = record.clone().into_events().into_iter();
    let Some(Event::Started { source, run, .. }) = events.next() else { panic!("it does not start") };
    let mut folded = Record::new(source, *run);
    events.for_each(|event| folded.apply(event));
    assert_eq!(folded, record, "the stream says what memory says");
    assert_eq!(folded.run.boot_id, "second");
    assert_eq!(folded.run.died_in, None, "it lives");
    assert_eq!((&folded.steps, &folded.samples), (&before.steps, &before.samples));
    // Second death: at its last event, in the stage that had begun before.
    folded.apply(Event::Step { step: Box::new(step(WorkloadId::OpenSsl)) });
    folded.close();
    assert_eq!(folded.run.died_in.as_ref().unwrap().at_ms, 641_000);
    assert_eq!(folded.run.stages, before.run.stages);
    assert!(before.run.is_part_of(&folded.run));
}

#[test]
fn parts_stand_apart_by_the_time_that_passed() {
    let record = died();
    let after = resumed(&record, 1_641_000);
    assert_eq!((after.at_ms, after.away_ms), (641_000, Some(600_000)));
    // A board without a battery-backed clock starts before the time of its death.
    let after = resumed(&record, 5);
    assert_eq!((after.at_ms, after.away_ms), (DIED_MS + APART_MS, None));
    let mut whole = record;
    whole.resume(resumed(&died(), 1_641_000), "second".into());
    assert_eq!(whole.run.elapsed_until_ms(650_000), 50_000);
    whole.run.end = End::Finished;
    assert_eq!(Resumption::of(&whole.run, 1_641_000), None, "it came to its end");
}

#[test]
fn part_is_known_by_its_start_and_its_boot() {
    let first = died().run;
    let mut second = died();
    second.resume(resumed(&died(), 1_641_000), "second".into());
    second.run.died_in = Some(died_in(SIMD, true));
    let second_died = second.run.clone();
    let mut third = second.clone();
    third.resume(resumed(&second, 2_000_000), "third".into());
    let other = Run { started: Fact::Known(5), ..run("first") };
    for (part, whole, expected) in [
        (&first, &second_died, true),
        (&first, &third.run, true),
        (&second_died, &third.run, true),
        (&second_died, &first, false),
        (&third.run, &third.run, false),
        (&other, &second_died, false),
    ] {
        assert_eq!(part.is_part_of(whole), expected, "{part:?}");
    }
}

#[test]
fn deadly_step_is_detected() {
    for (deaths, expected) in [
        (&[(STOCKFISH, true), (STOCKFISH, true)][..], &[STOCKFISH][..]),
        (&[(STOCKFISH, true), (SIMD, true)], &[]),
        // A user killed the program.
        (&[(STOCKFISH, true), (STOCKFISH, false)], &[]),
        (&[(SIMD, true), (STOCKFISH, true), (SIMD, true)], &[SIMD]),
    ] {
        let mut run = run("x");
        let mut parts: Vec<DeathPoint> = deaths.iter().map(|(step, is)| died_in(step, *is)).collect();
        run.died_in = parts.pop();
        let resumed = |died_in| Resumption { died_in, boot_id: String::new(), at_ms: 0, away_ms: None };
        run.resumed = parts.into_iter().map(resumed).collect();
        assert_eq!(run.deadly_steps(), expected, "{deaths:?}");
    }
}

#[test]
fn stopped_run_is_resumed_without_the_step_that_was_cut() {
    let failed = Outcome::Failed(Failure {
        kind: FailureKind::Interrupted,
        message: String::new(),
        exit_status: None,
        output_tail: String::new(),
    });
    let cut = Step { outcome: failed, ..step(WorkloadId::Simd) };
    let check = |steps: &[Step], first_step: usize, kept: usize, named: Option<&str>| {
        let mut record = Record::new(nothing_known().source, run("first"));
        record.run.died_in = None;
        record.run.end = End::Interrupted { signal: 2 };
        record.run.stages = vec![StartedStage { stage: "a".into(), first_step }];
        record.steps = steps.to_vec();
        let before = record.run.clone();
        assert!(before.is_unfinished() && Resumption::of(&before, 0).is_none());
        record.reopen();
        assert_eq!(record.steps.len(), kept, "{named:?}");
        let died_in = record.run.died_in.as_ref().unwrap();
        assert_eq!((died_in.step.as_deref(), died_in.signal), (named, Some(2)));
        let resumed = Resumption::of(&record.run, 1_050_000).unwrap();
        record.resume(resumed, "first".into());
        assert!(before.is_part_of(&record.run));
    };
    let done = step(WorkloadId::Stockfish);
    check(&[done.clone(), cut.clone(), cut], 0, 1, Some(SIMD));
    check(&[done.clone(), step(WorkloadId::Simd)], 0, 1, Some(SIMD));
    // The stage that is repeated has no step yet.
    check(&[done], 1, 1, None);
    check(&[], 0, 0, None);
}
