//! A tiny web server for one page of text: the metrics that Prometheus fetches.
//!
//! One thread, one connection at a time, each with a deadline: a scrape comes every few seconds, and
//! whoever hangs must not hold memory or threads. What the page says is given by the caller.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// A request has so long to arrive, and its answer so long to be taken.
const DEADLINE: Duration = Duration::from_secs(2);
/// Requests of Prometheus have some 300 bytes.
const REQUEST_BYTES_MAX: usize = 8 << 10;
/// Rendering some hundred metrics needs little.
const STACK_BYTES: usize = 256 << 10;

/// The format of the page, as Prometheus wants it named.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves the page until the process ends.
///
/// # Errors
/// The address cannot be listened on.
pub fn serve(
    address: SocketAddr,
    page: impl Fn() -> String + Send + 'static,
) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    let work = move || {
        for connection in listener.incoming() {
            match connection {
                // Who goes away before the answer has changed its mind.
                Ok(connection) => drop(answer(connection, &page)),
                // Out of descriptors, most likely: they come back.
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    };
    let builder = std::thread::Builder::new().name("exporter".into());
    builder.stack_size(STACK_BYTES).spawn(work)?;
    Ok(address)
}

fn answer(mut connection: TcpStream, page: &impl Fn() -> String) -> std::io::Result<()> {
    connection.set_write_timeout(Some(DEADLINE))?;
    let request = request(&mut connection)?;
    connection.write_all(&response(&request, page))?;
    // What is still on its way would make the kernel send a reset instead of the answer.
    connection.shutdown(std::net::Shutdown::Write)
}

/// The head of a request.
fn request(connection: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let deadline = Instant::now() + DEADLINE;
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || request.len() > REQUEST_BYTES_MAX {
            return Err(ErrorKind::TimedOut.into());
        }
        connection.set_read_timeout(Some(left))?;
        match connection.read(&mut buffer)? {
            0 => return Ok(request),
            count => request.extend_from_slice(&buffer[..count]),
        }
        if request.windows(4).any(|end| end == b"\r\n\r\n") {
            return Ok(request);
        }
    }
}

/// The whole answer to a request. RFC 9110, RFC 9112.
pub(crate) fn response(request: &[u8], page: &impl Fn() -> String) -> Vec<u8> {
    let head = String::from_utf8_lossy(request);
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let method = words.next().unwrap_or_default();
    let path = words.next().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let (status, kind, body) = match (method, path) {
        ("GET" | "HEAD", "/metrics") => ("200 OK", CONTENT_TYPE, page()),
        ("GET" | "HEAD", "/") => (
            "200 OK",
            "text/html; charset=utf-8",
            "<title>sbc-bench</title><a href=\"/metrics\">metrics</a>\n".to_owned(),
        ),
        ("GET" | "HEAD", _) => ("404 Not Found", CONTENT_TYPE, "see /metrics\n".to_owned()),
        _ => (
            "405 Method Not Allowed",
            CONTENT_TYPE,
            "GET /metrics\n".to_owned(),
        ),
    };
    let length = body.len();
    let allow = if status.starts_with("405") {
        "Allow: GET, HEAD\r\n"
    } else {
        ""
    };
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
        let response = response(request.as_bytes(), &|| "load 1\n".to_owned());
        let response = String::from_utf8(response).unwrap();
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status}\r\n")),
            "{request}: {response}"
        );
        let (_, found) = response.split_once("\r\n\r\n").unwrap();
        assert_eq!(found, body, "{request}");
    }

    #[test]
    fn one_page_and_nothing_else() {
        check(
            "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
            "200 OK",
            "load 1\n",
        );
        check("GET /metrics?x=1 HTTP/1.0\r\n\r\n", "200 OK", "load 1\n");
        check("HEAD /metrics HTTP/1.1\r\n\r\n", "200 OK", "");
        check(
            "GET /../etc/passwd HTTP/1.1\r\n\r\n",
            "404 Not Found",
            "see /metrics\n",
        );
        check(
            "POST /metrics HTTP/1.1\r\n\r\n",
            "405 Method Not Allowed",
            "GET /metrics\n",
        );
        check("", "405 Method Not Allowed", "GET /metrics\n");
        check(
            "\u{fffd}\0 \r\n\r\n",
            "405 Method Not Allowed",
            "GET /metrics\n",
        );
    }

    #[test]
    fn the_page_is_served_over_a_socket() {
        let address = serve(([127, 0, 0, 1], 0).into(), || "load 1\n".to_owned()).unwrap();
        for _ in 0..2 {
            let mut connection = TcpStream::connect(address).unwrap();
            connection.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
            connection.write_all(b"Host: x\r\n\r\n").unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).unwrap();
            assert!(answer.ends_with("\r\n\r\nload 1\n"), "{answer}");
        }
    }
}
