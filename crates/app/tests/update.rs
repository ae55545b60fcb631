//! `sbc-bench update` on a copy of the program, with a release on loopback: what is verified, and that at every moment there
//! is a program that starts.

use crate::outcome::texts;
use minisign::KeyPair;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use testkit::{Scratch, clean_command};

const OLD: &str = concat!("sbc-bench ", env!("CARGO_PKG_VERSION"));
const NEW: &str = "sbc-bench 99.0.0";
const GOOD: &str = "#!/bin/sh\necho 'sbc-bench 99.0.0 (abc)'\n";

/// Answer of a server to one path.
#[derive(Clone)]
enum Answer {
    Body(Vec<u8>),
    /// Half of a body, then the connection is over.
    Half(Vec<u8>),
    Redirection(String),
}

/// A server of files.
struct Server {
    url: String,
    files: Arc<Mutex<HashMap<String, Answer>>>,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (files, asked) = (Arc::new(Mutex::new(HashMap::new())), Arc::new(AtomicUsize::new(0)));
        let (of_thread, counted) = (Arc::clone(&files), Arc::clone(&asked));
        let serve = move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::Relaxed);
                // A killed client closed the connection.
                let _ = answer(&stream.unwrap(), &of_thread.lock().unwrap());
            }
        };
        std::thread::Builder::new().spawn(serve).unwrap();
        Self { url, files, asked }
    }

    fn put(&self, name: &str, answer: Answer) {
        self.files.lock().unwrap().insert(name.to_owned(), answer);
    }
}

fn answer(stream: &TcpStream, files: &HashMap<String, Answer>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let name = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let mut stream = stream;
    let head =
        |status: &str, length: usize| format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n");
    match files.get(name) {
        Some(Answer::Body(body)) => {
            stream.write_all((head("200 OK", body.len()) + "\r\n").as_bytes())?;
            stream.write_all(body)
        }
        Some(Answer::Half(body)) => {
            stream.write_all((head("200 OK", body.len()) + "\r\n").as_bytes())?;
            stream.write_all(&body[..body.len() / 2])
        }
        Some(Answer::Redirection(to)) => {
            stream.write_all(format!("{}location: {to}/{name}\r\n\r\n", head("302 Found", 0)).as_bytes())
        }
        None => stream.write_all((head("404 Not Found", 0) + "\r\n").as_bytes()),
    }
}

/// A copy of the program, and a release.
struct Bench {
    folder: Scratch,
    server: Server,
    keys: KeyPair,
    /// The day of its releases.
    day: String,
}

impl Bench {
    fn new(name: &str) -> Self {
        let folder = Scratch::new(&format!("update-{name}"));
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        let (server, keys) = (Server::new(), KeyPair::generate_unencrypted_keypair().unwrap());
        let bench = Self { folder, server, keys, day: jiff::Zoned::now().date().to_string() };
        std::fs::write(bench.folder.join("key.pub"), bench.keys.pk.to_box().unwrap().into_string()).unwrap();
        bench.reset();
        bench
    }

    /// The old program in its place.
    fn reset(&self) {
        let _ = std::fs::remove_file(self.program());
        // A test build has a hundred megabytes.
        if std::fs::hard_link(env!("CARGO_BIN_EXE_sbc-bench"), self.program()).is_err() {
            crate::placed::copy_program(self.program());
        }
    }

    fn program(&self) -> PathBuf {
        self.folder.join("bin/sbc-bench")
    }

    fn packed_name(version: &str) -> String {
        let arch = if cfg!(target_arch = "arm") { "armv7" } else { std::env::consts::ARCH };
        format!("sbc-bench-{version}-{arch}.gz")
    }

    /// A release of this version that is signed with these keys.
    fn release(&self, version: &str, program: &str, keys: &KeyPair) {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(program.as_bytes()).unwrap();
        let packed = packer.finish().unwrap();
        let sum: String = Sha256::digest(&packed).iter().map(|byte| format!("{byte:02x}")).collect();
        self.sums(&format!("# date: {}\n{sum}  {}\n", self.day, Self::packed_name(version)), keys);
        self.server.put(&Self::packed_name(version), Answer::Body(packed));
    }

    fn sums(&self, sums: &str, keys: &KeyPair) {
        let signature = minisign::sign(None, &keys.sk, Cursor::new(sums), None, None).unwrap().into_string();
        self.server.put("SHA256SUMS", Answer::Body(sums.into()));
        self.server.put("SHA256SUMS.minisig", Answer::Body(signature.into()));
    }

    fn good(&self) {
        self.release("99.0.0", GOOD, &self.keys);
    }

    fn command(&self, words: &[&str]) -> Command {
        let from = ["update", "--from", &self.server.url, "--key", "key.pub"];
        let mut command = clean_command(self.program(), [&from, words].concat());
        command.current_dir(&*self.folder).env("STATE_DIRECTORY", &*self.folder).env("XDG_STATE_HOME", &*self.folder);
        command
    }

    fn update(&self, words: &[&str]) -> (i32, String, String) {
        texts(&self.command(words).output().unwrap())
    }

    /// Version of the installed program, which must start.
    fn version(&self) -> String {
        let (status, out, err) = texts(&clean_command(self.program(), ["--version"]).output().unwrap());
        assert_eq!(status, 0, "{err}");
        out.split(' ').take(2).collect::<Vec<_>>().join(" ").trim().to_owned()
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.join("bin")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// An update that must fail with these words, and change nothing.
    fn is_refused(&self, case: &str, expected: &str) {
        let (status, _, err) = self.update(&["--yes"]);
        assert_eq!(status, 1, "{case}: {err}");
        assert!(err.contains(expected), "{case}: {err}");
        assert_eq!((self.version().as_str(), self.files()), (OLD, vec!["sbc-bench".to_owned()]), "{case}");
    }
}

#[test]
fn newer_program_is_shown_asked_for_and_takes_the_place() {
    let bench = Bench::new("good");
    bench.good();
    let (status, out, err) = bench.update(&["--check"]);
    assert_eq!(status, 1, "{err}");
    assert!(out.contains(&format!("{} -> 99.0.0 from http://127.0.0.1", env!("CARGO_PKG_VERSION"))), "{out}");
    let (status, _, err) = bench.update(&[]);
    assert_eq!(status, 1);
    assert!(err.contains("use --yes"), "{err}");
    assert_eq!(bench.version(), OLD);
    let (status, out, err) = bench.update(&["--yes"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("Updated to 99.0.0.") && !out.contains("days ago"), "{out}");
    assert_eq!((bench.version().as_str(), bench.files()), (NEW, vec!["sbc-bench".to_owned()]));
    assert_eq!(std::fs::metadata(bench.program()).unwrap().permissions().mode() & 0o111, 0o111);
}

#[test]
fn older_and_equal_releases_are_no_updates() {
    let bench = Bench::new("old");
    bench.release(env!("CARGO_PKG_VERSION"), GOOD, &bench.keys);
    let (status, out, err) = bench.update(&["--yes"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("is up to date") && !out.contains("days ago"), "{out}");
    bench.release("0.0.1", GOOD, &bench.keys);
    bench.is_refused("an older release", &format!("has 0.0.1 of {}, older than this", bench.day));
}

#[test]
fn release_that_may_be_held_back_is_said_by_its_signed_date() {
    let mut bench = Bench::new("held");
    bench.day = "2020-01-01".to_owned();
    for version in [env!("CARGO_PKG_VERSION"), "99.0.0"] {
        bench.release(version, GOOD, &bench.keys);
        let (_, out, err) = bench.update(&["--check"]);
        assert!(out.contains(version) && out.contains("of 2020-01-01"), "{out}{err}");
        assert!(out.contains(" days ago: newer ones may be withheld there"), "{out}{err}");
    }
    for (day, expected) in [("2026-13-01", "has a date that is not valid"), ("\n", "has a date that is not valid")] {
        bench.day = day.to_owned();
        bench.release("99.0.0", GOOD, &bench.keys);
        bench.is_refused("no day", expected);
    }
    let sum = "0".repeat(64);
    bench.sums(&format!("{sum}  {}\n", Bench::packed_name("99.0.0")), &bench.keys);
    bench.is_refused("no date", "has no date");
}

#[test]
fn new_program_has_the_permissions_of_the_old_one() {
    let bench = Bench::new("mode");
    bench.good();
    for (old, expected) in [(0o700, 0o700), (0o750, 0o750), (0o775, 0o775), (0o4755, 0o755)] {
        // A link would change the program that was built.
        std::fs::remove_file(bench.program()).unwrap();
        crate::placed::copy_program(bench.program());
        std::fs::set_permissions(bench.program(), PermissionsExt::from_mode(old)).unwrap();
        let (status, _, err) = bench.update(&["--yes"]);
        assert_eq!((status, bench.version().as_str()), (0, NEW), "{old:o}: {err}");
        assert_eq!(std::fs::metadata(bench.program()).unwrap().permissions().mode() & 0o7777, expected, "{old:o}");
    }
}

#[test]
fn unsigned_and_truncated_releases_change_nothing() {
    let bench = Bench::new("wrong");
    bench.is_refused("no release", "answers 404");
    bench.release("99.0.0", GOOD, &KeyPair::generate_unencrypted_keypair().unwrap());
    bench.is_refused("signed by others", "signature");
    bench.good();
    bench.server.put("SHA256SUMS", Answer::Body(b"0  sbc-bench-99.0.0-x86_64.gz\n".to_vec()));
    bench.is_refused("other sums than the signed ones", "signature");
    bench.good();
    bench.server.put("SHA256SUMS.minisig", Answer::Body("é".repeat(300).into()));
    bench.is_refused("no signature", "signature");
    bench.server.put("SHA256SUMS.minisig", Answer::Body(vec![b'x'; 1 << 20]));
    bench.is_refused("a signature of a megabyte", "cannot be fetched");
    bench.good();
    bench.server.put(&Bench::packed_name("99.0.0"), Answer::Body(b"other bytes".to_vec()));
    bench.is_refused("another program than the signed one", "SHA-256");
    bench.server.put(&Bench::packed_name("99.0.0"), Answer::Half(vec![1; 1 << 16]));
    bench.is_refused("half a program", "cannot be fetched");
    bench.sums("0  something-else\n", &bench.keys);
    bench.is_refused("nothing for this machine", "no program for");
    let elsewhere = Server::new();
    bench.good();
    bench.server.put("SHA256SUMS", Answer::Redirection(elsewhere.url.clone()));
    bench.is_refused("redirected", "redirection");
    assert_eq!(elsewhere.asked.load(Ordering::Relaxed), 0);
}

#[test]
fn program_that_does_not_start_never_stays() {
    let bench = Bench::new("broken");
    for (case, program) in [
        ("it fails", "#!/bin/sh\nexit 3\n"),
        ("another version", "#!/bin/sh\necho sbc-bench 98.0.0\n"),
        ("a longer version", "#!/bin/sh\necho sbc-bench 99.0.01\n"),
        ("no program", "\x7fELF and nothing"),
        ("nothing", ""),
        ("it fails in its place", "#!/bin/sh\ncase $0 in */sbc-bench) exit 3 ;; esac\necho sbc-bench 99.0.0\n"),
    ] {
        bench.release("99.0.0", program, &bench.keys);
        bench.is_refused(case, "does not start");
    }
    bench.good();
    assert_eq!(bench.update(&["--yes"]).0, 0);
    assert_eq!(bench.version(), NEW);
}

#[test]
fn killed_anywhere_or_without_room_there_is_a_program_that_starts() {
    let bench = Bench::new("killed");
    bench.good();
    let faults = |fault: &str| {
        let mut command = bench.command(&["--yes"]);
        texts(&command.env("SBC_BENCH_FAULTS", fault).output().unwrap())
    };
    let (mut old, mut new) = (0, 0);
    for when in ["kill-run", "kill-run-after"] {
        for number in 1..100 {
            let (status, out, err) = faults(&format!("run change /bin {number} {when}"));
            match bench.version().as_str() {
                OLD => old += 1,
                NEW => new += 1,
                other => panic!("call {number}: {other}"),
            }
            bench.reset();
            if status == 0 {
                assert!(out.contains("Updated"), "{out}{err}");
                break;
            }
            assert_eq!(status, -1, "call {number}: {err}");
            // The next update removes leftovers.
            assert_eq!(bench.update(&["--yes"]).0, 0);
            assert_eq!((bench.version().as_str(), bench.files().len()), (NEW, 1), "call {number}: {:?}", bench.files());
            bench.reset();
        }
    }
    assert!(old > 3 && new > 3, "{old} before and {new} after the exchange");
    for fault in ["run write /bin 1 ENOSPC", "run write /bin 1 torn", "run rename * 1 EIO", "run rename * 2 EINVAL"] {
        let (status, _, err) = faults(fault);
        assert_eq!((status, bench.version().as_str(), bench.files().len()), (1, OLD, 1), "{fault}: {err}");
        assert!(err.contains("is as it was"), "{fault}: {err}");
    }
}

#[test]
fn programs_of_packages_and_builds_without_key_are_refused() {
    let bench = Bench::new("owned");
    bench.good();
    let tools = bench.folder.join("tools");
    std::fs::create_dir(&tools).unwrap();
    for (name, said) in
        [("dpkg-query", "sbc-bench: FILE"), ("rpm", "sbc-bench: "), ("apk", "sbc-bench"), ("pacman", "sbc-bench")]
    {
        let path = tools.join(name);
        crate::placed::write_script(&path, &format!("#!/bin/sh\necho '{said}'\n"));
        let (status, _, err) = texts(&bench.command(&["--yes"]).env("PATH", &tools).output().unwrap());
        assert_eq!((status, bench.version().as_str()), (1, OLD));
        assert!(err.contains("belongs to the package sbc-bench; use: "), "{name}: {err}");
        std::fs::remove_file(&path).unwrap();
    }
    for words in [&["update"][..], &["-u"], &["update", "--from", "http://127.0.0.1:1"]] {
        let (status, _, err) = texts(&clean_command(bench.program(), words).output().unwrap());
        assert_eq!(status, 1);
        assert!(err.contains("knows no key of releases"), "{err}");
    }
    assert_eq!(bench.server.asked.load(Ordering::Relaxed), 0);
}
