//! A simulated tester at the other end of a socket pair, which preserves reports like hidraw.

use super::super::{Guard, KINDS, Poll, channels};
use super::*;
use machine::LatestValues;
use machine::timeline::thread_cpu_ns;
use proptest::prelude::*;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::sync::atomic::{AtomicBool, Ordering};

/// Report with four equal samples, in units of 10 µV and 10 µA.
fn report(volts: u32, amperes: u32) -> [u8; REPORT_BYTES] {
    let mut bytes = [0; REPORT_BYTES];
    (bytes[0], bytes[1]) = (0xaa, 4);
    for sample in bytes[2..62].chunks_exact_mut(SAMPLE_BYTES) {
        sample[..4].copy_from_slice(&volts.to_le_bytes());
        sample[4..8].copy_from_slice(&amperes.to_le_bytes());
        sample[12] = 1;
    }
    bytes[63] = crc8(&bytes[1..63]);
    bytes
}

fn pair() -> (File, File) {
    let (ours, device) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::empty(), None).unwrap();
    ioctl_fionbio(&ours, true).unwrap();
    (File::from(ours), File::from(device))
}

fn tester(asks_each: bool) -> FakeTester {
    FakeTester::open(Device { name: "FNIRSI FNB58".into(), asks_each, ..Device::default() })
}

/// Requests received by the device.
fn requests(device: &mut File, count: usize) -> Vec<Vec<u8>> {
    let mut requests = Vec::new();
    for _ in 0..count {
        let mut bytes = [0; 2 * REPORT_BYTES];
        let length = device.read(&mut bytes).unwrap();
        assert_eq!((length, bytes[0], bytes[1]), (REPORT_BYTES + 1, 0, 0xaa));
        requests.push(vec![bytes[2], bytes[REPORT_BYTES]]);
    }
    requests
}

#[test]
fn checksums_of_the_requests_are_those_of_the_reports() {
    for [word, checksum] in [BEGIN, SECOND, GO_ON] {
        let mut bytes = [0; REPORT_BYTES - 2];
        bytes[0] = word;
        assert_eq!(crc8(&bytes), checksum);
    }
}

#[test]
fn tester_is_asked_and_gives_the_mean_of_its_samples() {
    for (asks_each, third) in [(false, SECOND), (true, GO_ON)] {
        let (mut ours, mut device) = pair();
        let mut tester = tester(asks_each);
        tester.begin(&mut ours).unwrap();
        assert_eq!(requests(&mut device, 3), [BEGIN.to_vec(), SECOND.to_vec(), third.to_vec()]);
        tester.file = Some(ours);
        // A tester that is asked for each report is asked for some time.
        let count = if asks_each { REPORTS_MAX } else { 2 };
        // 5.10000 V and 0.94118 A.
        (0..count).for_each(|_| device.write_all(&report(510_000, 94_118)).unwrap());
        let first = tester.read().unwrap().unwrap().outputs[0];
        assert_eq!((first.milliwatts, first.millivolts, first.milliamperes), (Some(4_800), Some(5_100), Some(941)));
        if asks_each {
            assert_eq!(requests(&mut device, 1), [GO_ON.to_vec()]);
            continue;
        }
        let mut other = report(0, 0);
        other[1] = 3;
        other[63] = crc8(&other[1..63]);
        device.write_all(&other).unwrap();
        assert_eq!(tester.read(), Ok(None), "a report of another type");
        for report in [report(510_000, 94_118), other, report(510_000, 188_236)] {
            device.write_all(&report).unwrap();
        }
        let second = tester.read().unwrap().unwrap().outputs[0];
        assert_eq!(second.milliwatts, Some(7_200));
        assert!(second.microjoules > first.microjoules);
    }
}

/// Simulates a tester for one second, or for `SBC_BENCH_METER_S` seconds, and prints the CPU time of the polling thread.
#[test]
#[expect(clippy::print_stdout, reason = "`cargo xtask bench --meter` shows it")]
fn polling_reads_every_report() {
    let seconds = std::env::var("SBC_BENCH_METER_S").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (ours, mut device) = pair();
    let mut tester = tester(false);
    tester.file = Some(ours);
    let kind = KINDS.iter().find(|kind| kind.id == ID).unwrap();
    let address = Address::parse(ID).unwrap();
    let channels = channels::channels(0, kind, "tester", &address.outputs, 1);
    let feed = LatestValues::new("tester", channels, kind.patience);
    let mut poll = Poll { source: Box::new(tester), guard: Guard::default(), chosen: 0..1, feed };
    let stop = AtomicBool::new(false);
    let (sent, cpu_ns) = std::thread::scope(|scope| {
        let polling = scope.spawn(|| {
            poll.work(kind.poll, &stop);
            thread_cpu_ns()
        });
        let begin = Instant::now();
        let mut sent = 0;
        while begin.elapsed() < Duration::from_secs(seconds) {
            device.write_all(&report(510_000, 94_118)).unwrap();
            sent += 1;
            std::thread::sleep(SAMPLE_TIME * SAMPLES as u32);
        }
        stop.store(true, Ordering::Relaxed);
        // It may wait for a report.
        device.write_all(&report(510_000, 94_118)).unwrap();
        (sent, polling.join().unwrap())
    });
    let percent = cpu_ns as f64 / (seconds as f64 * 1e7);
    println!("meter fnirsi: {sent} reports in {seconds} s, CPU time {percent:.3} % of a core (limit 0.1)");
    let (reads, _) = poll.feed.cost();
    assert!((1..=sent).contains(&reads), "{reads} readings of {sent} reports");
}

#[test]
fn tester_that_fails_is_a_gap() {
    let (ours, mut device) = pair();
    let mut tester = tester(false);
    tester.file = Some(ours);
    let mut broken = report(510_000, 94_118);
    broken[3] ^= 1;
    for (bytes, words) in [(&broken[..], "checksum"), (&broken[..20], "checksum"), (b"garbage", "unexpected text")] {
        device.write_all(bytes).unwrap();
        let failure = tester.next().unwrap_err();
        assert!(failure.missing("x").to_string().contains(words), "{failure:?}");
    }
    drop(device);
    assert!(tester.next().is_err(), "unplugged");
}

#[test]
fn energy_ends_where_samples_were_lost() {
    let (mut energy, begin) = (Energy::default(), Instant::now());
    let mut at = |ms: u64| energy.add(1_000.0, SAMPLES, begin + Duration::from_millis(ms)).map(f64::round);
    assert_eq!(at(0), Some(40_000.0));
    assert_eq!(at(40), Some(80_000.0));
    assert_eq!(at(100), Some(140_000.0));
    assert_eq!(at(700), None);
    assert_eq!(at(740), None);
}

proptest! {
    #[test]
    fn reports_never_panic(mut bytes: Vec<u8>, sums: bool) {
        if sums && bytes.len() > 2 {
            bytes.resize(REPORT_BYTES, 0);
            bytes[0] = 0xaa;
            bytes[63] = crc8(&bytes[1..63]);
        }
        let _ = parse_report(&bytes);
    }
}
