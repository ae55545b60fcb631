//! Natural order of file names: `cpu2` before `cpu10`.

/// Splits a name into text and numbers, for natural sorting.
pub fn natural_key(name: &str) -> Vec<(String, u64)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text_end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, from_digits) = rest.split_at(text_end);
        let digits_end = from_digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(from_digits.len());
        let (digits, after) = from_digits.split_at(digits_end);
        key.push((text.to_owned(), digits.parse().unwrap_or(0)));
        rest = after;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_count() {
        for sorted in [&["cpu2", "cpu10"][..], &["a", "a1", "a1b", "a2", "b0"], &["", "1", "x"]] {
            let mut names = sorted.to_vec();
            names.reverse();
            names.sort_unstable_by_key(|name| natural_key(name));
            assert_eq!(names, sorted);
        }
    }
}
