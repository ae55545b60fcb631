//! HTTPS to a hub by the real curl, against a server of OpenSSL on loopback whose certificate an authority of the test signed.

use super::{Folder, KEPT, texts};
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn openssl(folder: &Path, words: &str) {
    let mut command = Command::new("openssl");
    command.current_dir(folder).args(words.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().unwrap().success(), "openssl {words}");
}

/// An authority, and a certificate of it for a host.
fn certificates(folder: &Path, host: &str) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(folder, &format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=authority -days 2"));
    openssl(folder, &format!("req {key} -keyout key.pem -out request.pem -subj /CN={host}"));
    std::fs::write(folder.join("host.cnf"), format!("subjectAltName=DNS:{host}\n")).unwrap();
    openssl(
        folder,
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile host.cnf",
    );
}

/// A TLS server that is ended with its value: what clients send is its standard output, its standard input what they get.
struct Server(Child, u16);

impl Server {
    fn start(folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("openssl");
        command.current_dir(folder).args(["s_server", "-quiet", "-cert", "cert.pem", "-key", "key.pem", "-accept"]);
        command.arg(format!("127.0.0.1:{port}")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let server = Self(command.spawn().unwrap(), port);
        // A connection that ends at once is none for HTTP.
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// Answers one request, and returns it.
    fn answer(&mut self) -> String {
        let request = super::request(self.0.stdout.take().unwrap());
        let mut stdin = self.0.stdin.take().unwrap();
        write!(stdin, "HTTP/1.1 201 x\r\ncontent-length: {}\r\n\r\n{KEPT}", KEPT.len()).unwrap();
        stdin.flush().unwrap();
        self.0.stdin = Some(stdin);
        request
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn has(program: &str) -> bool {
    Command::new(program).arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[test]
fn https_is_verified_and_refused_with_a_wrong_certificate() {
    if !has("curl") || !has("openssl") {
        testkit::skip("curl or openssl is not installed");
        return testkit::was_skipped();
    }
    for (host, trusts, is_sent) in
        [("localhost", true, true), ("localhost", false, false), ("other.example", true, false)]
    {
        let folder = Folder::new("https");
        certificates(&folder.0, host);
        let mut server = Server::start(&folder.0);
        let url = format!("https://localhost:{}", server.1);
        let mut command = folder.command(&["upload", "log", "--to", &url, "--token-file", "token", "--yes"]);
        if trusts {
            command.env("CURL_CA_BUNDLE", folder.0.join("ca.pem"));
        }
        // A configuration of the user's that turns verification off counts for nothing.
        std::fs::write(folder.0.join(".curlrc"), "insecure\n").unwrap();
        command.env("HOME", &*folder.0).env("CURL_HOME", &*folder.0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let request = is_sent.then(|| server.answer());
        let (status, out, err) = texts(&child.wait_with_output().unwrap());
        match request {
            Some(request) => {
                assert_eq!((status, out.as_str()), (0, "http://127.0.0.1/r/abc\n"), "{err}");
                assert!(request.starts_with("POST /api/results?publish=0 "), "{request}");
                assert!(request.contains("Bearer sbch_secret") && request.contains("Testboard Sixteen"), "{request}");
                assert_eq!(folder.waiting(), 0);
            }
            None => {
                assert_eq!((status, out.as_str()), (1, ""), "{host}: {err}");
                assert!(err.contains("kept for the next upload") && err.contains("SSL"), "{host}: {err}");
                assert_eq!(folder.waiting(), 1, "{host}");
            }
        }
    }
}
