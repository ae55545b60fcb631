//! Rows of `free -h` in any language; they also mark the start of its section.

use super::text;

/// True for a row of `free -h`: a name with a colon and at least six sizes.
pub(super) fn is_free_row(text: &str) -> bool {
    sizes(text).is_some_and(|sizes| sizes.len() >= 6 || is_own_row(text, &sizes))
}

/// Matches `Mem: 24105Mi 485Mi 23255Mi 23619Mi`: total, used, free and available, as this program prints them.
fn is_own_row(text: &str, sizes: &[u64]) -> bool {
    sizes.len() == 4 && text.trim_start().starts_with("Mem:")
}

/// Sizes in a row of `free -h`, in KiB.
pub(super) fn sizes(text: &str) -> Option<Vec<u64>> {
    let (name, rest) = text.trim().split_once([':', '：'])?;
    if name.len() > 40 || !rest.starts_with([' ', '\t']) {
        return None;
    }
    rest.split_whitespace().map(text::size_kib).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_free_in_any_language() {
        for (text, is_row) in [
            ("Mem:           5.8Gi       283Mi       5.4Gi       8.7Mi       135Mi       5.5Gi", true),
            ("Память:  1,9G  66M  1,7G  8,3M  95M  1,7G", true),
            ("Swap:          2.9Gi          0B       2.9Gi", false),
            ("Codename: sid", false),
        ] {
            assert_eq!(is_free_row(text), is_row, "{text}");
        }
    }
}
