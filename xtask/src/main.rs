//! `cargo xtask`: tasks for contributors. It is not installed.
//!
//! Each task is one module. `tidy` and the freshness of `docs/` are also tests, so that `cargo test` covers them.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tasks print to the terminal; only the program restricts printing"
)]

mod accuracy;
mod bench;
mod boards;
mod corpus;
mod dist;
mod docs;
mod farms;
mod fuzz;
mod hub;
mod kernels;
mod licences;
mod recording;
mod systems;
mod test;
mod tidy;
mod web_page;
mod workspace;

use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = include_str!("usage.txt");

fn main() -> ExitCode {
    match task() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn task() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => test::main(false),
        ["test", "--full"] => test::main(true),
        ["test", "--ahead"] => test::ahead(),
        ["test", "--used", times] => test::used(times),
        ["tidy"] => tidy::main(),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        ["corpus"] => corpus::main(),
        ["corpus", "--elasticity"] => {
            corpus::elasticity();
            Ok(())
        }
        ["boards"] => boards::main(),
        ["accuracy"] => accuracy::main(1),
        ["accuracy", "--falsified"] => accuracy::main_falsified(),
        ["accuracy", "--every", step] => accuracy::main(step.parse()?),
        ["dist"] => dist::main(),
        ["dist", "--check"] => dist::check_all(),
        ["package", part] => dist::package::main(part, dist::Profile::Release),
        ["package", part, "--proof"] => dist::package::main(part, dist::Profile::Proof),
        ["package", part, "--twice"] => dist::package::twice(part, dist::Profile::Release),
        ["package", part, "--twice", "--proof"] => dist::package::twice(part, dist::Profile::Proof),
        ["package", part, "--check", systems @ ..] => dist::systems::main(part, systems, false),
        ["release", words @ ..] => dist::release::main(words),
        ["fuzz", words @ ..] => fuzz::main(words),
        ["farms", words @ ..] => farms::main(words),
        ["hub"] => hub::main(),
        ["licences"] => licences::main(),
        ["kernels", words @ ..] => kernels::main(words),
        ["recording", file] => recording::write(Path::new(file), 24.0),
        ["recording", file, hours] => recording::write(Path::new(file), hours.parse()?),
        ["systems"] => systems::main(),
        ["pictures"] => web_page::pictures::main(None),
        ["pictures", program] => web_page::pictures::main(Some(program)),
        ["web"] => web_page::main(),
        ["web", "--check"] => web_page::check(),
        ["bench", options @ ..] => bench::main(options),
        [] | ["--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        other => bail!("unknown task: {}\n\n{}", other.join(" "), USAGE.trim_end()),
    }
}
