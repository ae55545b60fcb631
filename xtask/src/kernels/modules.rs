//! Kernel modules that a machine may need, each after its dependencies by `.modinfo`.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules for disks, cards, file systems, sensors and clocks of the machines; some kernels have them built in.
const WANTED: &[&str] = &[
    "crc32c_generic",
    "crc32c_cryptoapi",
    "libcrc32c",
    "virtio_pci",
    "virtio_mmio",
    "virtio_blk",
    "ext4",
    "nvme",
    "xhci_pci",
    "phy_generic",
    "dwc2",
    "usb_storage",
    "sd_mod",
    "mmc_block",
    "bcm2835",
    "sdhci_iproc",
    "sunxi_mmc",
    "bcm2835_thermal",
    "raspberrypi_hwmon",
    "raspberrypi_cpufreq",
    "cppc_cpufreq",
    "ramoops",
];

/// A module, ready to be loaded.
pub(super) struct Module {
    /// Name with `_`.
    pub(super) name: String,
    /// Content without compression.
    pub(super) bytes: Vec<u8>,
}

/// Reduces a folder of a kernel's modules, which has hundreds of megabytes, to the wanted ones: uncompressed, with names in
/// load order.
pub(super) fn reduce(folder: &Path) -> Result<()> {
    let mut files = BTreeMap::new();
    find(folder, &mut files)?;
    let mut ordered = Vec::new();
    for name in WANTED {
        visit(name, &mut files, &mut ordered)?;
    }
    workspace::empty(folder)?;
    for (number, Module { name, bytes }) in ordered.iter().enumerate() {
        fs::write(folder.join(format!("{number:02}-{name}")), bytes)?;
    }
    Ok(())
}

/// Remaining modules of [`reduce`], in order.
pub(super) fn of(folder: &Path) -> Result<Vec<Module>> {
    let module = |path: PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()?.split_once('-'));
        let name = name.context("no module of ours")?.1.to_owned();
        Ok(Module { name, bytes: fs::read(&path)? })
    };
    workspace::entries(folder)?.into_iter().map(module).collect()
}

/// Appends a module after its dependencies, unless it does not exist or is already there.
fn visit(name: &str, files: &mut BTreeMap<String, PathBuf>, ordered: &mut Vec<Module>) -> Result<()> {
    let Some(path) = files.remove(name) else { return Ok(()) };
    let bytes = read(&path).with_context(|| path.display().to_string())?;
    for needed in depends(&bytes) {
        visit(&needed, files, ordered)?;
    }
    ordered.push(Module { name: name.to_owned(), bytes });
    Ok(())
}

fn find(folder: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    for path in workspace::entries(folder)? {
        if path.is_dir() && !path.is_symlink() {
            find(&path, files)?;
        } else if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && let Some((name, _)) = name.split_once(".ko")
        {
            files.insert(name.replace('-', "_"), path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    if path.extension().is_none_or(|extension| extension != "xz") {
        return Ok(fs::read(path)?);
    }
    let output = Command::new("xz").arg("-dc").arg(path).output().context("xz")?;
    ensure!(output.status.success(), "xz ended with {}", output.status);
    Ok(output.stdout)
}

/// Names after `depends=` in the section `.modinfo`, whose strings end with zeros.
fn depends(module: &[u8]) -> Vec<String> {
    const KEY: &[u8] = b"\0depends=";
    let Some(at) = module.windows(KEY.len()).position(|window| window == KEY) else { return Vec::new() };
    let value = module[at + KEY.len()..].split(|byte| *byte == 0).next().unwrap_or_default();
    let names = String::from_utf8_lossy(value).replace('-', "_");
    names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_says_what_it_depends_on() {
        let check = |module: &[u8], expected: &[&str]| assert_eq!(depends(module), expected);
        check(b"ELF\0license=GPL\0depends=mbcache,jbd2,crc-x\0name=ext4\0", &["mbcache", "jbd2", "crc_x"]);
        check(b"\0depends=\0name=mbcache\0", &[]);
        check(b"no module", &[]);
    }
}
