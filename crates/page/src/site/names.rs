//! File names of a site: only letters, digits and `-`, so that they are valid on every file system and in every URL.

/// Maximum length of a name.
const LETTERS_MAX: usize = 60;

/// File name without extension. Names that differ in more than case, blanks and punctuation stay distinct.
pub(super) fn of(name: &str) -> String {
    let mut made = String::new();
    let mut is_lossy = false;
    for letter in name.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => made.push(letter.to_ascii_lowercase()),
            // `Model B` and `Model B+` are different boards.
            '+' => made.push_str("-plus-"),
            letter => {
                is_lossy |= !letter.is_ascii();
                made.push('-');
            }
        }
    }
    let words: Vec<&str> = made.split('-').filter(|word| !word.is_empty()).collect();
    let mut short = words.join("-");
    is_lossy |= short.len() > LETTERS_MAX || short.is_empty();
    short.truncate(LETTERS_MAX);
    match (is_lossy, short.trim_end_matches('-')) {
        (false, short) => short.to_owned(),
        (true, "") => format!("{:08x}", hash(name)),
        (true, short) => format!("{short}-{:08x}", hash(name)),
    }
}

/// Name of a result's page, from its file name without extension and its content.
///
/// `content` is the hash of the file in hexadecimal digits; a few of them distinguish files with the same name.
pub fn of_result(file: &str, content: &str) -> String {
    const DIGITS: usize = 10;
    let last = file.rsplit('/').next().unwrap_or(file);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    let digits: String = content.chars().filter(char::is_ascii_hexdigit).take(DIGITS).collect();
    format!("{}-{digits}", of(stem))
}

/// FNV-1a of 32 bits (RFC 9923), which never changes between versions, so that links stay valid.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_told_apart() {
        for (name, expected) in [
            ("Raspberry Pi 3 Model B", "raspberry-pi-3-model-b"),
            ("Raspberry Pi 3 Model B+", "raspberry-pi-3-model-b-plus"),
            ("../../etc/passwd", "etc-passwd"),
            ("RK3588/RK3588s", "rk3588-rk3588s"),
            ("a%2e%2e\\b", "a-2e-2e-b"),
        ] {
            assert_eq!(of(name), expected);
        }
        let odd = ["", "..", "板", "榜", "Ünï", "Uni", "<script>", &"x".repeat(300), &"x".repeat(301), "\0", "-"];
        let names: std::collections::BTreeSet<String> = odd.iter().map(|name| of(name)).collect();
        assert_eq!(names.len(), odd.len(), "{names:?}");
        for name in names {
            assert!(name.len() <= LETTERS_MAX + 9 && !name.is_empty(), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
        }
        assert_eq!(of_result("a/../B c.txt", "0123456789abcdef"), "b-c-0123456789");
        assert_eq!(of_result("..", "ff"), format!("{}-ff", of(".")));
    }
}
