//! Formats the Record of a log in a few lines, for tests.

use record::{Clocks, Machine, Outcome, Record, Samples, Source, State, Step, StepMeasurement};
use std::fmt::Write as _;

/// Formats the Record in a few lines, without missing facts.
pub(super) fn digest(record: &Record) -> String {
    let mut out = String::new();
    let Source::Log(log) = &record.source else { return out };
    let run = &record.run;
    let version = &log.version;
    let board = record.machine.board.known();
    let _ = writeln!(out, "{version:?} {board:?} {} {:?}", run.mode, run.end);
    let _ = writeln!(
        out,
        "started {:?} {:+} up {:?} load {:?} elapsed {:?}",
        run.started.known(),
        run.utc_offset_minutes,
        run.uptime_ms.known(),
        run.load_hundredths.known(),
        run.elapsed_ms
    );
    machine_lines(&record.machine, &mut out);
    for step in &record.steps {
        out.push_str(&step_line(step));
    }
    sample_lines(&record.samples, &mut out);
    record.states.iter().for_each(|state| state_lines(state, &mut out));
    for message in record.kernel_messages.known().into_iter().flatten() {
        let _ = writeln!(out, "kernel {:?} {}", message.at_ms, message.text);
    }
    for line in &log.verdicts {
        let _ = writeln!(out, "verdict {} {}", line.line, line.text);
    }
    for line in &log.unread {
        let _ = writeln!(out, "unread {} {}", line.line, line.text);
    }
    let blocks: Vec<&str> = log.blocks.iter().map(|block| block.heading.as_str()).collect();
    let _ = writeln!(out, "blocks {}", blocks.join(", "));
    let _ = write!(out, "summary {:?}", log.summary.as_ref().map(|line| line.line));
    out
}

fn machine_lines(machine: &Machine, out: &mut String) {
    let facts = [
        &machine.soc,
        &machine.distribution,
        &machine.build_system,
        &machine.kernel_release,
        &machine.kernel_arch,
        &machine.userland_arch,
        &machine.virtualisation,
        &machine.hostname,
        &machine.compiler,
        &machine.zswap,
    ];
    let facts: Vec<&str> = facts.iter().filter_map(|fact| Some(fact.known()?.as_str())).collect();
    let _ = writeln!(out, "{}", facts.join(" | "));
    for value in machine.firmware.iter().chain(&machine.features) {
        let _ = writeln!(out, "  {} = {} ({})", value.name, value.value, value.from);
    }
    for cluster in &machine.clusters {
        let core_type = cluster.core_type.known();
        let _ = writeln!(out, "cluster {:?} {core_type:?} {:?}", cluster.cpus, cluster.policy);
    }
    for policy in &machine.policies {
        let max = policy.clock_khz_max.known();
        let governor = policy.governor.known();
        let _ = writeln!(out, "policy{} {max:?} {governor:?} {:?}", policy.policy, policy.opps_khz);
    }
}

fn sample_lines(samples: &Samples, out: &mut String) {
    let _ = writeln!(out, "at {:?} lines {:?}", samples.at_ms, samples.lines);
    for channel in &samples.channels {
        let values: Vec<i64> = channel.values.iter().map(|value| value.unwrap_or(-1)).collect();
        let _ = writeln!(out, "  {} ({}) {values:?} {}", channel.id, channel.label, channel.gaps.len());
    }
}

fn state_lines(state: &State, out: &mut String) {
    let memory = state.memory.known().map(|memory| {
        let used = memory.swap_total_kib - memory.swap_free_kib;
        (memory.total_kib, memory.available_kib, used)
    });
    let swaps: Vec<_> =
        state.swaps.known().into_iter().flatten().map(|swap| (&swap.path, swap.kind, swap.used_kib)).collect();
    let _ = writeln!(out, "state at {} {memory:?} {swaps:?}", state.at_ms);
    for residency in &state.residencies {
        let _ = writeln!(out, "  {:?} {:?}", residency.cpus, residency.khz_ms);
    }
    if let Some(bits) = state.firmware_throttle_bits.known() {
        let _ = writeln!(out, "  bits {bits:#x}");
    }
}

fn step_line(step: &Step) -> String {
    let figures = match &step.outcome {
        Outcome::Failed(failure) => format!("failed {:?}: {}", failure.kind, failure.message),
        Outcome::Skipped(missing) => missing.to_string(),
        Outcome::Done(StepMeasurement::Clock(clocks)) => clock_points(clocks),
        Outcome::Done(StepMeasurement::Bandwidth(bandwidth)) => bandwidth
            .rows
            .iter()
            .map(|row| {
                format!("{} {:?} {:?} {:?}", row.routine, row.operation, row.bytes_per_s, row.printed_deviation_percent)
            })
            .collect::<Vec<_>>()
            .join("; "),
        Outcome::Done(StepMeasurement::Latency(latency)) => {
            let rows: Vec<_> = latency.rows.iter().map(|row| (row.size_bytes, &row.ns)).collect();
            format!("{:?} {rows:?}", latency.columns)
        }
        Outcome::Done(StepMeasurement::Cipher(cipher)) => format!("{:?}", cipher.rows),
        Outcome::Done(StepMeasurement::Compression(figures)) => {
            let dictionaries: Vec<_> = figures
                .compressing
                .iter()
                .zip(&figures.decompressing)
                .map(|(c, d)| (c.dictionary_log2, c.rating_mips, d.rating_mips))
                .collect();
            format!("{} MIPS, {} %, {dictionaries:?}", figures.total_mips, figures.usage_percent)
        }
        Outcome::Done(StepMeasurement::CoreToCore(matrix)) => format!("{:?}", matrix.pairs),
        Outcome::Done(StepMeasurement::BandwidthCurve(curve)) => format!("{:?}", curve.rows),
        Outcome::Done(StepMeasurement::LoadedLatency(loaded)) => format!("{:?}", loaded.rows),
        Outcome::Done(StepMeasurement::Series(series)) => {
            format!("{:?} {} at {:?} {}", series.values, series.unit, series.at_ms, series.detail)
        }
        Outcome::Done(StepMeasurement::Scores(scores)) => format!("{:?}", scores.rows),
        Outcome::Done(StepMeasurement::Wait(wait)) => format!("{wait:?}"),
    };
    let not_comparable =
        step.not_comparable.as_ref().map(|why| format!(" (not comparable: {why})")).unwrap_or_default();
    format!(
        "{}/{}@{} {:?} x{} #{} {}..{}: {figures}{not_comparable}\n",
        step.workload,
        step.variant,
        step.method,
        step.cpus,
        step.threads,
        step.repetition,
        step.window.start_ms,
        step.window.end_ms
    )
}

fn clock_points(clocks: &Clocks) -> String {
    let points = clocks.points.iter().map(|point| {
        format!(
            "cpu{} {:?} {:?} {:?} {:?}",
            point.cpu, point.opp_khz, point.readings_khz, point.printed_mhz, point.firmware_khz
        )
    });
    points.collect::<Vec<_>>().join("; ")
}
