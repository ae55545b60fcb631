//! Archives as other programs write them, decompression bombs, false sizes, and arbitrary bytes.

use super::*;
use flate2::read::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;
use zip::write::SimpleFileOptions;

const LIMITS: Limits = Limits { files_max: 4, bytes_max: 5000 };

type Files<'a> = &'a [(&'a str, &'a [u8])];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    GzEncoder::new(bytes, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
    packed
}

/// GNU tar header with any name and size, followed by the content.
fn entry(name: &str, kind: u8, size: &[u8; 11], content: &[u8]) -> Vec<u8> {
    let mut block = vec![0; 512];
    let name = &name.as_bytes()[..name.len().min(100)];
    block[..name.len()].copy_from_slice(name);
    block[124..135].copy_from_slice(size);
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar  \0");
    block[148..156].fill(b' ');
    let sum = block.iter().fold(0_u32, |sum, byte| sum + u32::from(*byte));
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block.extend(content);
    block.resize(block.len().next_multiple_of(512), 0);
    block
}

fn file(name: &str, content: &[u8]) -> Vec<u8> {
    entry(name, b'0', format!("{:011o}", content.len()).as_bytes().try_into().unwrap(), content)
}

fn tar(files: Files<'_>) -> Vec<u8> {
    let mut all: Vec<u8> = files.iter().flat_map(|(name, content)| file(name, content)).collect();
    all.extend([0; 1024]);
    all
}

fn zip(files: Files<'_>) -> Vec<u8> {
    let mut made = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        made.start_file(*name, SimpleFileOptions::default()).unwrap();
        made.write_all(content).unwrap();
    }
    made.finish().unwrap().into_inner()
}

fn check(archive: &[u8], expected: Result<Files<'_>, &str>) {
    match (members(archive, LIMITS), expected) {
        (Ok(found), Ok(expected)) => {
            let found: Vec<(&str, &[u8])> =
                found.iter().map(|member| (member.name.as_str(), member.bytes.as_slice())).collect();
            assert_eq!(found, expected);
        }
        (Err(problem), Err(words)) => assert!(problem.to_string().contains(words), "{problem}"),
        (found, expected) => panic!("{found:?} instead of {expected:?}"),
    }
}

#[test]
fn files_come_out_as_they_went_in() {
    let nested = tar(&[("c", b"3")]);
    let packed = gzip(&nested);
    for make in [tar, zip] {
        let files: Files<'_> =
            &[("logs/a.txt", b"first"), ("../../etc/passwd", b"second"), ("in.tar", &nested), ("in.tgz", &packed)];
        let archive = make(files);
        assert!(is_archive(&archive) && !is_compressed(&archive));
        check(&archive, Ok(files));
        check(&unpacked(gzip(&archive), 10_000).unwrap(), Ok(files));
        check(&make(&[("empty", b""), ("a", b"1")]), Ok(&[("a", b"1")]));
        check(&make(&[]), Ok(&[]));
    }
    assert!(is_archive(&zip(&[])) && !is_archive(b"PK") && !is_archive(&[]));
    check(&zip(&[("logs/", b""), ("logs/a", b"1")]), Ok(&[("logs/a", b"1")]));
    let mut linked = zip::ZipWriter::new(Cursor::new(Vec::new()));
    linked.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    check(&linked.finish().unwrap().into_inner(), Ok(&[]));
    let link = entry("link", b'2', b"00000000000", b"");
    check(&[link, entry("folder", b'5', b"00000000000", b""), file("a", b"1")].concat(), Ok(&[("a", b"1")]));
    // Name longer than a tar header permits.
    let name = "x".repeat(150);
    let long = entry("././@LongLink", b'L', b"00000000226", name.as_bytes());
    check(&[long, file("x", b"1")].concat(), Ok(&[(&name, b"1")]));
}

#[test]
fn every_compression_is_unpacked() {
    let archive = tar(&[("a.txt", &gzip(b"first")), ("b", b"second")]);
    let mut xz = XzWriter::new(Vec::new(), XzOptions::default()).unwrap();
    xz.write_all(&archive).unwrap();
    let zstd = compress_to_vec(&archive[..], CompressionLevel::Fastest);
    let expected = [("a.txt", b"first".as_slice()), ("b", b"second")];
    for packed in [gzip(&archive), gzip(&gzip(&archive)), xz.finish().unwrap(), zstd] {
        assert!(is_compressed(&packed));
        let found = files(packed.clone(), Limits { files_max: 4, bytes_max: 10_000 }).unwrap();
        let found: Vec<(&str, &[u8])> = found.iter().map(|file| (file.name.as_str(), file.bytes.as_slice())).collect();
        assert_eq!(found, expected);
        assert!(matches!(unpacked(packed[..20].to_vec(), 10_000), Err(Problem::Damaged(_))));
        assert_eq!(unpacked(packed, 100), Err(Problem::Bytes(100)));
    }
    let plain = files(b"log".to_vec(), LIMITS).unwrap();
    assert_eq!((plain[0].name.as_str(), plain[0].bytes.as_slice()), ("", b"log".as_slice()));
}

#[test]
fn bombs_and_lies_are_refused() {
    let zeros = vec![0; 3000];
    for make in [tar, zip] {
        check(&make(&[("a", &[0; 5001])]), Err("more than 4 KiB"));
        check(&make(&[("a", &zeros), ("b", &zeros)]), Err("more than 4 KiB"));
        check(&make(&[("a", b"1"), ("b", b"1"), ("c", b"1"), ("d", b"1"), ("e", b"1")]), Err("more than 4 files"));
        let whole = make(&[("a", &zeros)]);
        check(&whole[..whole.len() / 3], Err("is damaged"));
    }
    assert_eq!(unpacked(gzip(&[0; 5000]), 4999), Err(Problem::Bytes(4999)));
    assert_eq!(unpacked(gzip(&[0; 5000]), 5000).map(|bytes| bytes.len()), Ok(5000));
    assert!(
        matches!(unpacked(gzip(b"log")[..8].to_vec(), 10), Err(Problem::Damaged(why)) if why.starts_with("gzip: "))
    );
    // Sizes beyond the end of the data, in octal and in the 64-bit form of GNU tar.
    check(&entry("a", b'0', b"00000000100", b"1")[..513], Err("ends within a file"));
    check(&entry("a", b'0', b"77777777777", b"1"), Err("is damaged"));
    check(&entry("a", b'0', b"\x80\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", b"1"), Err("is damaged"));
    check(&entry("a", b'0', b"99999999999", b"1"), Err("is damaged"));
    // Zip archive with a file count that is too large, and one with a file size that is too small.
    let mut many = zip(&[("a", b"1")]);
    let end = many.len() - 22;
    many[end + 8..end + 12].fill(0xff);
    assert!(members(&many, LIMITS).is_err());
    let mut small = zip(&[("a", &zeros)]);
    let central = small.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    small[central + 24..central + 28].copy_from_slice(&1_u32.to_le_bytes());
    if let Ok(found) = members(&small, LIMITS) {
        assert!(found.iter().map(|member| member.bytes.len()).max() <= Some(LIMITS.bytes_max));
    }
}

fn archives() -> impl Strategy<Value = Vec<u8>> {
    let content = prop_oneof![vec(any::<u8>(), 0..600), (0..6000_usize).prop_map(|len| vec![0; len])];
    let files = vec(("[a-z./\u{202e}]{0,9}", content), 0..6);
    (files, any::<bool>(), any::<bool>()).prop_map(|(files, is_zip, is_nested)| {
        let make = if is_zip { zip } else { tar };
        // A zip archive cannot contain two files with one name.
        let named: Vec<String> = files.iter().enumerate().map(|(at, (name, _))| format!("{name}{at}")).collect();
        let files: Vec<(&str, &[u8])> =
            named.iter().map(String::as_str).zip(files.iter().map(|(_, content)| content.as_slice())).collect();
        let archive = make(&files);
        if is_nested { make(&[("in.zip", &archive), ("in.gz", &gzip(&archive))]) } else { archive }
    })
}

fn within(limits: Limits, bytes: &[u8]) {
    match members(bytes, limits) {
        Ok(members) => {
            let total = members.iter().fold(0, |total, member| total + member.bytes.len());
            assert!(members.len() <= limits.files_max && total <= limits.bytes_max);
            assert!(members.iter().all(|member| !member.bytes.is_empty()));
        }
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
}

proptest! {
    #[test]
    fn archives_never_panics(
        archive in archives(),
        changes in vec((any::<proptest::sample::Index>(), any::<u8>()), 0..4),
        cut in prop_oneof![Just(None), any::<proptest::sample::Index>().prop_map(Some)],
        files_max in 0..8_usize,
        bytes_max in 0..8000_usize,
    ) {
        let mut archive = archive;
        for (at, byte) in changes {
            let at = at.index(archive.len());
            archive[at] = byte;
        }
        if let Some(cut) = cut {
            archive.truncate(cut.index(archive.len()));
        }
        within(Limits { files_max, bytes_max }, &archive);
        let room = unpacked(gzip(&archive), bytes_max).map_or(bytes_max + 1, |bytes| bytes.len());
        assert_eq!(room <= bytes_max, archive.len() <= bytes_max);
    }

    #[test]
    fn any_bytes_never_panics(bytes in vec(any::<u8>(), 0..2000), is_packed in any::<bool>()) {
        for (magic, _) in COMPRESSIONS.iter().filter(|_| is_packed) {
            let _ = files([magic, bytes.as_slice()].concat(), LIMITS);
        }
        let _ = members(&bytes, LIMITS);
        let _ = members(&[b"PK\x03\x04".as_slice(), &bytes].concat(), LIMITS);
    }
}
