//! Arguments of `sbc-bench identify`: this machine, a log or Record, or single texts of another.

use super::groups::RootFlags;
use clap::Args;
use std::path::PathBuf;

/// What is to be identified.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Identify {
    /// Identify the machine of this log or result file instead of the running one
    #[arg(value_name = "FILE", conflicts_with_all = ["cpuinfo", "compatible", "model", "root"])]
    pub(crate) file: Option<PathBuf>,
    /// /proc/cpuinfo of another machine; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) cpuinfo: Option<PathBuf>,
    /// Device tree `compatible` strings of another machine, such as radxa,rock-5b,rockchip,rk3588
    #[arg(long, value_name = "A,B,...")]
    pub(crate) compatible: Vec<String>,
    /// Model name of another machine, from its device tree or DMI
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(super) root: RootFlags,
}

impl Identify {
    /// True if single texts are given: then nothing else of a machine counts.
    pub(crate) fn has_text_facts(&self) -> bool {
        self.cpuinfo.is_some() || !self.compatible.is_empty() || self.model.is_some()
    }

    /// The strings of `--compatible`, each `vendor,part`. They have a comma in them, so that a list of
    /// them may come with commas, blanks or bars between, or as several options.
    pub(crate) fn compatible_strings(&self) -> Vec<String> {
        self.compatible.iter().flat_map(|text| strings(text)).collect()
    }
}

fn strings(text: &str) -> Vec<String> {
    // Amlogic's kernels write a blank behind the comma.
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
