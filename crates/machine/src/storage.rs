//! Storage behind a directory: whether it survives a restart (directories in memory, such as tmpfs, zram, log2ram, or
//! an overlay with an upper directory in memory, are lost at a freeze or power loss), and which user's program serves
//! it (FUSE).

use crate::Root;
use identify::unescape_octal;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// Maximum depth of stacked overlays; more are a loop.
const DEPTH_MAX: usize = 4;
/// `FUSE_SUPER_MAGIC` of `linux/magic.h`.
const FUSE: u64 = 0x6573_5546;

/// Storage that keeps this directory in memory, in words; `None` if it is on a drive, or unknown. A missing directory
/// is treated like its nearest existing parent; on the running system relative paths and links are resolved.
pub fn in_memory(root: &Root, folder: &Path) -> Option<String> {
    let text = root.read("/proc/self/mountinfo").ok()?;
    let mounts: Vec<Mount> = text.lines().filter_map(parse_mountinfo).collect();
    let mut folder = if root.is_system() { without_links(folder) } else { folder.to_path_buf() };
    for _ in 0..DEPTH_MAX {
        // The last mount on a mount point is the visible one.
        let inside = mounts.iter().filter(|mount| folder.starts_with(&mount.point));
        let mount = inside.max_by_key(|mount| mount.point.len())?;
        match mount.kind.as_str() {
            "tmpfs" | "ramfs" | "rootfs" => {
                let point = &mount.point;
                return Some(match mount.source.as_str() {
                    "log2ram" | "folder2ram" => format!("{} on {point}", mount.source),
                    _ => format!("{} on {point}", mount.kind),
                });
            }
            "overlay" => folder = mount.upper.as_ref()?.into(),
            _ if mount.source.starts_with("/dev/zram") => {
                return Some(format!("zram ({}) on {}", mount.source, mount.point));
            }
            _ => return None,
        }
    }
    None
}

/// User whose program serves an open directory (FUSE) and may answer arbitrarily; `None` if the kernel serves it. The
/// highest number if unknown.
pub(crate) fn served_by(folder: BorrowedFd) -> Option<u32> {
    let about = rustix::fs::fstatfs(folder).ok()?;
    if about.f_type as u64 != FUSE {
        return None;
    }
    let root = Root::system();
    let about = root.read(&format!("/proc/self/fdinfo/{}", folder.as_raw_fd()));
    let mounts = root.read("/proc/self/mountinfo");
    let user = about.ok().zip(mounts.ok());
    let user = user.and_then(|(about, mounts)| user_of_mount(&about, &mounts));
    Some(user.unwrap_or(u32::MAX))
}

/// `user_id` of the mount (fuse.rst of the kernel) with the `mnt_id` of an open file (proc_pid_fdinfo(5)).
fn user_of_mount(fdinfo: &str, mounts: &str) -> Option<u32> {
    let id = fdinfo.lines().find_map(|line| line.strip_prefix("mnt_id:"))?;
    let is_it = |line: &&str| line.split(' ').next() == Some(id.trim());
    let options = mounts.lines().find(is_it)?.rsplit_once(' ')?.1;
    let user = options.split(',').find_map(|option| option.strip_prefix("user_id="))?;
    user.parse().ok()
}

/// Absolute path of a directory, as used by mounts; missing components are kept as written.
fn without_links(folder: &Path) -> PathBuf {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let found = folder.ancestors().find_map(|parent| {
        let real = std::fs::canonicalize(parent).ok()?;
        let rest = folder.strip_prefix(parent).ok()?;
        Some(real.join(rest))
    });
    found.unwrap_or(folder)
}

/// Line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
#[derive(Debug)]
struct Mount {
    point: String,
    kind: String,
    source: String,
    /// Upper directory of an overlay.
    upper: Option<String>,
}

fn parse_mountinfo(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut after = after.split(' ');
    let (kind, source) = (after.next()?, after.next()?);
    let options = after.next().unwrap_or_default().split(',');
    let mut upper = options.filter_map(|option| option.strip_prefix("upperdir="));
    Some(Mount {
        point: unescape_octal(before.split(' ').nth(4)?),
        kind: kind.to_owned(),
        source: unescape_octal(source),
        upper: upper.next().map(unescape_octal),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_that_answers_for_a_folder_is_known() {
        let mounts = "25 1 179:2 / / rw - ext4 /dev/mmcblk0p2 rw\n\
            41 25 0:50 / /home/pi/nas rw,nosuid - fuse.sshfs nas: rw,user_id=1000,group_id=1000,allow_other\n\
            42 25 8:1 / /media/disk rw - fuseblk /dev/sda1 rw,user_id=0,group_id=0,allow_other\n";
        for (fdinfo, expected) in [
            ("pos:\t0\nflags:\t0300000\nmnt_id:\t41\nino:\t7\n", Some(1000)),
            ("mnt_id:\t42\n", Some(0)),
            ("mnt_id:\t25\n", None),
            ("mnt_id:\t4\n", None),
            ("pos:\t0\n", None),
        ] {
            assert_eq!(user_of_mount(fdinfo, mounts), expected, "{fdinfo}");
        }
        let here = rustix::fs::open("/", rustix::fs::OFlags::PATH, rustix::fs::Mode::empty());
        assert_eq!(served_by(std::os::fd::AsFd::as_fd(&here.unwrap())), None);
    }

    #[test]
    fn ram_file_systems_are_detected() {
        let disk = "25 1 179:2 / / rw - ext4 /dev/mmcblk0p2 rw";
        for (mounts, expected) in [
            // Armbian's ramlog, log2ram, DietPi, a live system, overlayroot, a container.
            ("40 25 252:0 / /var/log rw - ext4 /dev/zram0 rw", Some("zram (/dev/zram0) on /var/log")),
            ("40 25 0:40 / /var/log rw - tmpfs log2ram rw,size=128M", Some("log2ram on /var/log")),
            ("40 25 0:40 / /var/log rw - tmpfs tmpfs rw,size=50M", Some("tmpfs on /var/log")),
            ("40 25 0:40 / /var rw - tmpfs tmpfs rw\n41 40 8:1 / /var/log rw - ext4 /dev/sda1 rw", None),
            ("40 25 0:40 / /var/log rw - tmpfs tmpfs rw\n41 25 8:1 / /var/log rw - ext4 /dev/sda1 rw", None),
            ("40 25 0:40 / /var/logs rw - tmpfs tmpfs rw", None),
            ("", None),
            (
                "40 25 0:40 / /over rw - tmpfs t rw\n41 25 0:41 / /var rw - overlay o rw,lowerdir=/l,upperdir=/over/up,workdir=/w",
                Some("tmpfs on /over"),
            ),
            ("41 25 0:41 / /var rw - overlay o rw,lowerdir=/l,upperdir=/data/up,workdir=/w", None),
            ("41 25 0:41 / /var rw - overlay o rw,lowerdir=/l,upperdir=/var/up", None),
            ("garbage", None),
        ] {
            let board = format!("== /proc/self/mountinfo\n{disk}\n{mounts}\n");
            let root = Root::from_board(&board).unwrap();
            let found = in_memory(&root, Path::new("/var/log/sbc-bench/runs"));
            assert_eq!(found.as_deref(), expected, "{mounts}");
        }
        assert_eq!(in_memory(&Root::empty(), Path::new("/var")), None);
    }
}
