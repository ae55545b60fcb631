//! The machine's C library by the program that `probe` generates, and by the same calls in a program of the C
//! compiler: in turns; medians of both and of the ratios.
//!
//! Both measure wall time, so a concurrent compiler can halve either figure. `chrt` gives them the highest priority, if
//! permitted.

use anyhow::{Context, Result};
use microbench::probe::{Call, image, parse_line, parse_program};
use record::statistics::median;
use std::path::Path;
use std::process::Command;

/// Number of alternating measurements, odd. Page placement changes the copy rate by several percent between starts.
const TURNS: usize = 25;
/// Command prefix that runs a program with real-time priority (`sched(7)`).
const FIRST: [&str; 3] = ["chrt", "--fifo", "10"];
/// Maximum difference between the two, in percent.
const APART_PERCENT_MAX: f64 = 5.0;
const BUFFER_BYTES: u32 = 32 << 20;
const LEAST_NS: u32 = 500_000_000;

/// The other program: buffers at the same places next to each other, as many calls.
const COMPILED: &str = include_str!("libc.c");

/// Measures and prints.
pub(super) fn main() -> Result<()> {
    let folder = testkit::Scratch::new("libc");
    let (compiled, made) = (super::compiled(&folder, "libc", COMPILED)?, folder.join("made"));
    let before = before();
    let pattern = std::fs::read("/bin/sh").context("/bin/sh")?;
    let pattern = parse_program(&pattern).map_err(|why| anyhow::anyhow!("/bin/sh {why}"))?;
    for (call, word) in [(Call::Copy, "copy"), (Call::Fill, "fill")] {
        let image = image(&pattern, call, BUFFER_BYTES, LEAST_NS).map_err(anyhow::Error::msg)?;
        std::fs::write(&made, image)?;
        let of_made = || -> Result<f64> {
            let text = printed(&before, &[Path::new(&pattern.loader), &made])?;
            let timed = parse_line(&text).map_err(anyhow::Error::msg)?;
            Ok(timed.calls as f64 * f64::from(BUFFER_BYTES) / timed.elapsed_ns as f64 * 1e9)
        };
        let of_compiled = || -> Result<f64> { Ok(printed(&before, &[&compiled, Path::new(word)])?.trim().parse()?) };
        let mut turns = Vec::new();
        for turn in 0..TURNS {
            // The second process finds the caches and the memory of the first.
            turns.push(match turn % 2 {
                0 => (of_made()?, of_compiled()?),
                _ => {
                    let compiled = of_compiled()?;
                    (of_made()?, compiled)
                }
            });
        }
        println!("{}", row(word, &turns));
    }
    Ok(())
}

/// Prefix that gives a program priority over all others; empty where that is not permitted.
fn before() -> Vec<&'static str> {
    let is_allowed = Command::new(FIRST[0]).args(&FIRST[1..]).arg("true").status().is_ok_and(|status| status.success());
    if is_allowed {
        return FIRST.to_vec();
    }
    println!("chrt cannot put the programs before others: what runs next to them counts");
    Vec::new()
}

fn printed(before: &[&str], program: &[&Path]) -> Result<String> {
    let mut words = before.iter().map(Path::new).chain(program.iter().copied());
    let mut command = Command::new(words.next().context("there is no program to start")?);
    crate::workspace::said(command.args(words))
}

/// `libc copy: 14700 MB/s, compiled 14650 MB/s, ratio 1.003   must be within 5 %`
fn row(name: &str, turns: &[(f64, f64)]) -> String {
    let median_of =
        |of: &dyn Fn(&(f64, f64)) -> f64| median(&turns.iter().map(of).collect::<Vec<_>>()).unwrap_or(f64::NAN);
    let ratio = median_of(&|(made, compiled)| made / compiled);
    let (made, compiled) = (median_of(&|turn| turn.0), median_of(&|turn| turn.1));
    let missed = if 100.0 * (ratio - 1.0).abs() <= APART_PERCENT_MAX { "" } else { "   MISSED" };
    format!(
        "libc {name}: {:.0} MB/s, compiled {:.0} MB/s, ratio {ratio:.3}   must be within {APART_PERCENT_MAX} %{missed}",
        made / 1e6,
        compiled / 1e6
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_ratio_is_judged() {
        // One turn in three that another process disturbed.
        let row = |made| super::row("copy", &[(made, 1e9), (made, 2e9), (made, 2e9)]);
        assert_eq!(row(2.09e9), "libc copy: 2090 MB/s, compiled 2000 MB/s, ratio 1.045   must be within 5 %");
        assert!(row(1.89e9).ends_with("ratio 0.945   must be within 5 %   MISSED"));
    }
}
