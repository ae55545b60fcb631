//! Arguments of the hub.

use clap::{Args, Parser, Subcommand};
use hub::tokens::Scope;
use std::path::PathBuf;

/// Takes results of sbc-bench, keeps them, shows and compares them.
#[derive(Debug, Parser)]
#[command(name = "sbc-bench-hub", version, max_term_width = 80)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where everything lies.
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
    /// PostgreSQL instead of SQLite, for several hubs: postgres://USER@HOST/DATABASE
    #[arg(long, global = true, value_name = "URL", env = "SBC_BENCH_HUB_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Bring the database to the tables of this program
    Migrate,
    /// Check every original and every result
    Verify,
    /// Make, list and revoke tokens
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
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
    },
    /// List tokens
    List,
    /// Revoke a token; what was sent with it stays
    Revoke {
        /// Name of the uploader
        name: String,
    },
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::of(word).ok_or_else(|| "known scopes: upload, publish, delete, acknowledge".to_owned())
}
