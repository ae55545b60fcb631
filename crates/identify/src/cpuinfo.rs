//! Parser of `/proc/cpuinfo` in the formats of kernels of all ages and architectures. It assigns lines to CPUs; other
//! modules interpret the lines.
//!
//! Four formats exist. Most kernels print one block for each online CPU. Old 32-bit ARM kernels print numbered blocks
//! that only have a BogoMIPS line, and one common block with everything else. Old 64-bit ARM kernels print all
//! `processor` lines in a row, followed by one block. Kernels without SMP print a single block without a number.
//! Source: `c_show` in `arch/*/kernel` of Linux.

use crate::data::parse_number;
use std::collections::BTreeMap;

/// Lines of one block by their keys in lower case: the first value of each.
type Fields = BTreeMap<String, String>;

/// A parsed `/proc/cpuinfo`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuInfo {
    blocks: BTreeMap<u32, Fields>,
    common: Fields,
}

impl CpuInfo {
    /// Parses the text; lines without a colon are ignored.
    pub(crate) fn parse(text: &str) -> Self {
        let mut info = Self::default();
        let mut current = LineTarget::All;
        let mut harts = 0;
        for line in text.lines() {
            if line.trim().is_empty() {
                current = LineTarget::All;
                continue;
            }
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim(), value.trim());
            if let Some(cpu) = block_number(key, value, &current, &mut harts) {
                // Consecutive numbers share the block that follows the last one.
                let in_a_row = match current {
                    LineTarget::All => false,
                    LineTarget::Row => true,
                    LineTarget::Block(last) => info.blocks.get(&last).is_none_or(Fields::is_empty),
                };
                current = if in_a_row { LineTarget::Row } else { LineTarget::Block(cpu) };
                info.blocks.entry(cpu).or_default();
                continue;
            }
            let fields = match &current {
                LineTarget::Block(cpu) => info.blocks.entry(*cpu).or_default(),
                LineTarget::All | LineTarget::Row => &mut info.common,
            };
            fields.entry(key.to_ascii_lowercase()).or_insert_with(|| value.to_owned());
        }
        info
    }

    /// Numbers of all CPUs with a block.
    pub(crate) fn cpus(&self) -> impl Iterator<Item = u32> {
        self.blocks.keys().copied()
    }

    /// Value of a line in the block of this CPU, by lower-case key.
    pub(crate) fn own(&self, cpu: u32, key: &str) -> Option<&str> {
        find(self.blocks.get(&cpu)?, key)
    }

    /// Value of a line outside of all blocks, which applies to every CPU.
    pub(crate) fn common(&self, key: &str) -> Option<&str> {
        find(&self.common, key)
    }

    /// First value of a line in any block.
    pub(crate) fn any(&self, key: &str) -> Option<&str> {
        find(&self.common, key).or_else(|| self.blocks.values().find_map(|block| find(block, key)))
    }

    /// True if it lists CPUs, or has a line that kernels without SMP print for their only CPU.
    pub(crate) fn describes_a_cpu(&self) -> bool {
        let is_told = |key: &str| self.common(key).is_some();
        !self.blocks.is_empty() || ["cpu part", "cpu model", "processor", "model name"].into_iter().any(is_told)
    }

    /// True if the ARM registers are outside of all blocks, or one line names two types: the values then describe the
    /// CPU that printed them, and the other CPUs may be of another type.
    pub(crate) fn describes_one_for_all(&self) -> bool {
        const REGISTER: &str = "cpu part";
        let in_block = |block: &Fields| find(block, REGISTER).is_some();
        let of_several = |block: &Fields| find(block, REGISTER).is_some_and(|part| part.contains('&'));
        let mut blocks = self.blocks.values().chain([&self.common]);
        find(&self.common, REGISTER).is_some() && !self.blocks.values().any(in_block) || blocks.any(of_several)
    }
}

/// Target of the lines being parsed.
enum LineTarget {
    /// All CPUs.
    All,
    /// One CPU.
    Block(u32),
    /// Several CPUs whose numbers are in a row.
    Row,
}

/// Number of the CPU whose block this line begins. On ARM the key `Processor` with a capital letter is text. RISC-V
/// kernels before 5.0 print only `hart`, the number of the hardware thread; blocks are then numbered in order.
fn block_number(key: &str, value: &str, current: &LineTarget, harts: &mut u32) -> Option<u32> {
    match key {
        "processor" => u32::try_from(parse_number(value)?).ok(),
        "hart" if matches!(current, LineTarget::All) => {
            *harts += 1;
            Some(*harts - 1)
        }
        _ => None,
    }
}

fn find<'a>(fields: &'a Fields, key: &str) -> Option<&'a str> {
    fields.get(key).map(String::as_str).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_shapes_are_found() {
        for (text, cpus, own, common) in [
            // One block for each CPU, as most kernels print, with the line ends of a pasted copy.
            (
                "processor\t: 0\r\nCPU part\t: 0xd03\r\n\r\nprocessor\t: 10\r\nCPU part\t: 0xd08\r\n",
                vec![0, 10],
                Some("0xd03"),
                None,
            ),
            // 32-bit ARM before 3.8: numbered blocks and a common one.
            (
                "Processor : ARMv7 Processor rev 2 (v7l)\nprocessor : 0\nBogoMIPS : 1\n\n\
                 processor : 1\nBogoMIPS : 1\n\nCPU part : 0xc08\n\nHardware : sun4i\n",
                vec![0, 1],
                None,
                Some("0xc08"),
            ),
            // 64-bit ARM before 3.19: numbers in a row, followed by one block.
            (
                "Processor : AArch64 Processor rev 3\nprocessor : 0\nprocessor : 1\nCPU part : 0xd03\n",
                vec![0, 1],
                None,
                Some("0xd03"),
            ),
            // One CPU without a number.
            ("Processor : ARMv6-compatible processor rev 7\nCPU part : 0xb76\n", vec![], None, Some("0xb76")),
            // RISC-V 4.19: harts only.
            ("hart : 1\nisa : rv64\n\nhart : 2\nisa : rv64\n", vec![0, 1], None, None),
            ("", vec![], None, None),
            ("processor : много\n:\n : x\nprocessor : 0", vec![0], None, None),
        ] {
            let info = CpuInfo::parse(text);
            assert_eq!(info.cpus().collect::<Vec<_>>(), cpus, "{text}");
            assert_eq!(info.own(0, "cpu part"), own, "{text}");
            assert_eq!(info.common("cpu part"), common, "{text}");
        }
    }

    #[test]
    fn value_of_every_block_is_not_common() {
        let text = "processor : 0\nmodel name : A\n\nprocessor : 1\nmodel name : B\n";
        let info = CpuInfo::parse(text);
        assert_eq!(info.common("model name"), None);
        assert_eq!(info.any("model name"), Some("A"));
    }

    proptest::proptest! {
        #[test]
        fn parse_never_panics(text in "(processor|hart|CPU part|[ \t:\r\n0-9x\u{0}]|\\PC){0,40}") {
            let info = CpuInfo::parse(&text);
            for cpu in info.cpus() {
                info.own(cpu, "cpu part");
            }
            info.common("cpu part");
        }
    }
}
