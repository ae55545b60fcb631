//! Server over sockets, with clients that hang, send slowly and never read.

use super::*;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use testkit::wait_until;

/// Site with pages of a size and counted news.
struct PageSite {
    bytes: usize,
    news: Arc<Mutex<u64>>,
}

impl Site for PageSite {
    fn answer(&mut self, path: &str) -> Answer {
        match path {
            "/events" => Answer::Stream,
            _ => Answer::page("x".repeat(self.bytes)),
        }
    }

    fn news(&mut self) -> String {
        let mut news = self.news.lock().unwrap();
        *news += 1;
        format!("{} {}", *news, "x".repeat(self.bytes))
    }
}

/// Starts a server; returns it with the number of produced news.
fn served(bytes: usize) -> (RunningServer, Arc<Mutex<u64>>) {
    let news = Arc::default();
    let paper = PageSite { bytes, news: Arc::clone(&news) };
    (serve("test", ([127, 0, 0, 1], 0).into(), paper).unwrap(), news)
}

fn request(address: SocketAddr, path: &str) -> TcpStream {
    let mut connection = TcpStream::connect(address).unwrap();
    connection.write_all(format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").as_bytes()).unwrap();
    connection
}

/// Reads until the text contains `wanted`.
fn read_to(connection: &mut TcpStream, wanted: &str) {
    let (mut text, mut buffer) = (String::new(), [0; 4096]);
    connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    while !text.contains(wanted) {
        let count = connection.read(&mut buffer).unwrap();
        assert!(count > 0, "it ended without {wanted:?}");
        text.push_str(&String::from_utf8_lossy(&buffer[..count]));
        let keep = text.len().saturating_sub(8192);
        text.drain(..keep);
    }
}

#[test]
fn page_is_served_over_a_socket() {
    let (served, _) = served(7);
    for _ in 0..2 {
        let mut answer = String::new();
        request(served.address, "/").read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("\r\n\r\nxxxxxxx"), "{answer}");
    }
}

#[test]
fn hanging_client_does_not_block_others() {
    let (served, _) = served(16 << 20);
    let hanging: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(served.address).unwrap()).collect();
    // Clients that do not read.
    let deaf: Vec<TcpStream> = (0..3).map(|_| request(served.address, "/")).collect();
    let mut connection = TcpStream::connect(served.address).unwrap();
    connection.write_all(b"HEAD / HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    drop((hanging, deaf));
}

#[test]
fn slow_client_times_out() {
    let (served, _) = served(0);
    let mut slow = TcpStream::connect(served.address).unwrap();
    let since = Instant::now();
    // Until the limit of the server, or the deadline on a busy machine.
    while slow.write_all(b"G").is_ok() {
        assert!(since.elapsed() < Duration::from_secs(60), "it is served for ever");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Fifty followers, ten of which never read: the others get their news, produced once for all; those ten are dropped,
/// and the producer never blocks.
#[test]
fn followers_that_never_read_are_dropped_and_cost_nobody_else() {
    const ALL: usize = 50;
    const DEAF: usize = 10;
    let (served, news) = served(256 << 10);
    let followers = || served.notifier.0.followers.load(Ordering::Relaxed);
    let deaf: Vec<TcpStream> = (0..DEAF).map(|_| request(served.address, "/events")).collect();
    let mut reading: Vec<TcpStream> = (DEAF..ALL).map(|_| request(served.address, "/events")).collect();
    reading.iter_mut().for_each(|connection| read_to(connection, "text/event-stream"));
    wait_until("all follow", || followers() == ALL);
    let joined = *news.lock().unwrap();
    assert_eq!(joined, ALL as u64, "each got what there was when it came");
    for connection in &reading {
        connection.set_nonblocking(true).unwrap();
    }
    let mut buffer = vec![0; 1 << 20];
    wait_until("the news come", || {
        served.notifier.notify();
        for connection in &mut reading {
            while connection.read(&mut buffer).is_ok_and(|count| count > 0) {}
        }
        followers() == ALL - DEAF
    });
    let told = *news.lock().unwrap() - joined;
    assert!(told > 0);
    served.notifier.notify();
    for connection in &mut reading {
        connection.set_nonblocking(false).unwrap();
        read_to(connection, &format!("data: {} ", joined + told + 1));
    }
    assert_eq!(*news.lock().unwrap(), joined + told + 1, "made once for all");
    // Without followers no news are produced.
    drop((deaf, reading));
    wait_until("the news come", || {
        served.notifier.notify();
        followers() == 0
    });
    let last = *news.lock().unwrap();
    served.notifier.notify();
    let mut answer = String::new();
    request(served.address, "/").read_to_string(&mut answer).unwrap();
    assert_eq!(*news.lock().unwrap(), last);
}
