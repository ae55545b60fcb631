//! Channels of a meter and their values. Pure.

use super::{Kind, Output, Outputs};
use machine::sensors::NONE;
use record::{Channel, ChannelId, MeterChannel, MeterOutput};
use std::time::Duration;

/// Quantities of each output, in the order of the channels.
const QUANTITIES: [MeterChannel; 4] =
    [MeterChannel::Energy, MeterChannel::Power, MeterChannel::Voltage, MeterChannel::Current];

/// `meter.power`, with several outputs `meter.1.power`; a second meter is `meter2`.
pub(super) fn channels(number: usize, kind: &Kind, name: &str, outputs: &Outputs, count: usize) -> Vec<Channel> {
    let place = |output| MeterOutput::of(number as u32 + 1, output);
    let channel =
        |place, what: MeterChannel, label: String| Channel { label, ..Channel::of(ChannelId::Meter(place, what)) };
    let places: Vec<(MeterOutput, usize)> = match outputs {
        Outputs::One(output) => vec![(place(None), *output)],
        Outputs::All => (1..=count).map(|output| (place(Some(output as u32)), output)).collect(),
    };
    let name = match name {
        "" => kind.id,
        name => name,
    };
    let delay = "response time of the power meter".into();
    let mut channels = vec![channel(place(None), MeterChannel::Delay, delay)];
    for (place, output) in places {
        let label = match count {
            0 | 1 => name.to_owned(),
            _ => format!("{name} output {output}"),
        };
        channels.extend(QUANTITIES.map(|what| channel(place, what, label.clone())));
    }
    channels
}

/// Values of outputs, in the order of [`channels`].
pub(super) fn values(outputs: &[Output], elapsed: Duration) -> Vec<i64> {
    let mut values = vec![elapsed.as_millis() as i64];
    for output in outputs {
        let row = [output.microjoules, output.milliwatts, output.millivolts, output.milliamperes];
        values.extend(row.map(|value| value.unwrap_or(NONE)));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_output_or_all() {
        let kind = super::super::Address::parse("netio:x").unwrap().kind;
        let ids = |number, outputs| {
            let channels = channels(number, kind, "Plug", &outputs, 2).into_iter();
            channels.map(|channel| channel.id).collect::<Vec<_>>()
        };
        let one = [
            MeterChannel::Delay,
            MeterChannel::Energy,
            MeterChannel::Power,
            MeterChannel::Voltage,
            MeterChannel::Current,
        ];
        assert_eq!(ids(0, Outputs::One(2)), one.map(ChannelId::meter));
        let all = ids(1, Outputs::All);
        let second = |output, what| ChannelId::Meter(MeterOutput::of(2, output), what);
        assert_eq!(all.len(), 9);
        assert_eq!(all[0], second(None, MeterChannel::Delay));
        assert_eq!(all[5], second(Some(2), MeterChannel::Energy));
        let output = Output { milliwatts: Some(2_400), ..Output::default() };
        let row = values(&[output, output], Duration::from_millis(12));
        assert_eq!(row.len(), all.len());
        assert_eq!(row[..3], [12, NONE, 2_400]);
    }
}
