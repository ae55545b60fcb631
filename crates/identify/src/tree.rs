//! Source of a machine's files: the running system, a directory, or one text.

use record::{Missing, NamedValue, Reading};

/// Files of a machine by absolute path.
pub trait Tree {
    /// Reads the whole file.
    ///
    /// # Errors
    /// The file is absent, access is denied, or another kernel error.
    fn read_bytes(&self, path: &str) -> Reading<Vec<u8>>;

    /// Reads at most the first `bytes` of a large file.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`].
    fn read_head(&self, path: &str, bytes: usize) -> Reading<Vec<u8>> {
        let mut head = self.read_bytes(path)?;
        head.truncate(bytes);
        Ok(head)
    }

    /// Lists the names in a directory in natural order (`cpu2` before `cpu10`).
    ///
    /// # Errors
    /// As [`Tree::read_bytes`].
    fn list(&self, path: &str) -> Reading<Vec<String>>;

    /// Target of a symbolic link, unresolved.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`]; `EINVAL` if the path is not a link.
    fn link(&self, path: &str) -> Reading<String>;

    /// Running system behind the files, for queries that no file answers; `None` for directories and board files.
    fn running(&self) -> Option<&dyn RunningSystem> {
        None
    }
}

/// Queries that only a running system answers.
pub trait RunningSystem {
    /// Architecture of the kernel (`uname -m`).
    fn kernel_arch(&self) -> String;

    /// Size of a page in bytes.
    fn page_size_bytes(&self) -> usize;

    /// Each CPU with EAX of its CPUID leaf 1AH; empty if the CPUs lack that leaf.
    fn core_type_leaves(&self, cpus: &[u32]) -> Vec<(u32, u32)>;

    /// Version data that the firmware returns on request.
    fn firmware(&self) -> Vec<NamedValue>;

    /// First `records_max` kernel messages of the ring buffer; empty if it cannot be read.
    fn boot_messages(&self, records_max: usize) -> Vec<String>;
}

impl dyn Tree + '_ {
    /// Reads the whole file as text; invalid UTF-8 is replaced.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`].
    pub fn read(&self, path: &str) -> Reading<String> {
        Ok(String::from_utf8_lossy(&self.read_bytes(path)?).into_owned())
    }

    /// Reads a file with a single value: text without surrounding white space and NULs.
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

    /// Reads the file as one number.
    ///
    /// # Errors
    /// As [`Tree::read_bytes`]; garbled if it is not a number.
    pub fn read_number<T: std::str::FromStr>(&self, path: &str) -> Reading<T> {
        let value = self.read_value(path)?;
        value.parse().map_err(|_| Missing::garbled(path, &value))
    }
}
