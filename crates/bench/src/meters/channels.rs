//! The channels of a meter, and an answer as one row of them. Pure.

use super::{Kind, Output, Outputs};
use machine::sensors::NONE;
use record::{Channel, ChannelKind, Unit};
use std::time::Duration;

/// What each output gives, in the order of the channels.
const QUANTITIES: [(&str, Unit, ChannelKind); 4] = [
    ("energy", Unit::Microjoules, ChannelKind::Counter),
    ("power", Unit::Milliwatts, ChannelKind::Gauge),
    ("voltage", Unit::Millivolts, ChannelKind::Gauge),
    ("current", Unit::Milliamperes, ChannelKind::Gauge),
];

/// `meter.power`, with several outputs `meter.1.power`; a second meter is `meter2`.
pub(super) fn channels(
    number: usize,
    kind: &Kind,
    name: &str,
    outputs: &Outputs,
    count: usize,
) -> Vec<Channel> {
    let meter = match number {
        0 => "meter".to_owned(),
        number => format!("meter{}", number + 1),
    };
    let channel = |id: String, unit, kind, label: String| Channel {
        label,
        ..Channel::new(id, unit, kind)
    };
    let places: Vec<(String, usize)> = match outputs {
        Outputs::One(output) => vec![(meter.clone(), *output)],
        Outputs::All => (1..=count)
            .map(|output| (format!("{meter}.{output}"), output))
            .collect(),
    };
    let name = match name {
        "" => kind.id,
        name => name,
    };
    let mut channels = vec![channel(
        format!("{meter}.delay"),
        Unit::Milliseconds,
        ChannelKind::Gauge,
        "time until the meter answered".into(),
    )];
    for (place, output) in places {
        let label = match count {
            0 | 1 => name.to_owned(),
            _ => format!("{name} output {output}"),
        };
        channels.extend(QUANTITIES.iter().map(|(quantity, unit, kind)| {
            channel(
                format!("{place}.{quantity}"),
                unit.clone(),
                *kind,
                label.clone(),
            )
        }));
    }
    channels
}

/// The values of some outputs, in the order of [`channels`].
pub(super) fn values(outputs: &[Output], elapsed: Duration) -> Vec<i64> {
    let mut values = vec![elapsed.as_millis() as i64];
    for output in outputs {
        let row = [
            output.microjoules,
            output.milliwatts,
            output.millivolts,
            output.milliamperes,
        ];
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
            "meter.delay",
            "meter.energy",
            "meter.power",
            "meter.voltage",
            "meter.current",
        ];
        assert_eq!(ids(0, Outputs::One(2)), one);
        let all = ids(1, Outputs::All);
        assert_eq!(
            (all.len(), &*all[0].as_text(), &*all[5].as_text()),
            (9, "meter2.delay", "meter2.2.energy")
        );
        let output = Output {
            milliwatts: Some(2_400),
            ..Output::default()
        };
        let row = values(&[output, output], Duration::from_millis(12));
        assert_eq!(row.len(), all.len());
        assert_eq!(row[..3], [12, NONE, 2_400]);
    }
}
