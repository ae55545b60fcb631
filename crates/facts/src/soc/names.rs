//! Finds names of SoCs in texts of kernels and firmware; `gather.rs` selects the texts.

use super::spelling::squash;
use super::table::{NameRow, TABLES};

/// No name of a SoC has more words.
const WORDS_MAX: usize = 6;
/// Maximum number of words that are searched in a text.
const TEXT_WORDS_MAX: usize = 64;

/// SoCs whose names the text contains as whole words; only those of the longest spelling.
pub(super) fn in_words(text: &str) -> Vec<usize> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '+')
        .filter(|word| !word.is_empty())
        .take(TEXT_WORDS_MAX)
        .map(str::to_ascii_lowercase)
        .collect();
    let mut longest: (usize, &[usize]) = (0, &[]);
    for start in 0..words.len() {
        let mut joined = String::new();
        for word in words[start..].iter().take(WORDS_MAX) {
            joined.push_str(word);
            if let Some(socs) = spelled(&joined)
                && joined.len() > longest.0
            {
                longest = (joined.len(), socs);
            }
        }
    }
    longest.1.to_vec()
}

/// Families of part numbers: how they begin, the number of digits, and the vendor. What follows the digits is a speed or a
/// package.
const FAMILIES: [(&str, usize, &str); 16] = [
    ("mt", 4, "MediaTek"),
    ("rk", 4, "Rockchip"),
    ("rv", 4, "Rockchip"),
    ("msm", 4, "Qualcomm"),
    ("apq", 4, "Qualcomm"),
    ("sdm", 3, "Qualcomm"),
    ("sm", 4, "Qualcomm"),
    ("sc", 4, "Qualcomm"),
    ("qcs", 3, "Qualcomm"),
    ("qcm", 4, "Qualcomm"),
    ("qrb", 4, "Qualcomm"),
    ("ipq", 4, "Qualcomm"),
    ("exynos", 3, "Samsung"),
    ("bcm", 4, "Broadcom"),
    ("rtd", 4, "Realtek"),
    ("hi", 4, "HiSilicon"),
];

/// SoCs of a spelling; for a part number with an unknown suffix, those without it.
fn spelled(word: &str) -> Option<&'static Vec<usize>> {
    if let Some(socs) = TABLES.spellings.get(word) {
        return Some(socs);
    }
    let (part, _) = family(word)?;
    let suffixes = (part.len()..word.len()).rev().filter(|end| word.is_char_boundary(*end));
    suffixes.map(|end| &word[..end]).find_map(|word| TABLES.spellings.get(word))
}

/// Part number without its suffix, and vendor, of a word such as `mt6785v`.
fn family(word: &str) -> Option<(&str, &'static str)> {
    FAMILIES.iter().find_map(|(beginning, digits_min, vendor)| {
        let rest = word.strip_prefix(beginning)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits >= *digits_min).then(|| (&word[..beginning.len() + digits], *vendor))
    })
}

/// Vendor and part number in a text that names a SoC which the table does not have.
pub(super) fn unlisted(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).take(TEXT_WORDS_MAX);
    let mut words = words.map(str::to_ascii_lowercase);
    words.find_map(|word| family(&word).map(|(part, vendor)| format!("{vendor} {}", part.to_ascii_uppercase())))
}

/// SoCs of the vendors that the text names, as in `MStar/Sigmastar Armv7`.
pub(super) fn of_vendor(text: &str) -> Vec<usize> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.take(TEXT_WORDS_MAX).filter_map(|word| TABLES.vendors.get(&squash(word))).flatten().copied().collect()
}

/// The row of this kind whose pattern fits the whole text; of several the longest.
pub(super) fn row(kind: &str, text: &str) -> Option<&'static NameRow> {
    longest(kind, |row| fits(row.value, text))
}

/// Row of this kind whose value starts a word of the text.
pub(super) fn row_within(kind: &str, text: &str) -> Option<&'static NameRow> {
    let text = text.to_ascii_lowercase();
    let begins_a_word = |at: usize| !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    longest(kind, |row| text.match_indices(&row.lowercase).any(|(at, _)| begins_a_word(at)))
}

fn longest(kind: &str, is_wanted: impl Fn(&NameRow) -> bool) -> Option<&'static NameRow> {
    let rows = TABLES.named.get(kind).into_iter().flatten();
    rows.filter(|row| is_wanted(row)).max_by_key(|row| row.value.len())
}

/// True if the text matches the pattern: `?` is one character, `*` any number of them; case is ignored. Backtracks to
/// the last `*` only, so time is bounded by the product of both lengths.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(c) if *c == b'?' || c.eq_ignore_ascii_case(&text[seen]) => {
                at += 1;
                seen += 1;
            }
            _ => match star {
                Some((star_at, star_seen)) => {
                    at = star_at + 1;
                    seen = star_seen + 1;
                    star = Some((star_at, seen));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let socs = in_words(text).into_iter();
        socs.map(|soc| TABLES.socs[soc].full_name()).collect()
    }

    #[test]
    fn names_are_found_in_words() {
        for (text, expected) in [
            ("Qualcomm Technologies, Inc MSM8998", "Qualcomm MSM8998"),
            ("Qualcomm MSM8974PRO-AC", "Qualcomm MSM8974PRO"),
            ("SAMSUNG Exynos7580", "Samsung Exynos 7580"),
            ("ODROID-GO2 for linux based on Rockchip rk3326", "Rockchip RK3326"),
            ("vendor Kirin810", "HiSilicon Kirin 810"),
            ("s7d_s905x5m_bm201", "Amlogic S905X5M"),
            ("MT6785V/CD", "MediaTek MT6785"),
            ("MT6769V/CB", "MediaTek MT6768"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
        for text in ["a10", "rev 4 (v7l)", "", "rk33999", "xrk3399", "M1"] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
        assert_eq!(found("Apple M1"), ["Apple M1"]);
    }

    #[test]
    fn patterns_fit_whole_texts() {
        for (pattern, text, expected) in [
            ("02c00?81", "02c00181", true),
            ("82c000*", "82c00001", true),
            ("82c000*", "82c10001", false),
            ("*BENGAL", "Qualcomm Technologies, Inc BENGAL", true),
            ("BCM2709", "bcm2709", true),
            ("BCM2709", "bcm27099", false),
            ("a*b*c", "aXbXbXc", true),
            ("*", "", true),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn names_within_texts_in_any_case() {
        let socs = |text: &str| row_within("dmi", text).map(|row| TABLES.socs[row.socs[0]].full_name());
        for text in ["Amazon EC2 m6g.large", "amazon ec2 M6G.large", "an AMAZON EC2 M6G"] {
            assert_eq!(socs(text).as_deref(), Some("Amazon Graviton2"), "{text}");
        }
        assert_eq!(socs(""), None);
    }
}
