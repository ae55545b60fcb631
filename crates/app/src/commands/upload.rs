//! `sbc-bench upload`: sends results to a hub, redacted, after showing them and asking. What is to be sent waits in a folder
//! of the state directory until the hub has confirmed it, so that the next upload sends what a crash or a lost connection left.

use super::redact::{self, sentence};
use crate::args::UploadArgs;
use crate::paths::Paths;
use crate::{input, output, status};
use anyhow::Context;
use bench::hub::{self, BYTES_MAX, Hub, NotSent};
use machine::files::Folder;
use std::ffi::OsString;
use std::io::{BufRead, IsTerminal};
use std::path::Path;

/// A token has 69 characters.
const TOKEN_BYTES_MAX: u64 = 4 << 10;
/// The folder of what waits, next to the runs.
const SPOOL: &str = "spool";

pub(crate) fn run(args: &UploadArgs) -> anyhow::Result<u8> {
    let token = args.token_file.as_deref().map(token).transpose()?;
    let hub =
        Hub::new(&args.to, token.as_deref(), args.publish, args.machine.as_deref()).map_err(anyhow::Error::msg)?;
    let mut ready = Vec::new();
    for file in &args.files {
        let bytes = input::read(file, BYTES_MAX as u64)?;
        let (bytes, counts, damaged) = redact::blanked(&bytes)?;
        anyhow::ensure!(bytes.len() <= BYTES_MAX, "{} is larger than {} KiB.", file.display(), BYTES_MAX >> 10);
        output::note(&sentence(&file.display().to_string(), &counts, damaged));
        ready.push((file.display().to_string(), bytes));
    }
    if !args.yes && !ready.is_empty() && !agreed(&ready, &args.to)? {
        output::print("Nothing was sent.\n")?;
        return Ok(status::FAILURE);
    }
    let runs = Paths::choose(machine::is_root(), None).history;
    let folder = Folder::state(&runs.with_file_name(SPOOL))?;
    for (_, bytes) in &ready {
        hub::wait(&folder, bytes, record::recording::checksum(bytes)).map_err(anyhow::Error::msg)?;
    }
    drop(ready);
    send_all(&hub, &folder)
}

fn token(file: &Path) -> anyhow::Result<String> {
    let bytes = input::read(file, TOKEN_BYTES_MAX)?;
    Ok(String::from_utf8(bytes).with_context(|| file.display().to_string())?.trim().to_owned())
}

/// Sends everything that waits; what the hub refuses is removed, what may work later stays.
fn send_all(hub: &Hub, folder: &Folder) -> anyhow::Result<u8> {
    let mut names: Vec<OsString> = folder.names()?;
    names.retain(|name| hub::is_waiting(name));
    names.sort();
    if names.is_empty() {
        output::print("Nothing to send.\n")?;
    }
    let mut failed = false;
    for name in names {
        match hub.send(folder, &name) {
            Ok(answer) => {
                folder.remove(&name)?;
                output::print(&addresses(&answer))?;
            }
            Err(NotSent::Refused(why)) => {
                folder.remove(&name)?;
                output::note(&format!("Refused: {why}"));
                failed = true;
            }
            Err(NotSent::Later(why)) => {
                output::note(&format!("Not sent, kept for the next upload: {why}"));
                failed = true;
            }
        }
    }
    Ok(if failed { status::FAILURE } else { 0 })
}

/// The short addresses of an answer, a line each, with what is to be known of them.
fn addresses(answer: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(answer).unwrap_or_default();
    let one = |result: &serde_json::Value| {
        let url = result["url"].as_str().unwrap_or("the hub gave no address");
        match result["reason"].as_str() {
            Some(reason) => format!("{} (quarantined: {})\n", explain::plain(url), explain::plain(reason)),
            None => format!("{}\n", explain::plain(url)),
        }
    };
    value["results"].as_array().into_iter().flatten().map(one).collect()
}

/// Asks once, and shows what is to be sent where that is wanted; without a terminal --yes is required.
fn agreed(ready: &[(String, Vec<u8>)], to: &str) -> anyhow::Result<bool> {
    anyhow::ensure!(std::io::stdin().is_terminal(), "Standard input is not a terminal; use --yes to send to {to}.");
    loop {
        let size_kib: usize = ready.iter().map(|(_, bytes)| bytes.len().div_ceil(1024)).sum();
        output::print(&format!("Send {} files ({size_kib} KiB) to {to}? [y/N, s shows them] ", ready.len()))?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        match answer.trim() {
            "y" | "Y" | "yes" => return Ok(true),
            "s" => {
                for (name, bytes) in ready {
                    output::print(&format!("=== {name}\n{}\n", String::from_utf8_lossy(bytes)))?;
                }
            }
            _ => return Ok(false),
        }
    }
}
