//! Names of Linux errors for messages, because users would have to look up "error 5".

use crate::table::Table;

const ERRORS: Table = Table::of(include_str!("../../../data/errno.tsv"));

/// `input/output error (EIO)`, or the number of an unknown error.
pub fn errno_words(errno: i32) -> String {
    match ERRORS.rows().find(|row| row.get("number").parse() == Ok(errno)) {
        Some(row) => format!("{} ({})", row.get("words"), row.get("name")),
        None => format!("error {errno}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_words() {
        assert!(ERRORS.rows().all(|row| row.number("number").is_some() && row.cell("words").is_some()));
        assert_eq!(errno_words(5), "input/output error (EIO)");
        assert_eq!(errno_words(4095), "error 4095");
    }
}
