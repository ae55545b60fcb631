//! Record of a run, in memory and on disk.
//!
//! Every event goes to the Record and to a file in the format of [`record::recording`], which is synced before every
//! long operation and every second ([`crate::run::tape`]). A freeze or power cut leaves everything measured, the
//! current step and all but the last second. A full disk does not end a run: the Record continues in memory with a
//! note.

use crate::run::context::PreviousRun;
use crate::run::history::NewRun;
use crate::run::stream_writer::StreamWriter;
use machine::kernel_log::KernelLog;
use machine::{SamplerThread, Timeline};
use record::{Event, Missing, Reading, Record, Run, SCHEMA_VERSION, Source, soc_temperature};
use std::path::PathBuf;

/// Recorder of a run.
#[derive(Debug)]
pub struct Recorder {
    record: Record,
    tape: StreamWriter,
    /// First row of a sampler whose SoC sensor is still to be chosen.
    unchosen: Option<usize>,
}

/// A run that ended.
#[derive(Debug)]
pub struct FinishedRun {
    /// The Record.
    pub record: Record,
    /// Path of its stream.
    pub stream: Option<PathBuf>,
    /// Error of writing the stream.
    pub trouble: Option<Missing>,
    /// True if the stream lacks the end of the run.
    pub broken: bool,
}

impl Recorder {
    /// Starts a Record and, with a place, its stream on disk.
    pub fn start(source: Source, run: Run, timeline: &Timeline, place: Option<NewRun>) -> Self {
        let tape = StreamWriter::start(place, timeline);
        tape.append(&Event::Started { schema: SCHEMA_VERSION, source: source.clone(), run: Box::new(run.clone()) });
        tape.sync();
        Self { record: Record::new(source, run), tape, unchosen: None }
    }

    /// Continues the Record of a dead run.
    pub(crate) fn resume(earlier: PreviousRun, boot_id: String, timeline: &Timeline, place: Option<NewRun>) -> Self {
        let PreviousRun { mut record, resumed } = earlier;
        record.resume(resumed, boot_id);
        let tape = StreamWriter::start(place, timeline);
        for event in record.clone().into_events() {
            tape.append(&event);
            if matches!(event, Event::Samples { .. }) {
                // The backlog of hours must not wait for the disk.
                tape.sync();
            }
        }
        tape.sync();
        Self { record, tape, unchosen: None }
    }

    /// Adds an event.
    pub fn append(&mut self, event: Event) {
        self.tape.append(&event);
        self.record.apply(event);
    }

    /// Adds a sampler, whose first row selects the SoC sensor.
    pub(crate) fn watch_by(&mut self, sampler: SamplerThread) {
        self.unchosen = Some(self.record.samples.at_ms.len());
        self.tape.watch_by(sampler);
    }

    /// Adds the kernel messages, or the reason why they are unreadable.
    pub(crate) fn listen(&mut self, log: Reading<KernelLog>) {
        self.tape.listen(log);
    }

    /// Moves sampling off these CPUs, which are measured next.
    pub(crate) fn keep_off(&self, cpus: &[u32]) {
        self.tape.keep_off(cpus);
    }

    /// Moves the samples taken so far into the Record.
    pub(crate) fn flush(&mut self) {
        for event in self.tape.flush() {
            self.record.apply(event);
        }
        if self.unchosen.is_some_and(|rows| self.record.samples.at_ms.len() > rows) {
            self.choose_temperature();
        }
    }

    /// Stops the sampler, moves its last samples into the Record, and selects the SoC sensor by all rows.
    pub(crate) fn stop_sampler(&mut self) {
        for event in self.tape.stop_sampler() {
            self.record.apply(event);
        }
        self.choose_temperature();
    }

    /// Records the SoC sensor by all rows so far, if the choice changed. Reads no sensor.
    fn choose_temperature(&mut self) {
        self.unchosen = None;
        if self.record.samples.at_ms.is_empty() {
            return;
        }
        let choice = soc_temperature::of_samples(&self.record.samples).into();
        if choice != self.record.soc_temperature {
            self.append(Event::SocTemperature { choice });
        }
    }

    /// Syncs all events to disk.
    pub fn sync(&mut self) {
        self.tape.sync();
    }

    /// The Record so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    #[cfg(test)]
    fn stream_path(&self) -> PathBuf {
        self.tape.path.clone().unwrap_or_default()
    }

    /// Ends the recording.
    pub fn finish(self) -> FinishedRun {
        let (stream, trouble, broken) = self.tape.finish();
        FinishedRun { record: self.record, stream, trouble, broken }
    }
}

#[cfg(test)]
mod tests;
