//! Hub side of workers: starts them, keeps some for the next request, and ends those whose client is gone.

use super::{Reply, View, WorkerRequest, frame};
use crate::derive::ResultSummary;
use crate::limits::{LimitRefusal, Limits};
use crate::log;
use crate::originals::CompressedOriginal;
use crate::store::StoreError;
use std::io::{self, BufReader, ErrorKind};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of idle workers.
const IDLE_MAX: usize = 4;
/// Unpacked bytes of a request after which a worker is ended, because it would keep the memory.
const KEPT_BYTES_MAX: usize = 4 << 20;
/// Maximum number of workers that may die of one request.
const DEATHS_MAX: u32 = 4;

/// Signals that end all processes of a hub (signal(7)): HUP, INT and TERM. The file is not their cause.
const ENDS: [i32; 3] = [1, 2, 15];
/// Signal for `RLIMIT_CPU` (getrlimit(2)).
const SIGXCPU: i32 = 24;

fn is_from_outside(status: ExitStatus) -> bool {
    status.signal().is_some_and(|signal| ENDS.contains(&signal))
}

#[derive(Debug)]
pub struct Workers {
    program: PathBuf,
    limits: Limits,
    idle: Mutex<Vec<Worker>>,
}

/// File of an upload that a worker has read.
#[derive(Debug)]
pub struct UploadFile {
    /// Name in an archive.
    pub name: String,
    /// SHA-256 of the file as received.
    pub received_hash: String,
    /// Redacted file; empty if it could not be redacted.
    pub original: CompressedOriginal,
    /// Derived data, or the reason that there is none.
    pub derived: Result<ResultSummary, String>,
}

/// Takes the files of an upload. An error gives up the upload.
pub trait UploadVisitor {
    /// Decides whether to read a file, by its name and its SHA-256 as received.
    fn wants(&mut self, name: &str, received_hash: &str) -> Result<bool, LimitRefusal>;

    fn take(&mut self, read: UploadFile) -> Result<(), LimitRefusal>;
}

/// Ends the worker of a request, from any thread.
#[derive(Debug, Default)]
pub struct Stop(Mutex<StopState>);

#[derive(Debug, Default)]
struct StopState {
    is_stopped: bool,
    working: Option<Arc<Mutex<Child>>>,
}

/// A process and its pipes.
#[derive(Debug)]
struct Worker {
    child: Arc<Mutex<Child>>,
    give: ChildStdin,
    take: BufReader<ChildStdout>,
    /// Unpacked bytes read for the current request.
    read_bytes: usize,
}

/// Reason that an exchange with a worker failed.
enum ExchangeError {
    /// The pipe closed.
    Pipe,
    Stopped(String),
    Died {
        why: String,
        is_endless: bool,
    },
    /// The hub gave up.
    Given(LimitRefusal),
}

impl From<io::Error> for ExchangeError {
    fn from(_: io::Error) -> Self {
        Self::Pipe
    }
}

impl From<ExchangeError> for LimitRefusal {
    fn from(error: ExchangeError) -> Self {
        match error {
            ExchangeError::Given(refused) => refused,
            ExchangeError::Stopped(why) => Self::Stopped(why),
            ExchangeError::Died { why, .. } => Self::Died(why),
            ExchangeError::Pipe => Self::Died("its process closed the pipe".to_owned()),
        }
    }
}

impl Stop {
    /// Ends the current worker, and any later one.
    pub fn stop(&self) {
        let mut stopping = lock(&self.0);
        stopping.is_stopped = true;
        if let Some(child) = &stopping.working {
            let _ = lock(child).kill();
        }
    }

    pub fn is_stopped(&self) -> bool {
        lock(&self.0).is_stopped
    }

    /// Attaches a worker. False if the request is gone.
    fn begin(&self, worker: &Worker) -> bool {
        let mut stopping = lock(&self.0);
        stopping.working = Some(Arc::clone(&worker.child)).filter(|_| !stopping.is_stopped);
        stopping.working.is_some()
    }

    fn end(&self) {
        lock(&self.0).working = None;
    }
}

/// A poisoned lock is used: a panic leaves no partial change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    fn start(program: &PathBuf) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg("worker").env_clear().current_dir("/").stderr(Stdio::null());
        // Ctrl-C of a terminal is for the hub alone, which lets requests end.
        let mut child = command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let child = Arc::new(Mutex::new(child));
        let (give, take) = pipes.ok_or(ErrorKind::BrokenPipe)?;
        Ok(Self { child, give, take: BufReader::new(take), read_bytes: 0 })
    }

    fn tell(&mut self, ask: &WorkerRequest, bytes: &[u8]) -> io::Result<()> {
        frame::send(&mut self.give, ask, bytes)
    }

    fn hear(&mut self) -> io::Result<(Reply, Vec<u8>)> {
        frame::receive(&mut self.take)
    }

    /// Kills the worker and returns its exit status; one that has ended keeps its own.
    fn end(&self) -> io::Result<ExitStatus> {
        let mut child = lock(&self.child);
        child.kill()?;
        child.wait()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Workers {
    pub fn new(program: PathBuf, limits: Limits) -> Self {
        Self { program, limits, idle: Mutex::default() }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Starts an idle worker, so that the next request does not wait for its start.
    pub fn warm(&self) -> io::Result<()> {
        if lock(&self.idle).len() < IDLE_MAX {
            let worker = Worker::start(&self.program)?;
            // Taken last, because it is still starting.
            lock(&self.idle).insert(0, worker);
        }
        Ok(())
    }

    fn keep(&self, worker: Worker) {
        let mut idle = lock(&self.idle);
        if idle.len() < IDLE_MAX {
            idle.push(worker);
        }
    }

    /// Reads an upload and passes each of its files to `visit`; a file that killed its worker comes with the reason.
    pub fn upload(
        &self,
        stop: &Stop,
        body: &[u8],
        alias: &str,
        visit: &mut dyn UploadVisitor,
    ) -> Result<(), LimitRefusal> {
        let (mut done, mut deaths, mut died_at) = (0, 0, None);
        loop {
            let mut at = None;
            let read = self.with(stop, |worker| {
                worker
                    .tell(&WorkerRequest::Upload { limits: self.limits, alias: alias.to_owned(), skip: done }, body)?;
                files(worker, &mut done, &mut at, visit)
            });
            let (why, is_endless) = match read {
                Ok(read) => return read,
                Err(ExchangeError::Died { why, is_endless }) => (why, is_endless),
                Err(other) => return Err(other.into()),
            };
            deaths += 1;
            let is_first = died_at.replace(done) != Some(done);
            // Repeated once: the cause of the first death may be outside the file.
            if is_first && !is_endless && deaths < DEATHS_MAX {
                continue;
            }
            let is_unpacked = at.is_some();
            visit.take(
                at.unwrap_or_else(|| UploadFile::unread(String::new(), crate::originals::hash(body))).failed(why),
            )?;
            done += 1;
            if !is_unpacked {
                return Ok(());
            }
            if deaths >= DEATHS_MAX {
                return Err(LimitRefusal::Damaged(format!("{deaths} processes that read its files ended early")));
            }
        }
    }

    /// Derives a result from its original; none once `stop` is called.
    pub fn derive(
        &self,
        stop: &Stop,
        alias: &str,
        original: &CompressedOriginal,
    ) -> Option<Result<ResultSummary, String>> {
        let mut is_first = true;
        loop {
            let derived = self.with(stop, |worker| {
                let (hash, size) = (original.hash.clone(), original.size);
                let ask = WorkerRequest::Derive { limits: self.limits, alias: alias.to_owned(), hash, size };
                worker.read_bytes += original.size;
                worker.tell(&ask, &original.bytes)?;
                match worker.hear()? {
                    (Reply::Summary(derived), _) => Ok(*derived),
                    _ => Err(ExchangeError::Pipe),
                }
            });
            match derived {
                Ok(derived) => return Some(derived),
                Err(ExchangeError::Died { is_endless: false, .. }) if is_first => is_first = false,
                Err(ExchangeError::Died { why, .. }) => return Some(Err(why)),
                Err(_) => return None,
            }
        }
    }

    /// Makes a page from originals, which are requested one by one. An original that is missing, unreadable or kills
    /// the worker is an error.
    pub fn show(
        &self,
        stop: &Stop,
        view: View,
        originals: usize,
        original: &mut dyn FnMut(usize) -> Result<CompressedOriginal, StoreError>,
    ) -> Result<Vec<u8>, LimitRefusal> {
        let shown = self.with(stop, |worker| {
            worker.tell(&WorkerRequest::Show { limits: self.limits, view, originals }, &[])?;
            for number in 0..originals {
                let original = original(number).map_err(|trouble| ExchangeError::Given(trouble.into()))?;
                let CompressedOriginal { hash, size, bytes } = original;
                worker.read_bytes += size;
                worker.tell(&WorkerRequest::Original { hash, size }, &bytes)?;
            }
            match worker.hear()? {
                (Reply::Page(shown), page) => Ok(shown.map(|()| page)),
                _ => Err(ExchangeError::Pipe),
            }
        });
        shown?.map_err(LimitRefusal::Unreadable)
    }

    /// Runs an exchange with a worker, and keeps the worker for the next request if the exchange was complete.
    fn with<T>(
        &self,
        stop: &Stop,
        talk: impl FnOnce(&mut Worker) -> Result<T, ExchangeError>,
    ) -> Result<T, ExchangeError> {
        let started = self.idle().map_or_else(|| Worker::start(&self.program), Ok);
        let mut worker =
            started.map_err(|error| ExchangeError::Stopped(format!("This hub cannot start a process: {error}.")))?;
        let stopped = || ExchangeError::Stopped("The request was ended before it was done.".to_owned());
        if !stop.begin(&worker) {
            self.keep(worker);
            return Err(stopped());
        }
        let talked = talk(&mut worker);
        stop.end();
        if talked.is_ok() && worker.read_bytes < KEPT_BYTES_MAX {
            worker.read_bytes = 0;
            self.keep(worker);
            return talked;
        }
        let ended = worker.end();
        // Starts a replacement at the expense of the request that ended the worker.
        let _ = self.warm();
        match (talked, ended) {
            (Err(ExchangeError::Pipe), Ok(status)) if !stop.is_stopped() && !is_from_outside(status) => {
                Err(self.died(status))
            }
            (Err(ExchangeError::Pipe), _) => Err(stopped()),
            (talked, _) => talked,
        }
    }

    fn idle(&self) -> Option<Worker> {
        let mut idle = lock(&self.idle);
        // The kernel may have ended a worker.
        std::iter::from_fn(|| idle.pop()).find(|worker| matches!(lock(&worker.child).try_wait(), Ok(None)))
    }

    fn died(&self, status: ExitStatus) -> ExchangeError {
        log::event("worker", &[("ended", &status.to_string())]);
        let is_endless = status.signal() == Some(SIGXCPU);
        let why = if is_endless {
            format!("reading it takes more than {} s of CPU time", self.limits.cpu_s_max)
        } else {
            format!(
                "reading it ended its process ({status}), by a defect of this program or for more than {} MiB of memory",
                self.limits.memory_bytes_max >> 20
            )
        };
        ExchangeError::Died { why, is_endless }
    }
}

/// Receives the files of an upload. `done` counts the files passed on; `at` is the file being read.
fn files(
    worker: &mut Worker,
    done: &mut usize,
    at: &mut Option<UploadFile>,
    visit: &mut dyn UploadVisitor,
) -> Result<Result<(), LimitRefusal>, ExchangeError> {
    loop {
        match (worker.hear()?, at.as_mut()) {
            ((Reply::File { name, received_hash }, _), _) => {
                let is_wanted = visit.wants(&name, &received_hash).map_err(ExchangeError::Given)?;
                if is_wanted {
                    *at = Some(UploadFile::unread(name, received_hash))
                } else {
                    *done += 1
                }
                worker.tell(&WorkerRequest::Wanted(is_wanted), &[])?;
            }
            ((Reply::Redacted { hash, size }, bytes), Some(read)) => {
                worker.read_bytes += size;
                read.original = CompressedOriginal { hash, size, bytes };
            }
            ((Reply::Summary(derived), _), Some(_)) => {
                if let Some(read) = at.take() {
                    visit.take(UploadFile { derived: *derived, ..read }).map_err(ExchangeError::Given)?;
                }
                *done += 1;
            }
            ((Reply::End, _), _) => return Ok(Ok(())),
            ((Reply::Refused(refused), _), _) => {
                worker.read_bytes += KEPT_BYTES_MAX;
                return Ok(Err(refused));
            }
            _ => return Err(ExchangeError::Pipe),
        }
    }
}

impl UploadFile {
    fn unread(name: String, received_hash: String) -> Self {
        Self { name, received_hash, original: CompressedOriginal::of(&[]), derived: Err(String::new()) }
    }

    fn failed(self, why: String) -> Self {
        Self { derived: Err(why), ..self }
    }
}
