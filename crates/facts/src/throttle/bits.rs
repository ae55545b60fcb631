//! Decoders of registers and firmware bits that report throttling. Pure.

use super::Reason;

/// Live bits of `IA32_THERM_STATUS` (0x19C): Intel SDM volume 4, table 2-2, and volume 3, section "Digital readout".
/// The bit after each is its sticky log, up to the last boot.
pub(super) const CORE: [(u32, Reason); 6] = [
    (0, Reason::Heat),
    (2, Reason::External),
    (4, Reason::CriticalHeat),
    (10, Reason::PowerLimit),
    (12, Reason::CurrentLimit),
    (14, Reason::OtherDomain),
];

/// Live bits of `IA32_PACKAGE_THERM_STATUS` (0x1B1).
pub(super) const PACKAGE: [(u32, Reason); 4] =
    [(0, Reason::Heat), (2, Reason::External), (4, Reason::CriticalHeat), (10, Reason::PowerLimit)];

/// Live bits of a Raspberry Pi's firmware (mailbox property `0x00030046`); the same bits 16 places higher are sticky
/// since boot.
pub(super) const FIRMWARE: [(u32, Reason); 4] = [
    (0, Reason::LowVoltage),
    (1, Reason::ClockCapped),
    (2, Reason::FirmwareThrottled),
    (3, Reason::SoftTemperatureLimit),
];

/// Reasons whose bits of a table are set.
pub(super) fn reasons(bits: i64, table: &[(u32, Reason)]) -> Vec<Reason> {
    let set = table.iter().filter(|(bit, _)| bits >> bit & 1 == 1);
    set.map(|(_, reason)| *reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_decoded() {
        use Reason::*;
        for (bits, expected) in [
            // Readout 34 degrees below, valid; the log bits of heat and power stick.
            (0x8822_0802, &[][..]),
            (0x8800_0003, &[Heat]),
            (0x8822_0c04, &[External, PowerLimit]),
            (0x8822_5000, &[CurrentLimit, OtherDomain]),
            (0x8800_0030, &[CriticalHeat]),
            (-1, &[Heat, External, CriticalHeat, PowerLimit, CurrentLimit, OtherDomain]),
        ] {
            assert_eq!(reasons(bits, &CORE), expected, "{bits:x}");
        }
        assert_eq!(reasons(0x0022_5c01, &PACKAGE), [Heat, PowerLimit]);
    }

    #[test]
    fn sticky_bits_of_the_firmware_are_history() {
        use Reason::*;
        for (bits, expected) in [
            (0x50000, &[][..]),
            (0x50005, &[LowVoltage, FirmwareThrottled]),
            (0xe0008, &[SoftTemperatureLimit]),
            (0x2, &[ClockCapped]),
        ] {
            assert_eq!(reasons(bits, &FIRMWARE), expected, "{bits:x}");
        }
    }
}
