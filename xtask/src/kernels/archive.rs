//! Writer of `newc` archives for the initramfs, see `Documentation/driver-api/early-userspace/buffer-format.rst` of Linux. With
//! `cpio`, device nodes would need root.

/// Type and permissions of an entry: `st_mode`.
const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const CHARACTER_DEVICE: u32 = 0o020_600;

/// An archive.
#[derive(Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

impl Archive {
    /// Adds a folder after its parents.
    pub(super) fn folder(&mut self, path: &str) {
        self.entry(path, FOLDER, (0, 0), &[]);
    }

    /// Adds an executable file.
    pub(super) fn file(&mut self, path: &str, content: &[u8]) {
        self.entry(path, PROGRAM, (0, 0), content);
    }

    /// Adds a character device.
    pub(super) fn device(&mut self, path: &str, numbers: (u32, u32)) {
        self.entry(path, CHARACTER_DEVICE, numbers, &[]);
    }

    /// The whole archive.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, (0, 0), &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, (major, minor): (u32, u32), content: &[u8]) {
        self.entries += 1;
        // Inode, mode, user, group, links, time, size, device of the file system (two), device (two), length of the
        // name, checksum.
        let size = content.len() as u32;
        let numbers = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, major, minor, path.len() as u32 + 1, 0];
        self.bytes.extend(b"070701");
        for number in numbers {
            self.bytes.extend(format!("{number:08x}").bytes());
        }
        self.bytes.extend(path.bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend(content);
        self.align();
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_begin_on_multiples_of_four() {
        let mut archive = Archive::default();
        archive.folder("dev");
        archive.device("dev/console", (5, 1));
        archive.file("init", b"#!/bin/sh");
        let bytes = archive.finish();
        let heads: Vec<usize> =
            bytes.windows(6).enumerate().filter(|(_, w)| w == b"070701").map(|(at, _)| at).collect();
        assert_eq!(heads.len(), 4);
        assert!(heads.iter().all(|at| at % 4 == 0), "{heads:?}");
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("0000000500000001") && text.contains("#!/bin/sh"), "{text}");
    }
}
