//! `sbc-bench identify`: board, SoC with its evidence, CPUs, clusters and memory, for this machine, a
//! board file, a log, or single texts of another machine.

use crate::args::Identify;
use crate::{input, output};
use anyhow::Context;
use facts::soc;
use machine::{Root, Texts, root_of_texts};
use std::io::Read;
use std::path::Path;

/// No cpuinfo is longer, not even that of thousands of CPUs; what is longer is cut here.
const CPUINFO_BYTES_MAX: u64 = 16 << 20;

pub(crate) fn run(root: &Root, args: &Identify) -> anyhow::Result<u8> {
    let machine = match &args.file {
        Some(file) => super::explain::read(file)?.machine,
        None if args.has_text_facts() => machine::identify(&of_texts(root, args)?),
        None => bench::identified(root),
    };
    let answer = soc::identify(&machine);
    let shown = if args.json { soc::json(&machine, &answer) } else { soc::text(&machine, &answer) };
    output::print(&shown)?;
    Ok(0)
}

/// A machine of which only the given texts are known. With `--root` they stand in its files' places.
fn of_texts(root: &Root, args: &Identify) -> anyhow::Result<Root> {
    let cpuinfo = match &args.cpuinfo {
        Some(path) => Some(bounded(path)?),
        None => None,
    };
    let compatible = args.compatible_strings();
    if let Some((path, text)) = args.cpuinfo.as_ref().zip(cpuinfo.as_ref()) {
        let is_one = machine::is_cpuinfo(&String::from_utf8_lossy(text));
        anyhow::ensure!(is_one, "{} is not a /proc/cpuinfo: no line of it describes a processor.", path.display());
    }
    let base = if root.is_system() { None } else { Some(root) };
    let texts = Texts { cpuinfo: cpuinfo.as_deref(), compatible: &compatible, model: args.model.as_deref() };
    Ok(root_of_texts(base, &texts))
}

/// The beginning of a file, which may be endless.
fn bounded(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input = input::open(path)?;
    let result = input.take(CPUINFO_BYTES_MAX).read_to_end(&mut bytes);
    result.with_context(|| format!("Cannot read {}", path.display()))?;
    Ok(bytes)
}
