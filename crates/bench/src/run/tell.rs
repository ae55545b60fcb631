//! Records outcomes of settings and reports those not in force.

use crate::run::context::Progress;
use crate::run::recorder::Recorder;
use machine::Timeline;
use machine::settings::Outcome;
use record::{Fact, UnmetSetting};

/// Records an outcome and returns a setting that is not in force.
pub(crate) type RecordOutcome<'a> = dyn FnMut(Outcome) -> Option<UnmetSetting> + 'a;

/// Records an outcome with its time and reports a setting that is not in force.
pub(super) fn outcome_recorder<'a>(
    recorder: &'a mut Recorder,
    progress: &'a mut dyn FnMut(Progress),
    timeline: &'a Timeline,
    before_step: Option<&'a str>,
) -> impl FnMut(Outcome) -> Option<UnmetSetting> + 'a {
    move |outcome| {
        let mut append = |event| recorder.append(event);
        let unmet = outcome.tell(timeline.now_ms(), before_step, &mut append);
        if let Some(unmet) = &unmet {
            progress(Progress::Note(sentence(unmet)));
        }
        unmet
    }
}

fn sentence(unmet: &UnmetSetting) -> String {
    let why = unmet.why.trim_end_matches('.');
    let (path, wanted) = (&unmet.path, &unmet.wanted);
    match &unmet.found {
        Fact::Known(found) => format!("{path} is {found} instead of {wanted}: {why}."),
        Fact::Missing { .. } => format!("{path} cannot be set to {wanted}: {why}."),
    }
}
