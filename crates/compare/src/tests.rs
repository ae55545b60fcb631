//! Comparisons of small Records.

use super::*;
use crate::reference::Reference;
use crate::test_support::{compression, gauge_channel, own_run, point, with_clocks, with_step};
use expect_test::{Expect, expect};
use facts::{Explained, Explanation, Facts, Finding, Quantity, Severity};
use record::{
    ChannelId, Cipher, Fact, MeterChannel, Outcome, Record, StepMeasurement as Score, Unit, Variant, WorkloadId,
};

/// Explanation of a run with these findings.
pub(crate) fn explained_by(findings: Vec<Finding>) -> Explanation {
    explain::explain_findings(&Facts::of(&own_run()), findings)
}

/// Record with the assessment of another one.
pub(crate) fn with(record: &Record, assessment: Explanation) -> Explained<'_> {
    Explained { facts: Facts::of(record), assessment }
}

/// Comparison of two results `a` and `b` without findings.
pub(crate) fn compared(a: &Record, b: &Record) -> Comparison {
    let [a, b] = [a, b].map(|record| with(record, explained_by(Vec::new())));
    compare(&[("a", &a), ("b", &b)].map(|(name, explained)| Side { name: name.into(), explained }))
}

/// Board with four CPUs at this clock, with scores of 7-zip on one and on all CPUs.
pub(crate) fn board(name: &str, clock_khz: u32, single: u32, multi: &[u32]) -> Record {
    let clock = point(0, clock_khz, clock_khz);
    let mut record = with_clocks(own_run(), Variant::COLD, vec![clock]);
    record.machine.board = Fact::Known(name.into());
    record.machine.soc = Fact::Known("Rockchip RK3328".into());
    record.machine.kernel_release = Fact::Known("6.1.0".into());
    let runs = std::iter::once((Variant::SINGLE, &[0_u32][..], single));
    for (variant, cpus, mips) in runs.chain(multi.iter().map(|mips| (Variant::MULTI, &[][..], *mips))) {
        let score = compression(mips);
        record = with_step(record, WorkloadId::SevenZip, variant, cpus, (1.0, 2.0), score);
    }
    for step in &mut record.steps {
        step.method = if step.workload == WorkloadId::Clock { 0 } else { 16 };
    }
    record
}

/// Record with an assessment of these findings.
fn with_facts(record: &Record, findings: Vec<Finding>) -> Explained<'static> {
    let facts = Facts::from(record.clone());
    let assessment = explain::explain_findings(&facts, findings);
    Explained { facts, assessment }
}

fn check(sides: &[(&str, &Record, &[Finding])], expected: &Expect) {
    let explained = sides.iter().map(|(_, record, findings)| with_facts(record, findings.to_vec()));
    let explained: Vec<Explained<'_>> = explained.collect();
    let sides: Vec<Side<'_>> = sides
        .iter()
        .zip(&explained)
        .map(|((name, ..), explained)| Side { name: (*name).to_owned(), explained })
        .collect();
    expected.assert_eq(&text(&compare(&sides), 80, Detail::Full));
}

/// Results that do not fit follow in a second table, with the first result again.
#[test]
fn four_results_stand_in_80_columns() {
    let mips = [4000, 4400, 3600, 5200];
    let boards: Vec<Record> = mips.iter().map(|mips| board("Board", 1_500_000, mips / 4, &[*mips])).collect();
    let explained: Vec<Explained<'_>> = boards.iter().map(explain::explain).collect();
    let sides = explained.iter().zip(["a.txt", "b.txt", "c.txt", "d.txt"]);
    let sides = sides.map(|(explained, name)| Side { name: name.to_owned(), explained });
    let comparison = compare(&sides.collect::<Vec<_>>());
    let ranking = rank(&explained[0], Reference::builtin());
    for columns in [40, 60, 80] {
        let texts = text(&comparison, columns, Detail::Full) + &ranking_text(&ranking, columns, Detail::Full);
        let too_wide: Vec<&str> = texts.lines().filter(|line| facts::lines::width(line) > columns).collect();
        assert!(too_wide.is_empty(), "{columns}: {too_wide:?}");
    }
    let narrow = text(&comparison, 40, Detail::Full);
    assert!(narrow.contains("      A 4000, B 4400, change 1.1x faster\n"), "{narrow}");
    let text = text(&comparison, 80, Detail::Full);
    let first = &comparison.sentences[0];
    assert!(first.starts_with("B is 1.1x faster than A in 7-zip on all CPUs (4400 and 4000 MIPS)."), "{first}");
    for text in [&text, &markdown_text(&comparison)] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.starts_with(first), "{text}");
    }
    for expected in ["4000 4400 1.1x faster", "3600 1.1x slower", "4000 5200 1.3x faster"] {
        let has = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ").contains(expected);
        assert!(text.lines().any(has), "{expected} is missing in\n{text}");
    }
}

/// Each sentence has a figure of its two results; of many results only the best and the worst are in a sentence.
#[test]
fn sentences_are_of_figures_that_both_results_have() {
    let multi: [&[u32]; 5] = [&[4000], &[], &[5200], &[3600], &[4400]];
    let boards: Vec<Record> = multi.iter().map(|multi| board("Board", 1_500_000, 1140, multi)).collect();
    let explained: Vec<Explained<'_>> = boards.iter().map(|board| with(board, explained_by(Vec::new()))).collect();
    let sides: Vec<Side<'_>> = explained.iter().map(|explained| Side { name: "x.txt".to_owned(), explained }).collect();
    assert_eq!(
        compare(&sides[..3]).sentences,
        [
            "B is as fast as A, within the noise of runs (2.5 %), in 7-zip on one CPU (Cortex-A53) (1140 and 1140 MIPS).",
            "C is 1.3x faster than A in 7-zip on all CPUs (5200 and 4000 MIPS).",
        ]
    );
    let comparison = compare(&sides);
    assert_eq!(
        comparison.sentences,
        ["Of 4 results with 7-zip on all CPUs, C (Board, 5200 MIPS) is the best and D (Board, 3600 MIPS) the worst."]
    );
    let text = text(&comparison, 80, Detail::Summary);
    let bars = text.lines().filter(|line| line.ends_with('#')).filter_map(|line| line.trim().chars().next());
    assert_eq!(bars.collect::<String>(), "CEAD", "{text}");
    assert!(!text.contains("Likely causes"), "{text}");
}

#[test]
fn lower_clock_explains_lower_scores() {
    let a = board("One", 1_500_000, 1140, &[4000, 4040]);
    let mut b = board("Two", 1_300_000, 990, &[3480, 3470]);
    b.machine.policies[0].clock_khz_max = Fact::Known(1_300_000);
    b.machine.kernel_release = Fact::Known("6.6.0".into());
    check(
        &[("a.txt", &a, &[]), ("b.txt", &b, &[])],
        &expect![[r#"
            B is 1.2x slower than A in 7-zip on all CPUs (3475 and 4020 MIPS). The measured
            clock is 1300 MHz instead of 1500 MHz; it explains the difference.

            A  a.txt (One, valid)
            B  b.txt (Two, valid)

            7-zip on all CPUs (MIPS)
               A      4020 #############################################################
               B      3475 #####################################################

            7-zip on one CPU (MIPS)
               A      1140 #############################################################
               B       990 #####################################################

            Likely causes:
               B: The measured clock is 1300 MHz instead of 1500 MHz; it explains the
                  difference (7-zip, all CPUs; 7-zip, one CPU).
               B: The advertised clock is 1300 MHz instead of 1500 MHz (clock, measured
                  cold).

            Figures, and how they compare with the first result that has them:

                                          A     B       change
               clock, measured cold (MHz)
                  Cortex-A53           1500  1300  1.2x slower
               7-zip, one CPU (MIPS)
                  Cortex-A53           1140   990  1.2x slower
               7-zip, all CPUs (MIPS)  4020  3475  1.2x slower

            Settings that differ:
               board
                  A  One
                  B  Two
               kernel
                  A  6.1.0
                  B  6.6.0
               clock advertised (MHz)
                  A  1800
                  B  1300
               clock measured (MHz)
                  A  1500
                  B  1300
        "#]],
    );
}

/// A decline by heat is a loss, not noise.
#[test]
fn spread_with_a_cause_is_no_noise() {
    let (a, b) = (board("One", 1_500_000, 1140, &[4000, 4000]), board("One", 1_500_000, 1140, &[4000, 3300, 2600]));
    let finding = |rule| {
        let steps = b.steps.iter().enumerate().filter(|(_, step)| step.variant == Variant::MULTI);
        let steps: Vec<usize> = steps.map(|(index, _)| index).collect();
        Finding::new(record::RuleId::own(rule), Severity::Degraded, "So.").of(steps)
    };
    for (findings, expected) in
        [(vec![], true), (["thermal-throttling", "scores-decline"].map(finding).to_vec(), false)]
    {
        let (known, fell) = (with_facts(&a, Vec::new()), with_facts(&b, findings));
        let sides = [("a", &known), ("b", &fell)].map(|(name, explained)| Side { name: name.into(), explained });
        let words = text(&compare(&sides), 80, Detail::Full);
        assert_eq!(words.starts_with("B is as fast as A"), expected, "{words}");
    }
}

#[test]
fn differences_within_noise_are_unmarked() {
    let a = board("One", 1_500_000, 1140, &[4000, 4400]);
    let b = board("One", 1_500_000, 1150, &[3900, 4100]);
    check(
        &[("a.txt", &a, &[]), ("b.txt", &b, &[])],
        &expect![[r#"
            B is as fast as A, within the noise of runs (15.2 %), in 7-zip on all CPUs (4000
            and 4200 MIPS).

            A  a.txt (One, valid)
            B  b.txt (One, valid)

            7-zip on all CPUs (MIPS)
               A      4200 #############################################################
               B      4000 ##########################################################

            7-zip on one CPU (MIPS)
               A      1140 ############################################################
               B      1150 #############################################################

            Figures, and how they compare with the first result that has them:

                                          A     B        change
               clock, measured cold (MHz)
                  Cortex-A53           1500  1500  within noise
               7-zip, one CPU (MIPS)
                  Cortex-A53           1140  1150  within noise
               7-zip, all CPUs (MIPS)  4200  4000  within noise

            No difference in known settings.
        "#]],
    );
}

#[test]
fn losses_are_in_the_first_sentence() {
    let (a, b) = (board("One", 1_500_000, 1140, &[4000]), board("Two", 1_500_000, 1140, &[3000]));
    let mut comparison = compared(&a, &b);
    let multi = comparison.lines.iter_mut().find(|line| line.key.is_form(&Variant::MULTI)).unwrap();
    let lost = |percent| Loss { cause: Cause::Heat, percent, finding: "It was hot.".into() };
    for (losses, expected) in [
        ([vec![], vec![]], "B is 1.3x slower than A in 7-zip on all CPUs (3000 and 4000 MIPS)."),
        (
            [vec![], vec![lost(40.0)]],
            "B is 1.3x slower than A in 7-zip on all CPUs (3000 and 4000 MIPS): heat took 40 % of B. Without this loss B \
             would be 1.2x faster.",
        ),
        (
            [vec![lost(25.0)], vec![lost(40.0)]],
            "B is 1.3x slower than A in 7-zip on all CPUs (3000 and 4000 MIPS): heat took 25 % of A and 40 % of B. \
             Without these losses B would be 6.2 % slower.",
        ),
    ] {
        multi.losses = losses.into();
        assert_eq!(multi.sentence(1, "B").unwrap(), expected);
    }
    let causes: Vec<String> = comparison.causes().iter().map(CauseOfSeveral::sentence).collect();
    assert_eq!(
        causes,
        ["A: Heat took 25 % of 7-zip, all CPUs: It was hot.", "B: Heat took 40 % of 7-zip, all CPUs: It was hot."]
    );
}

#[test]
fn cause_in_a_summary_names_few_figures() {
    for (figures, expected) in [
        (&["a", "b"][..], "B: Other cores (a; b)."),
        (&["a", "b", "c", "d"], "B: Other cores (a; b; c; d)."),
        (&["a", "b", "c", "d", "e"], "B: Other cores (a; b; c and 2 more)."),
    ] {
        let effects = vec![(None, figures.iter().map(|figure| (*figure).to_owned()).collect())];
        let cause =
            CauseOfSeveral { letter: "B".into(), cores: None, words: "Other cores.".into(), effects, is_loss: false };
        assert_eq!(cause.with_figures(3), expected);
    }
}

#[test]
fn finding_of_the_slower_side_is_a_cause() {
    let a = board("One", 1_500_000, 1140, &[4000, 4000]);
    let b = board("One", 1_500_000, 1140, &[3000, 3000]);
    let hot = [Finding::new(record::RuleId::own("x"), Severity::Degraded, "It was {what}.")
        .with("what", Quantity::Text("too hot".into()))];
    let sides = [("a.txt", &a, &[][..]), ("b.txt", &b, &hot[..])];
    check(
        &sides,
        &expect![[r#"
            B is 1.3x slower than A in 7-zip on all CPUs (3000 and 4000 MIPS). In b.txt: It
            was too hot.

            A  a.txt (One, valid)
            B  b.txt (One, valid)

            7-zip on all CPUs (MIPS)
               A      4000 #############################################################
               B      3000 ##############################################

            7-zip on one CPU (MIPS)
               A      1140 #############################################################
               B      1140 #############################################################

            Figures, and how they compare with the first result that has them:

                                          A     B        change
               clock, measured cold (MHz)
                  Cortex-A53           1500  1500  within noise
               7-zip, one CPU (MIPS)
                  Cortex-A53           1140  1140  within noise
               7-zip, all CPUs (MIPS)  4000  3000   1.3x slower

            No difference in known settings.
        "#]],
    );
}

#[test]
fn other_methods_and_incomparable_figures_are_left_out() {
    let a = board("One", 1_500_000, 1140, &[4000]);
    let mut b = board("One", 1_500_000, 1500, &[3000]);
    for step in &mut b.steps {
        if step.variant == Variant::SINGLE {
            step.method = 26;
        } else if step.variant == Variant::MULTI {
            step.not_comparable = Some("small dictionaries".into());
        }
    }
    check(
        &[("a.txt", &a, &[]), ("b.txt", &b, &[])],
        &expect![[r#"
            B is 1.1x faster than A in 7-zip on one CPU (Cortex-A53) (≈1304 and 1140 MIPS).

            A  a.txt (One, valid)
            B  b.txt (One, valid)

            7-zip on one CPU (MIPS)
               A      1140 #####################################################
               B     ≈1304 #############################################################

            Figures, and how they compare with the first result that has them:

                                 A      B        change
               clock, measured cold (MHz)
                  Cortex-A53  1500   1500  within noise
               7-zip, one CPU (MIPS)
                  Cortex-A53  1140  ≈1304   1.1x faster

            Estimated (≈), with 90 % intervals:
               B: 16.02 equivalent: 1304 (1210 to 1402), from 26 by 1.15 (7-zip, one CPU)

            No difference in known settings.

            Not compared:
               7-zip, all CPUs: not comparable in B: small dictionaries
        "#]],
    );
}

#[test]
fn aes_in_software_is_seen_from_bytes_per_cycle() {
    let cipher =
        |rate: u64| Score::Cipher(Cipher { algorithm: Variant::AES_256_CBC.to_string(), rows: vec![(16_384, rate)] });
    let with_aes = |rate| {
        let record = board("One", 1_500_000, 1140, &[4000]);
        with_step(record, WorkloadId::OpenSsl, Variant::AES_256_CBC, &[0], (0.0, 1.0), cipher(rate))
    };
    let (a, b) = (with_aes(700_000_000), with_aes(50_000_000));
    let comparison = compared(&a, &b);
    let line = comparison.lines.iter().find(|line| line.unit == "kB/s");
    let difference = line.unwrap().differences[1].clone().unwrap();
    assert_eq!(difference.cause.map(String::from).as_deref(), Some("b runs AES without AES instructions."));
}

#[test]
fn invalid_results_say_so_first() {
    let lost = [Finding::new(record::RuleId::own("x"), Severity::Invalid, "The {what} was lost.")
        .with("what", Quantity::Text("supply".into()))];
    let explained = explained_by(lost.to_vec());
    let record = board("Mine", 1_500_000, 1140, &[4000]);
    let text_of_rank = ranking_text(&rank(&with(&record, explained.clone()), Reference::builtin()), 80, Detail::Full);
    let expected = "This result is INVALID, do not use it: The supply was lost.\n\nMine (Rockchip RK3328) compared";
    assert!(text_of_rank.starts_with(expected), "{text_of_rank}");
    let degraded = [Finding::new(record::RuleId::own("x"), Severity::Degraded, "It was hot.")];
    let degraded =
        ranking_text(&rank(&with(&record, explained_by(degraded.to_vec())), Reference::builtin()), 80, Detail::Full);
    assert!(degraded.starts_with("This result is degraded"), "{degraded}");
    let [valid, explained] = [explained_by(Vec::new()), explained].map(|assessment| with(&record, assessment));
    let sides = [("a", &valid), ("b", &explained)].map(|(name, explained)| Side { name: name.into(), explained });
    let text = text(&compare(&sides), 80, Detail::Full);
    assert!(text.starts_with("B (b) is INVALID, do not use it: The supply was lost.\n\nA  a (Mine, valid)"), "{text}");
}

#[test]
fn factors_have_two_digits() {
    assert_eq!([0.456, 1.042, 1.456, 14.56].map(times), ["0.46 times", "1.04 times", "1.5 times", "15 times"]);
}

#[test]
fn clock_is_not_its_own_cause() {
    let a = board("One", 1_500_000, 1140, &[]);
    let mut b = board("One", 1_500_000, 1140, &[]);
    if let Outcome::Done(Score::Clock(clocks)) = &mut b.steps[0].outcome {
        clocks.points[0].readings_khz = vec![1_400_000; 3];
    }
    let comparison = compared(&a, &b);
    let cause = comparison.lines[0].differences[1].clone().unwrap().cause;
    assert!(cause.unwrap().words.starts_with("Both kernels advertise 1500 MHz"));
}

#[test]
fn work_per_watt_is_compared_where_power_was_measured_at_the_same_place() {
    let measured = |source: &str, milliwatts: i64| {
        let id = ChannelId::meter(MeterChannel::Power);
        let mut record = gauge_channel(own_run(), id, Unit::Milliwatts, &[milliwatts; 120]);
        record.samples.channels[0].source = source.into();
        with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (10.0, 40.0), compression(6000))
    };
    let wall = measured("shelly:a", 5000);
    let same = compared(&wall, &measured("netio:b", 4000));
    let line = same.main_lines().find(|line| line.key.is_power()).unwrap();
    let rounded: Vec<Option<f64>> = line.values.iter().map(|value| value.map(f64::round)).collect();
    assert_eq!(rounded, [Some(1200.0), Some(1500.0)]);
    let other = compared(&wall, &measured("smartpower3:c", 4000));
    assert!(!other.lines.iter().any(|line| line.key.is_power()), "{:?}", other.lines);
    let why = &other.left_out.iter().find(|left| left.what.starts_with("7-zip, all CPUs: work")).unwrap().why;
    assert!(why.starts_with("measured at different places ("), "{why}");
}

#[test]
fn states_of_a_power_measurement_are_compared_and_valid_without_other_figures() {
    let measured = |milliwatts: i64| {
        let power: Vec<i64> = (0..120).map(|row| milliwatts + row % 3).collect();
        let mut record = gauge_channel(own_run(), ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, &power);
        record.run.mode = record::Mode::own("power");
        let rest = record::StepMeasurement::Wait(record::Wait::default());
        with_step(record, WorkloadId::Wait, "off", &[], (10.0, 40.0), rest)
    };
    let comparison = compared(&measured(1_000), &measured(500));
    assert!(comparison.sides.iter().all(|side| side.verdict != facts::Verdict::Invalid), "{:?}", comparison.sides);
    assert!(comparison.sentences[0].starts_with("B draws 0.50 times as much as A in power when off"), "{comparison:?}");
    // The validity of a run without figures is that of `explain`.
    let empty = compared(&own_run(), &own_run());
    let text = crate::text(&empty, 80, crate::Detail::Summary);
    assert!(text.contains("no figure that can be compared") && !text.contains("INVALID"), "{text}");
}
