//! Arguments of the hub.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use hub::hooks::Form;
use hub::store::has_password;
use hub::tokens::Scope;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Settings of the packaged unit, as its `EnvironmentFile=`.
const UNIT_SETTINGS: &str = "/etc/sbc-bench/hub.env";
/// Variable with the address of a PostgreSQL.
const DATABASE: &str = "SBC_BENCH_HUB_DATABASE";
/// Sections of the manual that the grammar does not have.
const MORE: &str = include_str!("manual.roff");

/// Takes results of sbc-bench, keeps them, shows and compares them.
#[derive(Debug, Parser)]
#[command(name = "sbc-bench-hub", version, max_term_width = 80)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Directory of the SQLite database
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        default_value = "/var/lib/sbc-bench-hub",
        env = "SBC_BENCH_HUB_DATA"
    )]
    pub(crate) data: PathBuf,
    /// PostgreSQL instead of SQLite, for several hubs: postgres://USER@HOST/DATABASE; a password is taken from the
    /// environment alone, as every user can read arguments
    #[arg(long, global = true, value_name = "URL", env = DATABASE, hide_env_values = true)]
    pub(crate) database: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve until SIGTERM
    Serve(ServeArgs),
    /// Add, list or remove where changes of an owner's machines are sent
    Hook {
        #[command(subcommand)]
        command: HookCommand,
    },
    /// Remove results from all lists; their addresses still work, and their owner can list them again
    Hide {
        /// Short names, the last parts of their addresses
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Delete results with their originals, changes and names
    Delete {
        /// Short names, the last parts of their addresses
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Rewrite the database without remnants of deleted data; uploads wait meanwhile
    Compact,
    /// Bring the database to the tables of this program
    Migrate,
    /// Write the database to a new file while the hub runs, and verify it
    Backup {
        /// The new file
        file: PathBuf,
    },
    /// Verify a backup of SQLite and make it the database of a directory that has none
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// Check every original and every result
    Verify,
    /// Take in all results of directories, also into a new database; the same again changes nothing
    Import {
        /// Directories and files
        #[arg(required = true, value_name = "DIR|FILE")]
        places: Vec<PathBuf>,
        /// Name of the token that they belong to
        #[arg(long, value_name = "NAME", default_value = "owner")]
        owner: String,
        /// List them for all people
        #[arg(long)]
        publish: bool,
    },
    /// Write all listed results to files, from which `sbc-bench results --site` makes a static site
    Export {
        /// Directory for them
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Make, list and revoke tokens
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Write the manual pages into a directory
    #[command(hide = true)]
    Manual { directory: PathBuf },
    /// Print shell completions
    #[command(hide = true)]
    Completions { shell: clap_complete::Shell },
    /// Print the notices of what the program contains
    #[command(hide = true)]
    Licences,
    /// Read uploads for a hub at the other end of standard input and output
    #[command(hide = true)]
    Worker,
}

impl Cli {
    /// Reads the arguments of this process. Refuses a password among them.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        let mut cli = Self::from_arg_matches(&matches)?;
        let is_argument = matches.value_source("database") == Some(ValueSource::CommandLine);
        if is_argument && cli.place.database.as_deref().is_some_and(has_password) {
            let why = "Every user can read the password in --database; put this address into SBC_BENCH_HUB_DATABASE";
            return Err(command.error(ErrorKind::ValueValidation, why));
        }
        let is_unnamed =
            cli.place.database.is_none() && matches.value_source("data") == Some(ValueSource::DefaultValue);
        if is_unnamed && cli.command.has_a_database() {
            cli.place.database = database_of_unit().map_err(|why| command.error(ErrorKind::Io, why))?;
        }
        Ok(cli)
    }
}

/// Database of the packaged unit. Without it, commands of the operator would change another database than the one that
/// is served.
fn database_of_unit() -> Result<Option<String>, String> {
    match std::fs::read_to_string(UNIT_SETTINGS) {
        Ok(text) => Ok(database_in(&text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{UNIT_SETTINGS}, which may name the database, cannot be read: {error}")),
    }
}

/// The database that settings name (`EnvironmentFile=` of systemd.exec(5)); the last line counts.
fn database_in(settings: &str) -> Option<String> {
    let mut lines = settings.lines().rev();
    let value = lines.find_map(|line| line.trim().strip_prefix(DATABASE)?.trim_start().strip_prefix('='))?.trim();
    let unquoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    Some(unquoted.unwrap_or(value)).filter(|address| !address.is_empty()).map(str::to_owned)
}

/// Writes the manual page and the page of each command into a directory.
pub(crate) fn manual(directory: &Path) -> anyhow::Result<()> {
    clap_mangen::generate_to(Cli::command(), directory)?;
    let path = directory.join("sbc-bench-hub.1");
    let page = std::fs::read_to_string(&path)?.replacen(".SH VERSION", &format!("{MORE}.SH VERSION"), 1);
    Ok(hub::private::file(&path)?.write_all(page.as_bytes())?)
}

pub(crate) fn completions(shell: clap_complete::Shell, to: &mut dyn std::io::Write) {
    clap_complete::generate(shell, &mut Cli::command(), "sbc-bench-hub", &mut { to });
}

impl Command {
    /// Whether the command opens a database. A worker must not read the settings of the unit.
    fn has_a_database(&self) -> bool {
        !matches!(self, Self::Manual { .. } | Self::Completions { .. } | Self::Licences | Self::Worker)
    }

    /// Whether the command needs an existing database. Without this check, a mistyped directory would be reported as
    /// healthy.
    pub(crate) fn needs_a_hub(&self) -> bool {
        matches!(
            self,
            Self::Hook { .. }
                | Self::Hide { .. }
                | Self::Delete { .. }
                | Self::Compact
                | Self::Backup { .. }
                | Self::Verify
                | Self::Export { .. }
                | Self::Token { .. }
        )
    }
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on; put a proxy with HTTPS in front of it
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8321")]
    pub(crate) listen: SocketAddr,
    /// Address of this hub as its readers know it, for short addresses [default: as the request says]
    #[arg(long, value_name = "URL", default_value = "", hide_default_value = true)]
    pub(crate) public_url: String,
    /// Take the sender of a request from the header X-Forwarded-For
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// Requests per minute of one address
    #[arg(long, value_name = "N", default_value_t = 6000)]
    pub(crate) requests_per_minute: u32,
    /// Uploads per minute of one token
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub(crate) uploads_per_minute: u32,
    /// CPU time in seconds that reading one request may take
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) request_cpu_seconds: u64,
    /// Memory in MiB that reading one request may take
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) request_memory: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Send changes of what NAME uploads to a target: the address of a webhook, or
    /// smtp[s]://[USER:PASSWORD@]HOST[:PORT]/?from=A&to=B
    Add {
        /// Name of the token
        name: String,
        /// generic, matrix, slack (also Mattermost), mail
        #[arg(long, value_parser = form, default_value = "generic")]
        form: Form,
        /// Let it reach private networks and this host
        #[arg(long)]
        allow_private: bool,
        /// Read the target from standard input: arguments can be seen by all users
        #[arg(value_name = "-")]
        target: Option<String>,
        /// Read the target from a file
        #[arg(long, value_name = "FILE", conflicts_with = "target")]
        target_file: Option<PathBuf>,
    },
    /// List hooks, without the secrets in their targets
    List,
    /// Send nothing any more of what NAME uploads
    Remove {
        /// Name of the token
        name: String,
    },
}

fn form(word: &str) -> Result<Form, String> {
    Form::of(word).ok_or_else(|| "known forms: generic, matrix, slack, mail".to_owned())
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print its secret, which is shown once
    Make {
        /// Name of the uploader
        name: String,
        /// upload, publish, delete, acknowledge
        #[arg(long, value_delimiter = ',', value_parser = scope, default_value = "upload,publish,delete,acknowledge")]
        scopes: Vec<Scope>,
        /// Quota in MiB [default: 4096]
        #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(i64).range(0..=1 << 40))]
        quota: Option<i64>,
    },
    /// Set the quota of a token
    Quota {
        /// Name of the uploader
        name: String,
        /// Quota in MiB
        #[arg(value_name = "MIB", value_parser = clap::value_parser!(i64).range(0..=1 << 40))]
        quota: i64,
    },
    /// List tokens
    List,
    /// Revoke a token; its uploads stay, unless --delete
    Revoke {
        /// Name of the uploader
        name: String,
        /// Delete its uploads and hooks
        #[arg(long)]
        delete: bool,
    },
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::of(word).ok_or_else(|| "known scopes: upload, publish, delete, acknowledge".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_unit_name_the_database() {
        for (settings, expected) in [
            ("SBC_BENCH_HUB_DATABASE=postgres://hub@localhost/hub\n", Some("postgres://hub@localhost/hub")),
            (
                "# SBC_BENCH_HUB_DATABASE=a\n\n SBC_BENCH_HUB_DATABASE = 'host=b user=c' \nOTHER=d",
                Some("host=b user=c"),
            ),
            ("SBC_BENCH_HUB_DATABASE=a\nSBC_BENCH_HUB_DATABASE=\"b\"", Some("b")),
            ("SBC_BENCH_HUB_DATABASE=\nSBC_BENCH_HUB_DATABASES=a", None),
            ("", None),
        ] {
            assert_eq!(database_in(settings).as_deref(), expected, "{settings}");
        }
    }
}
