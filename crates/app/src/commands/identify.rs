//! `sbc-bench inspect identify`: board, SoC with its evidence, CPUs, clusters and memory of this machine, a board file, a log,
//! or single texts of another machine.

use super::Command;
use crate::args::Environment;
use crate::args::groups::RootFlags;
use anyhow::Context;
use console::read::{FILE_BYTES_MAX, NoResults, read_from};
use console::{input, output};
use facts::soc;
use logs::any_file;
use machine::{BoardFile, Root, Texts, root_of_texts};
use record::Machine;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum size of cpuinfo, above that of thousands of CPUs; the rest is cut.
const CPUINFO_BYTES_MAX: u64 = 16 << 20;

/// Identify board, SoC, CPUs and memory
#[derive(Debug, clap::Args)]
pub(crate) struct Identify {
    /// Identify the machine of this log, result file, snapshot or /proc/cpuinfo instead of the running one
    #[arg(value_name = "FILE", conflicts_with_all = ["cpuinfo", "compatible", "model", "root"])]
    file: Option<PathBuf>,
    /// /proc/cpuinfo of another machine; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    cpuinfo: Option<PathBuf>,
    /// Device tree `compatible` strings of another machine, such as radxa,rock-5b,rockchip,rk3588
    #[arg(long, value_name = "A,B,...")]
    compatible: Vec<String>,
    /// Model name of another machine, from its device tree or DMI
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootFlags,
}

impl Command for Identify {
    fn run(mut self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        if self.file.is_none() && !self.has_text_facts() {
            self.cpuinfo = Environment::read().get("CPUINFOFILE").map(PathBuf::from);
        }
        let machine = match &self.file {
            Some(file) => of_file(file)?,
            None if self.has_text_facts() => machine::identify(&of_texts(root, &self)?),
            None => workloads::measure::emulation::identified(root),
        };
        let answer = soc::identify(&machine);
        if self.json {
            output::print(&soc::json(&machine, &answer))?;
        } else {
            output::print_text(&soc::text(&machine, &answer))?;
        }
        Ok(0)
    }
}

impl Identify {
    /// True if single texts are given; nothing else of a machine is then read.
    fn has_text_facts(&self) -> bool {
        self.cpuinfo.is_some() || !self.compatible.is_empty() || self.model.is_some()
    }

    /// The strings of `--compatible`, each `vendor,part`. Commas, blanks, bars or several options separate them.
    fn compatible_strings(&self) -> Vec<String> {
        self.compatible.iter().flat_map(|text| strings(text)).collect()
    }
}

fn strings(text: &str) -> Vec<String> {
    // Amlogic's kernels write a blank after the comma.
    let text = text.replace(", ", ",");
    let separators = |c: char| c.is_whitespace() || matches!(c, '|' | ';' | '\0');
    let lists = text.split(separators).filter(|list| !list.is_empty());
    let pairs = |list: &str| -> Vec<String> {
        let words: Vec<&str> = list.split(',').filter(|word| !word.is_empty()).collect();
        match words.len() {
            0 => Vec::new(),
            // An odd number cannot be pairs: some strings have no comma, or two.
            count if count % 2 == 1 => vec![words.join(",")],
            _ => words.chunks(2).map(|pair| pair.join(",")).collect(),
        }
    };
    lists.flat_map(pairs).collect()
}

/// Machine of a snapshot, of `/proc/cpuinfo`, or of a result.
fn of_file(file: &Path) -> anyhow::Result<Machine> {
    let bytes = archive::unpacked(input::read(file, FILE_BYTES_MAX)?, FILE_BYTES_MAX as usize);
    let bytes = bytes.map_err(|problem| anyhow::anyhow!("{} {problem}.", file.display()))?;
    let text = any_file::text(&bytes);
    if BoardFile::is_one(&text) {
        let root = Root::of_board_file(&file.display().to_string(), &bytes)?;
        return Ok(workloads::measure::emulation::identified(&root));
    }
    let is_cpuinfo = machine::is_cpuinfo(&text);
    drop(text);
    // Logs of x86 machines quote /proc/cpuinfo.
    match read_from(&bytes[..], file) {
        Err(error) if is_cpuinfo && error.is::<NoResults>() => {
            let texts = Texts { cpuinfo: Some(&bytes), ..Texts::default() };
            Ok(machine::identify(&root_of_texts(None, &texts)))
        }
        result => Ok(result?.machine),
    }
}

/// Machine of the given texts; with `--root` they replace its files.
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

/// Reads the beginning of a file, which may be endless.
fn bounded(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input = input::open(path)?;
    let result = input.take(CPUINFO_BYTES_MAX).read_to_end(&mut bytes);
    result.with_context(|| format!("Cannot read {}", path.display()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::strings;

    #[test]
    fn compatible_lists() {
        for (text, expected) in [
            ("rockchip,rk3399", &["rockchip,rk3399"][..]),
            ("radxa,rock-5b,rockchip,rk3588", &["radxa,rock-5b", "rockchip,rk3588"]),
            ("radxa,rock-5b rockchip,rk3588", &["radxa,rock-5b", "rockchip,rk3588"]),
            ("a,b|c,d", &["a,b", "c,d"]),
            ("vendor,board|amlogic, sc2", &["vendor,board", "amlogic,sc2"]),
            ("s7d_s905x5m_bm201", &["s7d_s905x5m_bm201"]),
            ("bananapi,bpi-m4-berry,h618", &["bananapi,bpi-m4-berry,h618"]),
            ("", &[]),
            (",,", &[]),
        ] {
            assert_eq!(strings(text), expected, "{text}");
        }
    }
}
