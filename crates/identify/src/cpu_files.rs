//! Where Linux lists CPUs, and how such a list is read.

use crate::Tree;
use record::parse_cpu_list;

/// Where Linux lists CPUs.
pub(crate) const CPU_FOLDER: &str = "/sys/devices/system/cpu";

/// The list of CPUs in this file, if it can be read and understood.
pub fn read_list(root: &dyn Tree, path: &str) -> Option<Vec<u32>> {
    parse_cpu_list(&root.read(path).ok()?)
}
