//! Record of a run on a drawn board.

use super::board::Drawn;
use super::run::{Repetition, Run, Sample};
use record::{
    AllCpus, Channel, ChannelId, ClockPoint, ClockWindows, Clocks, Cluster, Compression, ControlGroupChannel, Cpu,
    CpuTime, DictionaryRow, End, Fact, Gate, KernelMessage, Mode, Outcome, Policy, PolicyChannel, Record, Source,
    State, Step, StepMeasurement, SwapChannel, SwapKind, Variant, WorkloadId,
};
use testkit::records;

const SAMPLE_MS: i64 = 500;
const TICKS_PER_S: f64 = 100.0;
/// Dictionary sizes of 7-zip (log2).
const DICTIONARIES: std::ops::RangeInclusive<u32> = 22..=25;

pub(crate) fn of(drawn: &Drawn, run: &Run) -> Record {
    let source = Source::Run { version: "1.0.0".into(), target: "aarch64-unknown-linux-musl".into() };
    let own = record::Run { mode: Mode::Standard, as_root: true, end: End::Finished, ..record::Run::default() };
    let mut record = Record::new(source, own);
    machine(&mut record, drawn);
    record.gate = Fact::Known(Gate { passed: true, ..Gate::default() });
    record.kernel_messages = Fact::Known(Vec::new());
    if let (Some(at_s), Fact::Known(messages)) = (run.killed_at_s, &mut record.kernel_messages) {
        let text = format!("CPU{}: shutdown", drawn.board.throttle.cpu);
        messages.push(KernelMessage { at_ms: Some((at_s * 1000.0) as i64), text, line: None });
    }
    record.steps.push(clocks(drawn, Variant::COLD, 0.5, |policy, opp| {
        opp.min(drawn.board.policy[policy].real_khz_max.unwrap_or(opp))
    }));
    record.steps.extend(run.repetitions.iter().map(|repetition| step(drawn, repetition)));
    let multi = record.steps.iter_mut().filter(|step| step.variant == Variant::MULTI);
    multi.enumerate().for_each(|(number, step)| step.repetition = number as u32);
    samples(&mut record, drawn, &run.samples);
    record.states =
        [0.0, run.samples.last().map_or(0.0, |sample| sample.swapped_pages)].map(|pages| state(drawn, pages)).to_vec();
    record
}

fn machine(record: &mut Record, drawn: &Drawn) {
    let machine = &mut record.machine;
    machine.kernel_arch = Fact::Known("aarch64".into());
    machine.memory_kib = Fact::Known(4 << 20);
    machine.cpus = (0..drawn.cpus()).map(|cpu| Cpu { cpu, online: true, ..Cpu::default() }).collect();
    for (number, policy) in drawn.board.policy.iter().enumerate() {
        let cpus = policy.cpus.clone();
        let number = number as u32;
        machine.clusters.push(Cluster { cpus: cpus.clone(), core_type: Fact::not_reached(), policy: Some(number) });
        machine.policies.push(Policy {
            policy: number,
            cpus,
            governor: Fact::Known("performance".into()),
            clock_khz_min: Fact::Known(policy.khz_min()),
            clock_khz_max: Fact::Known(policy.khz_max()),
            limit_khz_min: Fact::Known(policy.khz_min()),
            limit_khz_max: Fact::Known(policy.khz_max()),
            opps_khz: policy.opps.iter().map(|(khz, _)| *khz).collect(),
            ..Policy::default()
        });
    }
}

/// Clocks of the first CPU of each policy at all OPPs.
fn clocks(drawn: &Drawn, variant: Variant, at_s: f64, real_khz: impl Fn(usize, u32) -> u32) -> Step {
    let policies = drawn.board.policy.iter().enumerate();
    let points = policies.flat_map(|(index, policy)| {
        let opps = policy.opps.iter().map(move |(khz, _)| *khz);
        let real_khz = &real_khz;
        opps.map(move |opp_khz| {
            let khz = real_khz(index, opp_khz);
            let windows = ClockWindows {
                count: 100,
                best_khz: khz,
                sustained_khz: khz,
                agreeing_permille: 990,
                ..ClockWindows::default()
            };
            ClockPoint {
                cpu: policy.cpus[0],
                opp_khz: Some(opp_khz),
                claimed_khz: Fact::Known(opp_khz),
                readings_khz: vec![khz; 3],
                windows: Some(windows),
                ..ClockPoint::default()
            }
        })
    });
    let measured = StepMeasurement::Clock(Clocks { points: points.collect() });
    Step {
        cpus: (0..drawn.cpus()).collect(),
        threads: 1,
        window: records::window(at_s, at_s + 2.0),
        ..Step::new(WorkloadId::Clock, 1, variant, Outcome::Done(measured))
    }
}

fn step(drawn: &Drawn, done: &Repetition) -> Step {
    let variant = if done.cpu.is_some() { Variant::SINGLE } else { Variant::MULTI };
    let cpus: Vec<u32> = done.cpu.map_or((0..drawn.cpus()).collect(), |cpu| vec![cpu]);
    let used: Vec<f64> = done.own_s.iter().zip(done.half_s).map(|(own_s, half_s)| 100.0 * own_s / half_s).collect();
    let rows = |half: usize| {
        let row = |dictionary_log2| DictionaryRow {
            dictionary_log2,
            kib_per_s: done.mips[half] as u64,
            usage_percent: used[half].round() as u32,
            rating_per_usage_mips: (done.mips[half] / used[half] * 100.0) as u32,
            rating_mips: done.mips[half].round() as u32,
        };
        DICTIONARIES.map(row).collect::<Vec<_>>()
    };
    let compression = Compression {
        compressing: rows(0),
        decompressing: rows(1),
        compressing_mips: done.mips[0].round() as u32,
        decompressing_mips: done.mips[1].round() as u32,
        total_mips: f64::midpoint(done.mips[0], done.mips[1]).round() as u32,
        usage_percent: f64::midpoint(used[0], used[1]).round() as u32,
        ram_size_mb: Some(4096),
        ram_usage_mb: Some(900),
        benchmark_threads: Some(cpus.len() as u32),
        cpu_freq_mhz: Vec::new(),
    };
    let own_s = done.own_s[0] + done.own_s[1];
    let mut step = Step {
        threads: cpus.len() as u32,
        seen_on: cpus.clone(),
        cpus,
        window: records::window(done.from_s, done.to_s),
        ..Step::new(WorkloadId::SevenZip, 16, variant, Outcome::Done(StepMeasurement::Compression(compression)))
    };
    step.counters.task_clock_ns = Fact::Known((own_s * 1e9) as u64);
    step.counters.user_ms = Fact::Known((own_s * 1e3) as u64);
    step.counters.system_ms = Fact::Known(0);
    step.counters.run_delay_ns = Fact::Known((done.delayed_s * 1e9) as u64);
    step
}

fn samples(record: &mut Record, drawn: &Drawn, samples: &[Sample]) {
    record.samples.interval_ms = SAMPLE_MS as u64;
    record.samples.at_ms = samples.iter().map(|sample| (sample.at_s * 1000.0).round() as i64).collect();
    let mut add = |id: ChannelId, of: &dyn Fn(&Sample) -> f64| {
        let values = samples.iter().map(|sample| Some(of(sample).round() as i64)).collect();
        record.samples.channels.push(Channel { values, ..Channel::of(id) });
    };
    add(ChannelId::all_cpus(CpuTime::User), &|now| now.busy_s * TICKS_PER_S);
    add(ChannelId::all_cpus(CpuTime::Iowait), &|now| now.waited_s * TICKS_PER_S);
    add(ChannelId::all_cpus(CpuTime::Idle), &|now| now.idle_s * TICKS_PER_S);
    add(ChannelId::AllCpus(AllCpus::Online), &|now| f64::from(now.online));
    add(ChannelId::zone_temperature(0), &|now| now.temp_c * 1000.0);
    add(ChannelId::Cooling(0), &|now| now.level as f64);
    for (index, policy) in drawn.board.policy.iter().enumerate() {
        let number = index as u32;
        add(ChannelId::claimed(number), &|now| f64::from(now.shown_khz[index]));
        for (opp, (khz, _)) in policy.opps.iter().enumerate() {
            let id = ChannelId::Policy(number, PolicyChannel::Residency(*khz));
            add(id, &|now| now.at_opp_s[index][opp] * TICKS_PER_S);
        }
    }
    if drawn.quota_cpus.is_some() {
        add(ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime), &|now| now.withheld_s * 1e9);
    }
    if drawn.waiting[0] > 0.0 {
        add(ChannelId::Swap(SwapChannel::Out), &|now| now.swapped_pages);
        add(ChannelId::Swap(SwapChannel::In), &|now| now.swapped_pages * 0.9);
    }
    for cpu in 0..drawn.cpus() {
        let values = samples.iter().map(|sample| (sample.off_cpu != Some(cpu)).then_some(0)).collect();
        let id = ChannelId::cpu_time(cpu, CpuTime::Idle);
        record.samples.channels.push(Channel { values, ..Channel::of(id) });
    }
    let labels = [(ChannelId::zone_temperature(0), "cpu-thermal"), (ChannelId::Cooling(0), "cpufreq-cpu0")];
    for (id, label) in labels {
        let channels = record.samples.channels.iter_mut().filter(|channel| channel.id == id);
        channels.for_each(|channel| channel.label = label.into());
    }
}

fn state(drawn: &Drawn, pages: f64) -> State {
    let device = records::swap("/dev/mmcblk0p2", SwapKind::SdCard, (pages * 0.4) as u64);
    let swaps = Fact::Known(if drawn.waiting[0] > 0.0 { vec![device] } else { Vec::new() });
    State { swaps, online_cpus: (0..drawn.cpus()).collect(), ..State::default() }
}
