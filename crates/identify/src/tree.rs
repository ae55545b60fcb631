//! Where a machine's files are read: the running system, a directory, or one text that holds them all.

use record::{Missing, NamedValue, Reading};

/// The files of a machine by their whole paths.
pub trait Tree {
    /// The whole file.
    ///
    /// # Errors
    /// Absent, denied or any other error of the kernel.
    fn read_bytes(&self, path: &str) -> Reading<Vec<u8>>;

    /// The first bytes of a file that is large and read once; fewer where it is shorter.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`].
    fn read_head(&self, path: &str, bytes: usize) -> Reading<Vec<u8>> {
        let mut head = self.read_bytes(path)?;
        head.truncate(bytes);
        Ok(head)
    }

    /// Names in a directory, numbers in order of value (`cpu2` before `cpu10`).
    ///
    /// # Errors
    /// As [`Tree::read_bytes`].
    fn list(&self, path: &str) -> Reading<Vec<String>>;

    /// Target of a symbolic link, as it stands in the link.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`]; `EINVAL` if it is no link.
    fn link(&self, path: &str) -> Reading<String>;

    /// The system behind the files, where it runs and can be asked what no file says.
    fn running(&self) -> Option<&dyn Running> {
        None
    }
}

/// What only a running system tells.
pub trait Running {
    /// Architecture of the kernel (`uname -m`).
    fn kernel_arch(&self) -> String;

    /// Size of a page in bytes.
    fn page_size_bytes(&self) -> usize;

    /// CPU and EAX of its CPUID leaf 1AH; empty where CPUs have no such leaf.
    fn core_type_leaves(&self, cpus: &[u32]) -> Vec<(u32, u32)>;

    /// What the firmware says of itself when it is asked.
    fn firmware(&self) -> Vec<NamedValue>;

    /// The kernel's own messages that its ring buffer begins with, at most so many records; empty where it cannot
    /// be read.
    fn boot_messages(&self, records_max: usize) -> Vec<String>;
}

impl dyn Tree + '_ {
    /// The whole file as text; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`].
    pub fn read(&self, path: &str) -> Reading<String> {
        Ok(String::from_utf8_lossy(&self.read_bytes(path)?).into_owned())
    }

    /// The file as text without white space and NULs at both ends: for files of one value.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`]; an empty file is garbled.
    pub fn read_value(&self, path: &str) -> Reading<String> {
        let text = self.read(path)?;
        match text.trim_matches(|c: char| c.is_whitespace() || c == '\0') {
            "" => Err(Missing::garbled(path, "")),
            value => Ok(value.to_owned()),
        }
    }

    /// The file as one number.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`]; garbled if it is no number.
    pub fn read_number<T: std::str::FromStr>(&self, path: &str) -> Reading<T> {
        let value = self.read_value(path)?;
        value.parse().map_err(|_| Missing::garbled(path, &value))
    }
}
