//! HTTPS to a hub by the real curl, against a server of OpenSSL on loopback whose certificate an authority of the test signed.

use super::{Folder, KEPT};
use crate::outcome::texts;
use std::io::Write;
use std::process::Stdio;
use testkit::TlsServer;

/// Answers one request, and returns it.
fn answer(server: &mut TlsServer) -> String {
    let request = super::request(server.child.stdout.take().unwrap());
    let stdin = server.child.stdin.as_mut().unwrap();
    write!(stdin, "HTTP/1.1 201 x\r\ncontent-length: {}\r\n\r\n{KEPT}", KEPT.len()).unwrap();
    stdin.flush().unwrap();
    request
}

#[test]
fn https_is_verified_and_refused_with_a_wrong_certificate() {
    for (host, trusts, is_sent) in
        [("localhost", true, true), ("localhost", false, false), ("other.example", true, false)]
    {
        let folder = Folder::new("https");
        let Some(mut server) = TlsServer::start(&folder.0, host) else { return testkit::was_skipped() };
        let url = format!("https://localhost:{}", server.port);
        let mut command = folder.command(&["upload", "log", "--to", &url, "--token-file", "token", "--yes"]);
        if trusts {
            command.env("CURL_CA_BUNDLE", folder.0.join("ca.pem"));
        }
        // A configuration of the user's that turns verification off counts for nothing.
        std::fs::write(folder.0.join(".curlrc"), "insecure\n").unwrap();
        command.env("HOME", &*folder.0).env("CURL_HOME", &*folder.0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let request = is_sent.then(|| answer(&mut server));
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

#[test]
fn hub_that_ends_by_a_result_is_told_from_one_that_is_down() {
    let folder = Folder::new("https-ends");
    let Some(mut server) = TlsServer::start(&folder.0, "localhost") else { return testkit::was_skipped() };
    let url = format!("https://localhost:{}", server.port);
    let upload = || {
        let mut command = folder.command(&["upload", "log", "--to", &url, "--token-file", "token", "--yes"]);
        command.env("CURL_CA_BUNDLE", folder.0.join("ca.pem"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let child = upload();
    super::request(server.child.stdout.take().unwrap());
    drop(server);
    let (status, _, err) = texts(&child.wait_with_output().unwrap());
    assert!(status == 1 && err.contains("Refused, kept for another try: log: "), "{status}: {err}");
    assert!(err.contains("closed the connection without an answer"), "{err}");
    assert_eq!((folder.waiting(), folder.spooled("tries").len()), (1, 1));
    let (status, _, err) = texts(&upload().wait_with_output().unwrap());
    assert!(status == 1 && err.contains("Not sent, kept for the next upload: log: "), "{status}: {err}");
    assert_eq!((folder.waiting(), folder.spooled("tries").len()), (1, 1));
}
