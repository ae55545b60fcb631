//! Rails of a Raspberry Pi 5's power controller: a built-in power meter.
//!
//! The firmware answers the command `pmic_read_adc` with text, one line for the current and one for the voltage of each
//! rail: `3V3_SYS_A current(1)=0.06930480A`, `3V3_SYS_V volt(9)=3.30738700V`.
//! <https://www.raspberrypi.com/documentation/computers/os.html#vcgencmd>. The rails are behind the board's own
//! converters: their sum is less than the power of the board, and excludes USB devices.

use crate::number::{NONE, lines};

/// Command.
pub(super) const COMMAND: &[u8] = b"pmic_read_adc";
/// Maximum number of rails: the power controller has 27 lines.
pub const PMIC_RAILS_MAX: usize = 48;

/// Line of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rail {
    /// Name in lower case without its kind: `3v3_sys`.
    pub name: String,
    /// True for a voltage (in microvolts), false for a current (in milliamperes).
    pub is_voltage: bool,
}

/// Rails of an answer, ordered by name.
pub(super) fn rails(text: &[u8]) -> Vec<Rail> {
    let lines = lines(text).filter_map(line).take(PMIC_RAILS_MAX - 1);
    lines
        .map(|(name, is_voltage, _)| Rail { name: String::from_utf8_lossy(name).to_ascii_lowercase(), is_voltage })
        .collect()
}

/// Total power in microwatts, then current in milliamperes or voltage in microvolts of each line.
pub(super) fn parse(text: &[u8], values: &mut [i64]) {
    let Some((total, each)) = values.split_first_mut() else { return };
    let mut product = None;
    for ((name, is_voltage, nano), value) in lines(text).filter_map(line).zip(each) {
        *value = nano / if is_voltage { 1_000 } else { 1_000_000 };
        if is_voltage {
            continue;
        }
        let mut voltages = lines(text).filter_map(line);
        let voltage = voltages.find(|(of, is_voltage, _)| *is_voltage && *of == name);
        if let Some((_, _, nanovolts)) = voltage {
            let sum = product.get_or_insert(0_i128);
            *sum = sum.saturating_add(i128::from(nano) * i128::from(nanovolts));
        }
    }
    let microwatts = product.and_then(|product| i64::try_from(product / 1_000_000_000_000).ok());
    *total = microwatts.unwrap_or(NONE);
}

/// Name, kind and value of a line, in billionths.
fn line(line: &[u8]) -> Option<(&[u8], bool, i64)> {
    let line = line.trim_ascii();
    let equals = line.iter().position(|byte| *byte == b'=')?;
    let name = line.split(|byte| *byte == b' ').next()?;
    let is_voltage = name.ends_with(b"_V");
    if !is_voltage && !name.ends_with(b"_A") {
        return None;
    }
    let nano = billionths(&line[equals + 1..])?;
    Some((&name[..name.len() - 2], is_voltage, nano))
}

/// Parses a decimal number such as `0.06930480`, followed by anything but digits.
fn billionths(text: &[u8]) -> Option<i64> {
    let (whole, rest) = crate::number::take_number(text)?;
    let mut nano = whole.checked_mul(1_000_000_000)?;
    let mut place = 100_000_000;
    let decimals = rest.strip_prefix(b".").unwrap_or_default();
    for digit in decimals.iter().take_while(|byte| byte.is_ascii_digit()) {
        nano = nano.checked_add(i64::from(digit - b'0') * place)?;
        place /= 10;
    }
    Some(nano)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"   3V7_WL_SW_A current(0)=0.09759325A
     3V3_SYS_A current(1)=0.05562826A
   3V7_WL_SW_V volt(8)=3.71551300V
     3V3_SYS_V volt(9)=3.31174500V
       EXT5V_V volt(24)=5.14389000V
";

    #[test]
    fn rails_have_current_voltage_and_power() {
        let names: Vec<String> = rails(TEXT).into_iter().map(|rail| rail.name).collect();
        let expected = ["3v7_wl_sw", "3v3_sys", "3v7_wl_sw", "3v3_sys", "ext5v"];
        assert_eq!(names, expected);
        let mut values = [NONE; 7];
        parse(TEXT, &mut values);
        // 0.09759325 A * 3.715513 V + 0.05562826 A * 3.311745 V = 0.54683... W
        let expected = [546_835, 97, 55, 3_715_513, 3_311_745, 5_143_890, NONE];
        assert_eq!(values, expected);
    }

    #[test]
    fn garbled_answers_are_ignored() {
        for text in [
            &b"error=1 error_msg=\"Command not registered\""[..],
            b"",
            b"_V",
            b"x_A=",
            b"a_A current=x",
            b"a_A current=9223372036.9",
        ] {
            let mut values = [NONE; 3];
            parse(text, &mut values);
            assert_eq!(values, [NONE; 3]);
        }
    }
}
