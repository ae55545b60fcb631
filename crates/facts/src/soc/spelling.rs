//! Comparison of SoC names: normalised spellings, and names that need no vendor.

/// Letters, digits and `+` in lower case: `i.MX6 Quad` is `imx6quad`.
pub(super) fn squash(text: &str) -> String {
    let kept = |c: &char| c.is_ascii_alphanumeric() || *c == '+';
    text.chars().filter(kept).map(|c| c.to_ascii_lowercase()).collect()
}

/// True for names that mean a SoC without their vendor: `s905` and `msm8998`, but not `a10` or
/// `m1`, which several vendors have, and `juno`, which is also a word.
pub(super) fn is_telling(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    letters > 0 && digits > 0 && (word.len() >= 5 || word.len() == 4 && digits == 3)
}
