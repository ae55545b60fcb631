//! Meters read by other programs: a user's command, `sigrok-cli`, and `mosquitto_sub` for MQTT. Programs print readings
//! continuously to a terminal, so that lines are not buffered. They are ended with the meter and restarted if they end.
//!
//! sigrok-cli prints `P1: 2.1 W DC`, one line per channel: a round is complete when every channel of the first second
//! has a new value. Retained messages of MQTT may be old and are ignored. A broker's password belongs into
//! ~/.config/mosquitto_sub, because every user can read arguments.

use super::fields::{Fields, Format};
use super::reading::{Labelled, Raw, What, parse_readings};
use super::{Address, Answer, Opened, Source};
use machine::{Caller, Failure};
use process::child::{Child, ChildSpec};
use process::search_path::search_path;
use std::time::{Duration, Instant};

/// Opens a user's command.
pub(super) fn open_command(address: &Address, user: Option<&Caller>) -> Opened {
    let argv = ["/bin/sh", "-c", address.host.as_str()].map(str::to_owned);
    let form = address.fields.clone().map_or_else(Form::readings, |fields| Form::Fields(vec![fields]));
    Ok(Box::new(Program::new(argv.to_vec(), user, form)))
}

/// Opens a device by sigrok-cli.
pub(super) fn open_sigrok(address: &Address, _: Option<&Caller>) -> Opened {
    let (driver, settings) = address.host.split_once(',').unwrap_or((&address.host, ""));
    let mut argv = vec![program("sigrok-cli", "sigrok-cli")?, "-d".into(), driver.into()];
    if !settings.is_empty() {
        argv.extend(["-c".into(), settings.replace(',', ":")]);
    }
    argv.extend(["--continuous", "-O", "analog"].map(str::to_owned));
    Ok(Box::new(Program::new(argv, None, Form::readings())))
}

/// Opens a topic of MQTT.
pub(super) fn open_mqtt(address: &Address, user: Option<&Caller>) -> Opened {
    let (host, topic) = address.host.split_once('/').unwrap_or((&address.host, ""));
    if topic.contains(['+', '#']) {
        return Err(format!("--meter {}: the topic must be that of one meter, without + and #.", address.shown));
    }
    let (host, port) = host.rsplit_once(':').unwrap_or((host, "1883"));
    let path = program("mosquitto_sub", "mosquitto-clients")?;
    let words = ["-h", host, "-p", port, "-k", "10", "-R", "-F", "%p", "-t", topic].map(str::to_owned);
    let argv = std::iter::once(path).chain(words).collect();
    let known = || MQTT_VALUES.iter().filter_map(|fields| Fields::parse(fields).ok()).collect();
    let form = Form::Fields(address.fields.clone().map_or_else(known, |fields| vec![fields]));
    Ok(Box::new(Program::new(argv, user, form)))
}

/// Values in messages of Tasmota, Zigbee2MQTT and ESPHome.
const MQTT_VALUES: [&str; 3] = [
    "$.ENERGY.Power:W,$.ENERGY.Total:kWh,$.ENERGY.Voltage:V,$.ENERGY.Current:A,$.Time:time",
    "$.power:W,$.energy:kWh,$.voltage:V,$.current:A,$.last_seen:time",
    "$:W",
];

/// Interval between checks for the end of the meter.
const SLICE: Duration = Duration::from_millis(200);
/// Pause before a program is restarted.
const PAUSE: Duration = Duration::from_secs(1);
const LINE_BYTES_MAX: usize = 64 << 10;
/// Time within which all channels of a device appear.
const FIRST_ROUND: Duration = Duration::from_secs(1);
const CHANNELS_MAX: usize = 64;

fn program(name: &str, package: &str) -> Result<String, String> {
    let found = search_path().program(name).and_then(|path| path.to_str().map(str::to_owned));
    found.ok_or_else(|| format!("{name} is not installed; install the package {package}."))
}

/// Form of the lines.
#[derive(Debug)]
enum Form {
    /// Numbers with units.
    Readings(Round),
    /// Documents: alternatives, reduced to the first that matches.
    Fields(Vec<Fields>),
}

impl Form {
    fn readings() -> Self {
        Self::Readings(Round::default())
    }

    /// Parses a line: an answer, `None` for an incomplete one, or an error.
    fn line(&mut self, line: &str, now: Instant) -> Result<Option<Answer>, Failure> {
        match self {
            Self::Readings(round) => round.line(line, now).ok_or_else(|| {
                let words: String = line.chars().filter(|c| !c.is_control()).collect();
                Failure::lacking(&format!("printed \"{words}\""))
            }),
            Self::Fields(known) => {
                let mut answers = known.iter().map(|fields| fields.answer(Format::Json, line)).enumerate();
                let (at, answer) = match (answers.find(|(_, answer)| answer.is_ok()), known.as_slice()) {
                    (Some(found), _) => found,
                    (None, [only]) => return only.answer(Format::Json, line).map(Some),
                    (None, _) => return Err(Failure::garbled(line.as_bytes())),
                };
                *known = vec![known.swap_remove(at)];
                answer.map(Some)
            }
        }
    }
}

/// One reading of each channel of a device.
#[derive(Debug, Default)]
struct Round {
    began: Option<Instant>,
    /// Channels in order, and whether their value is new.
    channels: Vec<(Labelled, bool)>,
}

impl Round {
    /// Adds a line; returns the answer of a complete round, and `None` for a line without reading.
    fn line(&mut self, line: &str, now: Instant) -> Option<Option<Answer>> {
        let readings = parse_readings(line);
        if readings.is_empty() {
            return None;
        }
        let is_first = now.duration_since(*self.began.get_or_insert(now)) < FIRST_ROUND;
        for reading in readings {
            let is_it = |known: &Labelled| known.label == reading.label && known.unit.what == reading.unit.what;
            match self.channels.iter().position(|(known, _)| is_it(known)) {
                Some(place) => self.channels[place] = (reading, true),
                None if is_first && self.channels.len() < CHANNELS_MAX => self.channels.push((reading, true)),
                None => {}
            }
        }
        let is_complete = !is_first && self.channels.iter().all(|(_, is_new)| *is_new);
        Some(is_complete.then(|| self.answer()).flatten())
    }

    /// Answer of the new values.
    fn answer(&mut self) -> Option<Answer> {
        let mut raw = Raw::default();
        for (reading, is_new) in &mut self.channels {
            if std::mem::take(is_new) && reading.unit.what != What::Clock {
                raw.set(reading.unit, Some(reading.value));
            }
        }
        let output = raw.output();
        output.has_values().then(|| Answer { outputs: vec![output], ..Answer::default() })
    }
}

/// A program that prints readings.
struct Program {
    argv: Vec<String>,
    user: Option<Caller>,
    form: Form,
    running: Option<Child<'static>>,
    /// Earliest start.
    due: Instant,
    /// Incomplete last line.
    rest: Vec<u8>,
    /// True if the running program has given an answer.
    has_answered: bool,
}

impl Program {
    fn new(argv: Vec<String>, user: Option<&Caller>, form: Form) -> Self {
        Self {
            argv,
            user: user.cloned(),
            form,
            running: None,
            due: Instant::now(),
            rest: Vec::new(),
            has_answered: false,
        }
    }

    fn start(&self) -> Result<Child<'static>, Failure> {
        let spec = ChildSpec { user: self.user.as_ref(), ..ChildSpec::new(&self.argv, Duration::MAX) };
        let terminal = machine::terminal().map_err(|missing| Failure::garbled(missing.to_string().as_bytes()))?;
        Child::stream(&spec, terminal).map_err(|failure| Failure::garbled(failure.message.as_bytes()))
    }

    /// Latest answer in the received lines.
    fn latest(&mut self, is_end: bool) -> Result<Option<Answer>, Failure> {
        let mut latest = Ok(None);
        let now = Instant::now();
        let whole = match self.rest.iter().rposition(|byte| *byte == b'\n') {
            _ if is_end => self.rest.len(),
            Some(end) => end + 1,
            None => 0,
        };
        let bytes: Vec<u8> = self.rest.drain(..whole).collect();
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match self.form.line(line, now) {
                Ok(None) => {}
                other => latest = other,
            }
        }
        if self.rest.len() > LINE_BYTES_MAX {
            latest = Err(Failure::garbled(&self.rest));
            self.rest.clear();
        }
        latest
    }
}

impl Source for Program {
    fn read(&mut self) -> Result<Option<Answer>, Failure> {
        let begin = Instant::now();
        let mut child = match self.running.take() {
            Some(child) => child,
            None if begin < self.due => {
                std::thread::sleep(SLICE.min(self.due - begin));
                return Ok(None);
            }
            None => {
                self.due = begin + PAUSE;
                self.has_answered = false;
                self.start()?
            }
        };
        let mut buffer = [0; 4 << 10];
        let count = child.read_output(&mut buffer, SLICE);
        self.rest.extend_from_slice(&buffer[..count.unwrap_or_default()]);
        let latest = self.latest(count.is_none());
        self.has_answered |= matches!(latest, Ok(Some(_)));
        if count.is_some() {
            self.running = Some(child);
            return latest;
        }
        // No further output follows.
        let rest = match &mut self.form {
            Form::Readings(round) => round.answer(),
            Form::Fields(_) => None,
        };
        match (latest, rest) {
            (Ok(Some(answer)), _) | (Ok(None), Some(answer)) => Ok(Some(answer)),
            (Err(why), _) => Err(why),
            (Ok(None), None) if self.has_answered => Ok(None),
            (Ok(None), None) => Err(Failure::Doubtful("ended without a reading")),
        }
    }
}

/// Parses output of programs; for fuzzing.
pub(super) fn foreign(text: &str) {
    let begin = Instant::now();
    let known = MQTT_VALUES.iter().filter_map(|fields| Fields::parse(fields).ok()).collect();
    for form in [Form::readings(), Form::Fields(known)] {
        let mut program = Program::new(Vec::new(), None, form);
        for (second, line) in (0..).zip(text.lines()) {
            let _ = program.form.line(line, begin + Duration::from_secs(second));
        }
        program.rest = text.as_bytes().to_vec();
        let _ = program.latest(true);
    }
}

#[cfg(test)]
mod tests;
