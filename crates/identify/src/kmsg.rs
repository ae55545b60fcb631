//! Records of `/dev/kmsg` (Linux Documentation/ABI/testing/dev-kmsg), and the messages of a boot.

use crate::Tree;

const PATH: &str = "/dev/kmsg";

/// One record of `/dev/kmsg`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KmsgRecord {
    /// Severity, 0 (emergency) to 7 (debug).
    pub level: u32,
    /// Origin of the message; 0 is the kernel (syslog(2)).
    pub facility: u32,
    /// Number of the record since boot; a gap means lost messages.
    pub sequence: u64,
    /// Time since boot on the kernel's clock, in microseconds.
    pub stamp_us: u64,
    /// Text without time stamp.
    pub text: String,
}

impl KmsgRecord {
    /// Text of a message of the kernel itself; `None` for other facilities.
    pub fn kernel_text(self) -> Option<String> {
        (self.facility == 0).then_some(self.text)
    }
}

/// Parses one record: `6,339,5140900,-;text`. Continuation lines, which begin with a blank and name the device, are
/// ignored. `None` if the text is not a record.
pub fn parse_kmsg(record: &str) -> Option<KmsgRecord> {
    let line = record.lines().next()?;
    let (head, text) = line.split_once(';')?;
    let mut numbers = head.split(',');
    let priority: u32 = numbers.next()?.parse().ok()?;
    Some(KmsgRecord {
        level: priority & 7,
        facility: priority >> 3,
        sequence: numbers.next()?.parse().ok()?,
        stamp_us: numbers.next()?.parse().ok()?,
        text: text.to_owned(),
    })
}

/// First `records_max` kernel messages of the ring buffer; empty if it cannot be read.
pub fn boot_messages(root: &dyn Tree, records_max: usize) -> Vec<String> {
    if let Some(running) = root.running() {
        return running.boot_messages(records_max);
    }
    let text = root.read(PATH).unwrap_or_default();
    let records = text.lines().take(records_max).filter_map(parse_kmsg);
    records.filter_map(KmsgRecord::kernel_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(record: &str, expected: Option<(u32, u32, u64, u64, &str)>) {
        let parsed = parse_kmsg(record);
        let parsed = parsed.as_ref().map(|r| (r.level, r.facility, r.sequence, r.stamp_us, r.text.as_str()));
        assert_eq!(parsed, expected, "{record}");
    }

    #[test]
    fn records_of_kmsg() {
        check(
            "6,339,5140900,-;NET: Registered protocol family 10\n SUBSYSTEM=net\n",
            Some((6, 0, 339, 5_140_900, "NET: Registered protocol family 10")),
        );
        check("30,340,5690716,-,caller=T1;a;b", Some((6, 3, 340, 5_690_716, "a;b")));
        check("3,1,2,c;\\x1bпривет", Some((3, 0, 1, 2, "\\x1bпривет")));
        check("4,1,2,-;", Some((4, 0, 1, 2, "")));
        check("6,339", None);
        check("x,1,2,-;text", None);
        check("", None);
    }

    proptest::proptest! {
        #[test]
        fn parse_kmsg_never_panics(text in "([0-9,;\\- \n]|\\PC){0,60}") {
            parse_kmsg(&text);
        }
    }
}
