//! Power in all logs: a part of a board is never reported as the whole, and missing values have a reason.

use crate::files;
use facts::Facts;
use record::ChannelId;

#[test]
fn no_part_is_told_as_the_whole_board() {
    let (mut with_meter, mut with_part) = (0, 0);
    for (name, text) in files::texts(&files::folders()) {
        let record = logs::read(&text);
        let facts = Facts::of(&record);
        let is_meter = |id: &ChannelId| matches!(id, ChannelId::LogMeter(_));
        for source in facts.power_sources() {
            assert!(source.is_whole() <= is_meter(source.id(&facts)), "{name}: {}", source.words());
            with_meter += usize::from(source.is_whole());
            with_part += usize::from(!source.is_whole());
        }
        match facts.energy() {
            // A part is never called the board.
            Ok(energy) => assert!(energy.source.is_whole() == energy.source.part.is_none(), "{name}"),
            Err(why) => assert!(why.contains("use a power meter"), "{name}: {why}"),
        }
    }
    assert!(with_meter > 0 && with_part > 0, "{with_meter} {with_part}");
}
