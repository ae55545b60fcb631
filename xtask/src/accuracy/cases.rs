//! Cases of public reports, as files next to the corpus: the SoC of a cpuinfo, and the verdict on console output.

use super::{Judgement, Table, machines};
use anyhow::Result;
use facts::soc;
use machine::{Texts, root_of_texts};
use std::path::Path;

/// A cpuinfo, the compatible string of its device tree, and its SoC.
const CPUINFO: [(&str, &str, &[&str]); 7] = [
    ("08-mt6785.cpuinfo", "", &["MediaTek MT6785"]),
    ("08-mt6785v-cd.cpuinfo", "", &["MediaTek MT6785"]),
    ("09-two-sockets-smt4.cpuinfo", "", &["Marvell ThunderX2 CN9980"]),
    ("11-helio-g85.cpuinfo", "", &["MediaTek MT6768"]),
    ("12-rzg2ul.cpuinfo", "", &["Renesas RZ/G2UL"]),
    // A guest: no SoC.
    ("14-qemu-cortex-a72.cpuinfo", "", &[]),
    ("42-x1p-wsl2.cpuinfo", "qcom,x1p42100", &["Qualcomm X1P42100"]),
];

/// Pasted output of a console, which shows no evidence.
const PASTES: [&str; 2] = ["20-console-paste.txt", "24-console-paste-two-cores.txt"];

/// Adds the cases, if their folder is there.
pub(super) fn check(folder: &Path, table: &mut Table) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for (file, compatible, right) in CPUINFO {
        let cpuinfo = std::fs::read(folder.join(file))?;
        let texts = Texts { cpuinfo: Some(&cpuinfo), ..Texts::default() };
        let mut machine = machine::identify(&root_of_texts(None, &texts));
        machine.compatible.extend(Some(compatible.to_owned()).filter(|compatible| !compatible.is_empty()));
        let found = soc::identify(&machine).names();
        let right: Vec<String> = right.iter().map(|name| (*name).to_owned()).collect();
        let judgement = match (found.as_slice(), right.as_slice()) {
            ([], []) => Judgement::Right,
            _ => machines::judge(file, &found, &right),
        };
        table.add("cases: SoCs", judgement);
    }
    for file in PASTES {
        let text = std::fs::read_to_string(folder.join(file))?;
        let record = logs::read(&text);
        let verdict = explain::explain(&record).assessment.verdict;
        let is_wrong = verdict != facts::Verdict::Unproven;
        table.add_defect("cases: verdicts", is_wrong.then(|| format!("{file}: {verdict}")));
    }
    Ok(())
}
