//! `sbc-bench`: arguments in, text out. The only place that prints.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod input;
mod look;
mod output;
mod paths;
mod progress;
mod signals;
mod stderr;
mod write;

use args::Environment;
use std::process::ExitCode;

#[cfg(target_feature = "crt-static")]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

/// Exit statuses; the manual lists them.
mod status {
    /// Usage or failure.
    pub(crate) const FAILURE: u8 = 1;
    /// Finished, but the results are lower than this machine reaches.
    pub(crate) const DEGRADED: u8 = 2;
    /// Finished, but the results must not be used.
    pub(crate) const INVALID: u8 = 3;
    /// Refused to start: the system is busy.
    pub(crate) const REFUSED: u8 = 4;
    /// A setting was left changed.
    pub(crate) const NOT_RESTORED: u8 = 5;
    /// The results could not be written.
    pub(crate) const NOT_WRITTEN: u8 = 6;
    /// Interrupted; what was measured is kept.
    pub(crate) const INTERRUPTED: u8 = 130;

    /// Status for the settings in a Record; none if each is restored or was set by another process.
    pub(crate) fn of_settings(record: &record::Record) -> Option<u8> {
        record.not_restored().any(|(_, left)| left.is_failure()).then_some(NOT_RESTORED)
    }

    /// That of results with this verdict.
    pub(crate) fn of(verdict: facts::Verdict) -> u8 {
        match verdict {
            facts::Verdict::Valid => 0,
            facts::Verdict::Degraded => DEGRADED,
            facts::Verdict::Invalid => INVALID,
        }
    }
}

/// Exit status after a panic, as Rust programs have it.
const PANIC: i32 = 101;

fn main() -> ExitCode {
    // Ends in the same way with and without unwinding: the guard restores the settings.
    std::panic::set_hook(Box::new(|panic| {
        output::note(&panic.to_string());
        stderr::finish();
        std::process::exit(PANIC)
    }));
    signals::outlive_full_files();
    let status = status_of_all();
    stderr::finish();
    ExitCode::from(status)
}

fn status_of_all() -> u8 {
    let cli = match commands::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            output::note(&commands::sentence(&error, std::env::args_os()));
            return status::FAILURE;
        }
        Err(help) => {
            // A closed pipe is no failure: the reader had seen enough.
            return match output::print(&format!("{}\n", help.render().to_string().trim_end())) {
                Ok(()) => 0,
                Err(error) => {
                    output::note(&format!("{error:#}"));
                    status::FAILURE
                }
            };
        }
    };
    let root = cli.root.clone();
    set_file_owner();
    let result = commands::command(cli, &Environment::read())
        .map_err(|sentence| anyhow::anyhow!("{sentence}"))
        .and_then(|command| {
            let root = match &root {
                Some(path) => input::root(path)?,
                None => machine::Root::system(),
            };
            if command.recovers_first() {
                commands::recover::at_start(&root);
            }
            command.run(&root)
        });
    match result {
        Ok(status) => status,
        Err(error) => {
            output::note(&format!("{error:#}"));
            status::FAILURE
        }
    }
}

/// Called by sudo, what is made in folders of the caller's belongs to the caller.
fn set_file_owner() {
    let variable = |name: &str| std::env::var(name).ok();
    // A variable that names nobody is told where it counts: by commands that are to run as the caller.
    if machine::is_root()
        && let Ok(Some(caller)) = machine::caller(&machine::Root::system(), &variable)
    {
        let (uid, gid) = (caller.uid, caller.gid);
        machine::files::set_default_owner(machine::files::Owner { uid, gid });
    }
}
