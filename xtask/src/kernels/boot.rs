//! One boot: starts qemu, keeps the output of the serial line, and ends qemu when the plan is complete, when the machine loses
//! power, or when time is up.

use super::Ready;
use super::console::{BootOutput, CUT, HALT};
use super::tables::Machine;
use crate::workspace::ChildProcess;
use anyhow::{Context, Result};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Maximum duration of a boot with all commands.
const BOOT_MAX: Duration = Duration::from_secs(1800);
/// Maximum silence on the serial line; longer than the limit of most commands.
const SILENCE_MAX: Duration = Duration::from_secs(400);
const DISK_BYTES: u64 = 64 << 20;

/// A boot.
pub(super) struct Start<'a> {
    pub(super) plan: &'a str,
    /// Whether its disk is empty.
    pub(super) is_first: bool,
    /// Further kernel parameters: variables of the scripts.
    pub(super) words: &'a str,
    /// Whether a reset ends the boot.
    pub(super) ends_at_reset: bool,
}

/// Boots a machine with a plan.
pub(super) fn boot(machine: &Machine, start: &Start, ready: &Ready) -> Result<BootOutput> {
    let Ready { folder, unpacked, image } = ready;
    let kernel = unpacked.join(&machine.kernel);
    let mut command = Command::new(&machine.kernel().qemu);
    for argument in machine.arguments.split_whitespace() {
        command.arg(filled(argument, &kernel, unpacked, folder)?);
    }
    command.args(["-nographic", "-nodefaults", "-serial", "stdio"]);
    command.arg("-kernel").arg(kernel.join("kernel")).arg("-initrd").arg(image);
    let Start { plan, words, .. } = start;
    let (console, disks, of_kernel) = (&machine.console, machine.disks.join(","), machine.kernel_words());
    let words = format!("console={console} plan={plan} disks={disks} panic=1 {of_kernel} {words}");
    command.arg("-append").arg(words);
    if start.ends_at_reset {
        command.arg("-no-reboot");
    }
    if machine.has_disk {
        let disk = state_disk(folder, &machine.name, start.is_first)?;
        command.arg("-drive").arg(format!("if=none,id=state,format=raw,file={}", disk.display()));
        command.args(["-device", "virtio-blk-pci,drive=state"]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().with_context(|| machine.kernel().qemu.clone())?;
    let mut qemu = ChildProcess(child);
    let serial = qemu.0.stdout.take().context("qemu has no output")?;
    let console = watched(serial);
    drop(qemu);
    Ok(BootOutput { console: console.replace('\r', "") })
}

/// An argument with the files that it names.
fn filled(argument: &str, kernel: &Path, unpacked: &Path, folder: &Path) -> Result<String> {
    if let Some(name) = argument.strip_prefix("TREE:") {
        let trees = kernel.join("trees");
        let below = trees.read_dir()?.filter_map(|entry| entry.ok().map(|entry| entry.path().join(name)));
        let found = [trees.join(name)].into_iter().chain(below).find(|path| path.exists());
        return Ok(found.with_context(|| format!("{name} is not in the kernel's package"))?.display().to_string());
    }
    if let Some((before, name)) = argument.split_once("DISK:") {
        let path = folder.join(format!("{name}.img"));
        fs::File::create(&path)?.set_len(DISK_BYTES)?;
        return Ok(format!("{before}{}", path.display()));
    }
    if let Some(before) = argument.strip_suffix("FIRMWARE") {
        return Ok(format!("{before}{}", firmware(unpacked, folder)?.display()));
    }
    Ok(argument.to_owned())
}

/// UEFI, padded to the size of the machine's flash.
fn firmware(unpacked: &Path, folder: &Path) -> Result<PathBuf> {
    let mut bytes = fs::read(unpacked.join(super::FIRMWARE).join("usr/share/qemu-efi-aarch64/QEMU_EFI.fd"))?;
    bytes.resize(64 << 20, 0);
    let path = folder.join("flash.img");
    fs::write(&path, bytes)?;
    Ok(path)
}

/// The disk that persists across boots; empty at the first.
fn state_disk(folder: &Path, machine: &str, is_first: bool) -> Result<PathBuf> {
    let path = folder.join(format!("{machine}-state.img"));
    if is_first || !path.exists() {
        fs::File::create(&path)?.set_len(DISK_BYTES)?;
        crate::workspace::said(Command::new("mkfs.ext4").arg("-q").arg(&path))?;
    }
    Ok(path)
}

/// Output of the serial line until its end mark, or until it is silent for too long.
fn watched(mut serial: ChildStdout) -> String {
    let (sender, receiver) = mpsc::channel();
    // A read cannot be cancelled; the thread ends with qemu.
    let reader = std::thread::Builder::new().spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = serial.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    if let Err(error) = reader {
        return format!("no thread: {error}");
    }
    let deadline = Instant::now() + BOOT_MAX;
    let mut bytes = Vec::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(SILENCE_MAX)) {
            Ok(more) => bytes.extend(more),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                bytes.extend(b"\n(ended here: nothing more in time)\n");
                break;
            }
        }
        let tail = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(64)..]).into_owned();
        if tail.contains(HALT) || tail.contains(CUT) || deadline <= Instant::now() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
