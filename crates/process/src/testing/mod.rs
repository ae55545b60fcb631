//! Programs of a few lines of shell, for tests of this crate and of others that start programs.

use crate::tools::Tools;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs the body with the given name.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/testing/program.sh");

/// Program: name and shell script.
#[derive(Debug)]
pub struct Program {
    /// File name.
    pub name: String,
    /// Lines of shell.
    pub body: String,
}

/// Directory of programs, removed on drop.
#[derive(Debug)]
pub struct Programs {
    directory: PathBuf,
}

impl Programs {
    /// Creates the directory and its programs.
    ///
    /// # Panics
    /// They cannot be written.
    pub fn new(programs: &[Program]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sbc-bench-test-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).unwrap();
        for program in programs {
            let path = directory.join(&program.name);
            std::os::unix::fs::symlink(PROGRAM, &path).unwrap();
            std::fs::write(path.with_extension("body"), &program.body).unwrap();
        }
        Self { directory }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Tools that are found in this directory only.
    pub fn tools(&self) -> Tools {
        Tools::in_directories(vec![self.directory.clone()])
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
