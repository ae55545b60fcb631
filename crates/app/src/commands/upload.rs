//! `sbc-bench upload`: redacts results, asks, and sends them to a hub with those of earlier tries.

use super::Command;
use super::sending::{OutgoingFile, Recipient};
use crate::args::upload::SendFlags;
use console::{input, output, status};
use net::hub::BYTES_MAX;
use std::path::PathBuf;

/// Send results to a hub
///
/// Redacts them, shows what is sent and asks once. Prints a short address for each. What could not be sent is kept
/// and sent by the next upload to the same hub.
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Upload {
    /// Logs of any sbc-bench version, result files, streams, recordings [default: what was not sent before]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Address of the hub: https://HOST, or http:// on this host
    #[arg(id = "hub", long = "to", value_name = "URL", env = "SBC_BENCH_HUB")]
    to: String,
    #[command(flatten)]
    how: SendFlags,
}

impl Command for Upload {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let sending = Recipient::new(&self.to, &self.how)?;
        let mut ready = Vec::new();
        for file in &self.files {
            ready.push(OutgoingFile::redacted(file.display().to_string(), &input::read(file, BYTES_MAX as u64)?)?);
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
}
