//! `sbc-bench review --inspect`: what of this machine costs performance, found without changing or measuring
//! anything. Every other review is a run.

use super::start::{source, utc_offset_minutes};
use crate::args::ReviewArgs;
use crate::output;
use crate::paths::replace;
use anyhow::Context as _;
use explain::Document;
use machine::{Root, Timeline};
use record::{End, Fact, Mode, Record, Run, Survey};
use std::sync::atomic::AtomicI32;

/// A look and nothing more.
pub(crate) fn run(root: &Root, args: &ReviewArgs) -> anyhow::Result<u8> {
    let record = looked_at(root, bench::survey(root, 0, &AtomicI32::new(0)));
    let text = match args.run.output.json {
        true => Document::printed(&record, &explain::explain(&record)) + "\n",
        false => {
            let report = report::find("review").context("Unknown report \"review\"")?;
            report.text(&record, &explain::explain(&record))
        }
    };
    if let Some(path) = &args.run.output.log {
        replace(path, &facts::harmless(&text))?;
    }
    output::print(&text)?;
    Ok(0)
}

/// A Record that holds what this machine is and one look over it, and no steps.
pub(crate) fn looked_at(root: &Root, survey: Survey) -> Record {
    let timeline = Timeline::start();
    let run = Run {
        started: Fact::Known(timeline.start_utc_ms()),
        utc_offset_minutes: utc_offset_minutes(timeline.start_utc_ms()),
        mode: Mode::Look,
        as_root: machine::is_root(),
        end: End::Finished,
        ..Run::default()
    };
    let mut record = Record::new(source(), run);
    record.machine = bench::identified(root);
    record.states = vec![machine::state(root, 0)];
    record.surveys = vec![survey];
    record
}
