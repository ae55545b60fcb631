//! Links and runs the program with the loader of this machine or, in a build for another instruction set, with qemu and
//! the libraries of Debian's cross compilers.

#![allow(clippy::disallowed_methods, reason = "what comes out is tried here, and nothing of this ships")]

use microbench::arch::LIBC_LOOPS;
use microbench::libc_loop::Isa;
use microbench::probe::{Call, Pattern, image, parse_line, parse_program};
use std::process::Command;

/// Library directory, emulator, loader and `e_flags` of an instruction set that this machine may lack.
fn emulated(isa: Isa) -> Option<(&'static str, &'static str, &'static str, u32)> {
    match isa {
        Isa::AArch64 => Some(("/usr/aarch64-linux-gnu", "qemu-aarch64-static", "ld-linux-aarch64.so.1", 0)),
        Isa::Arm => Some(("/usr/arm-linux-gnueabihf", "qemu-arm-static", "ld-linux-armhf.so.3", 0x500_0400)),
        Isa::RiscV64 => Some(("/usr/riscv64-linux-gnu", "qemu-riscv64-static", "ld-linux-riscv64-lp64d.so.1", 5)),
        Isa::X86_64 | Isa::X86 => None,
    }
}

/// Builds both programs from the pattern, runs each with this command line, and parses the output.
fn check(pattern: &Pattern, words: &[&str]) {
    for call in [Call::Copy, Call::Fill] {
        let name = format!("sbc-bench-probe-{}-{:?}-{call:?}", std::process::id(), pattern.isa());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, image(pattern, call, 1 << 20, 2_000_000).unwrap()).unwrap();
        let output = Command::new(words[0]).args(&words[1..]).arg(&file).output();
        std::fs::remove_file(&file).unwrap();
        let output = output.unwrap_or_else(|why| panic!("{words:?}: {why}"));
        let text = String::from_utf8_lossy(&output.stdout);
        let what = format!("{:?} {call:?}: {output:?}", pattern.isa());
        assert!(output.status.success(), "{what}");
        let timed = parse_line(&text).unwrap_or_else(|why| panic!("{what}: {why}"));
        assert!(timed.elapsed_ns >= 2_000_000, "{what}");
    }
}

#[test]
fn every_loop_of_this_build_is_bound_and_runs() {
    for known in LIBC_LOOPS {
        match emulated(known.isa) {
            Some((folder, emulator, loader, flags)) => {
                let loader = format!("{folder}/lib/{loader}");
                let is_there = std::path::Path::new(&loader).exists();
                assert!(is_there, "{loader} is missing: install the cross libraries of {:?}", known.isa);
                let pattern = Pattern::new(known.isa, flags, &loader, "libc.so.6");
                check(&pattern, &[emulator, "-L", folder, &loader]);
            }
            None => natively(known.isa),
        }
    }
}

fn natively(isa: Isa) {
    if isa == Isa::X86_64 {
        let pattern = parse_program(&std::fs::read("/bin/sh").unwrap()).unwrap();
        assert_eq!(pattern.isa(), isa);
        check(&pattern, &[&pattern.loader]);
        return installed(isa, "/lib/ld-musl-x86_64.so.1", "libc.musl-x86_64.so.1", "musl");
    }
    installed(isa, "/lib/ld-linux.so.2", "libc.so.6", "libc6-i386");
}

/// Another C library of this machine, from a Debian package.
fn installed(isa: Isa, loader: &str, libc: &str, package: &str) {
    if std::path::Path::new(loader).exists() {
        check(&Pattern::new(isa, 0, loader, libc), &[loader])
    } else {
        skip(&format!("{loader} is not installed (package {package})"))
    }
}

#[cfg(target_arch = "x86_64")]
fn skip(why: &str) {
    testkit::skip(why);
}

/// Other builds have no loop that needs it.
#[cfg(not(target_arch = "x86_64"))]
fn skip(why: &str) {
    panic!("{why}");
}
