//! Directories for tests.

use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Directory for one test in the directory for temporary files. Removed on drop.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates a new directory on each call. The name identifies the test.
    ///
    /// # Panics
    /// The directory cannot be created.
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("sbc-bench-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl AsRef<OsStr> for Scratch {
    fn as_ref(&self) -> &OsStr {
        self.as_os_str()
    }
}

#[cfg(test)]
mod tests {
    use super::Scratch;

    #[test]
    fn tests_of_one_name_have_a_directory_each() {
        assert_ne!(&*Scratch::new("twice"), &*Scratch::new("twice"));
    }

    #[test]
    fn nothing_is_left() {
        let scratch = Scratch::new("scratch");
        let path = scratch.to_path_buf();
        std::fs::write(scratch.join("file"), "1").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
