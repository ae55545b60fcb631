//! Disks, PCI and USB in a snapshot: the link of each device and some of its files, its drivers, and kernel data for an
//! inspection. Serial numbers are not included.

use super::walk::{TreeWalk, resolve};
use crate::survey;
use record::table::word_list;

/// Classes of devices, and the list of their files in `data/words.tsv`.
const FILES: [(&str, &str); 3] =
    [("/sys/bus/pci/devices", "pci-files"), ("/sys/bus/usb/devices", "usb-files"), ("/sys/block", "disk-files")];

impl TreeWalk<'_> {
    /// Adds all devices.
    pub(super) fn devices(&mut self) {
        for (folder, files) in FILES {
            let (files, of_disk) = (word_list(files), word_list("disk-device-files"));
            for name in self.root.list(folder).unwrap_or_default() {
                let base = self.add_link(&format!("{folder}/{name}"));
                files.iter().for_each(|file| self.file(&format!("{base}/{file}")));
                self.parent_drivers(&base);
                if folder == "/sys/block" {
                    let behind = self.add_link(&format!("{base}/device"));
                    of_disk.iter().for_each(|file| self.file(&format!("{behind}/{file}")));
                }
            }
        }
        self.kernel();
    }

    /// Adds the link, if it is one, and returns the location of its target.
    fn add_link(&mut self, path: &str) -> String {
        match self.root.link(path) {
            Ok(target) => {
                self.link(path, &target);
                resolve(path, &target)
            }
            Err(_) => path.to_owned(),
        }
    }

    /// Adds links to drivers, from the device up to the root of all devices.
    fn parent_drivers(&mut self, base: &str) {
        let mut folder = base;
        while folder.starts_with("/sys/devices/") {
            let path = format!("{folder}/driver");
            if let Ok(target) = self.root.link(&path) {
                self.link(&path, &target);
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    /// Adds the options, traces and messages that the kernel verdict needs; complete files would be as large as all
    /// others together, and contain many addresses.
    fn kernel(&mut self) {
        if let Some((path, text)) = survey::relevant_config(self.root) {
            self.content(&path, text.as_bytes());
        }
        for path in survey::trace_paths(self.root) {
            self.content(&path, b"");
        }
        for module in survey::foreign_modules(self.root) {
            self.content(&format!("/sys/module/{module}/taint"), b"O\n");
        }
        let messages = survey::relevant_messages(self.root);
        let records: Vec<String> = messages
            .iter()
            .enumerate()
            .map(|(number, text)| format!("6,{number},0,-;{}\n", self.redactor.line(text)))
            .collect();
        if !records.is_empty() {
            self.content("/dev/kmsg", records.concat().as_bytes());
        }
    }
}
