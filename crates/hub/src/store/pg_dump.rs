//! Backups of PostgreSQL by its own programs, which read one moment of the database while others write.

use super::StoreError;
use postgres::Config;
use postgres::config::Host;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes the database to a new file, and reads the whole file back.
pub(super) fn backup(config: &Config, file: &Path) -> Result<(), StoreError> {
    let mut dump = Command::new("pg_dump");
    // The password is not an argument, because every user can see arguments.
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            dump.env(name, value);
        }
    };
    set("PGUSER", config.get_user().map(str::to_owned));
    set("PGPASSWORD", config.get_password().map(|bytes| String::from_utf8_lossy(bytes).into_owned()));
    set("PGDATABASE", config.get_dbname().map(str::to_owned));
    set("PGPORT", config.get_ports().first().map(u16::to_string));
    set(
        "PGHOST",
        config.get_hosts().first().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        }),
    );
    let mut file_words = vec!["--format=custom".as_ref(), "--no-password".as_ref(), "--file".as_ref()];
    file_words.push(file.as_os_str());
    run("pg_dump", dump.args(file_words))?;
    // The table of contents is at the start and intact in half a file, so the whole file is read.
    run("pg_restore", Command::new("pg_restore").args(["--file", "/dev/null"]).arg(file))
}

fn run(name: &str, command: &mut Command) -> Result<(), StoreError> {
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).output();
    let missing = |why| StoreError::of(format!("PostgreSQL is backed up by {name}, which cannot be started: {why}."));
    let ended = ended.map_err(missing)?;
    if ended.status.success() {
        Ok(())
    } else {
        Err(StoreError::of(facts::plain(&String::from_utf8_lossy(&ended.stderr))))
    }
}
