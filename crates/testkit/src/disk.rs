//! A disk that loses power: ext4 on a loop device. This process serves the backing file and records every write and flush.
//! From this journal it derives any state that a power cut may leave, for the next mount.
//!
//! A cut keeps every write before the last flush. Each later write is complete, lost or torn between two sectors.

use crate::virtual_board::{Chance, lock};
use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, WriteFlags,
};
use std::ffi::OsStr;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ROOT: INodeNo = INodeNo(1);
const FILE: INodeNo = INodeNo(2);
const NAME: &str = "image";
/// Unit that a drive writes atomically, in bytes.
const SECTOR: usize = 512;
/// Writes below this offset, in bytes, are never torn: ext4 verifies the checksum of its superblock before it replays the
/// journal that would repair it.
const BLOCK: usize = 4096;

/// A mounted disk. It is unmounted on drop, after the programs that use it have ended.
pub struct Disk {
    /// Mount point.
    pub root: PathBuf,
    device: PathBuf,
    journal: Arc<Mutex<Journal>>,
    session: Option<BackgroundSession>,
}

#[derive(Default)]
struct Journal {
    /// Image when the disk was mounted.
    initial: Vec<u8>,
    current: Vec<u8>,
    events: Vec<Event>,
}

enum Event {
    Write(usize, Vec<u8>),
    Flush,
}

/// Creates the image of an empty disk.
///
/// # Errors
/// `mkfs.ext4` is missing or fails.
pub fn empty_image(folder: &Path, bytes: u64) -> Result<Vec<u8>> {
    let file = folder.join("empty");
    std::fs::File::create(&file)?.set_len(bytes)?;
    // A lazy initialisation would write during the test.
    let options = "nodiscard,lazy_itable_init=0,lazy_journal_init=0";
    run(Command::new("mkfs.ext4").args(["-q", "-F", "-E", options]).arg(&file))?;
    let image = std::fs::read(&file);
    std::fs::remove_file(&file)?;
    image
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(Error::other(format!("{command:?}: {stderr}"))) }
}

impl Disk {
    /// Mounts an image below `folder`, as after a power cut.
    ///
    /// # Errors
    /// Root, FUSE or a loop device is missing.
    pub fn mount(folder: &Path, image: Vec<u8>) -> Result<Self> {
        let (device, root) = (folder.join("device"), folder.join("disk"));
        std::fs::create_dir_all(&device)?;
        std::fs::create_dir_all(&root)?;
        let journal = Arc::new(Mutex::new(Journal { initial: image.clone(), current: image, events: Vec::new() }));
        let session = fuser::spawn_mount(Backing(Arc::clone(&journal)), &device, &Config::default())?;
        let disk = Self { root, device, journal, session: Some(session) };
        run(Command::new("mount").args(["-t", "ext4", "-o", "loop"]).arg(disk.device.join(NAME)).arg(&disk.root))?;
        Ok(disk)
    }

    /// Number of writes and flushes so far.
    pub fn events(&self) -> usize {
        lock(&self.journal).events.len()
    }

    /// Image after a power cut that follows this number of events.
    pub fn cut(&self, events: usize, chance: &mut Chance) -> Vec<u8> {
        let journal = lock(&self.journal);
        let events = &journal.events[..events];
        let flushed = events.iter().rposition(|event| matches!(event, Event::Flush)).unwrap_or(0);
        let mut image = journal.initial.clone();
        for (number, event) in events.iter().enumerate() {
            let Event::Write(at, bytes) = event else { continue };
            let sectors = (bytes.len() / SECTOR) as u64;
            let kept = match chance.whole(0, 2) {
                _ if number < flushed => 0..bytes.len(),
                0 => 0..bytes.len(),
                1 if *at >= BLOCK && sectors > 1 => {
                    let torn = chance.whole(1, sectors - 1) as usize * SECTOR;
                    if chance.whole(0, 1) == 0 { 0..torn } else { torn..bytes.len() }
                }
                _ => 0..0,
            };
            image[at + kept.start..at + kept.end].copy_from_slice(&bytes[kept]);
        }
        image
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Unmounting removes the loop device, which needs the file until then.
        let unmounted = run(Command::new("umount").arg(&self.root));
        if unmounted.is_err() {
            let _ = run(Command::new("umount").arg("-l").arg(&self.root));
        }
        self.session.take();
    }
}

struct Backing(Arc<Mutex<Journal>>);

impl Backing {
    fn attributes(&self, ino: INodeNo) -> FileAttr {
        let (kind, perm) = match ino {
            ROOT => (FileType::Directory, 0o755),
            _ => (FileType::RegularFile, 0o600),
        };
        crate::fuse_attributes(ino, kind, perm, lock(&self.0).current.len() as u64)
    }
}

impl Filesystem for Backing {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if name == NAME {
            reply.entry(&Duration::ZERO, &self.attributes(FILE), Generation(0));
        } else {
            reply.error(Errno::ENOENT);
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&Duration::ZERO, &self.attributes(ino));
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::empty());
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        at: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let journal = lock(&self.0);
        let start = (at as usize).min(journal.current.len());
        reply.data(&journal.current[start..(start + size as usize).min(journal.current.len())]);
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        at: u64,
        bytes: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let mut journal = lock(&self.0);
        let at = at as usize;
        let Some(place) = journal.current.get_mut(at..at + bytes.len()) else { return reply.error(Errno::ENOSPC) };
        place.copy_from_slice(bytes);
        journal.events.push(Event::Write(at, bytes.to_vec()));
        reply.written(bytes.len() as u32);
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        lock(&self.0).events.push(Event::Flush);
        reply.ok();
    }
}
