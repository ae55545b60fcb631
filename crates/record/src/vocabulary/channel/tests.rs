//! Round trips of ids and their text; properties of ids; preservation of unknown text.

use super::*;
use crate::vocabulary::words::check_text_survives;
use crate::{ChannelKind, Unit};
use ChannelKind::{Counter, Gauge};
use proptest::prelude::*;

fn id(text: &str) -> ChannelId {
    let Ok(id) = text.parse();
    id
}

fn rapl(number: &str) -> PowerZone {
    PowerZone::of(PowerZoneKind::Rapl, number).unwrap()
}

#[test]
#[rustfmt::skip]
fn ids_are_spelled_and_know_their_unit() {
    use ChannelId::*;
    let check = |text: &str, expected: ChannelId, unit: Unit, kind: ChannelKind| {
        assert!(id(text) == expected, "{text} is read as another id");
        assert_eq!(expected.to_string(), text);
        assert_eq!((expected.unit(), expected.kind()), (Some(unit), Some(kind)), "{text}");
    };
    check("cpu.user", AllCpus(self::AllCpus::Time(CpuTime::User)), Unit::Ticks, Counter);
    check("cpu.steal", ChannelId::all_cpus(CpuTime::Steal), Unit::Ticks, Counter);
    check("cpu.online", AllCpus(self::AllCpus::Online), Unit::Count, Gauge);
    check("cpu.busy_percent", AllCpus(self::AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, Gauge);
    check("cpu.irq_percent", AllCpus(self::AllCpus::Percent(CpuPercent::Irq)), Unit::Percent, Gauge);
    check("cpu0.idle", ChannelId::cpu_time(0, CpuTime::Idle), Unit::Ticks, Counter);
    check("cpu127.busy", ChannelId::cpu_time(127, CpuTime::Busy), Unit::Ticks, Counter);
    check("cpu3.cycles", Cpu(3, CpuChannel::Cycles), Unit::Count, Counter);
    check("cpu3.idle_state.2", Cpu(3, CpuChannel::IdleState(2)), Unit::Microseconds, Counter);
    check("cpu3.throttle.core", Cpu(3, CpuChannel::Throttles(Scope::Core)), Unit::Count, Counter);
    check("cpu3.throttle_time.package", Cpu(3, CpuChannel::ThrottleTime(Scope::Package)), Unit::Milliseconds, Counter);
    check("cpu3.therm_status", Cpu(3, CpuChannel::ThermStatus(Scope::Core)), Unit::Bits, Gauge);
    check("cpu3.therm_status.package", Cpu(3, CpuChannel::ThermStatus(Scope::Package)), Unit::Bits, Gauge);
    check("policy4.claimed", ChannelId::claimed(4), Unit::Kilohertz, Gauge);
    check("policy4.average", Policy(4, PolicyChannel::Average), Unit::Kilohertz, Gauge);
    check("policy4.limit_max", ChannelId::limit_max(4), Unit::Kilohertz, Gauge);
    check("policy0.residency.1800000", Policy(0, PolicyChannel::Residency(1_800_000)), Unit::Ticks, Counter);
    check("big.claimed", BigLittle(self::BigLittle::Big), Unit::Kilohertz, Gauge);
    check("little.claimed", BigLittle(self::BigLittle::Little), Unit::Kilohertz, Gauge);
    check("load.1min", Load(LoadSpan::One), Unit::Hundredths, Gauge);
    check("memory.available", Memory(MemoryChannel::Available), Unit::Kibibytes, Gauge);
    check("memory.faults.major", Memory(MemoryChannel::MajorFaults), Unit::Count, Counter);
    check("memory.oom_kills", Memory(MemoryChannel::OomKills), Unit::Count, Counter);
    check("swap.used", Swap(SwapChannel::Used), Unit::Kibibytes, Gauge);
    check("swap.in", Swap(SwapChannel::In), Unit::Pages, Counter);
    check("zram1.compressed", Zram(1, ZramChannel::Compressed), Unit::Kibibytes, Gauge);
    check("psi.memory.full", Pressure(Resource::Memory, StallKind::Full), Unit::Microseconds, Counter);
    check("thermal_zone0.temp", ChannelId::zone_temperature(0), Unit::Millicelsius, Gauge);
    check("thermal_zone12.trip3", Zone(12, ZoneChannel::Trip(3)), Unit::Millicelsius, Gauge);
    check("cooling_device2.state", Cooling(2), Unit::Count, Gauge);
    check("hwmon1.temp1", Hwmon(1, HwmonChannel::Sensor(HwmonKind::Temperature, 1)), Unit::Millicelsius, Gauge);
    check("hwmon1.in0", Hwmon(1, HwmonChannel::Sensor(HwmonKind::Voltage, 0)), Unit::Millivolts, Gauge);
    check("hwmon1.curr1", Hwmon(1, HwmonChannel::Sensor(HwmonKind::Current, 1)), Unit::Milliamperes, Gauge);
    check("hwmon1.power1", Hwmon(1, HwmonChannel::Sensor(HwmonKind::Power, 1)), Unit::Microwatts, Gauge);
    check("hwmon1.energy17", Hwmon(1, HwmonChannel::Sensor(HwmonKind::Energy, 17)), Unit::Microjoules, Counter);
    check("hwmon1.fan1", Hwmon(1, HwmonChannel::Sensor(HwmonKind::Fan, 1)), Unit::Count, Gauge);
    check("hwmon1.in0.alarm", Hwmon(1, HwmonChannel::Alarm), Unit::Count, Gauge);
    check("rapl0.energy", Powercap(rapl("0"), PowercapChannel::Energy), Unit::Microjoules, Counter);
    check("rapl0:1.energy", Powercap(rapl("0:1"), PowercapChannel::Energy), Unit::Microjoules, Counter);
    let scmi = PowerZone::of(PowerZoneKind::Scmi, "2").unwrap();
    check("scmi2.power", Powercap(scmi, PowercapChannel::Power), Unit::Microwatts, Gauge);
    check("rapl0.limit.long_term", Powercap(rapl("0"), PowercapChannel::Limit("long_term".into())), Unit::Microwatts, Gauge);
    check("devfreq.fb000000.gpu.claimed", Devfreq("fb000000.gpu".into(), DevfreqChannel::Claimed), Unit::Hertz, Gauge);
    check("devfreq.dmc.residency.528000000", Devfreq("dmc".into(), DevfreqChannel::Residency(528_000_000)), Unit::Milliseconds, Counter);
    check("supply.BAT0.voltage", Supply("BAT0".into(), SupplyChannel::Voltage), Unit::Microvolts, Gauge);
    check("supply.axp.usb.online", Supply("axp.usb".into(), SupplyChannel::Online), Unit::Count, Gauge);
    check("supply.BAT0.capacity", Supply("BAT0".into(), SupplyChannel::Capacity), Unit::Percent, Gauge);
    check("supply.BAT0.energy", Supply("BAT0".into(), SupplyChannel::Energy), Unit::Microjoules, Gauge);
    check("iio0.in3", Adc { device: 0, input: 3 }, Unit::Microvolts, Gauge);
    check("adc.input.voltage", BoardInput(self::BoardInput::Adc), Unit::Microvolts, Gauge);
    check("axp.ac.voltage", BoardInput(self::BoardInput::AxpAc), Unit::Microvolts, Gauge);
    check("axp.vbus.voltage", BoardInput(self::BoardInput::AxpVbus), Unit::Microvolts, Gauge);
    check("dc.in_voltage", BoardInput(self::BoardInput::Log), Unit::Microvolts, Gauge);
    check("rpi.throttled", RaspberryPi(RaspberryPiChannel::Throttled), Unit::Bits, Gauge);
    check("rpi.clock.arm", RaspberryPi(RaspberryPiChannel::ArmClock), Unit::Hertz, Gauge);
    check("rpi.voltage.core", RaspberryPi(RaspberryPiChannel::CoreVoltage), Unit::Microvolts, Gauge);
    check("rpi.pmic.power", RaspberryPi(RaspberryPiChannel::PmicPower), Unit::Microwatts, Gauge);
    check("rpi.pmic.ext5v.voltage", RaspberryPi(RaspberryPiChannel::Rail("ext5v".into(), RailKind::Voltage)), Unit::Microvolts, Gauge);
    check("rpi.pmic.3v3_sys.current", RaspberryPi(RaspberryPiChannel::Rail("3v3_sys".into(), RailKind::Current)), Unit::Milliamperes, Gauge);
    check("rpi.firmware_clock", RaspberryPi(RaspberryPiChannel::LogFirmwareClock), Unit::Kilohertz, Gauge);
    check("rpi.core_voltage", RaspberryPi(RaspberryPiChannel::LogCoreVoltage), Unit::Microvolts, Gauge);
    check("rpi.pmic_power", RaspberryPi(RaspberryPiChannel::LogPmicPower), Unit::Milliwatts, Gauge);
    check("meter.power", ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, Gauge);
    check("meter.2.energy", Meter(MeterOutput::of(1, Some(2)), MeterChannel::Energy), Unit::Microjoules, Counter);
    check("meter2.voltage", Meter(MeterOutput::of(2, None), MeterChannel::Voltage), Unit::Millivolts, Gauge);
    check("meter2.1.delay", Meter(MeterOutput::of(2, Some(1)), MeterChannel::Delay), Unit::Milliseconds, Gauge);
    check("power.milliwatts", LogMeter(1), Unit::Milliwatts, Gauge);
    check("power.milliwatts.2", LogMeter(2), Unit::Milliwatts, Gauge);
    check("cgroup.throttled", ControlGroup(ControlGroupChannel::Throttled), Unit::Count, Counter);
    check("cgroup.throttled_time", ControlGroup(ControlGroupChannel::ThrottledTime), Unit::Nanoseconds, Counter);
    check("measured.run_delay", MeasuredThreads(MeasuredChannel::RunDelay), Unit::Nanoseconds, Counter);
    check("sampler.cpu", ChannelId::ALL_CHANNELS_GAP, Unit::Nanoseconds, Counter);
    check("sampler.delay", Sampler(SamplerChannel::Delay), Unit::Microseconds, Gauge);
    check("soc.temp", Soc, Unit::Millicelsius, Gauge);
    check("monitor.first_row", LogMonitor(LogMonitorChannel::FirstRow), Unit::Count, Gauge);
}

#[test]
fn another_spelling_is_another_id() {
    for text in [
        "",
        "cpu",
        "cpu.",
        ".idle",
        "cpu007.idle",
        "cpu-1.idle",
        "cpu+1.idle",
        "cpu4294967296.idle",
        "cpu0.online",
        "cpu.cycles",
        "CPU0.idle",
        "cpu0.throttle",
        "cpu0.therm_status.core",
        "policy.claimed",
        "policy+1.claimed",
        "policy0.residency.01",
        "policy0.residency.x",
        "big.average",
        "load.2min",
        "memory.faults",
        "psi.cpu",
        "thermal_zone0.trip",
        "thermal_zone0.trip01",
        "thermal_zone.temp",
        "cooling_device0",
        "hwmon0.temp",
        "hwmon0.in1.alarm",
        "hwmon0.label1",
        "rapl.energy",
        "rapl0-1.energy",
        "rapl0.limit",
        "devfreq.claimed",
        "devfreq.dmc.residency.x",
        "supply.voltage",
        "adc.voltage",
        "axp.usb.voltage",
        "rpi.pmic.voltage",
        "meter1.power",
        "meter01.power",
        "meter.x.power",
        "power.milliwatts.1",
        "power.milliwatts2",
        "soc.clock",
        "w1_0.humidity",
    ] {
        assert!(matches!(id(text), ChannelId::Other(_)), "{text} is known");
        assert_eq!((id(text).unit(), id(text).kind()), (None, None));
        check_text_survives::<ChannelId>(text);
    }
    assert_eq!(id("w1_0.humidity"), ChannelId::own("w1_0.humidity"));
    assert_eq!(id("policy0.residency."), ChannelId::Policy(0, PolicyChannel::Residencies));
}

#[test]
fn ids_know_what_they_are_of() {
    let place = |text: &str| (id(text).cpu(), id(text).policy(), id(text).zone());
    assert_eq!(place("cpu3.idle"), (Some(3), None, None));
    assert_eq!(place("policy4.claimed"), (None, Some(4), None));
    assert_eq!(place("thermal_zone5.trip0"), (None, None, Some(5)));
    assert_eq!(place("cpu.idle"), (None, None, None));

    let check = |ask: fn(&ChannelId) -> bool, yes: &[&str], no: &[&str]| {
        yes.iter().for_each(|text| assert!(ask(&id(text)), "{text} is not"));
        no.iter().for_each(|text| assert!(!ask(&id(text)), "{text} is"));
    };
    let claims = ["policy0.claimed", "big.claimed", "devfreq.dmc.claimed"];
    check(ChannelId::is_policy_claim, &claims[..1], &["big.claimed", "policy0.average"]);
    check(ChannelId::is_any_claim, &claims, &["policy0.limit_max", "x.claimed"]);
    check(ChannelId::is_firmware_clock, &["rpi.clock.arm", "rpi.firmware_clock"], &["rpi.throttled"]);
    check(ChannelId::is_meter, &["meter.power", "meter2.1.energy"], &["power.milliwatts"]);
    check(ChannelId::is_throttle_count, &["cpu0.throttle.core"], &["cpu0.throttle_time.core"]);
    check(ChannelId::is_set, &["thermal_zone0.trip1", "rapl0.limit.peak_power"], &["rapl0.energy", "soc.temp"]);
    let memory = ["devfreq.dmc.claimed", "devfreq.1c62000.dram-controller.claimed"];
    check(ChannelId::is_memory_clock, &memory, &["devfreq.gpu.claimed", "devfreq.dmc.residency.1"]);
}

#[test]
fn companions_are_told_by_the_same_thing() {
    let check = |a: &str, b: &str, expected: bool| {
        assert_eq!(id(a).is_of_same_chip(&id(b)), expected, "{a} and {b}");
        assert_eq!(id(b).is_of_same_chip(&id(a)), expected, "{b} and {a}");
    };
    check("hwmon0.power1", "hwmon0.in2", true);
    check("hwmon0.power1", "hwmon1.in2", false);
    check("hwmon0.in1", "hwmon0.in0.alarm", false);
    check("meter.power", "meter.energy", true);
    check("meter.1.power", "meter.2.energy", false);
    check("supply.BAT0.power", "supply.BAT0.voltage", true);
    check("supply.BAT0.power", "supply.AC.voltage", false);
    check("rapl0.energy", "rapl0.power", true);
    check("rapl0.energy", "rapl0.limit.long_term", false);
    check("soc.temp", "soc.temp", true);
    check("soc.temp", "rpi.pmic.power", false);
}

#[test]
fn texts_keep_to_a_width() {
    assert_eq!(format!("{:<10}|{:?}", id("soc.temp"), id("soc.temp")), "soc.temp  |\"soc.temp\"");
}

/// Texts similar to ids: words of the vocabulary, numbers and dots in any order.
fn near_ids() -> impl Strategy<Value = String> {
    let words =
        "cpu|policy|rapl|hwmon|meter|power|milliwatts|devfreq|supply|rpi|pmic|residency|claimed|throttle|temp|trip";
    proptest::string::string_regex(&format!("(({words}|[a-z]{{1,3}})?(0|[0-9:]{{1,3}})?\\.?){{1,5}}")).unwrap()
}

/// Ids of the variants with text or numbers.
fn made_ids() -> impl Strategy<Value = ChannelId> {
    let text = || "[a-z0-9._:-]{0,12}".prop_map(|text: String| text.into_boxed_str());
    let output = (any::<u32>(), any::<Option<u32>>());
    prop_oneof![
        (any::<u32>(), any::<u32>()).prop_map(|(cpu, state)| ChannelId::Cpu(cpu, CpuChannel::IdleState(state))),
        (any::<u32>(), any::<u32>()).prop_map(|(policy, khz)| ChannelId::Policy(policy, PolicyChannel::Residency(khz))),
        (any::<u32>(), any::<u32>()).prop_map(|(zone, trip)| ChannelId::Zone(zone, ZoneChannel::Trip(trip))),
        (any::<u32>(), any::<u32>()).prop_map(|(device, input)| ChannelId::Adc { device, input }),
        (text(), any::<u64>()).prop_map(|(device, hz)| ChannelId::Devfreq(device, DevfreqChannel::Residency(hz))),
        text().prop_map(|device| ChannelId::Devfreq(device, DevfreqChannel::Claimed)),
        text().prop_map(|supply| ChannelId::Supply(supply, SupplyChannel::Online)),
        text().prop_map(|rail| ChannelId::RaspberryPi(RaspberryPiChannel::Rail(rail, RailKind::Current))),
        ("[0-9][0-9:]{0,4}", text())
            .prop_map(|(zone, term)| ChannelId::Powercap(rapl(&zone), PowercapChannel::Limit(term))),
        output.prop_map(|(meter, output)| ChannelId::Meter(MeterOutput::of(meter, output), MeterChannel::Delay)),
        any::<u32>().prop_map(ChannelId::LogMeter),
    ]
}

proptest! {
    #[test]
    fn any_text_survives(text in ".*") {
        check_text_survives::<ChannelId>(&text);
    }

    #[test]
    fn text_that_looks_like_an_id_survives(text in near_ids()) {
        check_text_survives::<ChannelId>(&text);
    }

    #[test]
    fn any_id_survives(made in made_ids()) {
        prop_assert!(id(&made.to_string()) == made, "{}", made);
    }
}
