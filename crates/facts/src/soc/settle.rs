//! Files that would identify the SoC but could not be read.

use super::answer::{Answer, Confidence};
use super::evidence::Kind;
use super::facts::Facts;

/// One sentence for each source that would tell more; empty if the answer is certain.
pub(super) fn hints(facts: &Facts, answer: &Answer) -> Vec<String> {
    if answer.confidence == Confidence::Certain {
        return Vec::new();
    }
    let mut hints: Vec<String> = Vec::new();
    let asked = |kind: Kind| answer.evidence.iter().any(|one| one.kind == kind);
    let vendor = |name: &str| {
        let list = if answer.candidates.is_empty() { &answer.others } else { &answer.candidates };
        list.iter().any(|one| one.name.starts_with(name))
    };
    if facts.compatible.is_empty() && !asked(Kind::Dmi) {
        hints.push("the `compatible` of the device tree (--compatible a,b ...)".to_owned());
    }
    if vendor("Rockchip") && !asked(Kind::Otp) {
        hints.push("the chip's OTP (run as root)".to_owned());
    }
    if vendor("Allwinner") && !asked(Kind::Otp) {
        hints.push("the chip's SID (run as root)".to_owned());
    }
    if vendor("Amlogic") && !asked(Kind::ChipId) {
        let hint = "the boot message \"Amlogic Meson ... detected\" (run as root)";
        hints.push(hint.to_owned());
    }
    if facts.board.is_none() {
        hints.push("the board name (--model NAME)".to_owned());
    }
    hints
}
