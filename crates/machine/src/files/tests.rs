//! Our own files: manipulations by other users, and state after failures.

use super::*;
use rustix::fs::{self, FileType, Mode};
use rustix::process::{getuid, umask};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;
use testkit::Scratch;

fn pipe_at(path: &Path) {
    fs::mknodat(fs::CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

fn text(path: &Path) -> String {
    String::from_utf8(std::fs::read(path).unwrap()).unwrap()
}

/// All functions that open an existing file reject it with the same message.
fn check_refused(path: &Path, sentence: &str) {
    for error in [append(path, Access::Owner).unwrap_err(), existing(path).unwrap_err(), read(path, 100).unwrap_err()] {
        let expected = format!("{} {sentence}", path.display());
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn foreign_files_are_refused() {
    let place = Scratch::new("refused");
    let target = place.join("target");
    std::fs::write(&target, "precious").unwrap();
    let link = place.join("link");
    symlink(&target, &link).unwrap();
    check_refused(&link, "is a symbolic link; links are not followed here");
    let pipe = place.join("pipe");
    pipe_at(&pipe);
    check_refused(&pipe, "is a named pipe, not a regular file");
    let folder = place.join("folder");
    std::fs::create_dir(&folder).unwrap();
    check_refused(&folder, "is a directory, not a regular file");
    let socket = place.join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    check_refused(&socket, "is a socket, not a regular file");
    if getuid().is_root() {
        // In a directory of root, the file of a third user was created by that user.
        let foreign = place.join("foreign");
        std::fs::write(&foreign, "x").unwrap();
        std::os::unix::fs::chown(&foreign, Some(65_534), None).unwrap();
        check_refused(&foreign, "belongs to another user (uid 65534)");
        // In a directory of that user the file is legitimate.
        std::os::unix::fs::chown(&place, Some(65_534), None).unwrap();
        assert_eq!(read(&foreign, 100).unwrap(), b"x");
    }
    assert_eq!(text(&target), "precious");
}

#[test]
fn new_file_mode() {
    let place = Scratch::new("new");
    for (name, access, mode) in [("a", Access::Owner, 0o600), ("b", Access::Group, 0o640), ("c", Access::World, 0o644)]
    {
        let path = place.join(name);
        let create_new = |access| Folder::open(&place).unwrap().create_new(OsStr::new(name), access);
        create_new(access).unwrap().write_all(b"1").unwrap();
        append(&path, access).unwrap().write_all(b"2").unwrap();
        assert_eq!(text(&path), "12");
        let masked = umask(Mode::empty());
        umask(masked);
        let found = path.metadata().unwrap().mode() & 0o777;
        assert_eq!(found, mode & !masked.as_raw_mode(), "{name}");
        let error = create_new(access).unwrap_err();
        assert!(error.is_taken() && error.to_string().ends_with("already exists"));
    }
    symlink(place.join("nowhere"), place.join("link")).unwrap();
    let link = Folder::open(&place).unwrap().create_new(OsStr::new("link"), Access::Owner);
    assert!(link.unwrap_err().is_taken());
    assert!(!place.join("nowhere").exists());
}

#[test]
fn replace_is_atomic_and_follows_no_link() {
    let place = Scratch::new("replace");
    let (target, name) = (place.join("target"), place.join("name"));
    std::fs::write(&target, "precious").unwrap();
    symlink(&target, &name).unwrap();
    // Another process has taken all predictable temporary names.
    let guessed: Vec<String> = (0..64).map(|number| format!("name.{}-{number}.new", std::process::id())).collect();
    for name in &guessed {
        symlink(&target, place.join(name)).unwrap();
    }
    replace(&name, b"new", Access::Group).unwrap();
    assert_eq!((text(&name), text(&target)), ("new".into(), "precious".into()));
    pipe_at(&place.join("pipe"));
    replace_unsynced(&place.join("pipe"), b"new", Access::Group).unwrap();
    assert_eq!(text(&place.join("pipe")), "new");
    // A directory cannot be replaced; the attempt leaves no files.
    std::fs::create_dir(place.join("folder")).unwrap();
    let error = replace(&place.join("folder"), b"new", Access::Group).unwrap_err();
    assert!(error.to_string().contains("cannot be written: "), "{error}");
    let mut names = Folder::open(&place).unwrap().names().unwrap();
    names.retain(|name| !guessed.iter().any(|guessed| name == guessed.as_str()));
    assert_eq!(names, ["folder", "name", "pipe", "target"]);
}

#[test]
fn read_size_limit() {
    let place = Scratch::new("bounded");
    let path = place.join("x");
    std::fs::write(&path, "12345").unwrap();
    assert_eq!(read(&path, 5).unwrap(), b"12345");
    let error = read(&path, 4).unwrap_err();
    assert!(error.to_string().ends_with("/x is larger than 4 bytes"));
    // An endless device, and an empty one.
    assert!(read(Path::new("/dev/zero"), 100).is_err());
    assert_eq!(read(Path::new("/dev/null"), 100).unwrap(), b"");
    assert!(read(&place.join("none"), 1).unwrap_err().is_absent());
}

#[test]
fn state_folder_is_for_its_owner_alone() {
    let place = Scratch::new("state");
    let path = place.join("a/b");
    let mode = || path.metadata().unwrap().mode() & 0o777;
    Folder::state(&path).unwrap();
    assert_eq!(mode(), 0o700);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).unwrap();
    let folder = Folder::state(&path).unwrap();
    assert_eq!((mode(), folder.names().unwrap()), (0o700, vec![]));
    let check = |path: &Path, sentence: &str| {
        let error = Folder::state(path).unwrap_err().to_string();
        assert_eq!(error, format!("{} {sentence}", path.display()));
    };
    let link = place.join("link");
    symlink(&path, &link).unwrap();
    check(&link, "is a symbolic link; links are not followed here");
    let file = place.join("file");
    std::fs::write(&file, "").unwrap();
    check(&file, "is not a directory");
    if getuid().is_root() {
        std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
        check(&path, "belongs to another user (uid 65534)");
    }
}

#[test]
fn folder_that_was_opened_stays_the_same_folder() {
    let place = Scratch::new("moved");
    let (first, second) = (place.join("first"), place.join("second"));
    std::fs::create_dir(&first).unwrap();
    let folder = Folder::open_itself(&first).unwrap();
    std::fs::rename(&first, &second).unwrap();
    symlink("/nowhere", &first).unwrap();
    folder.replace(OsStr::new("x"), b"1", Access::Owner).unwrap();
    assert_eq!(text(&second.join("x")), "1");
    folder.remove(OsStr::new("x")).unwrap();
    folder.remove(OsStr::new("x")).unwrap();
    assert_eq!(folder.names().unwrap(), Vec::<OsString>::new());
}

/// Opening may already act on a device or a pipe, so other files are only inspected.
#[test]
fn only_regular_files_are_opened() {
    let own = Scratch::new("looked-at");
    let pipe = own.join("pipe");
    pipe_at(&pipe);
    let there = pipe.clone();
    // Waits until another process opens the other end.
    let writer = std::thread::spawn(move || File::options().write(true).open(there));
    std::thread::sleep(Duration::from_millis(50));
    assert!(existing(&pipe).is_err());
    std::thread::sleep(Duration::from_millis(50));
    assert!(!writer.is_finished(), "the pipe was opened");
    drop(File::options().read(true).open(&pipe).unwrap());
    assert!(writer.join().unwrap().is_ok());
}
