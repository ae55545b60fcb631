//! Ranges and answers over the reference data.

use super::*;
use crate::reference::parse;
use crate::test_support::{compression, point, with_clocks, with_step};
use crate::tests::{board, explained_by, with};
use crate::{Detail, ranking_text};
use expect_test::expect;
use facts::Facts;
use facts::figures::Core;
use record::Variant;

/// Figure of a row, with the fields that rankings read.
pub(super) fn figure(row: &Row, key: &FigureKey, of: &crate::reference::RowFigure) -> Figure {
    let core = of.cluster.map(|cluster| Core {
        core_type: row.core_type(of).map(str::to_owned),
        cluster,
        cpus: vec![cluster as u32],
        is_one_of_several: false,
    });
    Figure {
        key: key.clone(),
        core,
        value: of.value,
        unit: String::new(),
        higher_is_better: !key.is_of(WorkloadId::MemoryLatency),
        spread_percent: None,
        repetitions: 1,
        not_comparable: None,
        is_main: true,
        step: 0,
        estimate: None,
    }
}

/// Number of figures inside the range of other boards with their SoC, and of all figures.
fn inside(only_sound: bool) -> (usize, usize) {
    let peers = Peers::of(Reference::builtin()).builtin;
    let (mut inside, mut all) = (0, 0);
    for (at, row) in Reference::builtin().rows().enumerate() {
        let Some(soc) = row.soc_key.as_deref() else {
            continue;
        };
        let without: Vec<&Peer<'_>> =
            peers.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, peer)| peer).collect();
        for (key, own) in &row.figures {
            let figures = own.iter().filter(|of| of.comparable && (of.sound || !only_sound));
            let figures: Vec<Figure> = figures.map(|of| figure(row, key, of)).collect();
            for figure in &figures {
                let others = others(figure, place(figure, &figures), &known(figure, &without), PeerFilter::Soc(soc));
                if let Some(range) = range::range(key, &others.times(1.0)) {
                    all += 1;
                    inside += usize::from(range.low <= figure.value && figure.value <= range.high);
                }
            }
        }
    }
    (inside, all)
}

#[test]
fn nine_of_ten_results_are_inside_the_range_of_others() {
    for only_sound in [true, false] {
        let (inside, all) = inside(only_sound);
        let share = inside as f64 / all as f64;
        assert!(all > 800 && (0.85..=0.95).contains(&share), "{inside} of {all}, only sound: {only_sound}");
    }
}

#[test]
fn an_unknown_soc_is_judged_by_its_core_type() {
    let explained = explained_by(Vec::new());
    let mut record = crate::test_support::with_clocks(
        crate::test_support::own_run(),
        record::Variant::COLD,
        vec![crate::test_support::point(0, 1_800_000, 1_800_000)],
    );
    record.machine.soc = record::Fact::Known("Maker XY1234".into());
    for (mips, expected) in [(1400, "As good as what its core types"), (700, "7-zip, one CPU (Cortex-A53) is ")] {
        let mut record = crate::test_support::with_step(
            record.clone(),
            WorkloadId::SevenZip,
            record::Variant::SINGLE,
            &[0],
            (0.0, 1.0),
            crate::test_support::compression(mips),
        );
        record.steps.last_mut().unwrap().method = 16;
        let answer = rank(&with(&record, explained.clone()), Reference::builtin()).answer;
        assert!(answer.sentence.starts_with(expected), "{}", answer.sentence);
    }
}

#[test]
fn values_that_lie_are_no_figures_and_far_ones_are_told_in_times() {
    let explained = explained_by(Vec::new());
    for (ns, expected) in [(1e308, None), (4000.0, Some(" times higher"))] {
        let latency = record::StepMeasurement::Latency(record::Latency {
            columns: vec!["1xPTR".into()],
            rows: vec![record::LatencyRow {
                size_bytes: 16 << 20,
                ns: vec![Some(ns)],
                rounds_apart_percent: None,
                line: None,
            }],
            ..Default::default()
        });
        let mut record = crate::test_support::with_step(
            crate::test_support::own_run(),
            WorkloadId::MemoryLatency,
            record::Variant::RAMLAT,
            &[0],
            (0.0, 1.0),
            latency,
        );
        record.steps.last_mut().unwrap().method = 3;
        record.machine.soc = record::Fact::Known("Rockchip RK3399".into());
        let answer = rank(&with(&record, explained.clone()), Reference::builtin()).answer;
        let is_told = expected.is_some_and(|words| answer.sentence.contains(words));
        assert_eq!(is_told, expected.is_some(), "{}", answer.sentence);
        assert!(answer.sentence.len() < 400, "{}", answer.sentence);
    }
}

/// A deficit shared by published results of the board does not count as a gap; own results of that board do not matter.
#[test]
fn a_board_is_as_good_as_others_of_its_name() {
    let explained = explained_by(Vec::new());
    let run = |board: &str, mips: u32| {
        let mut record = crate::test_support::with_step(
            crate::test_support::own_run(),
            WorkloadId::SevenZip,
            record::Variant::MULTI,
            &[],
            (0.0, 1.0),
            crate::test_support::compression(mips),
        );
        record.steps.last_mut().unwrap().method = 16;
        record.machine.soc = record::Fact::Known("Maker XY1234".into());
        record.machine.board = record::Fact::Known(board.into());
        record
    };
    let row = |board: &str, mips: u32| Row::of(&Facts::of(&run(board, mips)), &explained, "x.txt");
    for (is_published, gaps, expected) in
        [(true, 0, "As good as other results of boards with this name."), (false, 1, "7-zip, all CPUs is 51 % lower")]
    {
        let mut rows = vec![row("A", 10_000), row("B", 10_100), row("C", 10_050), row("D", 9_950), row("E", 10_020)];
        rows.push(Row { is_published, ..row("Slow One", 4_920) });
        let answer = rank(&with(&run("slow one", 4_900), explained.clone()), &Reference::of(rows)).answer;
        assert!(answer.sentence.starts_with(expected), "{}", answer.sentence);
        assert_eq!((answer.gaps.len(), answer.gaps_of_this_board.len()), (gaps, 1 - gaps));
    }
}

/// A result with these figures of memory and 7-zip, and a limit of its clock.
fn run_of(board: &str, copies_mb_per_s: u64, mips: u32, limit_khz: u32) -> Record {
    let copies = record::StepMeasurement::Bandwidth(record::Bandwidth {
        rows: vec![record::BandwidthRow {
            routine: "copy".into(),
            operation: record::MemoryOperation::Copy,
            bytes_per_s: vec![copies_mb_per_s * 1_000_000; 3],
            printed_deviation_percent: None,
            line: None,
        }],
        ..Default::default()
    });
    let record = crate::test_support::own_run();
    let mut record = crate::test_support::with_step(
        record,
        WorkloadId::MemoryBandwidth,
        record::Variant::ONLY,
        &[0],
        (0.0, 1.0),
        copies,
    );
    record = crate::test_support::with_scores(record, 2_500, &[mips; 3]);
    record.steps.iter_mut().for_each(|step| step.method = if step.workload == WorkloadId::SevenZip { 16 } else { 1 });
    record.machine.policies = vec![record::Policy {
        cpus: vec![0, 1, 2, 3],
        clock_khz_max: record::Fact::Known(1_800_000),
        limit_khz_max: record::Fact::Known(limit_khz),
        ..Default::default()
    }];
    record.machine.soc = record::Fact::Known("Maker XY1234".into());
    record.machine.board = record::Fact::Known(board.into());
    record
}

/// Memory of boards with one SoC can differ so much that only results of the same board show a defect.
#[test]
fn memory_is_compared_with_other_results_of_the_board() {
    let explained = explained_by(Vec::new());
    let row =
        |board: &str, rate: u64| Row::of(&Facts::of(&run_of(board, rate, 10_000, 1_800_000)), &explained, "x.txt");
    let mut rows = vec![row("A", 2_000), row("B", 7_900), row("C", 2_400), row("D", 8_000)];
    rows.extend([4_000, 4_100].map(|rate| Row { is_published: true, ..row("Wide One", rate) }));
    let reference = Reference::of(rows);
    for (rate, gaps) in [(3_900, 0), (2_000, 1)] {
        let record = run_of("Wide One", rate, 10_000, 1_800_000);
        let answer = rank(&with(&record, explained.clone()), &reference).answer;
        assert_eq!(answer.gaps.len(), gaps, "{}", answer.sentence);
        let is_against_board = answer.sentence.contains("against other results of boards with this name");
        assert_eq!(is_against_board, gaps > 0, "{}", answer.sentence);
    }
}

/// A limit that the result itself shows is the cause of a deficit that is too small to stand out without one.
#[test]
fn a_limit_of_the_clock_is_a_cause_without_other_clocks() {
    let explained = explained_by(Vec::new());
    let row = |mips| Row::of(&Facts::of(&run_of("A", 4_000, mips, 1_800_000)), &explained, "x.txt");
    let reference = Reference::of([10_000, 9_600, 10_400, 10_100, 9_900].map(row).into());
    for (limit_khz, expected) in [(1_800_000, "As good as"), (1_500_000, "7-zip, all CPUs is 13 % lower")] {
        let record = run_of("B", 4_000, 8_700, limit_khz);
        let answer = rank(&with(&record, explained.clone()), &reference).answer;
        assert!(answer.sentence.starts_with(expected), "{}", answer.sentence);
        let first = answer.causes.first().map(|cause| cause.id);
        assert_eq!(first, (limit_khz < 1_800_000).then_some(facts::Cause::ClockLimit), "{}", answer.sentence);
    }
}

/// A board that runs at its highest clock has lost nothing to overclocked ones, unless another clock is its limit.
#[test]
fn a_highest_clock_is_not_a_limit() {
    let clocked = |khz: u32, highest_khz: u32| {
        let record = run_of("A", 4_000, khz / 180, khz);
        let mut record = with_clocks(record, Variant::COLD, vec![point(0, khz, khz)]);
        record.machine.policies[0].clock_khz_max = record::Fact::Known(highest_khz);
        record
    };
    let explained = explained_by(Vec::new());
    let row = |khz| Row::of(&Facts::of(&clocked(khz, khz)), &explained, "x.txt");
    let reference = Reference::of([1_800_000, 1_810_000, 1_795_000, 1_790_000, 1_805_000].map(row).into());
    for (highest_khz, expected) in [(1_500_000, facts::Cause::HighestOpp), (1_800_000, facts::Cause::ClockLimit)] {
        let record = clocked(1_500_000, highest_khz);
        let answer = rank(&with(&record, explained.clone()), &reference).answer;
        assert_eq!(answer.causes.first().map(|cause| cause.id), Some(expected), "{}", answer.sentence);
    }
}

#[test]
fn result_is_ranked_among_valid_rows_of_its_kind() {
    let header = "board\tsoc\tcores\tkernel\tdistribution\tdate\tversion\tverdict\tclock@0 \
                  cold/core\tsevenzip@16 multi\tsevenzip@16 single/core\tsource\n";
    let row = |soc: &str, core: &str, verdict: &str, multi: &str, single: &str| {
        format!("B\t{soc}\t4x {core}\t-\t-\t-\t-\t{verdict}\t-\t{multi}\t{single}\tx\n")
    };
    let table = header.to_owned()
        + &row("Rockchip RK3328", "Cortex-A53", "valid", "3900", "1100")
        + &row("Rockchip RK3328 (1)", "Cortex-A53", "valid", "~4100", "1200")
        + &row("Allwinner H5", "Cortex-A53", "valid", "4200", "1000")
        + &row("Rockchip RK3399", "Cortex-A72", "valid", "6000", "1700")
        + &row("Rockchip RK3328", "Cortex-A53", "degraded", "!9000", "!9000");
    let reference = Reference::of(parse(&table).unwrap());
    let mut record = board("Mine", 1_500_000, 1140, &[4000]);
    let score = compression(1);
    record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 1.0), score);
    let ranking = rank(&with(&record, explained_by(Vec::new())), &reference);
    expect![[r#"
        Mine (Rockchip RK3328) compared with known results:

        Behind B (4200 MIPS) in 7-zip on all CPUs, place 2 of 2 known boards.

           B (3)                         4200 ########################################
           this board                    4000 ======================================
           other RK3328                  3900 #####################################

        2 other results with Rockchip RK3328 are known: too few for an expected range.

        Others with this SoC: B.

        Columns: range: median and range of nine in ten boards with this SoC (of fewer
        than eight: the lowest and the highest; where fewer than three are known: of
        this core type at this clock); SoC: place among boards with this SoC; all: place
        among all boards.

                          this  median                 range  SoC  all
           7-zip, one CPU (MIPS)
              Cortex-A53  1140    1150  1100 (B) to 1200 (B)  2/3  3/5
           7-zip, all CPUs (MIPS)
              all CPUs    4000    3900              3900 (B)  1/2  3/4

        Not compared:
           clock@0: no reference result has this workload
           sevenzip@1: reference results used sevenzip@16, which is not comparable
           what was lowered in 1 of 5 reference results: degraded or invalid
    "#]]
    .assert_eq(&ranking_text(&ranking, 80, Detail::Full));
}

#[test]
fn only_other_board_with_a_soc_has_one_bar() {
    let record = board("Mine", 1_500_000, 1140, &[4000]);
    let other = board("Other", 1_500_000, 1140, &[4200]);
    let row = crate::reference::Row::of(&Facts::of(&other), &explained_by(Vec::new()), "other.txt");
    let reference = Reference::of(vec![row]);
    let neighbours = neighbours(&Facts::of(&record), &explained_by(Vec::new()), &reference).unwrap();
    let bars: Vec<&str> = neighbours.bars.iter().map(|bar| bar.name.as_str()).collect();
    assert_eq!(bars, ["Other", "this board"]);
}

#[test]
fn row_is_not_ranked_against_itself() {
    let record = board("Mine", 1_500_000, 1140, &[4000]);
    let own = crate::reference::Row::of(&Facts::of(&record), &explained_by(Vec::new()), "mine.txt");
    let reference = Reference::of(vec![own]);
    assert_eq!(rank(&with(&record, explained_by(Vec::new())), &reference).entries, []);
}
