//! SmartPower 2 and 3 of ODROID, which send lines by themselves.
//!
//! SmartPower 2 accepts a connection (telnet) and writes `volts,amperes,watts,watt hours`. SmartPower 3 sends lines of
//! 17 fields to an address set in its menu; they are received at `smartpower3:PORT` or `smartpower3:ADDRESS:PORT`.
//! Outputs 1 and 2 are its channels, output 3 its input. It sends no energy.

use super::http::whole;
use super::{ANSWER_MAX, Address, Answer, OpenResult, Output, Source};
use machine::{Caller, Failure};
use std::io::Read;
use std::net::{IpAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::time::{Duration, Instant};

const TELNET_PORT: &str = "23";
const LINE_BYTES_MAX: usize = 256;
/// Maximum number of bytes read at once to reach the latest line.
const BACKLOG_BYTES_MAX: usize = 64 << 10;
const FIELDS: usize = 17;
/// 100 V, 100 A, 10 kW: beyond the range of both.
const THOUSANDTHS_MAX: i64 = 10_000_000;

pub(super) struct SmartPower2 {
    host: String,
    lines: Option<Lines>,
}

impl Source for SmartPower2 {
    fn read(&mut self) -> Result<Option<Answer>, Failure> {
        let answer = self.next_line().map(Some);
        if answer.is_err() {
            // Reconnect next time.
            self.lines = None;
            // Limits the rate of connection attempts.
            std::thread::sleep(Duration::from_millis(500));
        }
        answer
    }
}

impl SmartPower2 {
    pub(super) fn new(host: &str) -> Self {
        Self { host: host.to_owned(), lines: None }
    }

    pub(super) fn next_line(&mut self) -> Result<Answer, Failure> {
        let lines = match &mut self.lines {
            Some(lines) => lines,
            none => none.insert(connect(&self.host).map_err(|e| io_failure(&e))?),
        };
        let line = lines.latest(Instant::now() + ANSWER_MAX)?;
        let text = String::from_utf8_lossy(&line);
        parse_2(&text).ok_or_else(|| Failure::garbled(&line))
    }
}

/// Received lines.
struct Lines {
    stream: TcpStream,
    /// Incomplete last line.
    rest: Vec<u8>,
    /// True until the first line, which may be incomplete, is dropped.
    is_fresh: bool,
}

impl Lines {
    /// Latest complete line before the deadline; older lines are dropped.
    fn latest(&mut self, deadline: Instant) -> Result<Vec<u8>, Failure> {
        let mut latest: Option<Vec<u8>> = None;
        let mut buffer = [0; 1024];
        for _ in 0..BACKLOG_BYTES_MAX / buffer.len() {
            let count = match (&latest, self.read(&mut buffer, deadline, latest.is_some())) {
                (_, Ok(0)) => return Err(Failure::garbled(b"connection closed")),
                (_, Ok(count)) => count,
                (Some(_), Err(_)) => break,
                (None, Err(error)) => return Err(io_failure(&error)),
            };
            self.rest.extend_from_slice(&buffer[..count]);
            while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                if !std::mem::take(&mut self.is_fresh) {
                    latest = Some(line);
                }
            }
            if self.rest.len() > LINE_BYTES_MAX {
                return Err(Failure::garbled(&self.rest));
            }
        }
        latest.ok_or(Failure::Errno(rustix::io::Errno::TIMEDOUT.raw_os_error()))
    }

    /// Reads available bytes; waits until the deadline unless `now`.
    fn read(&mut self, buffer: &mut [u8], deadline: Instant, now: bool) -> std::io::Result<usize> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        self.stream.set_nonblocking(now)?;
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

fn connect(host: &str) -> std::io::Result<Lines> {
    let with_port = match host.rsplit_once(':') {
        Some(_) => host.to_owned(),
        None => format!("{host}:{TELNET_PORT}"),
    };
    let address = with_port.to_socket_addrs()?.next();
    let address = address.ok_or(std::io::ErrorKind::NotFound)?;
    Ok(Lines { stream: TcpStream::connect_timeout(&address, ANSWER_MAX)?, rest: Vec::new(), is_fresh: true })
}

/// UDP receiver; the sender of the first valid line is the meter.
pub(super) struct SmartPower3 {
    socket: UdpSocket,
    sender: Option<IpAddr>,
}

impl SmartPower3 {
    pub(super) fn new(socket: UdpSocket) -> Self {
        let sender = None;
        Self { socket, sender }
    }
}

pub(super) fn open_2(address: &Address, _: Option<&Caller>) -> OpenResult {
    Ok(Box::new(SmartPower2::new(&address.host)))
}

pub(super) fn open_3(address: &Address, _: Option<&Caller>) -> OpenResult {
    let local = match address.host.parse::<u16>() {
        Ok(port) => format!("0.0.0.0:{port}"),
        Err(_) => address.host.clone(),
    };
    let socket = UdpSocket::bind(&local)
        .map_err(|error| format!("--meter {}: cannot receive on {local}: {error}.", address.shown))?;
    Ok(Box::new(SmartPower3::new(socket)))
}

impl Source for SmartPower3 {
    fn read(&mut self) -> Result<Option<Answer>, Failure> {
        let mut bytes = [0; LINE_BYTES_MAX];
        let deadline = Instant::now() + ANSWER_MAX;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Failure::Errno(rustix::io::Errno::TIMEDOUT.raw_os_error()));
            }
            let received = self.socket.set_read_timeout(Some(left));
            let received = received.and_then(|()| self.socket.recv_from(&mut bytes));
            let (count, from) = received.map_err(|e| io_failure(&e))?;
            if self.sender.is_some_and(|sender| sender != from.ip()) {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes[..count]);
            let answer = parse_3(&text).ok_or_else(|| Failure::garbled(&bytes[..count]))?;
            self.sender = Some(from.ip());
            return Ok(Some(answer));
        }
    }
}

fn io_failure(error: &std::io::Error) -> Failure {
    use std::io::ErrorKind::{TimedOut, WouldBlock};
    match (error.kind(), error.raw_os_error()) {
        (TimedOut | WouldBlock, _) => Failure::Errno(rustix::io::Errno::TIMEDOUT.raw_os_error()),
        (_, Some(errno)) => Failure::Errno(errno),
        _ => Failure::garbled(error.to_string().as_bytes()),
    }
}

/// Parses `5.247,0.459,2.408,0.012`: volts, amperes, watts, watt hours.
pub(super) fn parse_2(line: &str) -> Option<Answer> {
    let mut numbers = line.trim().split(',').map(|field| {
        let number = field.trim().parse::<f64>().ok()?;
        number.is_finite().then_some(number)
    });
    let mut next = || numbers.next().flatten();
    let output = Output {
        millivolts: whole(next()?, 1e3),
        milliamperes: whole(next()?, 1e3),
        milliwatts: whole(next()?, 1e3),
        microjoules: next().and_then(|hours| whole(hours, 3.6e9)),
        clock: None,
    };
    Some(Answer { name: "SmartPower 2".into(), outputs: vec![output] })
}

/// Parses a line: time in milliseconds; millivolts, milliamperes, milliwatts and state of the input; the same with
/// interrupts for both channels; two checksums.
pub(super) fn parse_3(line: &str) -> Option<Answer> {
    let fields: Vec<&str> = line.trim().split(',').collect();
    if fields.len() != FIELDS {
        return None;
    }
    let clock = fields[0].trim().parse().ok();
    let output = |first: usize| {
        let number = |place: usize| {
            let number = fields[first + place].trim().parse::<i64>().ok()?;
            (0..=THOUSANDTHS_MAX).contains(&number).then_some(number)
        };
        Some(Output {
            millivolts: Some(number(0)?),
            milliamperes: Some(number(1)?),
            milliwatts: Some(number(2)?),
            microjoules: None,
            clock,
        })
    };
    let outputs = vec![output(5)?, output(10)?, output(1)?];
    Some(Answer { name: "SmartPower 3".into(), outputs })
}

#[cfg(test)]
mod tests {
    use super::super::Meter;
    use super::super::testing::{check, row_of};
    use super::*;
    use machine::sensors::NONE;
    use std::io::Write;

    const LINE_3: &str = "0000129542,15266,0203,03099,0,05116,0541,02767,1,00,00000,0000,00000,0,00,a9,1c\r\n";

    #[test]
    fn lines_of_smartpower_2_and_3() {
        let answer = parse_2("5.247,0.459,2.408,0.012\r\n").unwrap();
        let expected = Output {
            millivolts: Some(5_247),
            milliamperes: Some(459),
            milliwatts: Some(2_408),
            microjoules: Some(43_200_000),
            clock: None,
        };
        assert_eq!(answer.outputs, [expected]);
        let answer = parse_3(LINE_3).unwrap();
        let powers: Vec<_> = answer.outputs.iter().map(|output| output.milliwatts).collect();
        assert_eq!(powers, [Some(2_767), Some(0), Some(3_099)]);
        check(&[parse_2, parse_3], &["", ",", "5.2,x,1", "a,b,c,d", "1,2", ",,,,,,,,,,,,,,,,", "nan,1,1,1"]);
        for volts in ["9223372036854775807", "-5000", "10000001"] {
            assert_eq!(parse_3(&LINE_3.replace("15266", volts)), None, "{volts}");
        }
    }

    #[test]
    fn smartpower_2_over_telnet() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let host = server.local_addr().unwrap();
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            // The client disconnects at the end.
            while stream.write_all(b"47,0.459,2.408\n5.247,0.459,2.408,0.012\n").is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let meter = Meter::start(&format!("smartpower2:{host}"), 0, None).unwrap();
        assert_eq!(row_of(&meter)[2..4], [2_408, 5_247]);
        drop(meter);
        serving.join().unwrap();
    }

    #[test]
    fn smartpower_2_uses_latest_line() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut lines = connect(&server.local_addr().unwrap().to_string()).unwrap();
        let (mut meter, _) = server.accept().unwrap();
        meter.write_all(b"7,0.459,2.408\n1,1,1,1\n2,2,2,2\n3,3").unwrap();
        let until = || Instant::now() + Duration::from_secs(20);
        assert_eq!(lines.latest(until()).unwrap(), b"2,2,2,2\n");
        // Bytes without a line end until the deadline.
        let begin = Instant::now();
        let sending = std::thread::spawn(move || {
            while begin.elapsed() < Duration::from_secs(20) && meter.write_all(b"3").is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let failure = lines.latest(Instant::now() + Duration::from_millis(700));
        assert!(failure.is_err() && begin.elapsed() < Duration::from_secs(15));
        drop(lines);
        sending.join().unwrap();
    }

    #[test]
    fn smartpower_2_flood_is_cut() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut lines = connect(&server.local_addr().unwrap().to_string()).unwrap();
        let (mut meter, _) = server.accept().unwrap();
        let sending = std::thread::spawn(move || while meter.write_all(&b"1,2,3,4\n".repeat(1000)).is_ok() {});
        for _ in 0..3 {
            let line = lines.latest(Instant::now() + Duration::from_secs(20));
            assert_eq!(line.unwrap(), b"1,2,3,4\n");
        }
        drop(lines);
        sending.join().unwrap();
    }

    #[test]
    fn smartpower_3_accepts_one_sender() {
        let meter = UdpSocket::bind("127.0.0.1:0").unwrap();
        let place = meter.local_addr().unwrap();
        let mut source = SmartPower3 { socket: meter, sender: None };
        let send = |from: &str, line: &str| {
            let sender = UdpSocket::bind((from, 0)).unwrap();
            sender.send_to(line.as_bytes(), place).unwrap();
        };
        let volts = |source: &mut SmartPower3| source.read().ok()??.outputs[2].millivolts;
        send("127.0.0.2", "what is this");
        assert_eq!(volts(&mut source), None);
        send("127.0.0.1", LINE_3);
        send("127.0.0.2", &LINE_3.replace("15266", "99999"));
        send("127.0.0.1", &LINE_3.replace("15266", "15000"));
        assert_eq!(volts(&mut source), Some(15_266));
        assert_eq!(volts(&mut source), Some(15_000));
    }

    #[test]
    fn smartpower_3_over_udp() {
        // A port that was free just now.
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let done = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let until = done.clone();
        let sending = std::thread::spawn(move || {
            let mut milliseconds = 129_542;
            while !until.load(std::sync::atomic::Ordering::Relaxed) {
                milliseconds += 5;
                let line = LINE_3.replace("129542", &milliseconds.to_string());
                // At first nothing listens.
                let _ = sender.send_to(line.as_bytes(), ("127.0.0.1", port));
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let meter = Meter::start(&format!("smartpower3:127.0.0.1:{port}/1"), 0, None).unwrap();
        assert_eq!(row_of(&meter)[1..], [NONE, 2_767, 5_116, 541]);
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        sending.join().unwrap();
    }
}
