//! Clients in other networks: each has its own address of the loopback interface.

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with, sockopt};
use std::io::{Read, Write};
use std::net::{SocketAddr, SocketAddrV4, TcpStream};
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: [u8; 4],
    pub(crate) hub: SocketAddr,
    pub(crate) token: String,
}

impl Client {
    pub(crate) fn new(address: [u8; 4], url: &str, token: &str) -> Self {
        Self { address, hub: url.strip_prefix("http://").unwrap().parse().unwrap(), token: token.to_owned() }
    }

    /// A connection; none if the hub refuses it.
    pub(crate) fn connect(&self) -> Option<TcpStream> {
        self.connection(None)
    }

    /// A connection with a small receive buffer.
    pub(crate) fn connect_to_hold(&self) -> Option<TcpStream> {
        self.connection(Some(4096))
    }

    fn connection(&self, bytes: Option<usize>) -> Option<TcpStream> {
        // Programs started by other tests must not inherit it.
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
        if let Some(bytes) = bytes {
            sockopt::set_socket_recv_buffer_size(&socket, bytes).unwrap();
        }
        bind(&socket, &SocketAddrV4::new(self.address.into(), 0)).unwrap();
        connect(&socket, &self.hub).ok()?;
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Some(stream)
    }

    pub(crate) fn head(&self, method: &str, path: &str, length: usize) -> String {
        let token = &self.token;
        format!(
            "{method} {path} HTTP/1.1\r\nhost: hub\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-length: {length}\r\n\r\n"
        )
    }

    /// Status and body of an answer; status 0 without one.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let answer = || {
            let mut stream = self.connect()?;
            stream.write_all(self.head(method, path, body.len()).as_bytes()).ok()?;
            stream.write_all(body).ok()?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).ok()?;
            let end = answer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
            let status = std::str::from_utf8(answer.get(9..12)?).ok()?.parse().ok()?;
            Some((status, answer.split_off(end)))
        };
        answer().unwrap_or((0, Vec::new()))
    }
}
