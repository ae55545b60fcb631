//! `./bench` hands its arguments and variables on, and ends with 0 whenever the run finished. Tools that
//! build are stand-ins here, and nothing can be installed.

use crate::desk::Desk;
use std::path::Path;

/// Stand-ins, by name.
const TOOLS: &[(&str, &str)] = &[
    ("rustc", "case $* in -vV) echo 'host: made' ;; --version) echo 'rustc 1.999.0' ;; esac"),
    ("cargo", r#"[ "$1" != metadata ] || printf '{"target_directory":"%s"}' "$HOME""#),
    ("cc", "echo /made/crt1.o"),
    ("7zz", ""),
    ("openssl", ""),
    ("apt-get", "exit 1"),
    ("rustup", "echo \"$RUSTUP_TOOLCHAIN-made\""),
    ("sudo", "exit 1"),
];

#[test]
fn a_run_that_finished_ends_well() {
    let desk = Desk::new("bootstrap");
    for (name, body) in TOOLS {
        desk.program(name, &format!("#!/bin/sh\n{body}\n"));
    }
    desk.program("built", "#!/bin/sh\necho \"given: $* $MaxKHz\"\nexit $WANTED\n");
    desk.types("mkdir -p made/release && cp bin/built made/release/sbc-bench");
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
    for (wanted, expected) in [(0, 0), (3, 0), (1, 1), (4, 4), (5, 5)] {
        let line = format!("WANTED={wanted} MaxKHz=5 sh {} -c --json", bench.display());
        let (said, status) = desk.types(&line);
        assert_eq!(status, expected, "{said}");
        assert!(said.contains("given: -c --json 5"), "{said}");
    }
}
