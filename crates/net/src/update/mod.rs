//! Updates this program from a release whose sums are signed with Ed25519 (minisign), unless a package manager owns it.
//! A release is a directory of files: `SHA256SUMS`, its signature `SHA256SUMS.minisig`, and for each architecture
//! `sbc-bench-VERSION-ARCH.gz`, as `cargo xtask package` makes them.

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

/// Maximum size of the sums; each line has about 100 bytes.
const SUMS_BYTES_MAX: u64 = 64 << 10;
/// Maximum size of a signature, which has four lines.
const SIGNATURE_BYTES_MAX: u64 = 4 << 10;
/// Maximum size of a packed program; usual ones have less than 10 MB.
const PACKED_BYTES_MAX: u64 = 64 << 20;
/// Maximum size of a program; usual ones have less than 16 MB.
const PROGRAM_BYTES_MAX: u64 = 256 << 20;

/// Address of the project's releases, and the key that signs them.
const TABLE: Table = Table::of(include_str!("../../../../data/releases.tsv"));

/// Architecture in file names: the kernel's name for ARM, which Rust always calls `arm`.
const ARCH: &str = match std::env::consts::ARCH.as_bytes() {
    b"arm" => "armv7",
    _ => std::env::consts::ARCH,
};

/// A release with its public key.
#[derive(Debug)]
pub struct Source {
    release: Release,
    key: PublicKey,
}

impl Source {
    /// A release at an address, with a key as text (file of minisign or its last line); the defaults are those of the
    /// project.
    ///
    /// # Errors
    /// There is no default, or address or key is invalid; one sentence.
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

    /// The newest program of the release for this machine if newer than this version. The signature is verified.
    ///
    /// # Errors
    /// It cannot be fetched, the signature is wrong, or it has no date or no program for this machine; one sentence.
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
        Ok(ReleaseFile {
            version: newest,
            day: day.to_owned(),
            newer: (newest > version).then_some(NewerProgram(entry)),
        })
    }

    /// Fetches a program and replaces this one.
    ///
    /// # Errors
    /// One sentence; the old program is in its place.
    pub fn install(&self, newer: &NewerProgram, program: &Path) -> Result<(), String> {
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

    /// Address for messages.
    pub fn url(&self) -> &str {
        self.release.url()
    }
}

/// Newest file of a release for this machine.
#[derive(Debug)]
pub struct ReleaseFile {
    /// Version.
    pub version: Version,
    /// Signed day of the release, such as 2026-11-27; not validated.
    pub day: String,
    /// The program, if newer than this one.
    pub newer: Option<NewerProgram>,
}

/// A program with a signed sum.
#[derive(Debug)]
pub struct NewerProgram(Entry);

/// Reason not to update a program: a sentence about its package manager.
pub fn foreign_owner(program: &Path) -> Option<String> {
    owner::of(program)
}

/// Parses sums of a release; for fuzzing.
pub fn foreign(text: &str) {
    for arch in ["x86_64", "armv7", ""] {
        drop(sums::newest(text, arch));
        let _ = sums::day(text);
    }
}
