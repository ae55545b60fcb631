//! A newer program in the place of this one: from a release whose sums are signed with Ed25519 (minisign), and only where no
//! package manager owns it. A release is a folder of files at an address: `SHA256SUMS`, its signature
//! `SHA256SUMS.minisig`, and for each architecture `sbc-bench-VERSION-ARCH.gz`, as `cargo xtask package` makes them.

mod exchange;
mod owner;
mod sums;

use crate::fetch::Release;
use exchange::Place;
use flate2::read::GzDecoder;
use minisign_verify::{PublicKey, Signature};
use record::table::Table;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;
use sums::Entry;
pub use sums::Version;

/// Sums of a release have a hundred bytes a line.
const SUMS_BYTES_MAX: u64 = 64 << 10;
/// A signature of minisign has four lines.
const SIGNATURE_BYTES_MAX: u64 = 4 << 10;
/// A packed program; one has less than 10 MB.
const PACKED_BYTES_MAX: u64 = 64 << 20;
/// A program; one has less than 16 MB.
const PROGRAM_BYTES_MAX: u64 = 256 << 20;

/// Address of the project's releases, and the key that signs them.
const TABLE: Table = Table::of(include_str!("../../../../data/releases.tsv"));

/// The machine's name in names of files: that of the kernel for ARM, as Rust says `arm` of all of them.
const ARCH: &str = match std::env::consts::ARCH.as_bytes() {
    b"arm" => "armv7",
    _ => std::env::consts::ARCH,
};

/// A release, and what its signature is verified with.
#[derive(Debug)]
pub struct Source {
    release: Release,
    key: PublicKey,
}

impl Source {
    /// A release at an address, signed with the key of a text (the file of minisign or its last line alone); where one is not
    /// given, that of the project.
    ///
    /// # Errors
    /// One sentence: this program knows none, or what was given is none.
    pub fn new(url: Option<&str>, key: Option<&str>) -> Result<Self, String> {
        let own = TABLE.rows().next();
        let cell = |name| own.and_then(|row| row.cell(name));
        let key = key.or(cell("key")).ok_or(
            "This program knows no key of releases, so that it could verify none: use --key FILE with that of your releases, or \
             install a package or a binary.",
        )?;
        let key = key.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        let key = PublicKey::from_base64(key).map_err(|_| "The key is not a public key of minisign.".to_owned())?;
        let url = url.or(cell("address")).ok_or("This program knows no address of releases; use --from URL.")?;
        Ok(Self { release: Release::at(url)?, key })
    }

    /// The newest program of the release for this machine, and whether it is newer than this version. Its signature was
    /// verified.
    ///
    /// # Errors
    /// One sentence: it cannot be fetched, the signature is wrong, or it has no date or nothing for this machine.
    pub fn newer_than(&self, version: Version) -> Result<ReleaseFile, String> {
        let text = self.release.file("SHA256SUMS", SUMS_BYTES_MAX)?;
        let signature = self.release.file("SHA256SUMS.minisig", SIGNATURE_BYTES_MAX)?;
        let url = self.release.url();
        let wrong = |why: &dyn std::fmt::Display| {
            format!("The signature of {url}/SHA256SUMS is wrong: {why}. Nothing of this release is used.")
        };
        let signature = Signature::decode(&String::from_utf8_lossy(&signature)).map_err(|error| wrong(&error))?;
        self.key.verify(&text, &signature, false).map_err(|error| wrong(&error))?;
        let text = String::from_utf8_lossy(&text);
        let entry = sums::newest(&text, ARCH).ok_or_else(|| format!("{url} has no program for {ARCH}."))?;
        let day = sums::day(&text).ok_or_else(|| {
            format!("{url}/SHA256SUMS has no date, so that its age is unknown; make it by `cargo xtask package`.")
        })?;
        let newest = entry.version;
        Ok(ReleaseFile { version: newest, day: day.to_owned(), newer: (newest > version).then_some(Newer(entry)) })
    }

    /// Fetches a program, and puts it in the place of this one.
    ///
    /// # Errors
    /// One sentence; the old program is in its place.
    pub fn install(&self, newer: &Newer, program: &Path) -> Result<(), String> {
        let entry = &newer.0;
        let place = Place::of(program)?;
        let packed = self.release.file(&entry.name, PACKED_BYTES_MAX)?;
        let url = self.release.url();
        if Sha256::digest(&packed)[..] != entry.sha256[..] {
            return Err(format!("The SHA-256 of {url}/{} is not the signed one. It is not used.", entry.name));
        }
        let mut unpacked = Vec::new();
        let read = GzDecoder::new(&packed[..]).take(PROGRAM_BYTES_MAX).read_to_end(&mut unpacked);
        read.map_err(|error| format!("{url}/{} cannot be unpacked: {error}.", entry.name))?;
        place.put(&unpacked, entry.version)
    }

    /// The address, for sentences.
    pub fn url(&self) -> &str {
        self.release.url()
    }
}

/// File of a release for this machine.
#[derive(Debug)]
pub struct ReleaseFile {
    /// Its newest version.
    pub version: Version,
    /// The day of the release as it was signed, such as 2026-11-27; not checked to be one.
    pub day: String,
    /// The program of this version, if it is newer than this one.
    pub newer: Option<Newer>,
}

/// A program whose sum is signed.
#[derive(Debug)]
pub struct Newer(Entry);

/// Why a program is not to be replaced by an update: one sentence about the package manager that owns it.
pub fn foreign_owner(program: &Path) -> Option<String> {
    owner::of(program)
}

/// Any text as the sums of a release, for fuzzing.
pub fn foreign(text: &str) {
    for arch in ["x86_64", "armv7", ""] {
        drop(sums::newest(text, arch));
        let _ = sums::day(text);
    }
}
