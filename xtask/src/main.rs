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

const USAGE: &str = "\
usage: cargo xtask TASK

  test [--full]      build with lints and run the tests of the workspace, test programs side by side
      --used N         the integration tests N times, as on a busy machine with results of a user (needs root)
  tidy               check what the compiler cannot: fences, arrows, sizes, tables
  docs [--check]     write the generated parts of docs and ARCHITECTURE.md, or only check whether they are up to date
  pictures [PROGRAM] draw the pictures of README, and pages, cards, plots, a site and terminals of results that differ most on
                     one sheet; fails where a reader would see a fault (needs Chromium)
  corpus             make data/reference.tsv from the logs in shared/corpus; --elasticity: how scores go with the
                     clock, by pairs of its rows
  boards             make data/boards.tsv from the lists in shared/boards
  accuracy [--every N | --falsified]
                     how often logs, reviews and virtual boards are read, named and judged as an expert would: of every Nth
                     text, or falsified logs alone; fails if wrong answers rose
  dist               build the four static binaries into target/dist
  dist --check       build them as ./bench does, and check all but their size
  package PART       .deb, .rpm, tarball, CycloneDX and sums of one architecture (x86_64, aarch64, armv7, riscv64), of the hub
                     for this machine (hub), or the file for a browser (web)
      --proof          with little optimisation, in less time
      --twice          once more in a clone, and compare: equal byte for byte
      --check [SYSTEM...]
                       notices and parts inside, lintian, rpmlint, and the packages in clean roots of Debian and Ubuntu (debian-12,
                       debian-13, ubuntu-22.04, ubuntu-24.04): installed, enabled, upgraded, used, removed, purged
  release [--dry] [PART...]
                     all parts of the tag at HEAD, built twice and checked, with sums, signature (SBC_BENCH_SIGNING_KEY names
                     a key of minisign) and notes, in target/package/release; --dry: of any commit, with little optimisation;
                     --notes: only print the notes, the changelog's of this version
  fuzz [--scaling] [--seconds N] [--keep] [TARGET...]
                     fuzz every parser of foreign bytes, starting from its seeds;
                     --scaling names what costs more than the length of its input
  farms              the Ansible collection on 20 boards, five of which die in their run (needs root, sshd)
      --boards N       number of boards; fewer than 10: one dies
      --names N        number of names in the inventory per board: a large farm, none dies
      --binary FILE    the program (default: the newest build)
      --hub FILE       results are sent to this hub, on PostgreSQL
      --monitors       Debian's Prometheus reads 20 monitors; one board is throttled
      --slurm          the Slurm file under a real scheduler with three nodes, one of them down (needs root, slurm-wlm, munge)
      --lint           what linters and validators say of all files in deploy
  hub                the hub's API before schemathesis, on both databases, and its pages in Chromium
  kernels [--quick] [MACHINE...]
                     run the static binaries on Debian's kernels, on machines that qemu emulates
      --fetch          only fetch the packages that are missing
      --built          use the existing binaries in target
      --cuts N         only a run that loses power N times and resumes each time: lost results
  licences           write the notices of what is linked and embedded (needs the sources: cargo fetch)
  recording FILE [HOURS]
                     write a recording of this length (default: 24 hours) at ten rows per second
  systems            reports for other systems before their real readers or schemas; LAVA's files, the workflow, units, packages
  web                build the pages for a browser into one HTML file, target/web/sbc-bench.html
  web --check        build it, and try it in Chromium: pages, requests, times
  bench [options]    measure the release binary: start-up, memory, sampler, time per step
      --binary FILE    the binary (default: the newest release build)
      --samples N      samples of the monitor to watch (default: 20)
      --record FILE    take the time per step from this Record; run nothing for it
      --monitor-only   skip the standard run
      --boards         only the program on virtual boards, each figure next to the true one
      --libc           only the machine's own C library, next to a program that the compiler made
      --page           only pages: of a standard run, a log, a recording of a day
      --screen         only what a user sees of a run (of ARGS) on a terminal: time left, lines at the end, answer to Ctrl-C
      --viewers        only the cost of viewers of the monitor's page
      --tick           only the cost of a tick of the monitor beside a C program that reads the same two files
      --site N         only a site of N results: built, with ten new ones, with none
      --hub N          only a hub of N results: requests, uploads, memory; -- readers: only 8 readers that ask again at once
      --sevenzip OLD NEW
                       only ratings of 16.02 (OLD) estimated from another version, next to measured ones
      --pairs N        number of pairs (default: 10)
      --kills          only runs that are killed at each call that changes a setting
      -- ARGS          arguments of the standard run";

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
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("unknown task: {}\n\n{USAGE}", other.join(" ")),
    }
}
