//! File whose reads never complete, as on a failing drive: the reading process sleeps uninterruptibly (state D), immune
//! to SIGKILL, until this value is dropped.

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyEntry, ReplyOpen, Request,
};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ROOT: INodeNo = INodeNo(1);
const FILE: INodeNo = INodeNo(2);
const NAME: &str = "file";

/// Mounted directory with such a file. Unmounted on drop, which ends the waiting process.
pub struct StuckMount {
    folder: PathBuf,
    session: Option<BackgroundSession>,
    pending: PendingReplies,
}

/// Pending replies.
type PendingReplies = Arc<Mutex<Vec<ReplyData>>>;

impl StuckMount {
    /// Mounts it on a new directory.
    ///
    /// # Errors
    /// The mount failed; it needs root and FUSE.
    pub fn mount(folder: &Path) -> std::io::Result<Self> {
        std::fs::create_dir(folder)?;
        let pending = PendingReplies::default();
        let silent = StuckFileSystem(Arc::clone(&pending));
        let session = fuser::spawn_mount(silent, folder, &Config::default())?;
        Ok(Self { folder: folder.to_path_buf(), session: Some(session), pending })
    }

    /// Path of the file.
    pub fn file(&self) -> PathBuf {
        self.folder.join(NAME)
    }
}

impl Drop for StuckMount {
    fn drop(&mut self) {
        // The waiting process may keep the mount alive in its own namespace; only a reply ends that.
        let pending = self.pending.lock().map(|mut pending| std::mem::take(&mut *pending));
        for reply in pending.unwrap_or_default() {
            reply.error(Errno::EIO);
        }
        self.session.take();
        let _ = std::fs::remove_dir(&self.folder);
    }
}

struct StuckFileSystem(PendingReplies);

fn attributes(ino: INodeNo) -> FileAttr {
    let (kind, perm) = match ino {
        ROOT => (FileType::Directory, 0o755),
        _ => (FileType::RegularFile, 0o644),
    };
    crate::fuse_attributes(ino, kind, perm, 4096)
}

impl Filesystem for StuckFileSystem {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if name == NAME {
            reply.entry(&Duration::ZERO, &attributes(FILE), Generation(0))
        } else {
            reply.error(Errno::ENOENT)
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&Duration::ZERO, &attributes(ino));
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        _: u64,
        _: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if let Ok(mut pending) = self.0.lock() {
            pending.push(reply);
        }
    }
}
