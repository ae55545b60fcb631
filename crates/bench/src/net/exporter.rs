//! A tiny web server for one page of text: the metrics that Prometheus fetches.
//!
//! One thread and a few connections at once, none of which is waited for: each has a deadline from its first
//! byte to the last of the answer, and where too many hang, the one that hangs longest has to go. What the
//! page says is given by the caller.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// A connection has so long for everything.
const DEADLINE: Duration = Duration::from_secs(4);
/// So many connections are held at once; Prometheus opens one.
const CLIENTS_MAX: usize = 16;
/// Requests of Prometheus have some 300 bytes.
const REQUEST_BYTES_MAX: usize = 8 << 10;
/// Rendering some hundred metrics needs little.
const STACK_BYTES: usize = 256 << 10;
/// When descriptors run out, they come back.
const RECOVERY: Duration = Duration::from_millis(100);

/// The format of the page, as Prometheus wants it named.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves the page until the process ends.
///
/// # Errors
/// The address cannot be listened on.
pub fn serve(address: SocketAddr, page: impl Fn() -> String + Send + 'static) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let mut server = Server { listener, clients: Vec::new(), is_local: address.ip().is_loopback(), page };
    let work = move || {
        loop {
            server.turn();
        }
    };
    let builder = std::thread::Builder::new().name("exporter".into());
    builder.stack_size(STACK_BYTES).spawn(work)?;
    Ok(address)
}

struct Server<P> {
    listener: TcpListener,
    clients: Vec<Client>,
    /// It listens for this machine alone.
    is_local: bool,
    page: P,
}

/// One connection.
struct Client {
    connection: TcpStream,
    request: Vec<u8>,
    /// What is left of the answer, once there is one.
    answer: Option<Vec<u8>>,
    deadline: Instant,
}

impl<P: Fn() -> String> Server<P> {
    /// Waits until something can be done, and does it.
    fn turn(&mut self) {
        let now = Instant::now();
        let next = self.clients.iter().map(|client| client.deadline).min();
        let wait = next.map(|deadline| timespec(deadline.saturating_duration_since(now)));
        let mut waiting = vec![PollFd::new(&self.listener, PollFlags::IN)];
        waiting.extend(self.clients.iter().map(Client::waits_for));
        // Interrupted or refused, everything is only looked at again.
        let _ = poll(&mut waiting, wait.as_ref());
        self.accept();
        let (page, is_local) = (&self.page, self.is_local);
        let now = Instant::now();
        self.clients.retain_mut(|client| now < client.deadline && client.goes_on(page, is_local));
    }

    fn accept(&mut self) {
        loop {
            match self.listener.accept() {
                Ok((connection, _)) => {
                    if connection.set_nonblocking(true).is_err() {
                        continue;
                    }
                    if self.clients.len() == CLIENTS_MAX {
                        self.clients.remove(0);
                    }
                    self.clients.push(Client {
                        connection,
                        request: Vec::new(),
                        answer: None,
                        deadline: Instant::now() + DEADLINE,
                    });
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => return std::thread::sleep(RECOVERY),
            }
        }
    }
}

impl Client {
    fn waits_for(&self) -> PollFd<'_> {
        let flags = match self.answer {
            None => PollFlags::IN,
            Some(_) => PollFlags::OUT,
        };
        PollFd::new(&self.connection, flags)
    }

    /// Does what can be done without waiting. False if that was all, or if the other side is gone.
    fn goes_on(&mut self, page: &impl Fn() -> String, is_local: bool) -> bool {
        let mut buffer = [0; 1024];
        while self.answer.is_none() {
            match self.connection.read(&mut buffer) {
                Ok(0) => self.answer = Some(response(&self.request, is_local, page)),
                Ok(count) => {
                    self.request.extend_from_slice(&buffer[..count]);
                    if self.request.windows(4).any(|end| end == b"\r\n\r\n") {
                        self.answer = Some(response(&self.request, is_local, page));
                    }
                }
                Err(error) => return is_only_early(&error),
            }
            if self.request.len() > REQUEST_BYTES_MAX {
                return false;
            }
        }
        let answer = self.answer.get_or_insert_default();
        while !answer.is_empty() {
            match self.connection.write(answer) {
                Ok(count) => drop(answer.drain(..count)),
                Err(error) => return is_only_early(&error),
            }
        }
        // What is still on its way would make the kernel send a reset instead of the answer.
        let _ = self.connection.shutdown(std::net::Shutdown::Write);
        false
    }
}

/// Nothing is wrong, there is only nothing to read or no room yet.
fn is_only_early(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ }
}

/// True if a browser that asks for this host was not led here by a foreign DNS name: on loopback only
/// the machine itself asks, by `localhost` or an address. Without a host nobody was led.
fn is_own_name(head: &str) -> bool {
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let Some((_, host)) = fields.find(|(name, _)| name.eq_ignore_ascii_case("host")) else {
        return true;
    };
    let host = host.trim();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => host.split(':').next(),
    };
    let name = name.unwrap_or_default();
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

/// The whole answer to a request. RFC 9110, RFC 9112.
pub(crate) fn response(request: &[u8], is_local: bool, page: &impl Fn() -> String) -> Vec<u8> {
    let head = String::from_utf8_lossy(request);
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let method = words.next().unwrap_or_default();
    let path = words.next().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let (status, kind, body) = match (method, path) {
        _ if is_local && !is_own_name(&head) => {
            ("421 Misdirected Request", CONTENT_TYPE, "use localhost or an IP address\n".to_owned())
        }
        ("GET" | "HEAD", "/metrics") => ("200 OK", CONTENT_TYPE, page()),
        ("GET" | "HEAD", "/") => (
            "200 OK",
            "text/html; charset=utf-8",
            "<title>sbc-bench</title><a href=\"/metrics\">metrics</a>\n".to_owned(),
        ),
        ("GET" | "HEAD", _) => ("404 Not Found", CONTENT_TYPE, "see /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", CONTENT_TYPE, "GET /metrics\n".to_owned()),
    };
    let length = body.len();
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    let mut response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         {allow}Connection: close\r\n\r\n"
    );
    if method != "HEAD" {
        response.push_str(&body);
    }
    response.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(request: &str, status: &str, body: &str) {
        let response = response(request.as_bytes(), true, &|| "load 1\n".to_owned());
        let response = String::from_utf8(response).unwrap();
        assert!(response.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{request}: {response}");
        let (_, found) = response.split_once("\r\n\r\n").unwrap();
        assert_eq!(found, body, "{request}");
    }

    #[test]
    fn only_metrics_page_is_served() {
        check("GET /metrics HTTP/1.1\r\nHost: localhost:9478\r\n\r\n", "200 OK", "load 1\n");
        check("GET /metrics?x=1 HTTP/1.0\r\n\r\n", "200 OK", "load 1\n");
        check("HEAD /metrics HTTP/1.1\r\n\r\n", "200 OK", "");
        check("GET /../etc/passwd HTTP/1.1\r\n\r\n", "404 Not Found", "see /metrics\n");
        check("POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed", "GET /metrics\n");
        check("", "405 Method Not Allowed", "GET /metrics\n");
        check("\u{fffd}\0 \r\n\r\n", "405 Method Not Allowed", "GET /metrics\n");
    }

    #[test]
    fn foreign_host_names_are_refused() {
        for (host, status) in [
            ("127.0.0.1:9478", "200 OK"),
            ("[::1]:9478", "200 OK"),
            ("LocalHost", "200 OK"),
            ("rebound.example:9478", "421 Misdirected Request"),
            ("localhost.example", "421 Misdirected Request"),
            ("", "421 Misdirected Request"),
        ] {
            let request = format!("GET /metrics HTTP/1.1\r\nhost: {host}\r\n\r\n");
            let body = match status {
                "200 OK" => "load 1\n",
                _ => "use localhost or an IP address\n",
            };
            check(&request, status, body);
        }
        // Where others may ask, they may have a name for this machine.
        let request = b"GET /metrics HTTP/1.1\r\nHost: board.lan\r\n\r\n";
        assert!(response(request, false, &String::new).starts_with(b"HTTP/1.1 200 OK"));
    }

    #[test]
    fn hanging_client_does_not_block_others() {
        let large = "x".repeat(16 << 20);
        let address = serve(([127, 0, 0, 1], 0).into(), move || large.clone()).unwrap();
        let idle = || TcpStream::connect(address).unwrap();
        let hanging: Vec<TcpStream> = (0..40).map(|_| idle()).collect();
        // Some ask and do not read what they get.
        let mut deaf = Vec::new();
        for _ in 0..3 {
            let mut connection = idle();
            connection.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
            deaf.push(connection);
        }
        let mut connection = idle();
        connection.write_all(b"HEAD /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        drop((hanging, deaf));
    }

    #[test]
    fn slow_client_times_out() {
        let address = serve(([127, 0, 0, 1], 0).into(), String::new).unwrap();
        let mut slow = TcpStream::connect(address).unwrap();
        let since = Instant::now();
        // Until the server has enough of it: its own limit, or a machine that is very busy.
        while slow.write_all(b"G").is_ok() {
            assert!(since.elapsed() < 15 * DEADLINE, "it is served for ever");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    #[test]
    fn page_is_served_over_a_socket() {
        let address = serve(([127, 0, 0, 1], 0).into(), || "load 1\n".to_owned()).unwrap();
        for _ in 0..2 {
            let mut connection = TcpStream::connect(address).unwrap();
            connection.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
            connection.write_all(b"Host: 127.0.0.1\r\n\r\n").unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).unwrap();
            assert!(answer.ends_with("\r\n\r\nload 1\n"), "{answer}");
        }
    }
}
