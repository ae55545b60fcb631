//! Meters over sockets on loopback with arbitrary answers, for fuzzing: heads, lengths, lines and datagrams.
//! [`super::foreign`] covers the parsers without sockets.

use super::smartpower::{SmartPower2, SmartPower3};
use super::{Address, Source};
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Meters read by HTTP.
const ASKED: [&str; 5] = ["netio", "netio-json", "sbc-bench", "shelly", "tasmota"];
/// Maximum number of datagrams; more would fill the socket.
const DATAGRAMS_MAX: usize = 16;

/// Server that sends the current text to every client.
#[derive(Debug)]
struct Server {
    host: String,
    says: &'static Mutex<Vec<u8>>,
}

impl Server {
    /// Starts a server that waits for a request, or sends at once.
    fn start(says: &'static Mutex<Vec<u8>>, waits: bool) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let host = listener.local_addr()?.to_string();
        std::thread::Builder::new().spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut question = Vec::new();
                let mut buffer = [0; 512];
                while waits && !question.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(count) if count > 0 => question.extend_from_slice(&buffer[..count]),
                        _ => break,
                    }
                }
                let says = says.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // The client may have disconnected.
                let _ = stream.write_all(&says);
            }
        })?;
        Ok(Self { host, says })
    }

    fn says(&self, text: &str) -> &str {
        *self.says.lock().unwrap_or_else(PoisonError::into_inner) = text.as_bytes().to_vec();
        &self.host
    }
}

/// Sends this text as head and body to all meters read by HTTP.
pub(super) fn http(text: &str) {
    static SAYS: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let Some(server) = SERVER.get_or_init(|| Server::start(&SAYS, true).ok()) else {
        return;
    };
    let host = server.says(text);
    for kind in ASKED {
        let address = Address::parse(&format!("{kind}:{host}"));
        let source = address.and_then(|address| (address.kind.open)(&address, None));
        drop(source.map(|mut source| source.read()));
    }
}

/// A SmartPower 2 that sends this text.
pub(super) fn telnet(text: &str) {
    static SAYS: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let Some(server) = SERVER.get_or_init(|| Server::start(&SAYS, false).ok()) else {
        return;
    };
    let mut meter = SmartPower2::new(server.says(text));
    while meter.next_line().is_ok() {}
}

/// A SmartPower 3 that sends each line as a datagram.
pub(super) fn udp(text: &str) {
    let sockets = UdpSocket::bind("127.0.0.1:0").and_then(|socket| {
        let sender = UdpSocket::bind("127.0.0.1:0")?;
        sender.connect(socket.local_addr()?)?;
        Ok((socket, sender))
    });
    let Ok((socket, sender)) = sockets else {
        return;
    };
    let mut meter = SmartPower3::new(socket);
    for line in text.split('\n').take(DATAGRAMS_MAX) {
        // Lines too long for a datagram are skipped.
        if sender.send(line.as_bytes()).is_ok() {
            drop(meter.read());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn meter_answers_never_panic(
            head in "HTTP/1\\.[01] [0-9]{3} ?\\PC{0,9}\r\n(Content-Length: -?[0-9]{1,22}\r\n)?(Transfer-Encoding: chunked\r\n)?\r\n",
            body: String,
            lines in "([0-9,.\n-]|\\PC){0,400}",
        ) {
            http(&format!("{head}{body}"));
            http(&body);
            telnet(&lines);
            udp(&lines);
        }
    }
}
