//! `sbc-bench`: arguments in, text out.
//!
//! A library crate, because compiling it and linking the binary in one compiler process takes more than 512 MB.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod paths;

use args::Environment;
use console::{input, output, signals, status, stderr};
use std::process::ExitCode;

#[cfg(target_feature = "crt-static")]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

/// Exit status of Rust programs after a panic.
const PANIC: i32 = 101;

/// Runs the command of this process's arguments.
pub fn main() -> ExitCode {
    // The guard restores the settings, with and without unwinding.
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

/// Under sudo, files made in directories of the caller belong to the caller.
fn set_file_owner() {
    let variable = |name: &str| std::env::var(name).ok();
    // Commands that run as the caller report a variable that is not valid.
    if machine::is_root()
        && let Ok(Some(caller)) = machine::caller(&machine::Root::system(), &variable)
    {
        let (uid, gid) = (caller.uid, caller.gid);
        machine::files::set_default_owner(machine::files::Owner { uid, gid });
    }
}
