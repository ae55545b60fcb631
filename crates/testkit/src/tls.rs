//! TLS server of OpenSSL on loopback with a certificate of a test authority.

use crate::skip;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Server that is stopped on drop. Its standard output is the data from clients, its standard input the data to them.
/// The authority's certificate is `ca.pem` in its directory.
pub struct TlsServer {
    /// Server process.
    pub child: Child,
    /// Port.
    pub port: u16,
}

impl TlsServer {
    /// Starts a server with a certificate for this host; `None` with a skip if OpenSSL or curl is missing.
    ///
    /// # Panics
    /// OpenSSL cannot create the certificate.
    pub fn start(folder: &Path, host: &str) -> Option<Self> {
        let has = |program: &str, word: &str| {
            Command::new(program).arg(word).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        };
        // curl would take any other argument as an address.
        if !has("curl", "--version") || !has("openssl", "version") {
            skip("curl or openssl is not installed");
            return None;
        }
        certificates(folder, host);
        let own = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = own.unwrap_or_else(|error| panic!("no port: {error}")).port();
        let mut command = Command::new("openssl");
        command.current_dir(folder).args(["s_server", "-quiet", "-cert", "cert.pem", "-key", "key.pem", "-accept"]);
        command.arg(format!("127.0.0.1:{port}")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().unwrap_or_else(|error| panic!("openssl: {error}"));
        // The server ignores a connection that is closed at once.
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Self { child, port })
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn openssl(folder: &Path, words: &str) {
    let mut command = Command::new("openssl");
    command.current_dir(folder).args(words.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().is_ok_and(|status| status.success()), "openssl {words}");
}

/// Creates an authority and a certificate for a host.
fn certificates(folder: &Path, host: &str) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(folder, &format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=authority -days 2"));
    openssl(folder, &format!("req {key} -keyout key.pem -out request.pem -subj /CN={host}"));
    let written = std::fs::write(folder.join("host.cnf"), format!("subjectAltName=DNS:{host}\n"));
    written.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    openssl(
        folder,
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile host.cnf",
    );
}
