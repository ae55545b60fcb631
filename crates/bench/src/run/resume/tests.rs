//! Remaining stages of any plan that ended anywhere.

use super::*;
use crate::question::standard::Standard;
use crate::question::{PlanInput, Task};
use crate::{AvailableTools, Options};
use record::{Aftermath, DeathPoint, Fact, Resumption, Source, Survey, Variant, WorkloadId};
use workloads::job::Job;
use workloads::job::setting::Setting;
use workloads::testing::{machine, step};

fn job(workload: WorkloadId, variant: Variant) -> Stage {
    Stage::Job(Job { workload, variant, ..Job::default() })
}

fn side(khz: u32) -> Stage {
    Stage::ApplySettings(vec![Setting::ClockMaxKhz(khz)])
}

/// Record of a run that died in the last of these stages after this number of steps.
fn died(stages: &[Stage], steps: usize) -> Record {
    let source = Source::Run { version: String::new(), target: String::new() };
    let mut record = Record::new(source, Run::default());
    for stage in stages.iter().filter_map(Stage::words) {
        let first_step = record.steps.len();
        record.run.stages.push(StartedStage { stage, first_step });
        record.steps.push(step("x"));
    }
    record.steps.pop();
    record.steps.extend((0..steps).map(|_| step("x")));
    record
}

fn left(record: &Record, stages: Vec<Stage>) -> Vec<Stage> {
    StageProgress::of(record).left(stages)
}

#[test]
fn remaining_stages_after_every_interruption() {
    let machine = machine(&[("A55", 2, 1800), ("A76", 2, 2400)]);
    let available = AvailableTools::default();
    let options = Options { extensive: true, ..Options::default() };
    let all =
        Standard.stages(&PlanInput { machine: &machine, survey: &Survey::default(), options: &options, available });
    assert!(all.len() > 30);
    for begun in 1..=all.len() {
        let record = died(&all[..begun], 1);
        assert_eq!(left(&record, all.clone()), all[begun - 1..], "{begun}");
        let words = all[begun - 1].words().unwrap();
        let beginning = StageProgress::of(&record).beginning(&words);
        assert_eq!(beginning, StageStart::GoesOn(1), "{begun}");
    }
    assert_eq!(left(&died(&[], 0), all.clone()), all);
}

#[test]
fn repeated_stages_are_skipped_by_count() {
    let idle = || Stage::Rest(Variant::IDLE, std::time::Duration::ZERO);
    let all = vec![idle(), job(WorkloadId::Simd, Variant::ONLY), idle()];
    assert_eq!(left(&died(&all[..2], 0), all.clone()), all[1..]);
    assert_eq!(left(&died(&all, 0), all.clone()), all[2..]);
}

#[test]
fn settings_are_put_in_place_for_what_is_left() {
    let at = |khz, clock| {
        let jobs = [WorkloadId::Lzma, WorkloadId::Aes].map(|id| job(id, Variant::own(clock)));
        [vec![side(khz)], jobs.to_vec()].concat()
    };
    let end = vec![Stage::ApplySettings(Vec::new())];
    let all = [at(1, "slow"), at(2, "fast"), end.clone()].concat();
    let expected = |from: usize, khz| [vec![side(khz)], all[from..].to_vec()].concat();
    assert_eq!(left(&died(&all[..3], 0), all.clone()), expected(2, 1));
    assert_eq!(left(&died(&all[..5], 0), all.clone()), expected(4, 2));
}

#[test]
fn program_that_was_given_up_is_not_tried_again() {
    let both_forms = |id| [Variant::SINGLE, Variant::MULTI].map(|form| job(id, form));
    let planned = both_forms(WorkloadId::SevenZip).to_vec();
    let built_in = both_forms(WorkloadId::Lzma).to_vec();
    let begun = [planned[0].clone(), built_in[0].clone()];
    assert_eq!(left(&died(&begun, 0), planned.clone()), built_in);
    // A plan with both was made without the program.
    let both = [planned, built_in].concat();
    assert_eq!(left(&died(&both[..3], 0), both.clone()), both[2..]);
}

#[test]
fn machine_differences_are_named() {
    let known = || {
        let mut machine = machine(&[("A55", 2, 1800)]);
        machine.board = Fact::Known("Board".into());
        machine.kernel_release = Fact::Known("6.12.1".into());
        machine.memory_kib = Fact::Known(4_000_000);
        machine
    };
    let change = |change: &dyn Fn(&mut Machine)| {
        let mut machine = known();
        change(&mut machine);
        other_machine(&known(), &machine)
    };
    for (now, expected) in [
        (change(&|_| {}), None),
        (change(&|m| m.memory_kib = Fact::Known(3_990_000)), None),
        (change(&|m| m.board = Fact::Known("Other".into())), Some("the board changed from Board to Other")),
        (
            change(&|m| m.kernel_release = Fact::Known("6.18.0".into())),
            Some("the kernel changed from 6.12.1 to 6.18.0"),
        ),
        (change(&|m| m.memory_kib = Fact::Known(2_000_000)), Some("the memory changed from 3906 MiB to 1953 MiB")),
        (change(&|m| m.cpus[1].online = false), Some("the list of online CPUs changed from 0 1 to 0")),
        (
            change(&|m| m.policies[0].governors = vec!["performance".into()]),
            Some("the available governors changed from unknown to performance"),
        ),
    ] {
        assert_eq!(now.as_deref(), expected);
    }
}

#[test]
fn step_is_left_out_with_the_number_of_deaths() {
    let mut run = Run::default();
    let [deadly, other] = [WorkloadId::Simd, WorkloadId::Aes].map(WorkloadId::as_str);
    let died_in = DeathPoint {
        step: Some(deadly.into()),
        aftermath: Fact::Known(Aftermath {
            looked_utc_ms: 0,
            restarted: Fact::Known(true),
            last_words: Fact::not_reached(),
            memory_errors: Fact::not_reached(),
            machine_checks: Fact::not_reached(),
            watchdogs: Fact::not_reached(),
            reset_reasons: Vec::new(),
            hardware_messages: Vec::new(),
        }),
        ..DeathPoint::default()
    };
    for expected in [None, None, Some("skipped because the board died in it 2 times")] {
        assert_eq!(why_left_out(&run, deadly).as_deref(), expected);
        run.resumed.push(Resumption { died_in: died_in.clone(), boot_id: String::new(), at_ms: 0, away_ms: None });
    }
    assert_eq!(why_left_out(&run, other), None);
}
