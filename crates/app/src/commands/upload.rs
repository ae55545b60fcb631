//! `sbc-bench upload`: sends results to a hub, redacted, after showing them and asking; and what waits since an earlier try.

use super::redact::{self, sentence};
use super::sending::{Outgoing, Sending};
use crate::args::UploadArgs;
use crate::{input, output, status};
use anyhow::Context;
use bench::hub::BYTES_MAX;

pub(crate) fn run(args: &UploadArgs) -> anyhow::Result<u8> {
    let sending = Sending::new(&args.to, &args.how)?;
    let mut ready = Vec::new();
    for file in &args.files {
        let name = file.display().to_string();
        let bytes = input::read(file, BYTES_MAX as u64)?;
        let (bytes, counts, damaged) = redact::blanked(&bytes).with_context(|| format!("Cannot redact {name}"))?;
        output::note(&sentence(&name, &counts, damaged));
        ready.push(Outgoing { name, bytes });
    }
    if !sending.has_consent(&ready, &output::print)? {
        output::print("Nothing was sent.\n")?;
        return Ok(status::FAILURE);
    }
    let sent = sending.send(&ready)?;
    if sent.is_nothing() {
        output::print("Nothing to send.\n")?;
    }
    output::print(&sent.addresses)?;
    sent.problems.iter().for_each(|problem| output::note(problem));
    Ok(if sent.is_whole { 0 } else { status::FAILURE })
}
