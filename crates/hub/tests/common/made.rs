//! Synthetic results: logs with chosen board, date and score, Records, archives.

const LOG: &str = include_str!("../../../explain/tests/composed/0.9.44-false-alarm.txt");

/// Log of a board, started `day` days after the first, with this 7-zip score on all CPUs.
pub(crate) fn log(board: &str, day: u32, mips: f64) -> Vec<u8> {
    let date = format!("{:02} {} {}", day % 28 + 1, MONTHS[(day / 28 % 12) as usize], 2020 + day / 336);
    let mut text = LOG.replacen("Testboard Sixteen", board, 1).replacen("Tue, 20 Jun 2023", &format!("Tue, {date}"), 1);
    for (score, offset) in [("1255   7117", 0.0), ("1253   7110", -7.0), ("1256   7124", 7.0)] {
        text = text.replace(score, &format!("{}   {:.0}", &score[..4], mips + offset));
    }
    text.into_bytes()
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Words for each kind of redaction; repeating one was once expensive.
pub(crate) const WORDS: [&str; 10] = [
    "/home\u{2f}",
    "/media/a ",
    "/mnt/",
    "a@b ",
    "1.2.3.4:",
    "fe80::1:",
    "://a:b@",
    "02:aa:bb:cc:dd:01-",
    "00000000-1111-2222-3333-444444444444-",
    "ssid=",
];

/// A Record of a standard run without samples.
pub(crate) fn run() -> String {
    include_str!("../../../explain/tests/own/two-policies.json").to_owned()
}

/// A Record of nearly the maximum size, compressed.
pub(crate) fn large_record() -> Vec<u8> {
    let mut run: serde_json::Value = serde_json::from_str(&run()).unwrap();
    let ticks: Vec<u32> = (0..20_000).map(|tick| 2_000 + tick * 500).collect();
    run["samples"]["at_ms"] = serde_json::json!(ticks);
    let channels: Vec<serde_json::Value> = (0..96)
        .map(|number| {
            let id = format!("cpu{}.{}", number / 2, ["user", "idle"][number % 2]);
            let values: Vec<u32> = ticks.iter().map(|tick| tick * 11 % 7919 + tick * 2).collect();
            serde_json::json!({"id": id, "label": "", "unit": "ticks", "kind": "counter", "source": "/proc/stat", "values": values})
        })
        .collect();
    run["samples"]["channels"] = channels.into();
    let text = run.to_string();
    assert!((12 << 20..16 << 20).contains(&text.len()), "{}", text.len());
    gzip(text.as_bytes())
}

pub(crate) fn gzip(bytes: impl std::io::Read) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::best());
    std::io::Read::read_to_end(&mut encoder, &mut packed).unwrap();
    packed
}

/// Size of a block of a tar archive (POSIX.1-2017, pax, "ustar Interchange Format").
const BLOCK: usize = 512;

pub(crate) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let mut header = vec![0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        header[148..156].fill(b' ');
        let total = header.iter().fold(0_u32, |total, byte| total + u32::from(*byte));
        header[148..156].copy_from_slice(format!("{total:06o}\0 ").as_bytes());
        archive.extend(header);
        archive.extend(*content);
        archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    }
    archive.resize(archive.len() + 2 * BLOCK, 0);
    archive
}
