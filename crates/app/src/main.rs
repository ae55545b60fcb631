//! `sbc-bench`: arguments in, text out.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod paths;

use args::Environment;
use console::{input, output, signals, status, stderr};
use std::process::ExitCode;

/// The allocator of the static C library gives every freed page back at once and asks for it again, which
/// costs a third of the time that a short command takes.
#[cfg(target_feature = "crt-static")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

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
