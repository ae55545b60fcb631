//! Keys of SoCs: one key for all spellings of one silicon in kernels, logs and packages.

/// Key of a SoC in lower case: `rk3588` for `Rockchip RK3588/RK3588s (35881000)`, `bcm2711` for `BCM2711B0` and `Broadcom
/// BCM2711`. Of several part numbers the first one counts; packages and steppings of one silicon are one SoC.
pub fn soc_key(name: &str) -> String {
    let name = name.split(" (").next().unwrap_or(name);
    let name = name.split(['/', '@']).next().unwrap_or(name).to_lowercase();
    let name = name.replace("(r)", " ").replace("(tm)", " ");
    let words: Vec<&str> = name.split_whitespace().collect();
    let key = match words.as_slice() {
        // `Rockchip RK3588`: without the maker.
        [_, part] if part.contains(|c: char| c.is_ascii_digit()) => (*part).to_owned(),
        _ => words.join(" "),
    };
    without_package(&key).to_owned()
}

/// Key without stepping (Broadcom, `bcm2711b0`) and package (Rockchip, `rk3588s2`).
fn without_package(key: &str) -> &str {
    let digits_from = |prefix: &str| {
        let rest = key.strip_prefix(prefix)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits == 4).then_some((prefix.len() + digits, &rest[digits..]))
    };
    match (digits_from("rk"), digits_from("bcm")) {
        (Some((end, "s" | "s2")), _) => &key[..end],
        (_, Some((end, stepping))) if stepping.len() == 2 => &key[..end],
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::soc_key;

    #[test]
    fn spellings_of_one_silicon_are_one_soc() {
        for (name, expected) in [
            ("Rockchip RK3588/RK3588s (35881000)", "rk3588"),
            ("Rockchip RK3588S2 (35881000 / 35 88 12 fe)", "rk3588"),
            ("Rockchip RK3399", "rk3399"),
            ("BCM2711B0", "bcm2711"),
            ("Broadcom BCM2711", "bcm2711"),
            ("BCM2712", "bcm2712"),
            ("Allwinner R40/V40", "r40"),
            ("Amlogic S905X2/S905Y2/S905D2/T962X2", "s905x2"),
            ("Amlogic Meson GXM (S912) Revision 22:a (82:2)", "amlogic meson gxm"),
            ("Nvidia Jetson Orin NX", "nvidia jetson orin nx"),
            ("Intel(R) Celeron(R) CPU  J1900  @ 1.99GHz", "intel celeron cpu j1900"),
            ("Intel(R) N95", "n95"),
        ] {
            assert_eq!(soc_key(name), expected);
        }
    }
}
