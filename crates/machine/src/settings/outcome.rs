//! Outcome of a setting, which must be reported: code cannot set a value and ignore whether it is in force.

use record::{Event, SettingChange, UnmetSetting};

/// Outcome of a setting. [`Outcome::tell`] is the only operation: it records what happened and returns what is not in
/// force.
#[must_use = "the outcome of a setting must be reported: the value may not be in effect"]
#[derive(Debug)]
pub struct Outcome {
    pub(super) change: Option<SettingChange>,
    /// Side effects of the change.
    pub(super) disturbed: Vec<SettingChange>,
    pub(super) unmet: Option<UnmetSetting>,
}

impl Outcome {
    /// Sends the changes to the caller's recorder, with their time; none if the value was in force already.
    ///
    /// Returns an unmet setting; none if the value is in force. A clock limit also counts as in force in the form that
    /// the kernel rounds it to, and while cooling lowers it.
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
