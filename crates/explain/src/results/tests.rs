//! Tables of small Records in every format.

use super::*;
use crate::test_support::{compression, own_run, point, series, with_clocks, with_step};
use expect_test::{Expect, expect};
use facts::{Explained, Explanation, Facts, Finding, Severity};
use record::Fact;

/// Explanation of a run in which these findings were made.
pub(crate) fn explained_by(findings: Vec<Finding>) -> Explanation {
    crate::explain_findings(&Facts::of(&own_run()), findings)
}

fn rows() -> Vec<Row> {
    let result = |name: &str, khz: u32, multi: Option<u32>, severity: Option<Severity>| {
        let mut record = with_clocks(own_run(), Variant::COLD, vec![point(0, khz, khz)]);
        record.machine.board = Fact::Known(name.into());
        record.machine.kernel_release = Fact::Known("6.6.31-x".into());
        record.machine.distribution = Fact::Known("Debian, 12 <beta>".into());
        record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 1.0), compression(1420));
        if let Some(mips) = multi {
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 2.0), compression(mips));
            let rates = series(&[1.0, 9.5, 9.4, 9.6]);
            record = with_step(record, WorkloadId::Cpuminer, Variant::ONLY, &[], (2.0, 3.0), rates);
        }
        for step in &mut record.steps {
            step.method = if name == "c" { 26 } else { 16 };
        }
        let findings: Vec<Finding> = severity
            .map(|severity| Finding::new(record::RuleId::own("x"), severity, "It was so."))
            .into_iter()
            .collect();
        let explained = Explained { facts: Facts::of(&record), assessment: explained_by(findings) };
        Row::of(&explained, &format!("{name}.txt"))
    };
    vec![
        result("b | <b>", 1_800_000, Some(5345), None),
        result("A, \"quoted\"", 1_500_000, Some(6001), Some(Severity::Degraded)),
        result("c", 2_000_000, None, Some(Severity::Invalid)),
    ]
}

fn check(format: &str, expected: &Expect) {
    let format = FORMATS.iter().find(|known| known.id == format).unwrap();
    let text = (format.write)(&Table { rows: &rows(), columns: 80 });
    expected.assert_eq(&text);
}

#[test]
fn markdown() {
    check(
        "md",
        &expect![[r#"
            | Device / details | Clockspeed | Kernel | Distro | 7-zip multi | 7-zip single | AES | memcpy | memset | kH/s | Verdict | File |
            | :--- | :--- | :--- | :--- | ---: | ---: | ---: | ---: | ---: | ---: | :--- | :--- |
            | b &lt;b&gt; | 1800 MHz | 6.6 | Debian, 12 &lt;beta&gt; arm64 | 5350 | 1420 | - | - | - | 9.50 | valid | b \| &lt;b&gt;.txt |
            | A, "quoted" | 1500 MHz | 6.6 | Debian, 12 &lt;beta&gt; arm64 | 6000 | 1420 | - | - | - | 9.50 | degraded | A, "quoted".txt |
            | c | 2000 MHz | 6.6 | Debian, 12 &lt;beta&gt; arm64 | - | ≈1240 | - | - | - | - | invalid | c.txt |

            ≈ c.txt, 7-zip single: 16.02 equivalent: 1235 (1145 to 1327), from 26 by 1.15.
        "#]],
    );
}

#[test]
fn csv() {
    check(
        "csv",
        &expect![[r#"
            file,verdict,died_in,sevenzip_multi_estimated,sevenzip_single_estimated,resumed_after,board,soc,distribution,kernel,governor,date,sbc_bench_version,sevenzip_multi_mips,sevenzip_multi_comparable,sevenzip_single_mips,sevenzip_single_comparable,memory_copy_mb_per_s,memory_fill_mb_per_s,memory_latency_ns,memory_latency_at_mib,aes_256_cbc_kb_per_s,cpuminer_kh_per_s,clock_measured_mhz,clock_advertised_mhz,is_throttled,temperature_idle_celsius,temperature_first_celsius,temperature_max_celsius,power_mean_watt,power_measured_at,power_idle_watt,sevenzip_multi_joule,sevenzip_multi_mips_per_watt
            b | <b>.txt,valid,,,,,b | <b>,,"Debian, 12 <beta>",6.6.31-x,,,0.1.0,5345,true,1420,true,,,,,,9.5,1800.0,1800.0,false,,,,,,,,
            "A, ""quoted"".txt",degraded,,,,,"A, ""quoted""",,"Debian, 12 <beta>",6.6.31-x,,,0.1.0,6001,true,1420,true,,,,,,9.5,1500.0,1500.0,false,,,,,,,,
            c.txt,invalid,,,"16.02 equivalent: 1235 (1145 to 1327), from 26 by 1.15",,c,,"Debian, 12 <beta>",6.6.31-x,,,0.1.0,,,1420,false,,,,,,,2000.0,2000.0,false,,,,,,,,
        "#]],
    );
}

/// The first row, and the differences of the others.
#[test]
fn json() {
    let format = FORMATS.iter().find(|known| known.id == "json").unwrap();
    let text = (format.write)(&Table { rows: &rows(), columns: 80 });
    let rows: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(&text).unwrap();
    let mut told = String::new();
    for (index, row) in rows.iter().enumerate() {
        told.push_str(if index > 0 { "\n" } else { "" });
        for (key, value) in row.iter().filter(|(key, value)| index == 0 || rows[0].get(*key) != Some(value)) {
            told.push_str(&format!("{key}: {value}\n"));
        }
    }
    expect![[r#"
        aes_256_cbc_kb_per_s: null
        aes_256_cbc_kb_per_s_missing: "not measured"
        board: "b | <b>"
        clock_advertised_mhz: 1800.0
        clock_measured_mhz: 1800.0
        cpuminer_kh_per_s: 9.5
        date: null
        date_missing: "not reported"
        died_in: null
        distribution: "Debian, 12 <beta>"
        file: "b | <b>.txt"
        governor: null
        governor_missing: "not reported"
        is_throttled: false
        kernel: "6.6.31-x"
        memory_copy_mb_per_s: null
        memory_copy_mb_per_s_missing: "not measured"
        memory_fill_mb_per_s: null
        memory_fill_mb_per_s_missing: "not measured"
        memory_latency_at_mib: null
        memory_latency_at_mib_missing: "not measured"
        memory_latency_ns: null
        memory_latency_ns_missing: "not measured"
        power_idle_watt: null
        power_idle_watt_missing: "no power meter"
        power_mean_watt: null
        power_mean_watt_missing: "no power meter"
        power_measured_at: null
        power_measured_at_missing: "no power meter"
        programs: []
        resumed_after: null
        sbc_bench_version: "0.1.0"
        sevenzip_multi_comparable: true
        sevenzip_multi_estimated: null
        sevenzip_multi_joule: null
        sevenzip_multi_joule_missing: "no power meter"
        sevenzip_multi_mips: 5345
        sevenzip_multi_mips_per_watt: null
        sevenzip_multi_mips_per_watt_missing: "no power meter"
        sevenzip_single_comparable: true
        sevenzip_single_estimated: null
        sevenzip_single_mips: 1420
        soc: null
        soc_missing: "nothing names it, and its core types are unknown"
        temperature_first_celsius: null
        temperature_first_celsius_missing: "no SoC temperature sensor found"
        temperature_idle_celsius: null
        temperature_idle_celsius_missing: "no SoC temperature sensor found"
        temperature_max_celsius: null
        temperature_max_celsius_missing: "no SoC temperature sensor found"
        verdict: "valid"

        board: "A, \"quoted\""
        clock_advertised_mhz: 1500.0
        clock_measured_mhz: 1500.0
        file: "A, \"quoted\".txt"
        sevenzip_multi_mips: 6001
        verdict: "degraded"

        board: "c"
        clock_advertised_mhz: 2000.0
        clock_measured_mhz: 2000.0
        cpuminer_kh_per_s: null
        cpuminer_kh_per_s_missing: "not measured"
        file: "c.txt"
        sevenzip_multi_comparable: null
        sevenzip_multi_comparable_missing: "not measured"
        sevenzip_multi_mips: null
        sevenzip_multi_mips_missing: "not measured"
        sevenzip_single_comparable: false
        sevenzip_single_estimated: "16.02 equivalent: 1235 (1145 to 1327), from 26 by 1.15"
        verdict: "invalid"
    "#]]
    .assert_eq(&told);
}

#[test]
fn sort_order_and_missing_values() {
    for (key, expected) in [("7zip-multi", [1, 0, 2]), ("clock", [2, 0, 1]), ("device", [1, 0, 2]), ("khs", [1, 0, 2])]
    {
        let mut sorted = rows();
        sort(&mut sorted, key).unwrap();
        let names = expected.map(|index: usize| rows()[index].cells[0].clone());
        let found: Vec<String> = sorted.iter().map(|row| row.cells[0].clone()).collect();
        assert_eq!(found, names, "{key}");
    }
    assert_eq!(sort(&mut rows(), "colour"), None);
    assert!(SORT_KEYS.windows(2).all(|pair| pair[0].id < pair[1].id));
}

/// Rows with everything that the table for a terminal shows.
fn whole_rows() -> Vec<Row> {
    let mut rows = rows();
    for (row, (soc, day)) in rows.iter_mut().zip([
        ("Rockchip RK3588", Some("2026-02-20")),
        ("Allwinner H618, a name that goes on and on", Some("2024-12-31")),
        ("", None),
    ]) {
        row.soc = Some(soc.to_owned()).filter(|soc| !soc.is_empty());
        row.day = day.map(str::to_owned);
        row.millicelsius_max = day.map(|_| 81_234);
        row.power_max = day.map(|day| Power { mw: 12_345.0, is_whole: day > "2025" });
    }
    // A row of an unknown board has the name of its file.
    rows[2].cells[0] = "-".to_owned();
    rows
}

#[test]
fn text_fits_the_terminal() {
    let rows = whole_rows();
    let table = |columns| super::text::text(&Table { rows: &rows, columns });
    let expected = expect![[r#"
        board       SoC       date        MHz 7z all 7z one max°C  maxW verdict
        b <b>       RK3588    2026-02-20 1800   5350   1420  81.2  12.3 valid
        A, "quoted" H618, a … 2024-12-31 1500   6000   1420  81.2 ~12.3 degraded
        c.txt       -         -          2000      -  ≈1240     -     - invalid

        7-zip in MIPS. `~`: not comparable with the others. `≈`: estimated for 7-zip
        16.02. No room for kH/s and file: use a wider terminal or another --format.
    "#]];
    expected.assert_eq(&table(80));
    let expected = expect![[r#"
        board       SoC                      date        MHz 7z all 7z one max°C  maxW kH/s verdict  file
        b <b>       RK3588                   2026-02-20 1800   5350   1420  81.2  12.3 9.50 valid    b | <b>.txt
        A, "quoted" H618, a name that goes … 2024-12-31 1500   6000   1420  81.2 ~12.3 9.50 degraded A, "quoted".txt
        c.txt       -                        -          2000      -  ≈1240     -     -    - invalid  c.txt

        7-zip in MIPS. `~`: not comparable with the others. `≈`: estimated for 7-zip
        16.02.
    "#]];
    expected.assert_eq(&table(120));
    for columns in [0, 1, 20, 40, 60, 79, 80, 100, 120, 500] {
        let text = table(columns);
        assert!(text.starts_with("board"), "{columns}: {text}");
        for line in text.lines().take(rows.len() + 1).filter(|_| columns >= 40) {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
    // Without a result there is no value in any column.
    assert_eq!(super::text::text(&Table { rows: &[], columns: 80 }), "\n");
}

#[test]
fn filters_want_what_is_known() {
    let rows = whole_rows();
    let wanted = |filter: &Filter| -> Vec<bool> { rows.iter().map(|row| filter.wants(row)).collect() };
    let text = |text: &str| Some(text.to_owned());
    for (filter, expected, words) in [
        (Filter::default(), [true, true, true], ""),
        (Filter { soc: text("rk35"), ..Filter::default() }, [true, false, false], "--soc rk35"),
        (Filter { board: text("QUOTED"), ..Filter::default() }, [false, true, false], "--board QUOTED"),
        (Filter { since: text("2024-12-31"), ..Filter::default() }, [true, true, false], "--since 2024-12-31"),
        (Filter { since: text("2025-01-01"), ..Filter::default() }, [true, false, false], "--since 2025-01-01"),
        (Filter { valid: true, board: text("b"), ..Filter::default() }, [true, false, false], "--board b --valid"),
    ] {
        assert_eq!(wanted(&filter), expected, "{filter:?}");
        assert_eq!(filter.words(), words);
    }
    let mut died = rows[0].clone();
    died.died_in = Some("7-zip".into());
    assert!(!Filter { valid: true, ..Filter::default() }.wants(&died));
}

/// Results of a crypto engine are not compared with those of CPUs.
#[test]
fn aes_of_an_engine_is_marked() {
    let cell = |log: &str| {
        let record = logs::read(log);
        Row::of(&crate::diagnosis::explain(&record), "log").cells[AES].clone()
    };
    assert_eq!(cell(include_str!("../../tests/made/crypto-engine.txt")), "~100280");
    assert!(!cell(include_str!("../../tests/made/zram-without-effect.txt")).starts_with('~'));
}
