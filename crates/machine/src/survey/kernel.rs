//! Details of the kernel: configuration, taint, out-of-tree modules, CPU vulnerabilities, and traces of a vendor
//! kernel. Other crates interpret them.
//!
//! Sources: `/proc/config.gz` (`CONFIG_IKCONFIG_PROC`), Linux Documentation/admin-guide/ tainted-kernels.rst,
//! Documentation/ABI/testing/sysfs-module, sysfs-devices-system-cpu.

use super::files::{self, named};
use crate::{Root, kernel_log};
use identify::kernel_release;
use record::table::{Table, word_list};
use record::{KernelFacts, Missing, NamedValue, Reading};
use std::io::Read;
use std::sync::LazyLock;

/// Traces of vendor kernels.
pub(super) const TRACES: Table = Table::of(include_str!("../../../../data/kernel_traces.tsv"));
/// Maximum size of a kernel configuration in bytes.
const CONFIG_BYTES_MAX: u64 = 4 << 20;

/// Options that affect the behaviour of a kernel. `*` at the end matches any suffix.
static TELLING: LazyLock<Vec<&str>> = LazyLock::new(|| word_list("kernel-options"));

/// Collects all facts. `messages` are those of the boot.
pub(super) fn facts(root: &Root, messages: &[String]) -> KernelFacts {
    let config = config(root);
    let all: &[NamedValue] = config.as_deref().unwrap_or_default();
    let traces = traces(root, all, messages);
    let telling = |option: &&NamedValue| TELLING.iter().any(|name| fits(name, &option.name));
    KernelFacts {
        traces,
        config: match &config {
            Ok(options) => record::Fact::Known(options.iter().filter(telling).cloned().collect()),
            Err(missing) => missing.clone().into(),
        },
        taint: root.read_number("/proc/sys/kernel/tainted").into(),
        foreign_modules: foreign_modules(root),
        vulnerabilities: vulnerabilities(root),
        upstream: root.read_value("/proc/version_signature").into(),
    }
}

/// Configuration from the kernel, else from the file of its package.
fn config(root: &Root) -> Reading<Vec<NamedValue>> {
    const PACKED: &str = "/proc/config.gz";
    if let Ok(bytes) = root.read_bytes(PACKED) {
        return Ok(parse_config(&unpack(PACKED, &bytes)?, PACKED));
    }
    let release = kernel_release(root)?;
    // A release from a board file must not contain path separators.
    if release.contains('/') {
        return Err(Missing::garbled("/proc/sys/kernel/osrelease", &release));
    }
    let mut last = Missing::absent(PACKED);
    for path in [
        format!("/boot/config-{release}"),
        format!("/lib/modules/{release}/config"),
        format!("/usr/lib/modules/{release}/config"),
    ] {
        match root.read(&path) {
            Ok(text) => return Ok(parse_config(&text, &path)),
            Err(missing) => last = missing,
        }
    }
    Err(last)
}

/// Unpacks gzip data up to a limit.
fn unpack(path: &str, bytes: &[u8]) -> Reading<String> {
    let mut text = Vec::new();
    let reader = flate2::read::GzDecoder::new(bytes);
    match reader.take(CONFIG_BYTES_MAX).read_to_end(&mut text) {
        Ok(_) => Ok(String::from_utf8_lossy(&text).into_owned()),
        Err(error) => Err(Missing::garbled(path, &error.to_string())),
    }
}

/// Parses a kernel configuration: `CONFIG_HZ=250`. Unset options are ignored.
fn parse_config(text: &str, from: &str) -> Vec<NamedValue> {
    text.lines()
        .filter_map(|line| line.strip_prefix("CONFIG_")?.split_once('='))
        .map(|(name, value)| named(name, value.trim().trim_matches('"'), from))
        .collect()
}

/// `ARCH_SUN50IW*` matches all names with this prefix.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

/// Traces that need files of this machine; those in names are derived from a Record later.
fn traces(root: &Root, config: &[NamedValue], messages: &[String]) -> Vec<NamedValue> {
    const DEVFREQ: &str = "/sys/class/devfreq";
    let devices = root.list(DEVFREQ).unwrap_or_default();
    let governors: Vec<(String, String)> = devices
        .iter()
        .filter_map(|device| {
            let path = format!("{DEVFREQ}/{device}/available_governors");
            Some((root.read(&path).ok()?, path))
        })
        .collect();
    let found = |kind: &str, what: &str| match kind {
        "path" => files::exists(root, what).then(|| (what.to_owned(), what.to_owned())),
        "module" => {
            let path = format!("/sys/module/{what}");
            files::exists(root, &path).then(|| (what.to_owned(), path))
        }
        "config" => config
            .iter()
            .find(|option| fits(what, &option.name))
            .map(|option| (format!("CONFIG_{}", option.name), option.from.clone())),
        "governor" => governors
            .iter()
            .find(|(listed, _)| listed.split_whitespace().any(|word| word == what))
            .map(|(_, path)| (format!("governor {what}"), path.clone())),
        "message" => messages
            .iter()
            .find(|message| message.contains(what))
            .map(|_| (format!("message with {what}"), "kernel log".to_owned())),
        _ => None,
    };
    TRACES
        .rows()
        .filter_map(|row| {
            let (what, from) = found(row.get("kind"), row.get("what"))?;
            Some(named(row.get("id"), what, from))
        })
        .collect()
}

/// Modules that are out of tree or proprietary.
pub(crate) fn foreign_modules(root: &Root) -> Vec<String> {
    const FOLDER: &str = "/sys/module";
    let modules = root.list(FOLDER).unwrap_or_default();
    modules
        .into_iter()
        .filter(|module| {
            files::value(root, &format!("{FOLDER}/{module}/taint")).is_some_and(|taint| taint.contains(['O', 'P']))
        })
        .collect()
}

fn vulnerabilities(root: &Root) -> Vec<NamedValue> {
    const FOLDER: &str = "/sys/devices/system/cpu/vulnerabilities";
    let names = root.list(FOLDER).unwrap_or_default();
    names
        .into_iter()
        .filter_map(|name| {
            let path = format!("{FOLDER}/{name}");
            let value = files::value(root, &path)?;
            Some(named(name, value, path))
        })
        .collect()
}

/// Relevant options as a configuration with its path, for snapshots.
pub(crate) fn relevant_config(root: &Root) -> Option<(String, String)> {
    let options = config(root).ok()?;
    let release = kernel_release(root).ok()?;
    let counts = |name: &str| {
        let traced = TRACES.rows().any(|row| row.get("kind") == "config" && fits(row.get("what"), name));
        traced || TELLING.iter().any(|pattern| fits(pattern, name))
    };
    let lines = options
        .iter()
        .filter(|option| counts(&option.name))
        .map(|option| format!("CONFIG_{}={}\n", option.name, option.value));
    Some((format!("/boot/config-{release}"), lines.collect()))
}

/// Existing paths that are traces, for snapshots.
pub(crate) fn trace_paths(root: &Root) -> Vec<String> {
    let path = |kind: &str, what: &str| match kind {
        "path" => Some(what.to_owned()),
        "module" => Some(format!("/sys/module/{what}/initstate")),
        _ => None,
    };
    let paths = TRACES.rows().filter_map(|row| path(row.get("kind"), row.get("what")));
    paths.filter(|path| files::exists(root, path)).collect()
}

/// Boot messages that an inspection evaluates, for snapshots.
pub(crate) fn relevant_messages(root: &Root) -> Vec<String> {
    let mut messages = kernel_log::all_messages(root).unwrap_or_default();
    messages.retain(|message| {
        let traced = TRACES.rows().any(|row| row.get("kind") == "message" && message.contains(row.get("what")));
        traced || message.starts_with("mmc")
    });
    messages
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn packed_configuration_is_read() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(b"CONFIG_HZ=300\n# CONFIG_KASAN is not set\nCONFIG_ROCKCHIP_SIP=y\n").unwrap();
        let packed = packer.finish().unwrap();
        let root = Root::from_board("").unwrap();
        let root = root.with_file("/proc/config.gz", &packed);
        let facts = facts(&root, &["cpu cpu0: pvtm=1526".into()]);
        let config = facts.config.known().unwrap();
        assert_eq!(config.len(), 1);
        assert_eq!((config[0].name.as_str(), config[0].value.as_str()), ("HZ", "300"));
        let ids: Vec<&str> = facts.traces.iter().map(|trace| trace.name.as_str()).collect();
        assert_eq!(ids, ["rk-sip", "rk-pvtm"]);
    }

    #[test]
    fn invalid_or_huge_config_is_ignored() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for _ in 0..64 {
            packer.write_all(&vec![b'x'; 1 << 20]).unwrap();
        }
        let bomb = packer.finish().unwrap();
        assert_eq!(unpack("", &bomb).unwrap().len() as u64, CONFIG_BYTES_MAX);
        let root = Root::from_board("").unwrap();
        let root = root.with_file("/proc/config.gz", b"\x1f\x8b garbage");
        assert!(facts(&root, &[]).config.missing().is_some());
    }

    #[test]
    fn release_cannot_escape_directory() {
        let board = "== /proc/sys/kernel/osrelease\n../../etc/secret\n== /boot/config-x\nCONFIG_HZ=1\n";
        assert!(config(&Root::from_board(board).unwrap()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn parse_config_never_panics(text in "(CONFIG_[A-Z_]{0,5}=?|\\PC|\n){0,30}", bytes: Vec<u8>) {
            parse_config(&text, "");
            let _ = unpack("", &bytes);
        }
    }
}
