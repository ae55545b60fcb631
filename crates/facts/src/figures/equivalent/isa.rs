//! Instruction set of the programs of a run, as in `data/method_ratios.tsv`.

use record::{Record, Source};

/// By the userland, else by the target of this program.
pub(super) fn of(record: &Record) -> Option<String> {
    let userland = record.machine.userland_arch.known();
    let target = match &record.source {
        Source::Run { target, .. } => Some(target),
        Source::Log(_) => None,
    };
    userland.or(target).or(record.machine.kernel_arch.known()).map(|name| word(name).to_owned())
}

/// `x86-64` for `amd64`, `x86_64` and `x86_64-unknown-linux-musl`.
fn word(name: &str) -> &str {
    let first = name.split(['-', ' ']).next().unwrap_or(name);
    match first {
        "amd64" | "x86_64" => "x86-64",
        "i386" | "i486" | "i586" | "i686" | "x86" => "x86",
        "arm64" | "aarch64" => "arm64",
        "armhf" | "armel" | "arm" | "armv6l" | "armv7" | "armv7l" | "armv8l" => "arm",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn spellings_of_one_instruction_set() {
        for (name, expected) in [
            ("amd64", "x86-64"),
            ("x86_64-unknown-linux-musl", "x86-64"),
            ("arm64", "arm64"),
            ("armhf", "arm"),
            ("i686", "x86"),
            ("riscv64", "riscv64"),
        ] {
            assert_eq!(word(name), expected);
        }
    }
}
