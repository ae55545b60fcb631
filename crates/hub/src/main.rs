//! `sbc-bench-hub`: the command line of the hub.

#![forbid(unsafe_code)]

mod args;
mod operator;

use anyhow::{Context, bail};
use args::{Cli, Command};
use clap::error::ErrorKind;
use facts::how_many;
use hub::hub_state::{OWN_PROGRAM, Settings};
use hub::limits::Limits;
use hub::store::{self, Dialect, Postgres, Sqlite, Store};
use hub::submit::UploadOptions;
use hub::worker::{self, Workers};
use hub::{clock, folders, log, private, results, serve, verify};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// File name of the SQLite database.
const DATABASE: &str = "hub.sqlite";
/// Files in the hub's directory; those of write-ahead mode are in https://sqlite.org/wal.html.
const FILES: [&str; 5] = [DATABASE, "hub.sqlite-wal", "hub.sqlite-shm", "hub.sqlite-reserve", serve::TOKEN_FILE];

fn main() -> ExitCode {
    private::set_umask();
    let done = Cli::read().map_or_else(|error| refused(&error), run);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "sbc-bench-hub: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints help; turns an error of the command line into one sentence with a hint.
fn refused(error: &clap::Error) -> anyhow::Result<()> {
    if !error.use_stderr() {
        return Ok(error.print()?);
    }
    // The text of these errors is the whole help.
    let missing = [ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, ErrorKind::MissingSubcommand];
    if missing.contains(&error.kind()) {
        bail!("A command is missing. Try `sbc-bench-hub --help`.");
    }
    let text = error.to_string();
    let what = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let what = facts::plain(what.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim_end_matches('.'));
    let mut letters = what.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    bail!("{first}{}. Try `sbc-bench-hub --help`.", letters.as_str())
}

fn run(cli: Cli) -> anyhow::Result<()> {
    let place = cli.place;
    let is_there = place.database.is_some() || place.data.join(DATABASE).exists();
    if cli.command.needs_a_hub() && !is_there {
        bail!("{} has no {DATABASE}; `serve` makes one.", place.data.display());
    }
    let store = || migrated(&place.data, place.database.as_deref());
    match cli.command {
        Command::Serve(serve) => {
            let store = open_when_ready(&place.data, place.database.as_deref())?;
            let settings = Settings {
                public_url: serve.public_url,
                behind_proxy: serve.behind_proxy,
                requests_per_minute: serve.requests_per_minute,
                uploads_per_minute: serve.uploads_per_minute,
                build: env!("SBC_BENCH_HUB_BUILD").to_owned(),
                limits: Limits {
                    cpu_s_max: serve.request_cpu_seconds,
                    memory_bytes_max: serve.request_memory << 20,
                    ..Limits::default()
                },
                ..Settings::default()
            };
            let data = Some(place.data.as_path()).filter(|data| data.is_dir());
            let listening = |address| drop(say(&format!("Listening on http://{address}")));
            serve::serve(store, data, serve.listen, settings, listening).map_err(anyhow::Error::msg)
        }
        Command::Hook { command } => operator::hook(&*store()?, command),
        Command::Hide { ids } => operator::hide(&*store()?, &ids),
        Command::Delete { ids } => operator::delete(&*store()?, &ids),
        Command::Compact => operator::compact(&*store()?),
        Command::Migrate => {
            let store = open(&place.data, place.database.as_deref())?;
            let taken = store::migrate(&*store, clock::now_utc_ms())?;
            say(&match taken.as_slice() {
                [] => "The database is up to date.".to_owned(),
                taken => format!("Migrated: {}.", taken.join(", ")),
            })
        }
        Command::Verify => verified(&*store()?),
        Command::Import { places, owner, publish } => {
            let store = store()?;
            if place.data.is_dir() {
                serve::first_token(&*store, &place.data).map_err(anyhow::Error::msg)?;
            }
            import(&*store, &places, &owner, publish)
        }
        Command::Export { out } => {
            let store = store()?;
            let count = folders::export(&*store, &out)?;
            say(&format!("{} in {}.", how_many(count, "listed result"), out.display()))
        }
        Command::Backup { file } => {
            anyhow::ensure!(!file.exists(), "{} already exists and is not overwritten.", file.display());
            let store = open(&place.data, place.database.as_deref())?;
            backed_up(&*store, &file).with_context(|| format!("Cannot back up to {}", file.display()))
        }
        Command::Restore { file } => restored(&place, &file),
        Command::Manual { directory } => args::manual(&directory),
        Command::Completions { shell } => {
            args::completions(shell, &mut std::io::stdout());
            Ok(())
        }
        Command::Licences => say(licences::text().trim_end()),
        Command::Worker => worker::run().context("This process cannot be limited"),
        Command::Token { command } => operator::token(&*store()?, command),
    }
}

fn verified(store: &dyn Store) -> anyhow::Result<()> {
    let checked = verify::verify(store)?;
    for line in &checked.problems {
        say(line)?;
    }
    say(&format!(
        "{} and {} checked.",
        how_many(checked.results as usize, "result"),
        how_many(checked.originals as usize, "original")
    ))?;
    anyhow::ensure!(checked.problems.is_empty(), "{} found.", how_many(checked.problems.len(), "problem"));
    Ok(())
}

/// Imports folders and reports ignored files.
fn import(store: &dyn Store, places: &[PathBuf], owner: &str, publish: bool) -> anyhow::Result<()> {
    let build = results::build_number(store, env!("SBC_BENCH_HUB_BUILD"))?;
    let owner = folders::owner(store, owner)?;
    let now_utc_ms = clock::now_utc_ms();
    let sent = UploadOptions { owner, publish, alias: String::new(), now_utc_ms, build, quarantines: false };
    let workers = Workers::new(OWN_PROGRAM.into(), Limits::default());
    let imported = folders::import(store, &workers, places, &sent)?;
    for line in &imported.ignored {
        say(&format!("Ignored: {line}"))?;
    }
    let ignored = how_many(imported.ignored.len(), "file");
    let new = how_many(imported.new, "new result");
    say(&format!("{new}, {} known before, {ignored} ignored.", imported.known))
}

/// Opens the database and migrates it.
fn migrated(data: &Path, database: Option<&str>) -> anyhow::Result<Arc<dyn Store>> {
    let store = open(data, database)?;
    store::migrate(&*store, clock::now_utc_ms())?;
    Ok(store)
}

/// As [`migrated`] for a hub that starts at boot: waits for a PostgreSQL that starts later.
fn open_when_ready(data: &Path, database: Option<&str>) -> anyhow::Result<Arc<dyn Store>> {
    let Some(url) = database else { return open(data, None) };
    let waits = |why: &str| log::event("waits for the database", &[("why", why)]);
    Ok(Arc::new(Postgres::open_when_ready(url, waits).context("Cannot open the database")?))
}

fn open(data: &Path, database: Option<&str>) -> anyhow::Result<Arc<dyn Store>> {
    if let Some(url) = database {
        return Ok(Arc::new(Postgres::open(url).context("Cannot open the database")?));
    }
    make(data)?;
    let file = data.join(DATABASE);
    Ok(Arc::new(Sqlite::open_with_reserve(&file).with_context(|| format!("Cannot open {}", file.display()))?))
}

fn make(data: &Path) -> anyhow::Result<()> {
    private::data_directory(data, &FILES).map_err(anyhow::Error::msg)
}

/// Writes a backup. It gets its name once it is complete and on the disk.
fn backed_up(store: &dyn Store, file: &Path) -> anyhow::Result<()> {
    let part = PathBuf::from(format!("{}.part", file.display()));
    if part.exists() {
        std::fs::remove_file(&part)?;
    }
    store.backup(&part)?;
    std::fs::File::open(&part)?.sync_all()?;
    let line = match store.dialect() {
        Dialect::Sqlite => whole(&part, file)?,
        Dialect::Postgres => format!("{}: written and read again.", file.display()),
    };
    std::fs::rename(&part, file)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::File::open(folder)?.sync_all()?;
    say(&line)
}

/// Restores a backup of SQLite into a directory without a database.
fn restored(place: &args::Place, file: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(
        place.database.is_none(),
        "PostgreSQL is restored by `pg_restore --no-owner --dbname=URL {}`, into an empty database.",
        file.display()
    );
    anyhow::ensure!(file.exists(), "{} does not exist.", file.display());
    let target = place.data.join(DATABASE);
    anyhow::ensure!(!target.exists(), "{} already exists; use a new directory.", target.display());
    say(&whole(file, file)?)?;
    make(&place.data)?;
    // Renamed once complete: a hub that starts meanwhile would open half a database.
    let part = place.data.join(format!("{DATABASE}.part"));
    let mut copy = private::file(&part)?;
    std::io::copy(&mut std::fs::File::open(file)?, &mut copy)?;
    copy.sync_all()?;
    std::fs::rename(&part, &target)?;
    Ok(std::fs::File::open(&place.data)?.sync_all()?)
}

/// Verifies a backup and counts its content; `name` is its final path.
fn whole(file: &Path, name: &Path) -> anyhow::Result<String> {
    let opened = Sqlite::open(file).with_context(|| format!("{} is not a backup of a hub", name.display()))?;
    let checked = verify::verify(&opened).with_context(|| format!("{} is not a backup of a hub", name.display()))?;
    anyhow::ensure!(checked.problems.is_empty(), "{} is damaged: {}", name.display(), checked.problems.join(" "));
    let (results, originals) =
        (how_many(checked.results as usize, "result"), how_many(checked.originals as usize, "original"));
    Ok(format!("{}: {results} and {originals} checked.", name.display()))
}

fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
