//! The machine's own C library by the program that `probe` makes, and by the same calls in a program that the compiler
//! made and linked dynamically: in turns, the best of each, and their ratio.

use anyhow::{Context, Result, ensure};
use probe::{Call, image, parse_line, parse_program};
use std::path::Path;
use std::process::Command;

/// Turns of both.
const TURNS: usize = 6;
/// How far the two may be apart, in percent.
const APART_PERCENT_MAX: f64 = 5.0;
const BUFFER_BYTES: u32 = 32 << 20;
const LEAST_NS: u32 = 500_000_000;

/// The other program: buffers at the same places beside each other, as many calls. Prints bytes per second.
const COMPILED: &str = r#"
use std::ffi::c_void;
use std::hint::black_box;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: i32, length: usize) -> *mut c_void;
}

fn main() {
    const MIB: usize = 1 << 20;
    const LENGTH: usize = 32 * MIB;
    const THIRD: usize = MIB / 3 / 128 * 128;
    let is_copy = std::env::args().nth(1).as_deref() == Some("copy");
    let mut room = vec![0x5a_u8; 2 * LENGTH + 4 * MIB];
    let at = room.as_ptr().align_offset(MIB);
    let from = room[at + THIRD..].as_ptr().cast::<c_void>();
    let to = room[at + LENGTH + MIB + 2 * THIRD..].as_mut_ptr().cast::<c_void>();
    // Called by their address, so that the compiler puts nothing of its own in their place.
    let copy: unsafe extern "C" fn(_, _, _) -> _ = black_box(memcpy);
    let fill: unsafe extern "C" fn(_, _, _) -> _ = black_box(memset);
    let call = || unsafe { if is_copy { copy(to, from, LENGTH) } else { fill(to, 0x5a, LENGTH) } };
    call();
    let (start, mut calls, mut turn) = (Instant::now(), 0, 1);
    while start.elapsed() < Duration::from_millis(500) {
        for _ in 0..turn {
            call();
        }
        calls += turn;
        turn *= 2;
    }
    println!("{}", (calls * LENGTH) as f64 / start.elapsed().as_secs_f64());
}
"#;

/// Measures and prints.
pub(super) fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("sbc-bench-libc-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let measured = in_folder(&folder);
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn in_folder(folder: &Path) -> Result<()> {
    let (source, compiled, made) = (folder.join("compiled.rs"), folder.join("compiled"), folder.join("made"));
    std::fs::write(&source, COMPILED)?;
    let rustc = Command::new("rustc").args(["--edition", "2024", "-O", "-o"]).arg(&compiled).arg(&source).status()?;
    ensure!(rustc.success(), "the program to compare with is not compiled");
    let pattern = std::fs::read("/bin/sh").context("/bin/sh")?;
    let pattern = parse_program(&pattern).map_err(|why| anyhow::anyhow!("/bin/sh {why}"))?;
    for (call, word) in [(Call::Copy, "copy"), (Call::Fill, "fill")] {
        let image = image(&pattern, call, BUFFER_BYTES, LEAST_NS).map_err(anyhow::Error::msg)?;
        std::fs::write(&made, image)?;
        let (mut of_made, mut of_compiled) = (0.0, 0.0);
        for _ in 0..TURNS {
            let timed = parse_line(&printed(Command::new(&pattern.loader).arg(&made))?).map_err(anyhow::Error::msg)?;
            let rate = timed.calls as f64 * f64::from(BUFFER_BYTES) / timed.elapsed_ns as f64 * 1e9;
            of_made = f64::max(of_made, rate);
            let rate: f64 = printed(Command::new(&compiled).arg(word))?.trim().parse()?;
            of_compiled = f64::max(of_compiled, rate);
        }
        println!("{}", row(word, of_made, of_compiled));
    }
    Ok(())
}

fn printed(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    ensure!(output.status.success(), "{command:?} ended with {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// `libc copy: 14700 MB/s, compiled 14650 MB/s, ratio 1.003   must be within 5 %`
fn row(name: &str, made: f64, compiled: f64) -> String {
    let ratio = made / compiled;
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
        let row = |made| super::row("copy", made, 2e9);
        assert_eq!(row(2.09e9), "libc copy: 2090 MB/s, compiled 2000 MB/s, ratio 1.045   must be within 5 %");
        assert!(row(1.89e9).ends_with("ratio 0.945   must be within 5 %   MISSED"));
    }
}
