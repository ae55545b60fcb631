//! Worker side: receives requests from the hub and answers them. Ends when the pipe from the hub closes, even during
//! work.

use super::{Reply, STACK_BYTES, WorkerRequest, frame};
use crate::limits::{LimitRefusal, Limits};
use crate::originals::{self, CompressedOriginal};
use crate::{derive, unpack};
use archive::Member;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use std::fs::OpenOptions;
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};

/// Maximum number of open files: standard input, output and error.
const FILES_MAX: u64 = 3;

/// Serves the hub at the other end of standard input and output until the pipe closes.
pub fn run() -> Result<()> {
    // When memory runs out, the kernel should kill a worker and not the hub (proc_pid_oom_score_adj(5)).
    let _ = OpenOptions::new().write(true).open("/proc/self/oom_score_adj").and_then(|mut file| file.write_all(b"500"));
    limit(Resource::Nofile, FILES_MAX, true)?;
    // Keeps uploads out of core dumps.
    limit(Resource::Core, 0, true)?;
    let _ = rustix::thread::set_name(c"sbc-hub-worker");
    let (give, take) = sync_channel(1);
    let work = move || {
        facts::soc::read_tables();
        let worked = catch_unwind(AssertUnwindSafe(|| work(&take)));
        // The hub sees the end of the pipe.
        std::process::exit(i32::from(!matches!(worked, Ok(Ok(())))));
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work)?;
    let mut from = std::io::stdin().lock();
    while let Ok(frame) = frame::receive::<WorkerRequest>(&mut from) {
        if give.send(frame).is_err() {
            break;
        }
    }
    Ok(())
}

fn limit(resource: Resource, most: u64, is_for_ever: bool) -> Result<()> {
    let maximum = if is_for_ever { Some(most) } else { getrlimit(resource).maximum };
    Ok(setrlimit(resource, Rlimit { current: Some(maximum.map_or(most, |maximum| most.min(maximum))), maximum })?)
}

/// Sets the limits of one request.
fn limit_request(limits: &Limits) -> Result<()> {
    let used_s = clock_gettime(ClockId::ProcessCPUTime).tv_sec.unsigned_abs();
    limit(Resource::Cpu, used_s + limits.cpu_s_max, false)?;
    limit(Resource::As, limits.memory_bytes_max, false)
}

type Frames = Receiver<(WorkerRequest, Vec<u8>)>;

fn work(frames: &Frames) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    while let Ok((ask, bytes)) = frames.recv() {
        match ask {
            WorkerRequest::Upload { limits, alias, skip } => {
                limit_request(&limits)?;
                let reply = match files(bytes, &limits) {
                    Ok(files) => {
                        read(files.into_iter().skip(skip), &alias, frames, &mut out)?;
                        Reply::End
                    }
                    Err(refused) => Reply::Refused(refused),
                };
                frame::send(&mut out, &reply, &[])?;
            }
            WorkerRequest::Derive { limits, alias, hash, size } => {
                limit_request(&limits)?;
                let original = CompressedOriginal { hash, size, bytes };
                let bytes = original.unpacked().map_err(|trouble| trouble.message);
                let derived = bytes.and_then(|bytes| derived(bytes, &alias));
                frame::send(&mut out, &Reply::Summary(Box::new(derived)), &[])?;
            }
            WorkerRequest::Show { limits, view, originals } => {
                limit_request(&limits)?;
                // All originals are read from the pipe, even after a damaged one.
                let records: Vec<_> = (0..originals).map(|_| original(frames).and_then(derive::record)).collect();
                let records: std::result::Result<Vec<_>, String> = records.into_iter().collect();
                let (reply, page) = match records {
                    Ok(records) => (Ok(()), view.of(&records)),
                    Err(why) => (Err(why), Vec::new()),
                };
                frame::send(&mut out, &Reply::Page(reply), &page)?;
            }
            // These only follow a request.
            WorkerRequest::Wanted(_) | WorkerRequest::Original { .. } => return Err(ErrorKind::InvalidData.into()),
        }
    }
    Ok(())
}

/// The files of an upload.
fn files(bytes: Vec<u8>, limits: &Limits) -> std::result::Result<Vec<Member>, LimitRefusal> {
    let files = unpack::members(bytes, limits)?;
    if files.iter().any(|file| file.bytes.len() > limits.log_bytes_max && is_log(&file.bytes)) {
        Err(LimitRefusal::TooLarge(format!("The limit of a log is {} KiB.", limits.log_bytes_max >> 10)))
    } else {
        Ok(files)
    }
}

fn is_log(bytes: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    first != Some(&b'{') && !record::is_stream(bytes)
}

fn read(files: impl Iterator<Item = Member>, alias: &str, frames: &Frames, out: &mut impl Write) -> Result<()> {
    for Member { name, bytes } in files {
        frame::send(out, &Reply::File { name, received_hash: originals::hash(&bytes) }, &[])?;
        match frames.recv() {
            Ok((WorkerRequest::Wanted(true), _)) => {}
            Ok((WorkerRequest::Wanted(false), _)) => continue,
            _ => return Err(Error::from(ErrorKind::InvalidData)),
        }
        let redacted = logs::redact::redact(&bytes).bytes;
        drop(bytes);
        let CompressedOriginal { hash, size, bytes } = CompressedOriginal::of(&redacted);
        frame::send(out, &Reply::Redacted { hash, size }, &bytes)?;
        drop(bytes);
        frame::send(out, &Reply::Summary(Box::new(derived(redacted, alias))), &[])?;
    }
    Ok(())
}

fn derived(bytes: Vec<u8>, alias: &str) -> std::result::Result<derive::ResultSummary, String> {
    let alias = Some(alias).filter(|alias| !alias.is_empty());
    derive::record(bytes).and_then(|record| derive::derive(&record, alias))
}

fn original(frames: &Frames) -> std::result::Result<Vec<u8>, String> {
    match frames.recv() {
        Ok((WorkerRequest::Original { hash, size }, bytes)) => {
            CompressedOriginal { hash, size, bytes }.unpacked().map_err(|trouble| trouble.message)
        }
        _ => Err("it was not sent".to_owned()),
    }
}
