//! `sbc-bench share`: writes page, card, plots, a post in Markdown and the log of a result to one folder. All files are made
//! from the redacted log and ranked among published results only, because names of the user's own results are private.

use super::Command;
use super::explain::{find, write_card, write_plots};
use super::explained_files::{files_or_last, write};
use super::sending::{OutgoingFile, Recipient, UploadOutcome};
use crate::args::upload::SendFlags;
use crate::args::written::Form;
use anyhow::ensure;
use compare::reference::Reference;
use console::read::{FILE_BYTES_MAX, read_from};
use console::{input, output, status};
use facts::Explained;
use machine::files::{self, Access};
use record::Source;
use std::path::{Path, PathBuf};

/// Text to post. A directory with it is from an earlier call.
const POST: &str = "post.md";
/// Last line if no hub is set.
const NO_LINK: &str = "No link: with --to URL, a hub shows the page, and the post has its address.";
/// Column of descriptions.
const COLUMN: usize = 15;

/// Make page, card, plots, a post and the redacted log
///
/// All of it is made from the redacted result and stands in one folder. With a hub it also sends the result, after asking, and
/// the post has its address.
#[derive(Debug, clap::Args)]
pub(crate) struct Share {
    /// Log of any sbc-bench version, or result file; `-` reads standard input [default: the last run]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write to this directory [default: share-NAME, with the name of FILE]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Also send the result to this hub: https://HOST, or http:// on this host
    #[arg(id = "hub", long = "to", value_name = "URL", env = "SBC_BENCH_HUB")]
    to: Option<String>,
    #[command(flatten)]
    how: SendFlags,
}

impl Command for Share {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let file = files_or_last(self.file.as_slice())?.swap_remove(0).path;
        let folder = self.output.unwrap_or_else(|| usual_folder(&file));
        let is_free = folder.join(POST).exists() || folder.read_dir().is_ok_and(|mut files| files.next().is_none());
        ensure!(
            is_free || !folder.exists(),
            "{} contains other files; use --output with another directory.",
            folder.display()
        );
        let sending = self.to.as_deref().map(|to| Recipient::new(to, &self.how)).transpose()?;
        let ready = [OutgoingFile::redacted(file.display().to_string(), &input::read(&file, FILE_BYTES_MAX)?)?];
        let explained = explain::explain(read_from(ready[0].bytes.as_slice(), &file)?);
        let (sent, status) = match sending.map(|sending| sent(&sending, &ready)) {
            None => (UploadOutcome::default(), 0),
            Some(Ok(sent)) => {
                let status = if sent.is_whole { 0 } else { status::FAILURE };
                (sent, status)
            }
            // The directory is useful without the hub.
            Some(Err(error)) => {
                output::note(&format!("The result was not sent. {error:#}"));
                (UploadOutcome::default(), status::FAILURE)
            }
        };
        sent.problems.iter().for_each(|problem| output::note(problem));
        let [OutgoingFile { bytes, .. }] = ready;
        let rows = write_all(&folder, &explained, &bytes, sent.link.as_deref())?;
        output::print(&format!("{}:\n{rows}", folder.display()))?;
        output::print_text(&match sent.link {
            Some(link) => format!("Link: {link}\n"),
            None if self.to.is_some() => sent.addresses,
            None => format!("{NO_LINK}\n"),
        })?;
        Ok(status)
    }
}

fn usual_folder(file: &Path) -> PathBuf {
    let stem = file.file_stem().filter(|stem| *stem != "-").unwrap_or("result".as_ref());
    format!("share-{}", stem.to_string_lossy()).into()
}

/// Asks and sends, as `upload` does.
fn sent(sending: &Recipient, ready: &[OutgoingFile]) -> anyhow::Result<UploadOutcome> {
    if sending.has_consent(ready, &output::print)? {
        return sending.send(ready);
    }
    output::note("Nothing was sent.");
    Ok(UploadOutcome { is_whole: true, ..UploadOutcome::default() })
}

/// Writes the files. Returns a line for each with its purpose.
fn write_all(folder: &Path, explained: &Explained<'_>, redacted: &[u8], link: Option<&str>) -> anyhow::Result<String> {
    files::make_all(folder)?;
    let subject = page::Subject::of(explained, Reference::builtin());
    let mut drawings = subject.drawings();
    write_card(&drawings, &folder.join("card.png"))?;
    drawings.retain(|drawing| drawing.name != page::CARD);
    let plots = write_plots(&drawings, &folder.join("plots"))?.len();
    write(&subject.page(), (Form::Html, Some(&folder.join("page.html"))))?;
    let link = link.map_or_else(String::new, |link| format!("\n[Run over time, causes and all figures]({link})\n"));
    write(&(find("forum")?.text(explained, Reference::builtin) + &link), (Form::Md, Some(&folder.join(POST))))?;
    let plots = format!("{plots} pictures for articles, as PNG and SVG.");
    let mut files = vec![
        (POST, "Paste it into a forum, an issue or a review."),
        ("card.png", "Attach it to the post, or send it in a chat."),
        ("page.html", "Attach it, or put it on a web server; it needs no other file."),
        ("plots", &plots),
        ("log.txt", "Attach it where a log is wanted; private data is redacted."),
    ];
    let log = match &explained.facts.source {
        Source::Log(_) => redacted.to_vec(),
        Source::Run { .. } => {
            files::replace_unsynced(&folder.join("result.json"), redacted, Access::World)?;
            files.push(("result.json", "Redacted result file, for `sbc-bench compare`."));
            let review = find("review")?;
            let log = if review.is_of(&explained.facts) { review } else { find("log")? };
            log.text(explained, Reference::builtin).into_bytes()
        }
    };
    files::replace_unsynced(&folder.join("log.txt"), &log, Access::World)?;
    Ok(files.iter().map(|(name, about)| output::row(&format!("   {name}"), COLUMN, about)).collect())
}
