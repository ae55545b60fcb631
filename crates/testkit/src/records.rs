//! Builders of small Records for tests: a board with four CPUs at 1800 MHz, sampled twice a second.

use record::{
    Aftermath, Channel, ChannelId, ChannelKind, ClockPoint, ClockWindows, Clocks, Cluster, Compression, CorePair,
    CoreToCore, Cpu, DeathPoint, DictionaryRow, End, Fact, KernelMessage, Log, Mode, Outcome, Policy, PowerZone,
    PowerZoneKind, PowercapChannel, Record, RestoreOutcome, Resumption, Run, Series, SettingChange, Source, State,
    Step, StepMeasurement, SwapKind, SwapState, Unit, Variant, Window, WorkloadId, WorkloadName,
};

/// Own run that finished, without steps and samples.
pub fn own_run() -> Record {
    let source = Source::Run { version: "0.1.0".into(), target: "aarch64-unknown-linux-musl".into() };
    on_board(Record::new(source, run()))
}

/// Run that died during the second run of stockfish, with or without a restart of the machine.
pub fn died_run(restarted: Option<bool>) -> Record {
    let mut record = own_run();
    record.run.end = End::Died;
    record.run.died_in = Some(DeathPoint {
        step: Some(WorkloadId::Stockfish.as_str().into()),
        repetition: 1,
        began_ms: Some(-39_500),
        at_ms: 1_500,
        aftermath: Fact::Known(Aftermath {
            looked_utc_ms: 0,
            restarted: restarted.map_or_else(Fact::not_reached, Fact::Known),
            last_words: Fact::not_reached(),
            memory_errors: Fact::not_reached(),
            machine_checks: Fact::not_reached(),
            watchdogs: Fact::not_reached(),
            reset_reasons: Vec::new(),
            hardware_messages: Vec::new(),
        }),
        signal: None,
    });
    record
}

/// The same run, resumed ten minutes later after a reboot, and finished.
pub fn resumed_run() -> Record {
    let mut record = died_run(Some(true));
    record.run.started = Fact::Known(0);
    record.run.boot_id = "first".into();
    let resumed = Resumption::of(&record.run, 601_500);
    resumed.into_iter().for_each(|resumed| record.resume(resumed, "second".into()));
    record.run.end = End::Finished;
    record
}

/// Log of this version of the bash program, without steps and samples.
pub fn log(version: &str) -> Record {
    let source = Source::Log(Log { version: version.into(), ..Log::default() });
    on_board(Record::new(source, run()))
}

fn run() -> Run {
    Run { mode: Mode::Standard, as_root: true, end: End::Finished, ..Run::default() }
}

fn on_board(mut record: Record) -> Record {
    let cpus: Vec<u32> = (0..4).collect();
    record.machine.cpus = cpus.iter().map(|cpu| Cpu { cpu: *cpu, online: true, ..Cpu::default() }).collect();
    record.machine.clusters =
        vec![Cluster { cpus: cpus.clone(), core_type: Fact::Known("Cortex-A53".into()), policy: Some(0) }];
    record.machine.policies = vec![Policy {
        policy: 0,
        cpus,
        clock_khz_max: Fact::Known(1_800_000),
        opps_khz: vec![408_000, 1_200_000, 1_800_000],
        ..Policy::default()
    }];
    record.machine.kernel_arch = Fact::Known("aarch64".into());
    record.kernel_messages = Fact::Known(Vec::new());
    record
}

/// Setting that was changed and restored.
pub fn setting_change(path: &str, old: &str, new: &str) -> SettingChange {
    SettingChange {
        path: path.into(),
        old: old.into(),
        new: new.into(),
        read_back: Fact::Known(new.into()),
        at_ms: None,
        restored: RestoreOutcome::Done,
        disturbed: false,
    }
}

/// A CPU that the run took offline, and optionally online again.
pub fn with_cpu_switched(mut record: Record, cpu: u32, off_ms: i64, on_ms: Option<i64>) -> Record {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/online");
    let change = |old, new, at_ms| SettingChange { at_ms: Some(at_ms), ..setting_change(&path, old, new) };
    record.settings.push(change("1", "0", off_ms));
    record.settings.extend(on_ms.map(|at_ms| change("0", "1", at_ms)));
    record
}

/// Clock limit that the run set.
pub fn with_limit_set(mut record: Record, policy: u32, at_ms: i64, khz: u32) -> Record {
    let path = format!("/sys/devices/system/cpu/cpufreq/policy{policy}/scaling_max_freq");
    let change = setting_change(&path, "1", &khz.to_string());
    record.settings.push(SettingChange { at_ms: Some(at_ms), ..change });
    record
}

/// Adds a finished step; an empty list means all CPUs, times are in seconds.
pub fn with_step(
    mut record: Record,
    workload: impl Into<WorkloadName>,
    variant: impl Into<Variant>,
    cpus: &[u32],
    (start, end): (f64, f64),
    measured: StepMeasurement,
) -> Record {
    let threads = match cpus.len() {
        0 => record.machine.cpus.len(),
        pinned => pinned,
    };
    record.steps.push(Step {
        cpus: cpus.to_vec(),
        threads: threads as u32,
        window: window(start, end),
        ..Step::new(workload, 1, variant, Outcome::Done(measured))
    });
    record
}

/// Time window in seconds.
pub fn window(start: f64, end: f64) -> Window {
    Window { start_ms: (start * 1000.0) as i64, end_ms: (end * 1000.0) as i64, ..Window::default() }
}

/// 7-zip result with this total.
pub fn compression(total_mips: u32) -> StepMeasurement {
    StepMeasurement::Compression(Compression { total_mips, ..Compression::default() })
}

/// 7-zip whose halves have this use of CPUs, in percent of one, at equal work for each second of it.
pub fn compression_by_use(total_mips: u32, usage_percent: u32) -> StepMeasurement {
    let row = DictionaryRow {
        dictionary_log2: 25,
        kib_per_s: 1,
        usage_percent,
        rating_per_usage_mips: 1000,
        rating_mips: 10 * usage_percent,
    };
    let done =
        Compression { total_mips, compressing: vec![row.clone()], decompressing: vec![row], ..Compression::default() };
    StepMeasurement::Compression(done)
}

/// Adds runs of 7-zip: one on the first CPU, then these on all CPUs.
pub fn with_scores(record: Record, single: u32, multi: &[u32]) -> Record {
    let single = compression(single);
    let record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (1.0, 2.0), single);
    multi.iter().fold(record, |record, total| {
        let multi = compression(*total);
        with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (2.0, 3.0), multi)
    })
}

/// Series in kH/s.
pub fn series(values: &[f64]) -> StepMeasurement {
    StepMeasurement::Series(Series {
        unit: "kH/s".into(),
        higher_is_better: true,
        values: values.to_vec(),
        ..Series::default()
    })
}

/// Adds a clock pass.
pub fn with_clocks(record: Record, variant: impl Into<Variant>, points: Vec<ClockPoint>) -> Record {
    let end = record.steps.last().map_or(0.0, |step| step.window.end_ms as f64 / 1000.0);
    let measured = StepMeasurement::Clock(Clocks { points });
    with_step(record, WorkloadId::Clock, variant, &[], (end, end + 1.0), measured)
}

/// Latency matrix of `cpus` CPUs; `ns` gets the lower CPU first.
pub fn core_matrix(cpus: u32, ns: impl Fn(u32, u32) -> f64) -> CoreToCore {
    let pairs = (0..cpus).flat_map(|a| (a + 1..cpus).map(move |b| (a, b)));
    let pair = |(a, b)| CorePair { a, b, ns: vec![ns(a, b); 7] };
    CoreToCore { cpus: (0..cpus).collect(), cpus_online: cpus, pairs: pairs.map(pair).collect() }
}

/// Undisturbed clock reading of a CPU at an OPP.
pub fn point(cpu: u32, opp_khz: u32, measured_khz: u32) -> ClockPoint {
    ClockPoint {
        cpu,
        opp_khz: Some(opp_khz),
        readings_khz: vec![measured_khz; 3],
        windows: Some(ClockWindows {
            count: 100,
            best_khz: measured_khz,
            sustained_khz: measured_khz,
            agreeing_permille: 900,
            ..ClockWindows::default()
        }),
        ..ClockPoint::default()
    }
}

/// Adds a gauge channel with two values a second from the start.
pub fn gauge_channel(record: Record, id: ChannelId, unit: Unit, values: &[i64]) -> Record {
    with_channel(record, id, unit, ChannelKind::Gauge, values)
}

/// Adds a counter channel with two values a second from the start.
pub fn counter(record: Record, id: ChannelId, unit: Unit, values: &[i64]) -> Record {
    with_channel(record, id, unit, ChannelKind::Counter, values)
}

/// Adds a channel of either kind.
pub fn with_channel(mut record: Record, id: ChannelId, unit: Unit, kind: ChannelKind, values: &[i64]) -> Record {
    let rows = record.samples.at_ms.len().max(values.len());
    record.samples.interval_ms = 500;
    record.samples.at_ms = (0..rows as i64).map(|row| row * 500).collect();
    record
        .samples
        .channels
        .push(Channel { values: values.iter().copied().map(Some).collect(), ..Channel::new(id, unit, kind) });
    for channel in &mut record.samples.channels {
        channel.values.resize(rows, None);
    }
    record
}

/// Powercap channel of a CPU package.
pub fn rapl(of: PowercapChannel) -> ChannelId {
    let zone = PowerZone::of(PowerZoneKind::Rapl, "0");
    ChannelId::Powercap(zone.unwrap(), of)
}

/// Sets the label of the last channel.
pub fn labelled(mut record: Record, label: &str) -> Record {
    record.samples.channels.last_mut().unwrap().label = label.into();
    record
}

/// Adds a kernel message one second after the start.
pub fn with_message(mut record: Record, text: &str) -> Record {
    let Fact::Known(messages) = &mut record.kernel_messages else {
        unreachable!("test records know their messages");
    };
    messages.push(KernelMessage { at_ms: Some(1_000), text: text.into(), line: None });
    record
}

/// State with these throttle bits of a Raspberry Pi.
pub fn state(firmware_bits: Option<u32>) -> State {
    State { firmware_throttle_bits: firmware_bits.map_or_else(Fact::not_in_log, Fact::Known), ..State::default() }
}

/// Swap device of 1 GiB.
pub fn swap(path: &str, kind: SwapKind, used_kib: u64) -> SwapState {
    SwapState { path: path.into(), kind, size_kib: 1_048_576, used_kib, priority: 0 }
}

/// Pseudorandom numbers, the same in every run (xorshift, Marsaglia 2003).
pub struct Chance(pub u64);

impl Chance {
    /// Number in `0.0..1.0`.
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
