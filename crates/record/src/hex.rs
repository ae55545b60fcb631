//! Bytes in hexadecimal digits.

/// Two lower-case digits for each byte, without a separator.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(hex(&[0, 1, 0x7f, 0xff]), "00017fff");
        assert_eq!(hex(&[]), "");
    }
}
