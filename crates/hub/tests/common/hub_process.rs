//! The serving binary, and a client.

use super::Folder;
use hub::store::{Postgres, Sqlite, Store};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

/// A hub process, killed when dropped.
pub(crate) struct HubProcess {
    child: Child,
    pub(crate) url: String,
    pub(crate) secret: String,
    pub(crate) data: PathBuf,
    pub(crate) database: Option<String>,
    words: Vec<String>,
    _folder: Option<Folder>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

pub(crate) fn program(data: &Path, database: Option<&str>, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sbc-bench-hub"));
    command.args(words).arg("--data").arg(data).env_remove("SBC_BENCH_HUB_DATABASE");
    command.env("SBC_BENCH_HUB_CLOCK", clock(data));
    if let Some(database) = database {
        command.args(["--database", database]);
    }
    command
}

/// File with the clock offset of a hub.
fn clock(data: &Path) -> PathBuf {
    data.with_extension("clock")
}

/// Runs a command with a text on standard input.
pub(crate) fn told(command: &mut Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Whether a command succeeded, and its output.
pub(crate) fn said(output: &Output) -> (bool, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

impl HubProcess {
    /// Runs a command of the operator on the database, with a text on standard input.
    pub(crate) fn operate(&self, words: &[&str], input: &str) -> (bool, String) {
        said(&told(&mut program(&self.data, self.database.as_deref(), words), input))
    }

    /// Output of a command of the operator, which has to succeed.
    pub(crate) fn run(&self, words: &[&str]) -> String {
        let (is_done, said) = self.operate(words, "");
        assert!(is_done, "{words:?}: {said}");
        said.trim().to_owned()
    }

    /// The database, opened by another process.
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        match &self.database {
            Some(url) => Arc::new(Postgres::open(url).unwrap()),
            None => Arc::new(Sqlite::open(&self.data.join("hub.sqlite")).unwrap()),
        }
    }

    /// Number of results in a list of the API.
    pub(crate) fn listed(&self, query: &str) -> usize {
        let answer = self.get(&format!("/api/results{query}"));
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        answer.json()["results"].as_array().unwrap().len()
    }

    /// Adds a hook of its owner that may reach this host.
    pub(crate) fn hook(&self, form: &str, target: &str) {
        let (is_done, said) = self.operate(&["hook", "add", "owner", "--form", form, "--allow-private", "-"], target);
        assert!(is_done, "{target}: {said}");
    }

    /// Starts a hub with its own database.
    pub(crate) fn start(database: Option<String>, words: &[&str]) -> Self {
        Self::in_own_folder(database, words, |_| {}, Stdio::null())
    }

    /// Starts a hub on existing data.
    pub(crate) fn on(data: PathBuf, database: Option<String>, words: &[&str]) -> Self {
        Self::launch(data, database, words, |_| {}, Stdio::null())
    }

    /// Starts a hub whose curl trusts these authorities.
    pub(crate) fn trusting(authorities: &Path) -> Self {
        let trusts = |command: &mut Command| {
            command.env("CURL_CA_BUNDLE", authorities);
        };
        Self::in_own_folder(None, &[], trusts, Stdio::null())
    }

    /// Starts a hub whose log is not read.
    pub(crate) fn with_unread_log() -> Self {
        Self::in_own_folder(None, &[], |_| {}, Stdio::piped())
    }

    fn in_own_folder(database: Option<String>, words: &[&str], configure: impl Fn(&mut Command), log: Stdio) -> Self {
        let folder = Folder::new();
        let mut hub = Self::launch(folder.0.to_path_buf(), database, words, configure, log);
        hub._folder = Some(folder);
        hub
    }

    fn launch(
        data: PathBuf,
        database: Option<String>,
        words: &[&str],
        configure: impl Fn(&mut Command),
        log: Stdio,
    ) -> Self {
        let mut command = program(&data, database.as_deref(), &[&SERVE, words].concat());
        configure(&mut command);
        let (child, url) = begin(&mut command, log);
        let secret = std::fs::read_to_string(data.join("token")).unwrap_or_default().trim().to_owned();
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { child, url, secret, data, database, words, _folder: None }
    }

    /// Starts a hub on a private disk of this size; none where that cannot be made.
    pub(crate) fn on_small_disk(kib: u32) -> Option<Self> {
        let folder = Folder::new();
        let data = folder.0.to_path_buf();
        let mut command = Command::new("unshare");
        let script = "mount -t tmpfs -o mode=0700,size=\"$1\"k tmpfs \"$2\" && exec \"$3\" serve --listen 127.0.0.1:0 --data \"$2\"";
        command.args(["-m", "sh", "-c", script, "sh", &kib.to_string()]).arg(&data);
        command.arg(env!("CARGO_BIN_EXE_sbc-bench-hub")).env_remove("SBC_BENCH_HUB_DATABASE");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let Some(url) = line.trim().strip_prefix("Listening on ").map(str::to_owned) else {
            let _ = child.wait();
            return None;
        };
        // The disk is visible through the process only.
        let seen = PathBuf::from(format!("/proc/{}/root{}", child.id(), data.display()));
        let secret = std::fs::read_to_string(seen.join("token")).ok()?.trim().to_owned();
        Some(Self { child, url, secret, data: seen, database: None, words: Vec::new(), _folder: Some(folder) })
    }

    /// Sets the clock of the hub (debug builds) to an offset from the true time.
    pub(crate) fn set_clock(&self, step_ms: i64) {
        let (clock, new) = (clock(&self.data), self.data.with_extension("clock-new"));
        hub::private::write(&new, step_ms.to_string().as_bytes()).unwrap();
        std::fs::rename(new, clock).unwrap();
    }

    pub(crate) fn verify(&self) {
        self.run(&["verify"]);
    }

    /// Kills the hub, and restarts it at another port.
    pub(crate) fn kill_and_restart(&mut self) {
        self.kill();
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let mut command = program(&self.data, self.database.as_deref(), &[&SERVE, &words[..]].concat());
        (self.child, self.url) = begin(&mut command, Stdio::null());
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Ends the hub as systemd does. Whether it succeeded.
    pub(crate) fn terminate(&mut self) -> bool {
        self.signal("TERM");
        let until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// Worker processes (proc_pid_stat(5): the parent is the second field behind the name).
    pub(crate) fn workers(&self) -> Vec<u32> {
        let own = self.child.id().to_string();
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_own = |id: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
            fields.next() != Some("Z") && fields.next() == Some(&own)
        };
        ids.filter(is_own).collect()
    }

    /// Peak memory without workers.
    pub(crate) fn memory_kib(&self) -> u64 {
        memory_kib(self.child.id())
    }

    /// Sum of the peak memory of its workers.
    pub(crate) fn workers_kib(&self) -> u64 {
        self.workers().into_iter().map(memory_kib).sum()
    }

    /// Current memory in KiB and number of open files, with workers.
    pub(crate) fn uses(&self) -> (u64, u64) {
        let all: Vec<u32> = self.workers().into_iter().chain([self.child.id()]).collect();
        let kib = all.iter().filter_map(|process| status_kib(*process, "VmRSS:")).sum();
        let files = all.iter().filter_map(|process| std::fs::read_dir(format!("/proc/{process}/fd")).ok());
        (kib, files.map(|files| files.count() as u64).sum())
    }

    /// CPU time with all threads and workers, including those that ended.
    pub(crate) fn cpu_ms(&self) -> u64 {
        let workers = self.workers().into_iter().map(|worker| cpu_ms(worker, 2));
        cpu_ms(self.child.id(), 4) + workers.sum::<u64>()
    }

    /// A client with persistent connections.
    pub(crate) fn client(&self) -> Client {
        Client { agent: agent(), url: self.url.clone(), token: format!("Bearer {}", self.secret) }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    pub(crate) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = agent().get(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(request.call().unwrap())
    }

    /// Sends a file; an error if there is no answer.
    pub(crate) fn try_send(&self, query: &str, bytes: &[u8]) -> Result<Answer, String> {
        let request = agent().post(format!("{}/api/results{query}", self.url));
        let request = request.header("authorization", format!("Bearer {}", self.secret));
        request.send(bytes).map(answer).map_err(|error| error.to_string())
    }

    pub(crate) fn send(&self, query: &str, bytes: &[u8]) -> Answer {
        self.try_send(query, bytes).unwrap()
    }

    /// Sends a file and returns its slug.
    pub(crate) fn keep(&self, query: &str, bytes: &[u8]) -> String {
        let answer = self.send(query, bytes);
        assert!(matches!(answer.status, 200 | 201), "{}", answer.body);
        answer.json()["results"][0]["id"].as_str().unwrap().to_owned()
    }

    /// As [`Self::keep`], once the hub has room.
    pub(crate) fn wait_to_keep(&self, query: &str, bytes: &[u8]) -> String {
        testkit::wait_until("the hub has room", || {
            self.try_send(query, bytes).is_ok_and(|answer| answer.status != 503)
        });
        self.keep(query, bytes)
    }

    /// Sends a request without a body, with the owner's token.
    pub(crate) fn ask(&self, method: &str, path: &str) -> Answer {
        let url = format!("{}{path}", self.url);
        let token = format!("Bearer {}", self.secret);
        answer(match method {
            "GET" => agent().get(url).header("authorization", token).call().unwrap(),
            "DELETE" => agent().delete(url).header("authorization", token).call().unwrap(),
            _ => agent().post(url).header("authorization", token).send_empty().unwrap(),
        })
    }

    pub(crate) fn wait_for(&self, path: &str, wanted: impl Fn(&Answer) -> bool) {
        testkit::wait_until(path, || wanted(&self.get(path)));
    }
}

fn memory_kib(process: u32) -> u64 {
    status_kib(process, "VmHWM:").unwrap()
}

/// Field of proc_pid_status(5) in KiB; none of a process that has ended.
fn status_kib(process: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// CPU time in ms (proc_pid_stat(5): utime, stime, and those of reaped children, in ticks of 10 ms).
fn cpu_ms(process: u32, fields: usize) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields = stat.rsplit(')').next().unwrap().split_whitespace().skip(11).take(fields);
    fields.map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum()
}

/// Client with the owner's token.
pub(crate) struct Client {
    agent: ureq::Agent,
    url: String,
    token: String,
}

impl Client {
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Answer {
        let url = format!("{}{path}", self.url);
        let response = match (method, body) {
            ("GET", _) => self.agent.get(url).header("authorization", &self.token).call(),
            ("DELETE", _) => self.agent.delete(url).header("authorization", &self.token).call(),
            (_, None) => self.agent.post(url).header("authorization", &self.token).send_empty(),
            (_, Some(body)) => self.agent.post(url).header("authorization", &self.token).send(body),
        };
        answer(response.unwrap())
    }
}

impl Drop for HubProcess {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_file(clock(&self.data));
    }
}

fn begin(command: &mut Command, log: Stdio) -> (Child, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("Listening on ").unwrap_or_else(|| panic!("it said {line:?}"));
    (child, url.to_owned())
}

fn agent() -> ureq::Agent {
    let config =
        ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(300)));
    config.build().into()
}

fn answer(mut response: ureq::http::Response<ureq::Body>) -> Answer {
    let headers = response.headers().iter();
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned())).collect();
    let body = response.body_mut().with_config().limit(64 << 20).read_to_vec().unwrap();
    Answer { status: response.status().as_u16(), headers, body: String::from_utf8_lossy(&body).into_owned() }
}
