//! Keeps the Record of a run, in memory and on disk at once.
//!
//! Every event goes to the Record and to a file in the form of [`record::recording`], which is brought to
//! disk before every long operation and every second ([`crate::run::tape`]), so that a freeze or a power cut leaves
//! everything measured so far, the place where it died and the last second before. A disk that is full
//! does not end a run: the Record goes on in memory and says so.

use crate::run::context::PreviousRun;
use crate::run::history::NewRun;
use crate::run::tape::StreamWriter;
use machine::kernel_log::KernelLog;
use machine::{SamplerThread, Timeline};
use record::{Event, Missing, Reading, Record, Run, SCHEMA_VERSION, Source, soc_temperature};
use std::path::PathBuf;

/// Keeps the Record of a run.
#[derive(Debug)]
pub struct Recorder {
    record: Record,
    tape: StreamWriter,
    /// Where the rows of a sampler begin whose temperature of the SoC is still to be chosen.
    unchosen: Option<usize>,
}

/// Result of a run.
#[derive(Debug)]
pub struct RecordedRun {
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
    /// Starts a Record, and its stream on disk where there is a place for one.
    pub fn start(source: Source, run: Run, timeline: &Timeline, place: Option<NewRun>) -> Self {
        let tape = StreamWriter::start(place, timeline);
        tape.append(&Event::Started { schema: SCHEMA_VERSION, source: source.clone(), run: Box::new(run.clone()) });
        tape.sync();
        Self { record: Record::new(source, run), tape, unchosen: None }
    }

    /// Goes on with the Record of a run that died.
    pub(crate) fn resume(earlier: PreviousRun, boot_id: String, timeline: &Timeline, place: Option<NewRun>) -> Self {
        let PreviousRun { mut record, resumed } = earlier;
        record.resume(resumed, boot_id);
        let tape = StreamWriter::start(place, timeline);
        for event in record.clone().into_events() {
            tape.append(&event);
            if matches!(event, Event::Samples { .. }) {
                // Hours of them are more than may wait for the disk.
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

    /// What this sampler sees is part of the Record from now on, and with its first row which of its channels stands
    /// for the temperature of the SoC.
    pub(crate) fn watch_by(&mut self, sampler: SamplerThread) {
        self.unchosen = Some(self.record.samples.at_ms.len());
        self.tape.watch_by(sampler);
    }

    /// So are the messages of the kernel, or why there are none to read.
    pub(crate) fn listen(&mut self, log: Reading<KernelLog>) {
        self.tape.listen(log);
    }

    /// Keeps all watching off CPUs that are measured from now on.
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

    /// Ends watching; the last that was seen goes to the Record, and the sensor of the SoC by all of it.
    pub(crate) fn stop_sampler(&mut self) {
        for event in self.tape.stop_sampler() {
            self.record.apply(event);
        }
        self.choose_temperature();
    }

    /// Keeps which channel stands for the temperature of the SoC by all rows so far, if it is another choice than
    /// before. Asks no sensor: one that hangs keeps nobody but the sampler.
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

    /// Makes sure that everything appended so far survives a loss of power.
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

    /// Everything that is left.
    pub fn finish(self) -> RecordedRun {
        let (stream, trouble, broken) = self.tape.finish();
        RecordedRun { record: self.record, stream, trouble, broken }
    }
}

#[cfg(test)]
mod tests;
