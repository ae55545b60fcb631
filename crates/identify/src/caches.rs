//! Caches of one CPU from `cpuN/cache/indexM` (Linux Documentation/ABI/testing/
//! sysfs-devices-system-cpu). Many ARM kernels know the levels but not the sizes.

use crate::Tree;
use crate::cpu_files::{CPU_FOLDER, read_list};
use record::{Cache, StableSort};

/// Caches of this CPU by level, data before instruction. Caches without a size are omitted, because no workload can be
/// sized by them.
pub(crate) fn caches(root: &dyn Tree, cpu: u32) -> Vec<Cache> {
    let folder = format!("{CPU_FOLDER}/cpu{cpu}/cache");
    let mut caches: Vec<Cache> = root
        .list(&folder)
        .unwrap_or_default()
        .iter()
        .filter(|name| name.starts_with("index"))
        .filter_map(|name| {
            let file = |file: &str| root.read_value(&format!("{folder}/{name}/{file}")).ok();
            let shared = read_list(root, &format!("{folder}/{name}/shared_cpu_list"));
            Some(Cache {
                level: file("level")?.parse().ok()?,
                kind: file("type")?,
                size_bytes: parse_size(&file("size")?)?,
                shared_cpus: shared.unwrap_or_else(|| vec![cpu]),
            })
        })
        .collect();
    caches.stable_sort_by(|a, b| (a.level, &a.kind).cmp(&(b.level, &b.kind)));
    caches
}

/// Parses `32K` or `8M` into bytes; `None` for 0, which some firmware reports.
fn parse_size(text: &str) -> Option<u64> {
    let digits_end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits_end);
    let factor = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    let bytes = digits.parse::<u64>().ok()?.checked_mul(factor)?;
    (bytes > 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("32K", Some(32 << 10)),
            ("8M", Some(8 << 20)),
            ("512", Some(512)),
            ("0K", None),
            ("K", None),
            ("32X", None),
            ("99999999999999999999G", None),
        ] {
            assert_eq!(parse_size(text), bytes, "{text}");
        }
    }
}
