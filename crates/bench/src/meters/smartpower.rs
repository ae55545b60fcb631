//! Meter: SmartPower 2 and 3 of ODROID. Both send lines by themselves; nothing is asked.
//!
//! The second accepts a connection (telnet) and writes `volts,amperes,watts,watt hours`. The third
//! sends a line of 17 fields to an address that is set in its menu; here it is received at
//! `smartpower3:PORT` or `smartpower3:ADDRESS:PORT`. Output 1 and 2 are its channels; what goes in
//! is output 3. Energy is in the lines of the second only.

use super::http::whole;
use super::{ANSWER_MAX, Address, Answer, Kind, Output, Source};
use machine::Failure;
use std::io::{BufRead, BufReader, Read};
use std::net::{TcpStream, ToSocketAddrs, UdpSocket};
use std::time::Duration;

pub(super) const KIND_2: Kind = Kind {
    id: "smartpower2",
    about: "SmartPower 2 of ODROID, over its telnet port.",
    document: "https://wiki.odroid.com/accessory/power_supply_battery/smartpower2",
    poll: Duration::ZERO,
    open: |address| {
        Ok(Box::new(SmartPower2 {
            host: address.host.clone(),
            lines: None,
        }))
    },
};

pub(super) const KIND_3: Kind = Kind {
    id: "smartpower3",
    about: "SmartPower 3 of ODROID, that sends to a UDP port of this machine.",
    document: "https://wiki.odroid.com/accessory/power_supply_battery/smartpower3",
    poll: Duration::ZERO,
    open: open_3,
};

const TELNET_PORT: &str = "23";
const LINE_BYTES_MAX: u64 = 256;
const FIELDS: usize = 17;

struct SmartPower2 {
    host: String,
    lines: Option<BufReader<TcpStream>>,
}

impl Source for SmartPower2 {
    fn read(&mut self) -> Result<Answer, Failure> {
        let answer = self.next_line();
        if answer.is_err() {
            // A connection that broke is made anew.
            self.lines = None;
            // Without a pause, a refused connection would be asked for all the time.
            std::thread::sleep(Duration::from_millis(500));
        }
        answer
    }
}

impl SmartPower2 {
    fn next_line(&mut self) -> Result<Answer, Failure> {
        let fresh = self.lines.is_none();
        let lines = match &mut self.lines {
            Some(lines) => lines,
            none => none.insert(connect(&self.host).map_err(|e| io_failure(&e))?),
        };
        let mut line = Vec::new();
        // The first line may be the end of one.
        for _ in 0..=usize::from(fresh) {
            line.clear();
            let mut bounded = lines.take(LINE_BYTES_MAX);
            let count = bounded.read_until(b'\n', &mut line);
            if count.map_err(|e| io_failure(&e))? == 0 {
                return Err(Failure::garbled(b"connection closed"));
            }
        }
        let text = String::from_utf8_lossy(&line);
        parse_2(&text).ok_or_else(|| Failure::garbled(&line))
    }
}

fn connect(host: &str) -> std::io::Result<BufReader<TcpStream>> {
    let with_port = match host.rsplit_once(':') {
        Some(_) => host.to_owned(),
        None => format!("{host}:{TELNET_PORT}"),
    };
    let address = with_port.to_socket_addrs()?.next();
    let address = address.ok_or(std::io::ErrorKind::NotFound)?;
    let stream = TcpStream::connect_timeout(&address, ANSWER_MAX)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    Ok(BufReader::new(stream))
}

struct SmartPower3(UdpSocket);

fn open_3(address: &Address) -> Result<Box<dyn Source>, String> {
    let local = match address.host.parse::<u16>() {
        Ok(port) => format!("0.0.0.0:{port}"),
        Err(_) => address.host.clone(),
    };
    let socket = UdpSocket::bind(&local).and_then(|socket| {
        socket.set_read_timeout(Some(ANSWER_MAX))?;
        Ok(socket)
    });
    let socket = socket.map_err(|error| {
        format!(
            "--meter {}: nothing can be received at {local}: {error}.",
            address.shown
        )
    })?;
    Ok(Box::new(SmartPower3(socket)))
}

impl Source for SmartPower3 {
    fn read(&mut self) -> Result<Answer, Failure> {
        let mut bytes = [0; LINE_BYTES_MAX as usize];
        let count = self.0.recv(&mut bytes).map_err(|e| io_failure(&e))?;
        let text = String::from_utf8_lossy(&bytes[..count]);
        parse_3(&text).ok_or_else(|| Failure::garbled(&bytes[..count]))
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

/// `5.247,0.459,2.408,0.012`: volts, amperes, watts, watt hours.
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
    };
    Some(Answer {
        name: "SmartPower 2".into(),
        outputs: vec![output],
    })
}

/// Time in milliseconds; millivolts, milliamperes, milliwatts and state of the input; the same with
/// interrupts for both channels; two checksums.
pub(super) fn parse_3(line: &str) -> Option<Answer> {
    let fields: Vec<&str> = line.trim().split(',').collect();
    if fields.len() != FIELDS {
        return None;
    }
    let output = |first: usize| {
        let number = |place: usize| fields[first + place].trim().parse::<i64>().ok();
        Some(Output {
            millivolts: Some(number(0)?),
            milliamperes: Some(number(1)?),
            milliwatts: Some(number(2)?),
            microjoules: None,
        })
    };
    Some(Answer {
        name: "SmartPower 3".into(),
        outputs: vec![output(5)?, output(10)?, output(1)?],
    })
}

#[cfg(test)]
mod tests {
    use super::super::Meter;
    use super::super::testing::{check, row_of};
    use super::*;
    use machine::sensors::NONE;
    use std::io::Write;

    const LINE_3: &str =
        "0000129542,15266,0203,03099,0,05116,0541,02767,1,00,00000,0000,00000,0,00,a9,1c\r\n";

    #[test]
    fn lines_of_both() {
        let answer = parse_2("5.247,0.459,2.408,0.012\r\n").unwrap();
        let expected = Output {
            millivolts: Some(5_247),
            milliamperes: Some(459),
            milliwatts: Some(2_408),
            microjoules: Some(43_200_000),
        };
        assert_eq!(answer.outputs, [expected]);
        let answer = parse_3(LINE_3).unwrap();
        let powers: Vec<_> = answer
            .outputs
            .iter()
            .map(|output| output.milliwatts)
            .collect();
        assert_eq!(powers, [Some(2_767), Some(0), Some(3_099)]);
        check(
            &[parse_2, parse_3],
            &[
                "",
                ",",
                "5.2,x,1",
                "a,b,c,d",
                "1,2",
                ",,,,,,,,,,,,,,,,",
                "nan,1,1,1",
            ],
        );
    }

    #[test]
    fn the_second_is_read_over_a_connection() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let host = server.local_addr().unwrap();
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            // The other side goes away in the end, which is no trouble.
            while stream
                .write_all(b"47,0.459,2.408\n5.247,0.459,2.408,0.012\n")
                .is_ok()
            {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let meter = Meter::start(&format!("smartpower2:{host}"), 0).unwrap();
        assert_eq!(row_of(&meter)[2..4], [2_408, 5_247]);
        drop(meter);
        serving.join().unwrap();
    }

    #[test]
    fn the_third_is_received() {
        // A port that was free a moment ago.
        let port = UdpSocket::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let done = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let until = done.clone();
        let sending = std::thread::spawn(move || {
            while !until.load(std::sync::atomic::Ordering::Relaxed) {
                // Nobody listens at first.
                let _ = sender.send_to(LINE_3.as_bytes(), ("127.0.0.1", port));
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let meter = Meter::start(&format!("smartpower3:127.0.0.1:{port}/1"), 0).unwrap();
        assert_eq!(row_of(&meter)[1..], [NONE, 2_767, 5_116, 541]);
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        sending.join().unwrap();
    }
}
