//! Channels that can report throttling. Without any of them "not throttled" would be a guess.

use super::Reason;
use super::bits;
use record::{
    AllCpus, Channel, ChannelId, ControlGroupChannel, CpuChannel, HwmonChannel, PolicyChannel, PowercapChannel,
    RaspberryPiChannel,
};
use record::{Scope, Unit};

/// Every bit that a register can have set.
const ALL_BITS: i64 = 0xffff_ffff;

/// Reasons that these channels could report, gravest first. Channels without values do not count.
pub fn observable(speaking: &[&Channel]) -> Vec<Reason> {
    let seen: Vec<Reason> = speaking.iter().flat_map(|channel| reasons(speaking, channel)).collect();
    Reason::ALL.into_iter().filter(|reason| seen.contains(reason)).collect()
}

/// Reasons that a channel can report.
fn reasons(speaking: &[&Channel], channel: &Channel) -> Vec<Reason> {
    let is_limit = |limit: &&Channel| matches!(limit.id, ChannelId::Powercap(_, PowercapChannel::Limit(_)));
    match &channel.id {
        ChannelId::RaspberryPi(RaspberryPiChannel::Throttled) => bits::reasons(ALL_BITS, &bits::FIRMWARE),
        ChannelId::Cpu(_, CpuChannel::ThermStatus(Scope::Core)) => bits::reasons(ALL_BITS, &bits::CORE),
        ChannelId::Cpu(_, CpuChannel::ThermStatus(Scope::Package)) => bits::reasons(ALL_BITS, &bits::PACKAGE),
        ChannelId::Hwmon(_, HwmonChannel::Alarm) => vec![Reason::LowVoltage],
        ChannelId::Cooling(_) if channel.cools_cpus() => vec![Reason::Heat],
        ChannelId::Cpu(_, CpuChannel::Throttles(_)) => vec![Reason::Heat],
        ChannelId::ControlGroup(ControlGroupChannel::Throttled) => vec![Reason::Quota],
        ChannelId::Policy(_, PolicyChannel::LimitMax) => vec![Reason::LimitLowered],
        ChannelId::AllCpus(AllCpus::Online) => vec![Reason::CpusOff],
        ChannelId::Powercap(_, PowercapChannel::Energy)
            if channel.unit == Unit::Microjoules && speaking.iter().any(is_limit) =>
        {
            vec![Reason::PowerLimit]
        }
        _ => Vec::new(),
    }
}

impl Reason {
    /// True for heat, power and clocks; false for CPUs taken offline by an administrator.
    pub fn is_of_speed(self) -> bool {
        !matches!(self, Reason::CpusOff | Reason::Quota)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, labelled, own_run};
    use record::StableSort;

    #[test]
    fn only_what_is_read_can_tell() {
        let throttled = ChannelId::RaspberryPi(RaspberryPiChannel::Throttled);
        for (id, label, unit, values, expected) in [
            (ChannelId::zone_temperature(0), "cpu", Unit::Millicelsius, [50_000, 60_000], &[][..]),
            (ChannelId::Cooling(0), "pwm-fan", Unit::Count, [0, 0], &[]),
            (ChannelId::Cooling(0), "cpufreq-cpu0", Unit::Count, [0, 0], &[Reason::Heat]),
            (ChannelId::limit_max(4), "", Unit::Kilohertz, [1, 1], &[Reason::LimitLowered]),
            (throttled, "", Unit::Bits, [0, 0], &bits::reasons(ALL_BITS, &bits::FIRMWARE)),
        ] {
            let record = labelled(gauge_channel(own_run(), id.clone(), unit, &values), label);
            let speaking: Vec<&Channel> = record.samples.channels.iter().collect();
            let mut expected = expected.to_vec();
            expected.stable_sort_by_key(|reason| Reason::ALL.iter().position(|known| known == reason));
            assert_eq!(observable(&speaking), expected, "{id}");
        }
        assert_eq!(observable(&[]), []);
        assert!(Reason::Heat.is_of_speed() && !Reason::CpusOff.is_of_speed());
    }
}
