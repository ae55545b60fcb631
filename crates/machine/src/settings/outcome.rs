//! The outcome of a setting. It is a value that must be reported: code cannot set something and ignore what
//! is in force.

use record::{Event, SettingChange, UnmetSetting};

/// The outcome of a setting. There is one thing to do with it, [`Outcome::tell`]: writing down what happened
/// and learning what is in force are the same call.
#[must_use = "the outcome of a setting must be reported: the value may not be in effect"]
#[derive(Debug)]
pub struct Outcome {
    pub(super) change: Option<SettingChange>,
    /// Side effects of the change.
    pub(super) disturbed: Vec<SettingChange>,
    pub(super) unmet: Option<UnmetSetting>,
}

impl Outcome {
    /// Hands what happened to the caller's recorder, with its moment; nothing if it was so already.
    ///
    /// Returns what is not as it was wanted; none if the value is in force. A limit of clocks counts as in
    /// force in the form that the kernel rounds it to, and while cooling holds the clock below it.
    pub fn tell(self, at_ms: i64, before_step: Option<&str>, to: &mut dyn FnMut(Event)) -> Option<UnmetSetting> {
        for change in self.change.into_iter().chain(self.disturbed) {
            let change = change.at(at_ms);
            to(Event::SettingChanged { change });
        }
        let unmet = self.unmet.map(|unmet| UnmetSetting {
            at_ms: Some(at_ms),
            before_step: before_step.map(str::to_owned),
            ..unmet
        })?;
        to(Event::SettingUnmet { unmet: unmet.clone() });
        Some(unmet)
    }
}
