//! Path of the CPU directory in sysfs, and reading of CPU lists.

use crate::Tree;
use record::parse_cpu_list;

/// CPU directory in sysfs.
pub(crate) const CPU_FOLDER: &str = "/sys/devices/system/cpu";

/// CPU list in this file; `None` if it cannot be read or parsed.
pub fn read_list(root: &dyn Tree, path: &str) -> Option<Vec<u32>> {
    parse_cpu_list(&root.read(path).ok()?)
}
