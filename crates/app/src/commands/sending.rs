//! Uploads to a hub. The user sees and confirms each; a spool in the state directory keeps it until the hub confirms, so that the
//! next upload sends what a crash or a lost connection left, to the same hub with the same options.

use super::redact::{blanked, sentence};
use crate::args::upload::{RunUploadFlags, SendFlags};
use crate::paths::Paths;
use anyhow::Context;
use console::{input, output, signals};
use facts::how_many;
use machine::files::Folder;
use net::hub::{BYTES_MAX, Hub, Spool, TRIES_MAX, UploadError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::HashMap;
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::time::Duration;

/// A token has 69 characters.
const TOKEN_BYTES_MAX: u64 = 4 << 10;
/// Directory of the spool, next to the runs.
const SPOOL: &str = "spool";
/// Name of files left by an earlier upload.
const EARLIER: &str = "an earlier result";
/// Interval at which a question checks for a signal.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// A redacted file.
pub(super) struct OutgoingFile {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl OutgoingFile {
    /// Redacts a file, and records the redacted parts.
    pub(super) fn redacted(name: String, bytes: &[u8]) -> anyhow::Result<Self> {
        let (bytes, counts, damaged) = blanked(bytes).with_context(|| format!("Cannot redact {name}"))?;
        output::note(&sentence(&name, &counts, damaged));
        Ok(Self { name, bytes })
    }
}

/// A hub, and whether to ask for confirmation.
pub(super) struct Recipient {
    hub: Hub,
    to: String,
    yes: bool,
}

/// Outcome of an upload.
#[derive(Default)]
pub(super) struct UploadOutcome {
    /// Short addresses, a line each.
    pub(super) addresses: String,
    /// Address of a file of this call that the hub shows.
    pub(super) link: Option<String>,
    /// Sentences about files that were not sent.
    pub(super) problems: Vec<String>,
    /// True if no file was refused and none is left for this hub.
    pub(super) is_whole: bool,
}

impl UploadOutcome {
    pub(super) fn is_nothing(&self) -> bool {
        self.is_whole && self.addresses.is_empty()
    }

    /// Adds the addresses in an answer of the hub, with remarks on them.
    fn add(&mut self, answer: &str, is_of_this_call: bool) {
        let answer: serde_json::Value = serde_json::from_str(answer).unwrap_or_default();
        for result in answer["results"].as_array().into_iter().flatten() {
            let url = facts::plain(result["url"].as_str().unwrap_or("the hub gave no address"));
            match result["reason"].as_str().map(facts::plain) {
                Some(reason) => self.addresses.push_str(&format!("{url} (quarantined: {reason})\n")),
                None => {
                    self.addresses.push_str(&format!("{url}\n"));
                    self.link = self.link.take().or(Some(url).filter(|_| is_of_this_call));
                }
            }
        }
    }
}

impl Recipient {
    /// Checks token and address before anything is measured or sent.
    pub(super) fn new(to: &str, how: &SendFlags) -> anyhow::Result<Self> {
        let token = how.token_file.as_deref().map(token).transpose()?;
        let hub = Hub::new(to, token.as_deref(), how.publish, how.machine.as_deref()).map_err(anyhow::Error::msg)?;
        Ok(Self { hub, to: to.to_owned(), yes: how.yes })
    }

    /// The upload of a run, if requested.
    pub(super) fn of_run(flags: &RunUploadFlags) -> anyhow::Result<Option<Self>> {
        flags.to.as_deref().map(|to| Self::new(to, &flags.how)).transpose()
    }

    /// Asks once, and shows the files on request.
    ///
    /// # Errors
    /// A file is too large, or standard input is not a terminal.
    pub(super) fn has_consent(
        &self,
        ready: &[OutgoingFile],
        say: &dyn Fn(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        for OutgoingFile { name, bytes } in ready {
            anyhow::ensure!(bytes.len() <= BYTES_MAX, "{name} is larger than {} KiB.", BYTES_MAX >> 10);
        }
        if self.yes || ready.is_empty() {
            return Ok(true);
        }
        anyhow::ensure!(
            std::io::stdin().is_terminal(),
            "Standard input is not a terminal; use --yes to send to {}.",
            self.to
        );
        let size_kib: usize = ready.iter().map(|outgoing| outgoing.bytes.len().div_ceil(1024)).sum();
        loop {
            let them = if ready.len() == 1 { "it" } else { "them" };
            let files = how_many(ready.len(), "file");
            say(&format!("Send {files} ({size_kib} KiB) to {}? [y/N, s shows {them}] ", self.to))?;
            match typed()?.trim() {
                "y" | "Y" | "yes" => return Ok(true),
                "s" => {
                    for OutgoingFile { name, bytes } in ready {
                        say(&format!("=== {name}\n{}\n", String::from_utf8_lossy(bytes)))?;
                    }
                }
                _ => return Ok(false),
            }
        }
    }

    /// Sends these files and those in the spool for this hub whose next try is due. A refused file is kept for a few tries, any
    /// other until it is sent.
    pub(super) fn send(&self, ready: &[OutgoingFile]) -> anyhow::Result<UploadOutcome> {
        let runs = Paths::choose(machine::is_root(), None).history;
        let spool = Spool(Folder::state(&runs.with_file_name(SPOOL))?);
        let mut names = HashMap::new();
        for outgoing in ready {
            let here = spool.put(&self.hub, &outgoing.bytes).map_err(anyhow::Error::msg)?;
            names.insert(here, outgoing.name.as_str());
        }
        let mut sent = UploadOutcome { is_whole: true, ..UploadOutcome::default() };
        let waiting = spool.waiting().map_err(anyhow::Error::msg)?;
        let (here, elsewhere): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|waiting| waiting.is_for(&self.hub));
        let now_utc_s = machine::Timeline::start().start_utc_ms() / 1000;
        let (mut held, mut resting) = (0, Vec::new());
        for waiting in here {
            if held > 0 {
                held += 1;
                continue;
            }
            let named = names.get(&waiting.name).copied();
            if let Some(time) = waiting.rests_for(now_utc_s).filter(|_| named.is_none()) {
                resting.push(time);
                continue;
            }
            let name = named.unwrap_or(EARLIER);
            match self.hub.send(&spool, &waiting, &may_go_on_after) {
                Ok(answer) => {
                    spool.remove(&waiting)?;
                    sent.add(&answer, named.is_some());
                }
                Err(UploadError::Refused { why, is_of_content }) => {
                    let aside = spool.refused(&waiting, now_utc_s)?;
                    sent.problems.push(self.refusal(name, &why, aside.as_deref()));
                    sent.is_whole = false;
                    held = usize::from(!is_of_content);
                }
                Err(UploadError::Later(why, _)) => {
                    sent.problems.push(format!("Not sent, kept for the next upload: {name}: {why}"));
                    sent.is_whole = false;
                }
                Err(UploadError::Held(why)) => {
                    sent.problems.push(format!("Not sent, kept for the next upload: {name}: {why}"));
                    sent.is_whole = false;
                    held = 1;
                }
            }
        }
        if held > 1 {
            let more = if held == 2 { "1 more result is".to_owned() } else { format!("{} more results are", held - 1) };
            sent.problems.push(format!("{more} kept for the next upload."));
        }
        if let Some(soonest) = resting.iter().min() {
            let (results, minutes) = (how_many(resting.len(), "result"), soonest.as_secs().div_ceil(60));
            sent.problems.push(format!("Refused before, tried again in {minutes} min: {results}."));
            sent.is_whole = false;
        }
        let mut others: Vec<&str> = elsewhere.iter().map(|waiting| waiting.url.as_str()).collect();
        others.dedup();
        for other in others {
            let count = elsewhere.iter().filter(|waiting| waiting.url == other).count();
            let wait = if count == 1 { "1 result waits".to_owned() } else { format!("{count} results wait") };
            let sentence = format!("{wait} for {other}; use `sbc-bench upload --to {other}`.");
            sent.problems.push(sentence);
        }
        Ok(sent)
    }

    /// Sentence about a refused file.
    fn refusal(&self, name: &str, why: &str, aside: Option<&Path>) -> String {
        match aside {
            None => format!("Refused, kept for another try: {name}: {why}"),
            Some(aside) => {
                let (aside, why) = (aside.display(), why.trim_end_matches('.'));
                format!(
                    "Refused {TRIES_MAX} times, set aside as {aside}: {name}: {why}. To try it once more, use `sbc-bench \
                     upload {aside} --to {}`.",
                    self.to
                )
            }
        }
    }

    /// Sends the result of a run. Errors are notes, because the exit status is that of the run.
    pub(super) fn after_run(&self, result: &str, kept: Option<&Path>, is_json: bool) {
        let outcome = self.redacted_and_sent(result, is_json);
        let later = match kept {
            Some(kept) => format!("use `sbc-bench upload {} --to {}`", kept.display(), self.to),
            None => "repeat the run, as its result file could not be written".to_owned(),
        };
        let tell = |text: &str| if is_json { output::note(text.trim_end()) } else { drop(output::print(text)) };
        match outcome {
            Ok(Some(sent)) => {
                tell(&sent.addresses);
                sent.problems.iter().for_each(|problem| output::note(problem));
            }
            Ok(None) => output::note(&format!("Nothing was sent; to send the result later, {later}.")),
            Err(error) => output::note(&format!("The result was not sent; {later}. {error:#}")),
        }
    }

    fn redacted_and_sent(&self, result: &str, is_json: bool) -> anyhow::Result<Option<UploadOutcome>> {
        let ready = [OutgoingFile::redacted("result file".to_owned(), result.as_bytes())?];
        // With --json, standard output has the result file only.
        let on_stderr = |text: &str| {
            output::note(text.trim_end());
            Ok(())
        };
        let say: &dyn Fn(&str) -> anyhow::Result<()> = if is_json { &on_stderr } else { &output::print };
        if self.has_consent(&ready, say)? { self.send(&ready).map(Some) } else { Ok(None) }
    }
}

fn token(file: &Path) -> anyhow::Result<String> {
    let bytes = input::read(file, TOKEN_BYTES_MAX)?;
    Ok(String::from_utf8(bytes).with_context(|| file.display().to_string())?.trim().to_owned())
}

/// Waits before the next attempt. Returns false after a signal.
fn may_go_on_after(pause: Duration) -> bool {
    let before = signals::received();
    signals::wait(pause / machine::faults::haste());
    signals::received() == before
}

/// The next typed line; empty after a signal, which does not end the program.
fn typed() -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    let before = signals::received();
    let mut typed = [PollFd::new(&stdin, PollFlags::IN)];
    while !matches!(poll(&mut typed, Some(&LOOK)), Ok(1..)) {
        if signals::received() != before {
            return Ok(String::new());
        }
    }
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(answer)
}
