//! A machine described by a few texts only.

use crate::board::DEVICE_TREE;
use crate::{BoardFile, cpuinfo::CpuInfo};

/// At most one of this many lines of `/proc/cpuinfo` may have another format.
const OTHERS_SHARE: usize = 4;

/// Known texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts<'a> {
    /// `/proc/cpuinfo`.
    pub cpuinfo: Option<&'a [u8]>,
    /// The strings of the device tree's `compatible`.
    pub compatible: &'a [String],
    /// The device tree's `model`.
    pub model: Option<&'a str>,
}

impl Texts<'_> {
    /// Files that contain these texts on a machine.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let compatible = (!self.compatible.is_empty()).then(|| self.compatible.join("\0").into_bytes());
        [
            ("/proc/cpuinfo".to_owned(), self.cpuinfo.map(<[u8]>::to_vec)),
            (format!("{DEVICE_TREE}/compatible"), compatible),
            (format!("{DEVICE_TREE}/model"), self.model.map(|model| model.as_bytes().to_vec())),
        ]
        .into_iter()
        .filter_map(|(path, content)| Some((path, content?)))
        .collect()
    }

    /// Machine with these files; other files are unknown rather than absent.
    pub fn machine(&self) -> BoardFile {
        let files = self.files();
        let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let reason = match names.split_last() {
            None => "nothing of this machine was given".to_owned(),
            Some((last, [])) => format!("only {last} was given"),
            Some((last, others)) => format!("only {} and {last} were given", others.join(", ")),
        };
        let whole = files.iter().fold(BoardFile::default(), |all, (path, content)| all.with_file(path, content));
        whole.with_others(&reason)
    }
}

/// True if a text is `/proc/cpuinfo` alone: it describes a CPU, and nearly all lines have its format. Pasted texts may
/// include the command line above.
pub fn is_cpuinfo(text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let others = lines().filter(|line| !line.contains(':')).count();
    others * OTHERS_SHARE <= lines().count() && CpuInfo::parse(text).describes_a_cpu()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identify;

    const PI: &str = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n\nHardware\t: BCM2711\n";

    #[test]
    fn cpuinfo_is_recognised() {
        for (text, expected) in [
            (PI.to_owned(), true),
            (format!("pi@host $ cat /proc/cpuinfo\r\n{}", PI.replace('\n', "\r\n")), true),
            ("Processor : ARMv6-compatible processor rev 7\nCPU part : 0xb76\n".into(), true),
            ("system type : X\ncpu model : MIPS 24KEc V5.0\n".into(), true),
            (String::new(), false),
            ("{}".into(), false),
            ("Hello: my board is slow\nprocessor\nis\nhot".into(), false),
            ("subject: hello\nfrom: me\n".into(), false),
        ] {
            assert_eq!(is_cpuinfo(&text), expected, "{text}");
        }
    }

    #[test]
    fn absent_texts_are_missing_for_their_reason() {
        let compatible = ["raspberrypi,4-model-b".to_owned()];
        for (texts, reason) in [
            (Texts { cpuinfo: Some(PI.as_bytes()), ..Texts::default() }, "only /proc/cpuinfo was given"),
            (
                Texts { cpuinfo: Some(PI.as_bytes()), compatible: &compatible, ..Texts::default() },
                "only /proc/cpuinfo and /sys/firmware/devicetree/base/compatible were given",
            ),
            (Texts::default(), "nothing of this machine was given"),
        ] {
            let machine = identify(&texts.machine());
            let why = machine.memory_kib.missing().map(ToString::to_string);
            assert_eq!(why.as_deref(), Some(reason));
            for fact in [&machine.kernel_release, &machine.distribution, &machine.virtualisation, &machine.hostname] {
                assert_eq!(fact.missing().map(ToString::to_string).as_deref(), Some(reason));
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn recognising_never_panics(text in "(processor|CPU part|[ \t:\r\n0-9x]|\\PC){0,40}") {
            if is_cpuinfo(&text) {
                identify(&Texts { cpuinfo: Some(text.as_bytes()), ..Texts::default() }.machine());
            }
        }
    }
}
