//! A review without its log: topology, clocks and the first benchmarks.
//!
//! It contains less than a log: no versions of 7-zip and OpenSSL, so their scores are marked as not comparable, and no
//! monitoring. A review below a log is ignored, because the log contains the same values.

use super::draft::{Draft, MeasuredCluster, done, tool};
use super::openssl::openssl_version;
use super::rows::CipherPlace;
use super::section_kind::Kind;
use super::sections::{Line, Section};
use super::{text, topology, totals};
use record::{
    BandwidthRow, ClockPoint, Fact, Latency, LatencyRow, MemoryOperation, Score, Scores, Step, StepMeasurement,
    Variant, WorkloadId,
};

/// Name of the step with the power of the idle board.
const IDLE_POWER: &str = "idle-power";

/// Block sizes of `openssl speed` since 1.1.
const BLOCK_SIZES: [u32; 6] = [16, 64, 256, 1024, 8192, 16384];
/// Columns of ramlat.
const LATENCY_COLUMNS: [&str; 8] = ["1x32", "2x32", "1x64", "2x64", "1xPTR", "2xPTR", "4xPTR", "8xPTR"];
/// Maximum plausible number of rows.
const ROWS_MAX: usize = 1024;

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading().text.trim().trim_start_matches(['#', ' ']);
    match heading {
        _ if heading.starts_with("General information") => general(section, draft),
        _ if heading.starts_with("Clockspeeds") => clocks(section, draft),
        _ if heading.starts_with("Performance baseline") || heading.starts_with("Memory performance") => {
            baseline(section, draft);
        }
        // This heading follows the benchmarks.
        _ if heading.starts_with("Software versions") => {
            draft.finished = true;
            software(section, draft);
        }
        _ if heading.starts_with("Kernel info") => kernel(section, draft),
        _ if heading.starts_with("Idle consumption") => idle_power(section, draft),
        _ => {}
    }
}

/// Reads `Rockchip RK3566 (35662000), Kernel: aarch64, Userland: arm64` and the table of CPUs.
fn general(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.body() {
        let text = line.text.trim();
        // The bash program prints MiB with the wrong unit.
        if let Some(mib) = text.strip_suffix(" KB available RAM").and_then(|mib| mib.parse::<u64>().ok()) {
            draft.machine.memory_kib = mib.checked_mul(1024).map_or_else(Fact::not_in_log, Fact::Known);
        }
        if !text.contains("Kernel: ") {
            continue;
        }
        let (soc, rest) = text.split_once(", Kernel: ").unwrap_or_else(|| {
            let rest = text.trim_start_matches("Kernel: ");
            ("", rest)
        });
        let (kernel, userland) = rest.split_once(", Userland: ").unwrap_or((rest, ""));
        let known = |text: &str| match text.trim() {
            "" => Fact::not_in_log(),
            text => Fact::Known(text.to_string()),
        };
        draft.machine.soc = known(soc);
        draft.machine.kernel_arch = known(kernel.split(" / ").next().unwrap_or(kernel));
        draft.machine.userland_arch = known(userland);
    }
    let is_table = |line: &Line<'_>| line.text.trim_start().starts_with("CPU sysfs topology");
    if let Some(start) = section.lines.iter().position(is_table) {
        let lines = &section.lines[start..];
        topology::read(&Section { kind: Kind::Topology, lines }, draft);
    }
}

/// Reads `Before at 48.3°C:`, `After at 76.9°C (throttled):`, and the rows below each.
fn clocks(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut is_cold = true;
    let mut points: [Vec<ClockPoint>; 2] = Default::default();
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        let text = line.text.trim();
        if text.starts_with("Before") {
            is_cold = true;
        } else if text.starts_with("After") {
            is_cold = false;
        } else if let Some((seen, point)) = clock(line) {
            // Rows name only the first CPU if the table of CPUs names all.
            if is_cold && draft.topology.is_empty() && draft.clusters.len() < ROWS_MAX {
                draft.clusters.push(seen);
            }
            points[usize::from(!is_cold)].push(point);
        } else {
            draft.unread(line);
        }
    }
    totals::clocks(points, section.heading().number).for_each(|step| draft.push(step));
}

/// Parses `cpu0-cpu3 (Cortex-A55): OPP: 1800, Measured: 1849      (+2.7%)`.
fn clock(line: &Line<'_>) -> Option<(MeasuredCluster, ClockPoint)> {
    let (place, values) = line.text.trim().split_once(": ")?;
    let (cpus, core_type) = place_of(place)?;
    let mhz_after = |name: &str| {
        let (_, rest) = values.split_once(name)?;
        let (mhz, _) = text::leading_number(rest.trim_start())?;
        mhz.checked_mul(1000)
    };
    let measured_khz = mhz_after("Measured:")?;
    let point = ClockPoint {
        cpu: *cpus.first()?,
        opp_khz: mhz_after("OPP:"),
        claimed_khz: Fact::not_in_log(),
        readings_khz: Vec::new(),
        printed_mhz: Some(measured_khz / 1000),
        counter_khz: Fact::not_in_log(),
        firmware_khz: mhz_after("ThreadX:"),
        line: Some(line.number),
        ..ClockPoint::default()
    };
    let seen = MeasuredCluster { opps_khz: point.opp_khz.into_iter().collect(), cpus, core_type };
    Some((seen, point))
}

/// Parses `cpu0-cpu3 (Cortex-A55)`, `cpu0`.
fn place_of(place: &str) -> Option<(Vec<u32>, Option<String>)> {
    let cpus = place.split(' ').next()?;
    let core_type = text::trailing_parenthesis(place).map(str::to_string);
    Some((text::cpu_ranges(cpus)?, core_type))
}

/// Reads `* OpenSSL 3.5.1, built on 1 Jul 2025 ...`, the version of rows above.
fn software(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut rows = section.body().iter().filter_map(|line| line.text.trim().strip_prefix("* OpenSSL "));
    let Some(version) = rows.next().map(openssl_version) else { return };
    let method = version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0);
    for step in draft.steps.iter_mut().filter(|step| step.workload == WorkloadId::OpenSsl) {
        step.method = method;
        step.tool = tool("openssl", version);
        step.not_comparable = None;
    }
}

/// Reads `* Kernel 5.10.160-rockchip-rk356x / CONFIG_HZ=300`.
fn kernel(section: &Section<'_, '_>, draft: &mut Draft) {
    let rows = section.body().iter();
    let mut releases = rows.filter_map(|line| line.text.trim().strip_prefix("* Kernel "));
    if let Some(release) = releases.find_map(|rest| rest.split_whitespace().next()) {
        draft.machine.kernel_release = Fact::Known(release.to_string());
    }
}

/// Reads `* everything set to powersave: 3590 mW` below `### Idle consumption (measured with Netio 4KF, FW v3.2.0):`.
fn idle_power(section: &Section<'_, '_>, draft: &mut Draft) {
    let row = |line: &Line<'_>| {
        let (setting, milliwatts) = line.text.trim().trim_start_matches("* ").rsplit_once(": ")?;
        let milliwatts = text::decimal(milliwatts.strip_suffix(" mW")?).filter(|milliwatts| *milliwatts > 0.0)?;
        let name = setting.trim_start_matches("/sys/devices/system/cpu/").trim_start_matches("/sys/module/");
        Some(Score { name: name.to_owned(), value: milliwatts / 1000.0, unit: "W".to_owned(), higher_is_better: false })
    };
    let mut rows = Vec::new();
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        match row(line) {
            Some(score) if rows.len() < ROWS_MAX => rows.push(score),
            _ => draft.unread(line),
        }
    }
    if rows.is_empty() {
        return;
    }
    let heading = section.heading();
    let detail = text::trailing_parenthesis(heading.text.trim().trim_end_matches(':')).unwrap_or_default().to_owned();
    let scores = StepMeasurement::Scores(Scores { rows, detail, ..Scores::default() });
    draft.push(done(IDLE_POWER, 0, Variant::ONLY, scores, heading.number));
}

fn baseline(section: &Section<'_, '_>, draft: &mut Draft) {
    let rows = section.body().iter().filter(|line| !line.is_blank());
    for line in rows.take(ROWS_MAX) {
        let text = line.text.trim().trim_start_matches("* ");
        let steps = match () {
            () if text.starts_with('`') => cipher(text, line).into_iter().collect(),
            () if text.contains("7-zip MIPS") => {
                sevenzip(text, "reviews do not contain the 7-zip version", line.number)
            }
            () if text.contains(" latency: ") => latency(text, line.number).into_iter().collect(),
            () => bandwidth(text, line).into_iter().collect(),
        };
        if steps.is_empty() {
            draft.unread(line);
        }
        for step in steps {
            if step.workload == WorkloadId::OpenSsl {
                draft.cipher_places.push(CipherPlace::of_type(core_type_of(text)));
            }
            draft.push(step);
        }
    }
}

fn core_type_of(text: &str) -> Option<String> {
    text::trailing_parenthesis(text.trim_matches('`')).map(str::to_string)
}

/// Parses `cpu0 (Cortex-A55): memcpy: 3593.8 MB/s, memchr: 2928.1 MB/s, memset: 19355.6 MB/s`.
fn bandwidth(text: &str, line: &Line<'_>) -> Option<Step> {
    let start = text.find("memcpy: ")?;
    let row = |part: &str| {
        let (name, rate) = part.trim().split_once(": ")?;
        let rate = text::decimal(rate.strip_suffix(" MB/s")?).filter(|rate| *rate >= 0.0)?;
        let operation = match name {
            "memcpy" => MemoryOperation::Copy,
            "memset" => MemoryOperation::Fill,
            "memchr" => MemoryOperation::Read,
            _ => return None,
        };
        Some(totals::bandwidth_row(operation, rate, line.number))
    };
    let rows: Option<Vec<BandwidthRow>> = text[start..].split(',').map(row).collect();
    let step = totals::memory(rows?)?;
    Some(Step { cpus: first_cpu(&text[..start]), ..step })
}

/// CPU at the start of a row; empty if the machine has one core type.
fn first_cpu(text: &str) -> Vec<u32> {
    let cpus = place_of(text.trim().trim_end_matches(':'));
    cpus.map_or(Vec::new(), |(cpus, _)| cpus.into_iter().take(1).collect())
}

/// Parses `cpu0 (Cortex-A55) 16M latency: 183.6 188.5 ...`.
fn latency(text: &str, number: u32) -> Option<Step> {
    let (place, values) = text.split_once(" latency: ")?;
    let (place, size) = place.rsplit_once(' ').unwrap_or(("", place));
    let size_mib: u64 = size.strip_suffix('M')?.parse().ok()?;
    let ns: Vec<Option<f64>> = values.split_whitespace().map(text::decimal).collect();
    if ns.len() != LATENCY_COLUMNS.len() {
        return None;
    }
    let row =
        LatencyRow { size_bytes: size_mib.checked_mul(1 << 20)?, rounds_apart_percent: None, ns, line: Some(number) };
    let measured = StepMeasurement::Latency(Latency {
        columns: LATENCY_COLUMNS.map(str::to_string).to_vec(),
        rows: vec![row],
        pages: "as the kernel decides".to_string(),
        clock_khz: Fact::not_in_log(),
    });
    let id = WorkloadId::MemoryLatency;
    let mut step = done(id, 0, Variant::RAMLAT, measured, number);
    step.cpus = first_cpu(place);
    step.tool = tool("ramlat", "");
    Some(step)
}

/// Parses `7-zip MIPS (3 consecutive runs): 4564, 4569, 4606 (4580 avg), single-threaded: 1315`. `why` says why the scores
/// do not compare.
pub(super) fn sevenzip(text: &str, why: &str, number: u32) -> Vec<Step> {
    const RUNS_MAX: usize = 8;
    let Some((_, values)) = text.split_once("): ") else { return Vec::new() };
    let (runs, single) = values.split_once(", single-threaded: ").unwrap_or((values, ""));
    let runs = runs.split(" (").next().unwrap_or(runs);
    let mips = |list: &str| -> Vec<u32> { list.split(',').filter_map(|mips| mips.trim().parse().ok()).collect() };
    let scores = [(Variant::SINGLE, mips(single)), (Variant::MULTI, mips(runs))].into_iter();
    scores
        .flat_map(|(variant, runs)| totals::sevenzip(&variant, runs.into_iter().take(RUNS_MAX), why, number))
        .collect()
}

/// Parses `` `aes-256-cbc     150844.81k   397120.13k ... (Cortex-A55)` ``.
fn cipher(text: &str, line: &Line<'_>) -> Option<Step> {
    // A row that is open at its end was wrapped, and its core type is on the next line.
    let text = match text.strip_prefix('`') {
        Some(rest) => rest.strip_suffix('`')?,
        None => text,
    };
    let values = text.split(" (").next()?;
    let mut words = values.split_whitespace();
    let algorithm = words.next()?;
    let thousands = |(word, size): (&str, u32)| {
        let rate = text::decimal(word.strip_suffix('k')?).filter(|rate| *rate >= 0.0)?;
        Some((size, (rate * 1000.0).round() as u64))
    };
    let rows: Option<Vec<(u32, u64)>> = words.zip(BLOCK_SIZES).map(thousands).collect();
    let rows = rows.filter(|rows| rows.len() == BLOCK_SIZES.len())?;
    Some(totals::cipher(algorithm, rows, "reviews do not contain the OpenSSL version", line.number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line<'_> {
        Line { number: 1, text }
    }

    #[test]
    fn rows_of_published_reviews() {
        let (seen, point) = clock(&line("    cpu4-cpu5 (Cortex-A76): OPP: 2256, Measured: 2255      (-0.1%)")).unwrap();
        assert_eq!((seen.cpus, seen.core_type), (vec![4, 5], Some("Cortex-A76".into())));
        assert_eq!((point.opp_khz, point.printed_mhz), (Some(2_256_000), Some(2255)));
        let (_, point) = clock(&line("cpu0: OPP: 912, ThreadX:  900, Measured:  899")).unwrap();
        assert_eq!((point.firmware_khz, point.printed_mhz), (Some(900_000), Some(899)));

        let text = "cpu6 (Cortex-A76): memcpy: 9.5 MB/s, memchr: 8.0 MB/s, memset: 7.5 MB/s";
        let step = bandwidth(text, &line(text)).unwrap();
        assert_eq!((step.cpus.as_slice(), &step.variant), (&[6][..], &Variant::TINYMEMBENCH));
        let step = latency("16M latency: 1 2 3 4 5 6 7 8.5 ", 1).unwrap();
        assert!(step.cpus.is_empty());
        assert_eq!(latency("16M latency: 1 2", 1), None);

        let text = "7-zip MIPS (3 consecutive runs): 45, 46, 47 (46 avg), single-threaded: 13";
        let variants: Vec<Variant> = sevenzip(text, "", 1).into_iter().map(|s| s.variant).collect();
        let multi = Variant::MULTI;
        assert_eq!(variants, [Variant::SINGLE, multi.clone(), multi.clone(), multi]);

        let text = "`aes-256-cbc  1.00k  2.00k  3.00k  4.00k  5.00k  6.50k (Cortex-A55)`";
        let step = cipher(text, &line(text)).unwrap();
        assert!(step.not_comparable.is_some());
        assert_eq!(core_type_of(text), Some("Cortex-A55".into()));
    }

    #[test]
    fn power_of_the_idle_board() {
        let text = "### Idle consumption (measured with Netio 4KF, FW v3.2.0):\n\n  * everything set to powersave: 3590 mW\n  \
                    * /sys/devices/system/cpu/cpufreq/policy0 set to performance: 0 mW\n";
        let lines: Vec<Line<'_>> = text.lines().map(line).collect();
        let mut draft = Draft::default();
        read(&Section { kind: Kind::Review, lines: &lines }, &mut draft);
        let record::Outcome::Done(StepMeasurement::Scores(scores)) = &draft.steps[0].outcome else { panic!() };
        assert_eq!((scores.rows.len(), scores.rows[0].value, scores.rows[0].unit.as_str()), (1, 3.59, "W"));
        assert_eq!(scores.detail, "measured with Netio 4KF, FW v3.2.0");
        assert_eq!(draft.log.unread.len(), 1, "a power of 0 is none");
    }

    #[test]
    fn other_rows_are_ignored() {
        for text in ["", "memcpy: fast", "`aes`", "7-zip MIPS", "x latency: y"] {
            assert_eq!(bandwidth(text, &line(text)), None, "{text}");
            assert_eq!(cipher(text, &line(text)), None, "{text}");
            assert!(sevenzip(text, "", 1).is_empty() && latency(text, 1).is_none(), "{text}");
            assert!(clock(&line(text)).is_none(), "{text}");
        }
    }
}
