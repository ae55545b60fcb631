//! Output of a machine on its serial line, split into commands.

/// Marks of the begin and the end of a command on the console, and of the end of all commands.
pub(super) const BEGIN: &str = "@@begin ";
pub(super) const END: &str = "@@end ";
pub(super) const HALT: &str = "@@halt";
/// The machine is to lose power at this moment.
pub(super) const CUT: &str = "@@cut";

/// Result of a boot.
pub(super) struct BootOutput {
    /// The serial line, without carriage returns.
    pub(super) console: String,
}

/// A command's share of the console.
pub(super) struct Told<'a> {
    /// Output.
    pub(super) text: &'a str,
    /// Exit status.
    pub(super) status: i32,
    /// Duration by the machine's own clock.
    pub(super) seconds: f64,
}

impl BootOutput {
    /// Output of a command; `None` if it did not begin or end.
    pub(super) fn told(&self, case: &str) -> Option<Told<'_>> {
        let begin = format!("{BEGIN}{case}\n");
        let end = format!("{END}{case} ");
        let from = self.console.find(&begin)? + begin.len();
        let rest = &self.console[from..];
        let to = rest.find(&end)?;
        let line = rest[to + end.len()..].lines().next()?;
        let mut words = line.split_whitespace();
        let status = words.next()?.parse().ok()?;
        let began: f64 = words.next()?.parse().ok()?;
        let ended: f64 = words.next()?.parse().ok()?;
        Some(Told { text: &rest[..to], status, seconds: ended - began })
    }

    /// Output of a command during which the machine died.
    pub(super) fn begun(&self, case: &str) -> Option<&str> {
        self.console.split_once(&format!("{BEGIN}{case}\n")).map(|(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_on_the_console() {
        let console =
            "boot\n\n@@begin identify\nBoard\n\n@@end identify 3 7.25 9.50\n\n@@begin crash\nkilled".to_owned();
        let booted = BootOutput { console };
        let told = booted.told("identify").unwrap();
        assert_eq!((told.text, told.status, told.seconds), ("Board\n\n", 3, 2.25));
        assert!(booted.told("crash").is_none() && booted.told("x").is_none());
        assert_eq!(booted.begun("crash"), Some("killed"));
    }
}
