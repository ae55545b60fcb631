//! Gathers all evidence from the facts of a machine.
//!
//! A text without a name is not evidence, and missing facts never count against a SoC.

use super::boards;
use super::by_cores;
use super::evidence::{Evidence, Kind, push};
use super::facts::Facts;
use super::names;
use super::numbers;
use super::spelling::squash;
use super::table::TABLES;
use record::StableSort;

/// No list of SoCs in a text is longer.
const LIST_MAX: usize = 40;

/// All evidence in these facts, the most authoritative first.
pub(super) fn all(facts: &Facts) -> Vec<Evidence> {
    let mut found = Vec::new();
    of_device_tree(facts, &mut found);
    of_numbers(facts, &mut found);
    of_texts(facts, &mut found);
    of_guess(facts, &mut found);
    by_cores::add(facts, &mut found);
    // A device tree that was made from that of another board may keep its SoC.
    let is_of_tree = |kind: Kind| matches!(kind, Kind::Compatible | Kind::BoardCompatible);
    found.retain(|one| !is_of_tree(one.kind) || !by_cores::excludes_all(facts, &one.socs));
    found.stable_sort_by_key(|evidence| evidence.kind);
    found.dedup_by_key(|evidence| evidence.kind);
    let mut left: Vec<usize> = (0..TABLES.socs.len()).collect();
    for evidence in &mut found {
        let narrowed: Vec<usize> = left.iter().copied().filter(|soc| evidence.allows(*soc)).collect();
        // Evidence that would exclude everything contradicts evidence of higher authority.
        if !narrowed.is_empty() {
            left = narrowed;
        }
        evidence.leaves = without_packages(&left).len();
    }
    found
}

/// A package is left out where its chip is among the SoCs.
pub(super) fn without_packages(socs: &[usize]) -> Vec<usize> {
    let has_die = |soc: usize| TABLES.socs[soc].die.is_some_and(|die| socs.contains(&die));
    socs.iter().copied().filter(|soc| !has_die(*soc)).collect()
}

/// The first string that is a SoC's decides: strings go from special to general.
fn of_device_tree(facts: &Facts, found: &mut Vec<Evidence>) {
    const FROM: &str = "compatible";
    for text in &facts.compatible {
        if let Some(mut socs) = of_compatible(text) {
            socs.extend(fused(facts));
            push(found, Kind::Compatible, text, FROM, socs);
            break;
        }
    }
    for text in &facts.compatible {
        if let Some(row) = names::row("board", text) {
            push(found, Kind::BoardCompatible, text, FROM, row.socs.clone());
            break;
        }
    }
    // Words are for strings that follow no rule, as in some vendors' kernels.
    let is_named = found.iter().any(|one| one.kind == Kind::Compatible);
    for text in facts.compatible.iter().filter(|_| !is_named) {
        push(found, Kind::Words, text, FROM, names::in_words(text));
    }
}

/// Variants with fewer cores that the board is sold with, if they have as many cores as the machine. Their device tree is
/// that of the whole chip.
fn fused(facts: &Facts) -> impl Iterator<Item = usize> {
    let rows = facts.compatible.iter().filter_map(|text| names::row("fused", text));
    let has_count = |soc: &usize| TABLES.socs[*soc].shapes.iter().any(|shape| shape.count_max() == facts.cores.total);
    rows.flat_map(|row| row.socs.iter().copied()).filter(has_count)
}

/// SoCs with this compatible string: those of the table, else the SoC of that vendor and name.
fn of_compatible(text: &str) -> Option<Vec<usize>> {
    // Amlogic's kernels write a blank behind the comma.
    let text: String = text.split_whitespace().collect();
    let text = text.to_ascii_lowercase();
    if let Some(socs) = TABLES.compatible.get(text.as_str()) {
        return Some(socs.clone());
    }
    let (prefix, part) = text.split_once(',')?;
    let vendor = TABLES.prefixes.get(prefix)?;
    let socs = TABLES.spellings.get(&(squash(vendor) + &squash(part)))?;
    Some(socs.clone())
}

fn of_numbers(facts: &Facts, found: &mut Vec<Evidence>) {
    let by_name = |kind: &str, text: &str| names::row(kind, text).map(|row| row.socs.clone());
    if let Some(id) = facts.saying("soc_id") {
        let named = by_name("soc_id", &id.value).unwrap_or_else(|| names::in_words(&id.value));
        push(found, Kind::SocId, &id.value, &id.from, named);
    }
    if let Some(code) = facts.saying("revision") {
        let number = u32::from_str_radix(code.value.trim_start_matches("0x"), 16).ok();
        let name = number.and_then(numbers::of_revision).unwrap_or_default();
        push(found, Kind::Revision, &code.value, &code.from, names::in_words(name));
    }
    if let Some(otp) = facts.saying("rockchip_otp") {
        let bytes = numbers::bytes(&otp.value).unwrap_or_default();
        push(found, Kind::Otp, &otp.value, &otp.from, numbers::of_rockchip(&bytes));
    }
    if let Some(sid) = facts.saying("sunxi_sid") {
        let socs = by_name("sid", &sid.value).unwrap_or_default();
        push(found, Kind::Otp, &sid.value, &sid.from, socs);
    }
    if let Some(id) = facts.saying("amlogic_id") {
        let socs = by_name("amlogic", &id.value).unwrap_or_default();
        push(found, Kind::ChipId, &id.value, &id.from, socs);
    }
    for message in facts.sayings.iter().filter(|saying| saying.name == "boot_message") {
        if let Some(id) = numbers::amlogic_id(&message.value) {
            let socs = by_name("amlogic", &id).unwrap_or_default();
            push(found, Kind::ChipId, &message.value, &message.from, socs);
        }
        let socs = names::in_words(&message.value);
        push(found, Kind::BootMessage, &message.value, &message.from, socs);
    }
}

fn of_texts(facts: &Facts, found: &mut Vec<Evidence>) {
    if let Some(hardware) = facts.saying("hardware") {
        of_hardware(&hardware.value, &hardware.from, found);
    }
    for name in ["soc_machine", "soc_family", "cpu_model"] {
        if let Some(text) = facts.saying(name) {
            let socs = names::in_words(&text.value);
            push(found, Kind::Hardware, &text.value, &text.from, socs);
            of_vendor(&text.value, &text.from, found);
        }
    }
    if let Some(text) = facts.saying("dmi_processor") {
        let row = names::row_within("dmi", &text.value);
        let socs = row.map_or_else(|| names::in_words(&text.value), |row| row.socs.clone());
        push(found, Kind::Dmi, &text.value, &text.from, socs);
    }
    if let Some(board) = &facts.board {
        let row = |row: Option<&super::table::NameRow>| row.map(|row| row.socs.clone());
        match boards::find(board).map(boards::socs) {
            Some(socs) if socs.is_empty() => {}
            Some(socs) => push(found, Kind::Board, board, "board", facts.possible(socs)),
            None => {
                let socs = row(names::row_within("dmi", board)).unwrap_or_default();
                push(found, Kind::Board, board, "board", socs);
                push(found, Kind::Words, board, "board", facts.possible(names::in_words(board)));
            }
        }
    }
    let vendor = facts.compatible.iter().rev().find_map(|text| {
        let prefix = text.split_once(',')?.0;
        Some((text, TABLES.prefixes.get(prefix)?))
    });
    if let Some((text, vendor)) = vendor {
        push(found, Kind::Vendor, text, "compatible", names::of_vendor(vendor));
    }
}

/// A machine's name in vendor kernels, a SoC's name within the line, or only a vendor's.
fn of_hardware(text: &str, from: &str, found: &mut Vec<Evidence>) {
    match names::row("hardware", text) {
        Some(row) if !row.vendor_only => push(found, Kind::Hardware, text, from, row.socs.clone()),
        _ => push(found, Kind::Hardware, text, from, names::in_words(text)),
    }
    of_vendor(text, from, found);
}

fn of_vendor(text: &str, from: &str, found: &mut Vec<Evidence>) {
    push(found, Kind::Vendor, text, from, names::of_vendor(text));
}

/// Logs of the bash program carry numbers of the chip in their guess, which are better than the
/// guess: `(35881000 / 35 88 12 fe 33 41 ...)`, `(SID: 33802000)`, `Revision 28:c (70:2)`.
fn of_guess(facts: &Facts, found: &mut Vec<Evidence>) {
    let Some(saying) = facts.saying("guess") else {
        return;
    };
    let (guess, from) = (saying.value.as_str(), saying.from.as_str());
    let inner = guess.split_once('(').map(|(_, rest)| rest.trim_end_matches(')')).unwrap_or_default();
    if let Some(id) = numbers::amlogic_id(guess) {
        let socs = names::row("amlogic", &id).map(|row| row.socs.clone());
        push(found, Kind::ChipId, guess, from, socs.unwrap_or_default());
    } else if let Some(sid) = inner.strip_prefix("SID: ") {
        let socs = names::row("sid", sid.trim()).map(|row| row.socs.clone());
        push(found, Kind::Otp, guess, from, socs.unwrap_or_default());
    } else if let Some(code) = inner.split('/').next_back().and_then(numbers::bytes) {
        let bytes: Vec<u8> = b"RK".iter().copied().chain(code).collect();
        push(found, Kind::Otp, guess, from, numbers::of_rockchip(&bytes));
    }
    push(found, Kind::Guess, guess, from, of_list(guess));
}

/// SoCs of a list with vendors in front: `Amlogic S905X2/S905Y2, Rockchip RK3328`.
fn of_list(text: &str) -> Vec<usize> {
    let mut socs = Vec::new();
    for group in text.split(", ").take(LIST_MAX) {
        let vendor = group.split(' ').next().unwrap_or_default();
        let parts = group.split('/').flat_map(|part| part.split(" or "));
        for part in parts.take(LIST_MAX) {
            let named = names::in_words(&format!("{vendor} {part}"));
            let plain = || names::in_words(part);
            socs.extend(if named.is_empty() { plain() } else { named });
        }
    }
    socs
}
