//! The files of an archive: tar or zip. Nothing of it is written anywhere, so that names within it lead nowhere. What gzip has
//! packed the browser has unpacked before.

use std::io::{Cursor, Read};

/// More files are not taken out of one archive.
const FILES_MAX: usize = 5000;
/// More bytes are not taken out of one archive: it may claim anything.
const BYTES_MAX: u64 = 256 << 20;

/// Name and content of each file in an archive; directories, links and empty files are none.
///
/// # Errors
/// One sentence: it is damaged or too large.
pub fn members(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut taken = Taken::default();
    let damaged =
        |why: &dyn std::fmt::Display| format!("The archive is damaged: {}.", explain::plain(&why.to_string()));
    if bytes.starts_with(b"PK") {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|why| damaged(&why))?;
        for index in 0..archive.len() {
            let file = archive.by_index(index).map_err(|why| damaged(&why))?;
            let name = file.name().to_owned();
            // The name of a directory ends like this, and it has no content.
            if !name.ends_with('/') {
                taken.take(&name, file).map_err(|why| damaged(&why))?;
            }
        }
    } else {
        let mut archive = tar::Archive::new(bytes);
        for entry in archive.entries().map_err(|why| damaged(&why))? {
            let entry = entry.map_err(|why| damaged(&why))?;
            if entry.header().entry_type() == tar::EntryType::Regular {
                let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                taken.take(&name, entry).map_err(|why| damaged(&why))?;
            }
        }
    }
    Ok(taken.files)
}

/// What was taken out of an archive so far.
#[derive(Default)]
struct Taken {
    files: Vec<(String, Vec<u8>)>,
    bytes: u64,
}

impl Taken {
    fn take(&mut self, name: &str, file: impl Read) -> Result<(), String> {
        if self.files.len() == FILES_MAX {
            return Err(format!("it has more than {FILES_MAX} files"));
        }
        let mut content = Vec::new();
        let room = BYTES_MAX - self.bytes;
        let read = file.take(room + 1).read_to_end(&mut content).map_err(|why| format!("{name}: {why}"))?;
        if read as u64 > room {
            return Err(format!("its files have more than {} MiB", BYTES_MAX >> 20));
        }
        self.bytes += read as u64;
        if read > 0 {
            let name = name.rsplit('/').next().unwrap_or(name);
            self.files.push((explain::plain(name), content));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, proptest};
    use std::io::Write;

    fn tar() -> Vec<u8> {
        let mut made = tar::Builder::new(Vec::new());
        for (name, content) in [("logs/a.txt", "first"), ("logs/empty.txt", ""), ("b.txt", "second")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_cksum();
            made.append_data(&mut header, name, content.as_bytes()).unwrap();
        }
        made.into_inner().unwrap()
    }

    fn zip() -> Vec<u8> {
        let mut made = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in [("logs/a.txt", "first"), ("logs/", ""), ("b.txt", "second")] {
            made.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            made.write_all(content.as_bytes()).unwrap();
        }
        made.finish().unwrap().into_inner()
    }

    #[test]
    fn files_come_out_as_they_went_in() {
        let expected = [("a.txt".to_owned(), b"first".to_vec()), ("b.txt".to_owned(), b"second".to_vec())];
        assert_eq!(members(&tar()).unwrap(), expected);
        assert_eq!(members(&zip()).unwrap(), expected);
    }

    #[test]
    fn damage_is_one_sentence() {
        for archive in [tar(), zip()] {
            let cut = &archive[..archive.len() / 3];
            let why = members(cut).unwrap_err();
            assert!(why.starts_with("The archive is damaged") && why.lines().count() == 1, "{why}");
        }
    }

    proptest! {
        #[test]
        fn archives_never_panics(at in any::<proptest::sample::Index>(), byte in any::<u8>(), is_zip in any::<bool>()) {
            let mut archive = if is_zip { zip() } else { tar() };
            let at = at.index(archive.len());
            archive[at] = byte;
            let _ = members(&archive);
            let _ = members(&archive[..at]);
        }
    }
}
