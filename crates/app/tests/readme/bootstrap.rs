//! `./bench` hands its arguments and variables on, and ends with 0 whenever the run finished; `./hub` hands its arguments on.
//! Tools that build are stand-ins here, and nothing can be installed. What is built already is not built again.

use crate::readme::command_folder::CommandFolder;

/// Stand-ins, by name.
const TOOLS: &[(&str, &str)] = &[
    ("rustc", "case $* in -vV) echo 'host: made' ;; --version) echo 'rustc 1.999.0' ;; esac"),
    ("cargo", r#"[ "$1" != metadata ] || printf '{"target_directory":"%s"}' "$HOME""#),
    ("cc", "echo /made/crt1.o"),
    ("git", r#"case $* in *rev-parse*) echo 0123456789ab ;; *status*) echo "$CHANGED" ;; esac"#),
    ("7zz", ""),
    ("openssl", ""),
    ("apt-get", "exit 1"),
    ("rustup", "echo \"$RUSTUP_TOOLCHAIN-made\""),
    ("sudo", "exit 1"),
];

const BENCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench");

const HUB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../hub");

/// A desk where cargo makes a program that prints its arguments.
fn desk(name: &str) -> CommandFolder {
    let desk = CommandFolder::new(name);
    for (name, body) in TOOLS {
        desk.program(name, &format!("#!/bin/sh\n{body}\n"));
    }
    desk.program("built", "#!/bin/sh\necho \"given: $* $MaxKHz\"\nexit $WANTED\n");
    desk.types("mkdir -p made/here && cp bin/built made/here/sbc-bench");
    desk
}

#[test]
fn bench_script_exit_status() {
    let desk = desk("bootstrap");
    for (wanted, expected) in [(0, 0), (3, 0), (1, 1), (4, 4), (5, 5)] {
        let line = format!("WANTED={wanted} MaxKHz=5 sh {BENCH} -c --json");
        let (said, status) = desk.types(&line);
        assert_eq!(status, expected, "{said}");
        assert!(said.contains("given: -c --json 5"), "{said}");
    }
}

#[test]
fn hub_script_builds_a_hub_and_hands_its_arguments_on() {
    let desk = desk("hub");
    desk.types("mkdir -p hub && cp bin/built hub/sbc-bench-hub");
    for wanted in [0, 1] {
        let (said, status) = desk.types(&format!("WANTED={wanted} sh {HUB} serve --data here"));
        assert_eq!(status, wanted, "{said}");
        assert!(said.contains("given: serve --data here"), "{said}");
    }
}

#[test]
fn an_installed_binary_of_this_very_commit_is_taken() {
    let desk = desk("installed");
    for (version, changed, is_taken) in [
        (concat!(env!("CARGO_PKG_VERSION"), " (0123456789ab)"), "", true),
        (concat!(env!("CARGO_PKG_VERSION"), " (0123456789ab)"), " M crates/app/src/main.rs", false),
        (concat!(env!("CARGO_PKG_VERSION"), " (ba9876543210)"), "", false),
        (env!("CARGO_PKG_VERSION"), "", false),
    ] {
        let answer = format!("[ \"$1\" = --version ] && echo 'sbc-bench {version}' && exit");
        desk.program("sbc-bench", &format!("#!/bin/sh\n{answer}\necho \"installed: $*\"\n"));
        let (said, status) = desk.types(&format!("WANTED=0 CHANGED='{changed}' sh {BENCH} -c"));
        assert_eq!(status, 0, "{said}");
        assert_eq!(said.contains("installed: -c"), is_taken, "{version} {changed:?}: {said}");
        assert_eq!(said.contains("given: -c"), !is_taken, "{version} {changed:?}: {said}");
    }
}
