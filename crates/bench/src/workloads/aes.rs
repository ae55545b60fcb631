//! `aes`: AES-CBC encryption built in, with the block sizes of `openssl speed`. Runs where no
//! OpenSSL is installed, and is the same code on every machine. It is RustCrypto's, which uses
//! AES instructions of x86 and 64-bit ARM where the CPU has them and constant-time integer code
//! elsewhere; it is not OpenSSL's, so the two are never set side by side.
//!
//! Every repetition starts from the same vector. In CBC each block depends on all before, so equal
//! ends prove that every repetition computed the same; a published test vector proves that it was
//! right.

use super::Workload;
use crate::Lab;
use crate::child::failure;
use crate::repeat::until_known;
use aes::cipher::consts::U16;
use aes::cipher::{Array, BlockModeEncrypt, IvState, KeyIvInit};
use aes::{Aes128, Aes192, Aes256};
use cbc::Encryptor;
use record::{Cipher, Failure, FailureKind, Measured, Repeated, StoppingRule};
use std::hint::black_box;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// The entry in the table of workloads.
pub(super) const AES: Workload = Workload {
    id: "aes",
    about: "AES-CBC encryption, built in and the same on every machine, for six block sizes.",
    link: "https://csrc.nist.gov/pubs/sp/800/38/a/final",
    unit: "bytes/s",
    higher_is_better: true,
    tool: None,
    shape: None,
    lacking: |_| None,
    run,
};

/// Rises when the code that is timed or the way of repeating changes, a new version of its library
/// included.
const METHOD: u32 = 2;
/// Block sizes in bytes: those of `openssl speed`.
const SIZES: [u32; 6] = [16, 64, 256, 1024, 8192, 16384];
/// AES works on blocks of its own, of 16 bytes.
const CELL_BYTES: usize = 16;
/// Repetitions of one block size, all with the same end.
const RULE: StoppingRule = StoppingRule::new(22, Duration::from_millis(300));
/// Length of one repetition: long against the clock and against a tick of the kernel.
const REPETITION: Duration = Duration::from_millis(20);

/// What one thread found at every block size.
type Rates = Vec<Repeated>;

fn run(lab: &mut Lab) -> Result<Measured, Failure> {
    lab.method = METHOD;
    let algorithm = lab.job.variant.clone();
    let measure: fn(&AtomicI32, Duration) -> Result<Rates, String> = match algorithm.as_str() {
        "aes-128-cbc" => measure::<Encryptor<Aes128>>,
        "aes-192-cbc" => measure::<Encryptor<Aes192>>,
        "aes-256-cbc" => measure::<Encryptor<Aes256>>,
        other => {
            let why = format!("The built-in workload aes has no variant {other}.");
            return Err(failure(FailureKind::NotStarted, why, ""));
        }
    };
    let cancelled = lab.cancelled;
    let mut rows: Vec<(u32, u64)> = SIZES.iter().map(|&size| (size, 0)).collect();
    for thread in lab.pinned_threads(|_| measure(cancelled, REPETITION))? {
        let thread = thread.map_err(|why| failure(FailureKind::WrongAnswer, why, ""))?;
        for (row, repeated) in rows.iter_mut().zip(&thread) {
            row.1 += repeated.figure() as u64;
        }
        lab.repeated.extend(thread);
    }
    Ok(Measured::Cipher(Cipher { algorithm, rows }))
}

/// A cipher with its published example.
trait Example: KeyIvInit + BlockModeEncrypt<BlockSize = U16> + IvState {
    /// The key, in hexadecimal digits.
    const KEY: &str;
    /// What becomes of [`PLAIN`].
    const ENCRYPTED: &str;
}

// The first cells of the examples in NIST SP 800-38A, appendix F.2.
const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172a";
const VECTOR: &str = "000102030405060708090a0b0c0d0e0f";

impl Example for Encryptor<Aes128> {
    const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
    const ENCRYPTED: &str = "7649abac8119b246cee98e9b12e9197d";
}

impl Example for Encryptor<Aes192> {
    const KEY: &str = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b";
    const ENCRYPTED: &str = "4f021db243bc633d7178183a9fa071e8";
}

impl Example for Encryptor<Aes256> {
    const KEY: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
    const ENCRYPTED: &str = "f58c4c04d6e5f1ba779eabfb5f7bfbd6";
}

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap_or(0) as u8;
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

/// The cipher at the beginning of its example.
fn start<E: Example>() -> Result<E, String> {
    E::new_from_slices(&bytes(E::KEY), &bytes(VECTOR)).map_err(|e| e.to_string())
}

/// Bytes per second by block size; fewer block sizes if the run is interrupted.
fn measure<E: Example>(cancelled: &AtomicI32, repetition: Duration) -> Result<Rates, String> {
    let mut cell = Array::<u8, U16>::try_from(bytes(PLAIN).as_slice()).unwrap_or_default();
    start::<E>()?.encrypt_block(&mut cell);
    if cell.as_slice() != bytes(E::ENCRYPTED) {
        return Err("AES gave another answer than the standard says.".to_owned());
    }
    let go_on = |_: &&u32| cancelled.load(Ordering::Relaxed) == 0;
    let sizes = SIZES.iter().take_while(go_on);
    sizes
        .filter_map(|&size| rate::<E>(size, repetition, cancelled).transpose())
        .collect()
}

/// Bytes per second at one block size, repeated.
fn rate<E: Example>(
    size: u32,
    repetition: Duration,
    cancelled: &AtomicI32,
) -> Result<Option<Repeated>, String> {
    let mut buffer = vec![Array::<u8, U16>::default(); size as usize / CELL_BYTES];
    // Twice as many turns each time until they can be timed; that warms up everything, too.
    let mut turns = 1u32;
    let enough = loop {
        let (elapsed, _) = repeat(start::<E>()?, &mut buffer, turns);
        if elapsed >= repetition / 8 || turns > u32::MAX / 2 {
            break repetition.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
        }
        turns *= 2;
    };
    let turns = (f64::from(turns) * enough)
        .ceil()
        .clamp(1.0, f64::from(u32::MAX)) as u32;
    let (_, first_end) = repeat(start::<E>()?, &mut buffer, turns);
    let mut wrong = None;
    let (rates, ended) = until_known(&RULE, cancelled, || {
        let (elapsed, end) = match start::<E>() {
            Ok(cipher) => repeat(cipher, &mut buffer, turns),
            Err(why) => {
                wrong = Some(why);
                return 0.0;
            }
        };
        if end != first_end {
            let why = "AES gave two answers to the same question: memory, clock or voltage of \
                       this machine are not stable.";
            wrong = Some(why.to_owned());
        }
        f64::from(size) * f64::from(turns) / elapsed.as_secs_f64().max(1e-9)
    });
    if let Some(why) = wrong {
        return Err(why);
    }
    let name = format!("{size} bytes");
    Ok(Repeated::of(&name, "bytes/s", &rates, ended))
}

/// Encrypts the buffer, which begins as zeros, in place again and again; returns the time and the
/// end of the chain.
fn repeat<E: Example>(
    mut cipher: E,
    buffer: &mut [Array<u8, U16>],
    turns: u32,
) -> (Duration, Array<u8, E::IvSize>) {
    buffer.fill(Array::default());
    let started = Instant::now();
    for _ in 0..turns {
        cipher.encrypt_blocks(black_box(&mut *buffer));
    }
    let elapsed = started.elapsed();
    (elapsed, cipher.iv_state())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Job;
    use crate::testing::Bench;

    const SHORT: Duration = Duration::from_micros(100);

    #[test]
    fn the_published_answers_come_out_and_speeds_are_positive() {
        for measured in [
            measure::<Encryptor<Aes128>>(&AtomicI32::new(0), SHORT),
            measure::<Encryptor<Aes192>>(&AtomicI32::new(0), SHORT),
            measure::<Encryptor<Aes256>>(&AtomicI32::new(0), SHORT),
        ] {
            let rows = measured.unwrap();
            let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
            assert_eq!(names, SIZES.map(|size| format!("{size} bytes")));
            assert!(rows.iter().all(|row| row.min > 0.0));
        }
    }

    /// The second cell of example F.2.1 follows from the first only if they are chained.
    #[test]
    fn cells_are_chained() {
        let two = format!("{PLAIN}ae2d8a571e03ac9c9eb76fac45af8e51");
        let cells = bytes(&two);
        let mut cells: Vec<Array<u8, U16>> = cells
            .chunks(CELL_BYTES)
            .map(|cell| Array::try_from(cell).unwrap())
            .collect();
        let mut cipher = start::<Encryptor<Aes128>>().unwrap();
        cipher.encrypt_blocks(&mut cells);
        assert_eq!(
            cells[1].as_slice(),
            bytes("5086cb9b507219ee95db113a917678b2")
        );
        assert_eq!(cipher.iv_state(), cells[1]);
    }

    #[test]
    fn the_end_depends_on_every_turn() {
        let mut buffer = vec![Array::<u8, U16>::default(); 4];
        let mut end = |turns| repeat(start::<Encryptor<Aes256>>().unwrap(), &mut buffer, turns).1;
        assert_eq!(end(5), end(5));
        assert_ne!(end(5), end(6));
    }

    #[test]
    fn a_variant_that_does_not_exist_is_refused() {
        let variant = "aes-256-gcm".to_owned();
        let job = Job {
            workload: "aes",
            variant,
            threads: 1,
            ..Job::default()
        };
        let failure = Bench::new(&[]).with(&job, run).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotStarted);
    }
}
