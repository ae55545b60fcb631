//! Sampler tests on boards whose files change between ticks, and on the running system.

use super::*;
use crate::Source;
use record::{LoadSpan, MemoryChannel, MeterChannel, Missing, PowerZone, PowercapChannel, SamplerChannel, SwapChannel};
use record::{MissingReason, PowerZoneKind};

const ZONE: &str = "/sys/class/thermal/thermal_zone0";
const TEMPERATURE: ChannelId = ChannelId::zone_temperature(0);
const LOAD: ChannelId = ChannelId::Load(LoadSpan::One);

/// Energy of the first package.
fn energy() -> ChannelId {
    let package = PowerZone::of(PowerZoneKind::Rapl, "0").unwrap();
    ChannelId::Powercap(package, PowercapChannel::Energy)
}

/// Sampler for a board, with a fake timeline.
fn sampler(board: &str) -> (Root, Sampler, Timeline) {
    let root = Root::from_board(board).unwrap();
    let sampler = Sampler::new(&root, &Options::default());
    (root, sampler, Timeline::fake(0))
}

/// Ticks once, returns the value of a channel, and advances by half a second.
fn ticked(sampler: &mut Sampler, timeline: &Timeline, id: &ChannelId) -> Option<i64> {
    sampler.tick(timeline);
    timeline.sleep(Duration::from_millis(500));
    sensors::known(sampler.row()[sampler.position(id).unwrap()])
}

fn gaps(sampler: &mut Sampler) -> Vec<(ChannelId, i64, Missing)> {
    let events = sampler.take_gaps().into_iter();
    let gaps = events.map(|event| match event {
        Event::Gap { channel, gap } => (channel, gap.at_ms, gap.missing),
        other => panic!("{other:?}"),
    });
    gaps.collect()
}

#[test]
fn values_follow_the_files() {
    let board = format!("== {ZONE}/type\ncpu-thermal\n== {ZONE}/temp\n45000\n");
    let (root, mut sampler, timeline) = sampler(&board);
    assert_eq!(ticked(&mut sampler, &timeline, &TEMPERATURE), Some(45_000));
    root.write(&format!("{ZONE}/temp"), "46000").unwrap();
    assert_eq!(ticked(&mut sampler, &timeline, &TEMPERATURE), Some(46_000));
    assert_eq!(sampler.temperature().unwrap().channel, TEMPERATURE);
    assert_eq!((sampler.at_ms(), sampler.cost().ticks), (500, 2));
}

#[test]
fn garbled_values_are_one_gap() {
    let board = format!("== {ZONE}/temp\n45000\n");
    let (root, mut sampler, timeline) = sampler(&board);
    let path = format!("{ZONE}/temp");
    assert!(ticked(&mut sampler, &timeline, &TEMPERATURE).is_some());
    root.write(&path, "398000").unwrap();
    assert_eq!(ticked(&mut sampler, &timeline, &TEMPERATURE), None);
    assert_eq!(ticked(&mut sampler, &timeline, &TEMPERATURE), None);
    assert_eq!(gaps(&mut sampler), [(TEMPERATURE, 500, Missing::garbled(&path, "398000"))]);
    root.write(&path, "47000").unwrap();
    assert_eq!(ticked(&mut sampler, &timeline, &TEMPERATURE), Some(47_000));
    assert_eq!(gaps(&mut sampler), []);
}

#[test]
fn errors_are_retried_with_backoff() {
    let board = format!("== {ZONE}/temp\n45000\n");
    let (root, mut sampler, timeline) = sampler(&board);
    let column = sampler.position(&TEMPERATURE).unwrap();
    let path = format!("{ZONE}/temp");
    let failing = Root::from_board(&format!("== {path} ! EAGAIN\n")).unwrap();
    let index = sampler.slots.iter().position(|slot| slot.columns().contains(&column)).unwrap();
    sampler.slots[index].set_source(Source::Board(failing, path.clone()));
    // Three quick attempts, then one every 5 s.
    for _ in 0..3 {
        assert_eq!(ticked(&mut sampler, &timeline, &TEMPERATURE), None);
    }
    let missing = Missing { path: path.clone(), why: MissingReason::Io(libc::EAGAIN) };
    assert_eq!(gaps(&mut sampler), [(TEMPERATURE, 0, missing)]);
    sampler.slots[index].set_source(Source::Board(root, path));
    let values: Vec<Option<i64>> = (0..11).map(|_| ticked(&mut sampler, &timeline, &TEMPERATURE)).collect();
    assert_eq!(values[..9], [None; 9]);
    assert_eq!(values[9..], [Some(45_000), Some(45_000)]);
}

#[test]
fn file_that_vanished_is_opened_again() {
    let board = format!("== {ZONE}/temp\n45000\n");
    let (_, mut sampler, timeline) = sampler(&board);
    let column = sampler.position(&TEMPERATURE).unwrap();
    let index = sampler.slots.iter().position(|slot| slot.columns().contains(&column)).unwrap();
    let gone = Source::Board(Root::from_board("").unwrap(), format!("{ZONE}/temp"));
    sampler.slots[index].set_source(gone);
    assert_eq!(ticked(&mut sampler, &timeline, &TEMPERATURE), None);
    assert_eq!(ticked(&mut sampler, &timeline, &TEMPERATURE), Some(45_000));
}

#[test]
fn long_interval_keeps_the_latest_value() {
    let (root, mut sampler, timeline) = sampler("== /proc/loadavg\n0.20 0.18 0.12 1/80 1\n");
    let column = sampler.position(&LOAD).unwrap();
    assert_eq!(ticked(&mut sampler, &timeline, &LOAD), Some(20));
    root.write("/proc/loadavg", "1.00 0.18 0.12 1/80 1").unwrap();
    let mut waited = 0;
    let next = loop {
        match ticked(&mut sampler, &timeline, &LOAD) {
            None => assert_eq!(sampler.latest()[column], 20),
            next => break next,
        }
        waited += 1;
        assert!(waited < 100, "it is never read again");
    };
    assert_eq!(next, Some(100));
    assert!(waited > 0, "it is read at every tick");
    assert!(gaps(&mut sampler).is_empty(), "a long interval is no gap");
}

#[test]
fn cpu_that_is_offline_has_a_reason() {
    let board = "== /proc/stat\ncpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n== /sys/devices/system/cpu/cpu1/online\n0\n";
    let (_, mut sampler, timeline) = sampler(board);
    let user = ChannelId::cpu_time(1, CpuTime::User);
    assert_eq!(ticked(&mut sampler, &timeline, &user), None);
    let gaps = gaps(&mut sampler);
    assert_eq!(gaps.len(), 8);
    assert_eq!(gaps[0].0, user);
    assert!(matches!(gaps[0].2.why, MissingReason::Unsupported(_)));
}

#[test]
fn energy_counter_goes_on_after_its_end() {
    let zone = "/sys/class/powercap/intel-rapl:0";
    let board = format!("== {zone}/energy_uj\n90\n== {zone}/max_energy_range_uj\n99\n");
    let (root, mut sampler, timeline) = sampler(&board);
    assert_eq!(ticked(&mut sampler, &timeline, &energy()), Some(90));
    root.write(&format!("{zone}/energy_uj"), "5").unwrap();
    assert_eq!(ticked(&mut sampler, &timeline, &energy()), None);
    assert_eq!(ticked(&mut sampler, &timeline, &energy()), Some(105));
}

#[test]
fn denied_source_is_reported_once() {
    let zone = "/sys/class/powercap/intel-rapl:0";
    let (_, mut sampler, timeline) = sampler(&format!("== {zone}/energy_uj ! EACCES\n"));
    for _ in 0..100 {
        assert_eq!(ticked(&mut sampler, &timeline, &energy()), None);
    }
    let gaps = gaps(&mut sampler);
    assert_eq!(gaps.len(), 1);
    assert_eq!(gaps[0].2.why, MissingReason::Denied);
    let slot = sampler.slots.iter().find(|slot| slot.path.starts_with(zone));
    assert_eq!(slot.unwrap().cost().0, 1);
}

#[test]
fn machine_without_sensors_ticks() {
    let (_, mut sampler, timeline) = sampler("");
    sampler.tick(&timeline);
    assert_eq!(sampler.channels().len(), 2);
    assert_eq!(sampler.row(), [0, 0]);
    assert!(sampler.temperature().is_err());
}

#[test]
fn running_system_is_sampled() {
    let timeline = Timeline::start();
    let mut sampler = Sampler::new(&Root::system(), &Options::default());
    sampler.tick(&timeline);
    for id in [
        ChannelId::all_cpus(CpuTime::User),
        ChannelId::cpu_time(0, CpuTime::Idle),
        LOAD,
        ChannelId::Memory(MemoryChannel::Available),
        ChannelId::Swap(SwapChannel::In),
    ] {
        let value = sampler.row()[sampler.position(&id).unwrap()];
        assert!(value >= 0, "{id} {value}");
    }
    let before = sampler.cost().cpu_ns;
    sampler.tick(&timeline);
    assert!(before > 0 && sampler.cost().cpu_ns > before);
    let own = sampler.position(&ChannelId::Sampler(SamplerChannel::Cpu));
    assert_eq!(sampler.row()[own.unwrap()], before as i64);
}

#[test]
fn grid_is_kept() {
    assert_eq!(next_due_ns(1000, 1010, 500), 1500);
    assert_eq!(next_due_ns(1000, 1499, 500), 1500);
    assert_eq!(next_due_ns(1000, 2600, 500), 3000);
}

#[test]
fn late_ticks_are_counted_and_seen() {
    let (_, mut sampler, timeline) = sampler("");
    // Half a second is on time, 7 ms more is late; the grid is unchanged.
    for (pause_ms, delay_us) in [(500, 0), (507, 0), (493, 7_000), (500, 0)] {
        sampler.tick(&timeline);
        let delay = sampler.position(&ChannelId::Sampler(SamplerChannel::Delay));
        assert_eq!(sampler.row()[delay.unwrap()], delay_us);
        timeline.sleep(Duration::from_millis(pause_ms));
    }
    let cost = sampler.cost();
    assert_eq!((cost.late_ticks, cost.delay_us_max), (1, 7_000));
    assert_eq!(sampler.due_ns(), 2_000_000_000);
}

#[test]
fn values_of_others_are_in_the_row() {
    let id = ChannelId::meter(MeterChannel::Power);
    let latest_values = LatestValues::new("plug", vec![Channel::of(id.clone())], Duration::MAX);
    let options = Options { external_values: vec![latest_values.clone()], ..Options::default() };
    let mut sampler = Sampler::new(&Root::from_board("").unwrap(), &options);
    let timeline = Timeline::fake(0);
    assert_eq!(ticked(&mut sampler, &timeline, &id), None);
    latest_values.put(Ok(&[2_500]), 1_000);
    assert_eq!(ticked(&mut sampler, &timeline, &id), Some(2_500));
    assert_eq!(ticked(&mut sampler, &timeline, &id), None);
    assert!(gaps(&mut sampler).is_empty(), "nothing new is no gap");
    latest_values.put(Err(Failure::Errno(libc::ETIMEDOUT)), 1_000);
    assert_eq!(ticked(&mut sampler, &timeline, &id), None);
    let missing = Missing { path: "plug".into(), why: MissingReason::Io(libc::ETIMEDOUT) };
    assert_eq!(gaps(&mut sampler), [(id, 1500, missing)]);
    let plug = sampler.slots.iter().find(|slot| slot.path == "plug");
    assert_eq!(plug.map(SourceSlot::cost), Some((2, 2_000)));
}
