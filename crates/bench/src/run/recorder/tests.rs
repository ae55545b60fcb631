//! Stream on disk during a run, and reports of write errors.

use super::*;
use crate::run::history::Runs;
use machine::files::Exclusive;
use record::{End, KernelMessage, Mode, read_stream};
use std::path::Path;
use std::time::Duration;
use testkit::Scratch;

fn recorder(place: Option<NewRun>, timeline: &Timeline) -> Recorder {
    let source = Source::Run { version: "0".into(), target: "test".into() };
    let run = Run { mode: Mode::Standard, ..Run::default() };
    Recorder::start(source, run, timeline, place)
}

fn place(folder: &Path) -> NewRun {
    Runs::make(&folder.join("runs")).unwrap().begin("now").unwrap()
}

fn gate() -> Event {
    Event::Gate { gate: record::Gate::default() }
}

fn ended() -> Event {
    Event::Ended { end: End::Finished, elapsed_ms: 5 }
}

/// Sampler of a machine with load averages only.
fn sampler(timeline: &Timeline) -> SamplerThread {
    let root = machine::Root::from_board("== /proc/loadavg\n0.20 0.18 0.12 1/80 1\n").unwrap();
    let options = machine::SamplerOptions { interval: Duration::from_millis(20), ..Default::default() };
    SamplerThread::start(machine::Sampler::new(&root, &options), timeline).unwrap()
}

#[test]
fn stream_on_disk_is_the_record() {
    let folder = Scratch::new("recorder-same");
    let timeline = Timeline::start();
    let mut recorder = recorder(Some(place(&folder)), &timeline);
    recorder.append(gate());
    recorder.watch_by(sampler(&timeline));
    std::thread::sleep(Duration::from_millis(100));
    recorder.flush();
    std::thread::sleep(Duration::from_millis(100));
    recorder.stop_sampler();
    recorder.append(ended());
    let recorded = recorder.finish();
    let bytes = std::fs::read(recorded.stream.unwrap()).unwrap();
    assert_eq!((recorded.trouble, recorded.broken), (None, false));
    assert!(!recorded.record.samples.at_ms.is_empty());
    assert_eq!(read_stream(&bytes).unwrap(), recorded.record);
}

#[test]
fn soc_sensor_is_known_with_the_first_row() {
    let zone = |number: u32, name: &str| {
        let zone = format!("/sys/class/thermal/thermal_zone{number}");
        format!("== {zone}/type\n{name}\n== {zone}/temp\n47500\n")
    };
    let root = machine::Root::from_board(&(zone(0, "gpu-thermal") + &zone(1, "cpu-thermal"))).unwrap();
    let timeline = Timeline::fake(0);
    let folder = Scratch::new("recorder-sensor");
    let mut recorder = recorder(Some(place(&folder)), &timeline);
    let sampler = machine::Sampler::new(&root, &machine::SamplerOptions::default());
    recorder.watch_by(SamplerThread::start(sampler, &timeline).unwrap());
    assert!(recorder.record().soc_temperature.is_not_reached());
    recorder.flush();
    let choice = recorder.record().soc_temperature.known().expect("it was chosen").clone();
    assert_eq!(choice.channel, record::ChannelId::zone_temperature(1));
    timeline.sleep(Duration::from_secs(3));
    recorder.stop_sampler();
    recorder.append(ended());
    let recorded = recorder.finish();
    let bytes = std::fs::read(recorded.stream.unwrap()).unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes).matches("soc_temperature").count(), 1, "nothing new is not told again");
    assert_eq!(read_stream(&bytes).unwrap().soc_temperature.known(), Some(&choice));
}

#[test]
fn samples_are_written_without_request() {
    let folder = Scratch::new("recorder-unasked");
    let board = "== /dev/kmsg\n6,1,10,-;old\n";
    let root = machine::Root::from_board(board).unwrap();
    let timeline = Timeline::start();
    let mut recorder = recorder(Some(place(&folder)), &timeline);
    let path = recorder.stream_path();
    recorder.listen(KernelLog::open(&root));
    recorder.watch_by(sampler(&timeline));
    let later = "6,1,10,-;old\n4,3,30,-;rk3588 thermal: critical";
    root.write("/dev/kmsg", later).unwrap();
    // Waits until it is there.
    let read = loop {
        std::thread::sleep(Duration::from_millis(20));
        let read = read_stream(&std::fs::read(&path).unwrap()).unwrap();
        let messages = read.kernel_messages.known().is_some_and(|all| !all.is_empty());
        if messages && !read.samples.at_ms.is_empty() {
            break read;
        }
    };
    let message = |message: &KernelMessage| message.text == "rk3588 thermal: critical";
    assert!(read.kernel_messages.known().unwrap().iter().any(message));
    // The Record has the same events.
    recorder.flush();
    assert!(recorder.record().samples.at_ms.starts_with(&read.samples.at_ms));
}

#[test]
fn full_disk_keeps_file_and_lock_and_is_tried_again() {
    let folder = Scratch::new("recorder-full");
    let timeline = Timeline::start();
    let runs = Runs::make(&folder.join("runs")).unwrap();
    let mut place = runs.begin("now").unwrap();
    let (path, stem) = (place.path.clone(), place.stem.clone());
    let full = std::fs::File::options().append(true).open("/dev/full").unwrap();
    // The lock stays with the file, wherever its bytes go.
    let held = std::mem::replace(&mut place.file, Exclusive::new(full));
    let mut recorder = recorder(Some(place), &timeline);
    recorder.append(gate());
    recorder.sync();
    assert!(runs.left_behind().unwrap().is_empty(), "the run is alive");
    let recorded = recorder.finish();
    assert_eq!(recorded.stream, Some(path));
    assert!(recorded.broken && recorded.trouble.is_some());
    assert!(recorded.record.gate.known().is_some());
    drop(held);
    runs.forget(&stem);
}

#[test]
fn record_stays_in_memory_without_directory() {
    let timeline = Timeline::start();
    let mut recorder = recorder(None, &timeline);
    recorder.append(gate());
    let recorded = recorder.finish();
    assert!(recorded.record.gate.known().is_some());
    assert_eq!(recorded.stream, None);
}
