//! `aes`: built-in AES-CBC encryption with the block sizes of `openssl speed`, for machines without OpenSSL; the same code on
//! every machine. RustCrypto uses the AES instructions of x86 and 64-bit ARM where the CPU has them and constant-time
//! integer code elsewhere. It is not OpenSSL's code, so their scores are not compared. The `-plain` variants use no AES
//! instructions.
//!
//! Every repetition starts from the same vector. In CBC each block depends on all previous ones, so equal last blocks prove
//! that all repetitions agree; a published test vector proves that they are right.

use super::Workload;
use super::attributes::{Attributes, CIPHER, CIPHERS, ClockForm};
use super::scored::{not_started, wrong_answer};
use crate::measure::context::WorkloadContext;
use crate::measure::repeat::until_known;
use crate::measure::report::StepReport;
use aes::cipher::consts::U16;
use aes::cipher::{Array, BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use microbench::aes::PlainAes;
use record::{Cipher, Failure, RepetitionStats, StepMeasurement, StoppingRule, Variant, WorkloadId};
use std::hint::black_box;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// The entry in the table of workloads.
pub(super) const AES: Workload = Workload {
    id: WorkloadId::Aes,
    about: "Built-in AES-CBC encryption for six block sizes; same code on every machine.",
    link: "https://csrc.nist.gov/pubs/sp/800/38/a/final",
    attributes: Attributes { heats: CIPHER, at_a_clock: Some(ClockForm::CIPHER), forms: CIPHERS, ..Attributes::PLAIN },
    run,
    ..Workload::PLAIN
};

/// Rises when the timed code or the repetition changes, including the library's version.
const METHOD: u32 = 3;
/// Block sizes in bytes: those of `openssl speed`.
const SIZES: [u32; 6] = [16, 64, 256, 1024, 8192, 16384];
/// Repetitions of one block size.
const RULE: StoppingRule = StoppingRule::new(22, Duration::from_millis(300));
/// Duration of a repetition: long against the timer and the kernel's tick.
const REPETITION: Duration = Duration::from_millis(20);
/// Duration of a repetition at the largest size under a quota, which applies in slices of 0.1 s: only the mean of many slices
/// is the quota.
const REPETITION_LIMITED: Duration = Duration::from_secs(4);

/// A block of AES, 16 bytes.
type Cell = Array<u8, U16>;
/// Rates of one thread at every block size.
type Rates = Vec<RepetitionStats>;

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let algorithm = context.job.variant.to_string();
    let unknown = || not_started(format!("The built-in workload aes has no variant {algorithm}."));
    let measure = measure_of(&context.job.variant).ok_or_else(unknown)?;
    let cancelled = context.cancelled;
    let mut rows: Vec<(u32, u64)> = SIZES.iter().map(|&size| (size, 0)).collect();
    let pace = if context.group.is_some_and(machine::Group::is_limited) {
        [REPETITION, REPETITION_LIMITED]
    } else {
        [REPETITION; 2]
    };
    for thread in context.pinned_threads(report, |_| measure(cancelled, pace))? {
        let thread = thread.map_err(wrong_answer)?;
        for (row, repeated) in rows.iter_mut().zip(&thread) {
            row.1 += repeated.figure() as u64;
        }
        report.repeated.extend(thread);
    }
    Ok(StepMeasurement::Cipher(Cipher { algorithm, rows }))
}

/// Durations of a repetition: at most sizes, and at the largest, which is compared.
type Durations = [Duration; 2];

/// Measures one cipher on the calling thread.
type Measure = fn(&AtomicI32, Durations) -> Result<Rates, String>;

/// Variants with their measurements: by the library, and without AES instructions for names that end in [`PLAIN_END`].
const VARIANTS: [(Variant, Measure, Measure); 3] = [
    (
        Variant::AES_128_CBC,
        |cancelled, pace| measure::<Library<Aes128>>(&KEY_128, cancelled, pace),
        |cancelled, pace| measure::<PlainAes>(&KEY_128, cancelled, pace),
    ),
    (
        Variant::AES_192_CBC,
        |cancelled, pace| measure::<Library<Aes192>>(&KEY_192, cancelled, pace),
        |cancelled, pace| measure::<PlainAes>(&KEY_192, cancelled, pace),
    ),
    (
        Variant::AES_256_CBC,
        |cancelled, pace| measure::<Library<Aes256>>(&KEY_256, cancelled, pace),
        |cancelled, pace| measure::<PlainAes>(&KEY_256, cancelled, pace),
    ),
];
const PLAIN_END: &str = "-plain";

/// Measurement of a variant.
fn measure_of(variant: &Variant) -> Option<Measure> {
    let (name, is_plain) = match variant.as_str().strip_suffix(PLAIN_END) {
        Some(name) => (name, true),
        None => (variant.as_str(), false),
    };
    let mut known = VARIANTS.into_iter();
    let (_, by_library, plain) = known.find(|(known, ..)| known.as_str() == name)?;
    Some(if is_plain { plain } else { by_library })
}

/// A key with the encryption of [`PLAIN`].
struct Example {
    key: &'static str,
    encrypted: &'static str,
}

// The first cells of the examples in NIST SP 800-38A, appendix F.2, in hexadecimal digits.
const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172a";
const VECTOR: &str = "000102030405060708090a0b0c0d0e0f";
const KEY_128: Example =
    Example { key: "2b7e151628aed2a6abf7158809cf4f3c", encrypted: "7649abac8119b246cee98e9b12e9197d" };
const KEY_192: Example =
    Example { key: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", encrypted: "4f021db243bc633d7178183a9fa071e8" };
const KEY_256: Example = Example {
    key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    encrypted: "f58c4c04d6e5f1ba779eabfb5f7bfbd6",
};

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap_or(0) as u8;
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The cell of hexadecimal digits.
fn cell(digits: &str) -> Cell {
    Cell::try_from(bytes(digits).as_slice()).unwrap_or_default()
}

/// A cipher with its key.
trait BlockCipher: Sized {
    /// `None` for a key of the wrong length.
    fn with_key(key: &[u8]) -> Option<Self>;

    /// Encrypts cells in order, each mixed with the previous result, and leaves the last in `state`.
    fn chain(&self, state: &mut Cell, cells: &mut [Cell]);
}

/// One of RustCrypto's ciphers.
struct Library<C>(C);

impl<C> BlockCipher for Library<C>
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit,
{
    fn with_key(key: &[u8]) -> Option<Self> {
        C::new_from_slice(key).ok().map(Self)
    }

    fn chain(&self, state: &mut Cell, cells: &mut [Cell]) {
        self.0.encrypt_with_backend(Chain { state, cells });
    }
}

impl BlockCipher for PlainAes {
    fn with_key(key: &[u8]) -> Option<Self> {
        PlainAes::new(key)
    }

    fn chain(&self, state: &mut Cell, cells: &mut [Cell]) {
        chain(state, cells, |cell| self.encrypt(&mut cell.0));
    }
}

/// The chain as a closure of RustCrypto, which enables AES instructions for it.
struct Chain<'a> {
    state: &'a mut Cell,
    cells: &'a mut [Cell],
}

impl BlockSizeUser for Chain<'_> {
    type BlockSize = U16;
}

impl BlockCipherEncClosure for Chain<'_> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        chain(self.state, self.cells, |cell| backend.encrypt_block(cell.into()));
    }
}

/// Chains cells. The state is a local variable to stay in a register: in memory, each cell would wait for the store of the
/// previous one.
#[inline(always)]
fn chain(state: &mut Cell, cells: &mut [Cell], encrypt: impl Fn(&mut Cell)) {
    let mut last = *state;
    for cell in cells {
        let mixed = u128::from_ne_bytes(last.0) ^ u128::from_ne_bytes(cell.0);
        last = Array(mixed.to_ne_bytes());
        encrypt(&mut last);
        *cell = last;
    }
    *state = last;
}

/// Bytes per second by block size; fewer block sizes if the run is interrupted.
fn measure<E: BlockCipher>(
    example: &Example,
    cancelled: &AtomicI32,
    [usual, largest]: Durations,
) -> Result<Rates, String> {
    let cipher = E::with_key(&bytes(example.key)).ok_or("Wrong AES key length.")?;
    let mut state = cell(VECTOR);
    cipher.chain(&mut state, &mut [cell(PLAIN)]);
    if state != cell(example.encrypted) {
        return Err("AES gave a wrong result for the standard's test vector.".to_owned());
    }
    let go_on = |_: &&u32| cancelled.load(Ordering::Relaxed) == 0;
    let sizes = SIZES.iter().take_while(go_on);
    sizes
        .filter_map(|&size| {
            let is_largest = SIZES.last() == Some(&size);
            let repetition = if is_largest { largest } else { usual };
            rate(&cipher, size, repetition, cancelled).transpose()
        })
        .collect()
}

/// Bytes per second at one block size, repeated.
fn rate<E: BlockCipher>(
    cipher: &E,
    size: u32,
    repetition: Duration,
    cancelled: &AtomicI32,
) -> Result<Option<RepetitionStats>, String> {
    let mut buffer = vec![Cell::default(); size as usize / size_of::<Cell>()];
    // Doubles the turns until they are long enough to be timed, which also warms up the CPU.
    let mut turns = 1u32;
    let enough = loop {
        let (elapsed, _) = repeat(cipher, &mut buffer, turns);
        if elapsed >= repetition / 8 || turns > u32::MAX / 2 {
            break repetition.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
        }
        turns *= 2;
    };
    let turns = (f64::from(turns) * enough).ceil().clamp(1.0, f64::from(u32::MAX)) as u32;
    let (_, first_end) = repeat(cipher, &mut buffer, turns);
    let mut stable = true;
    let (rates, ended) = until_known(&RULE, cancelled, || {
        let (elapsed, end) = repeat(cipher, &mut buffer, turns);
        stable &= end == first_end;
        f64::from(size) * f64::from(turns) / elapsed.as_secs_f64().max(1e-9)
    });
    if !stable {
        let why = "AES gave two different results for the same input; memory, clock or voltage of this machine is \
                   unstable.";
        return Err(why.to_owned());
    }
    let name = format!("{size} bytes");
    Ok(RepetitionStats::of(&name, "bytes/s", &rates, ended))
}

/// Encrypts a buffer of zeros repeatedly in place; returns the time and the last block.
fn repeat<E: BlockCipher>(cipher: &E, buffer: &mut [Cell], turns: u32) -> (Duration, Cell) {
    buffer.fill(Cell::default());
    let mut state = cell(VECTOR);
    let started = Instant::now();
    for _ in 0..turns {
        cipher.chain(&mut state, black_box(&mut *buffer));
    }
    (started.elapsed(), state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::Bench;
    use proptest::prelude::*;
    use record::FailureKind;

    const SHORT: Duration = Duration::from_micros(100);

    #[test]
    fn published_test_vectors() {
        for bits in [128, 192, 256] {
            for ending in ["", PLAIN_END] {
                let variant = Variant::from(format!("aes-{bits}-cbc{ending}"));
                let measure = measure_of(&variant).unwrap();
                let rows = measure(&AtomicI32::new(0), [SHORT; 2]).unwrap();
                let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
                assert_eq!(names, SIZES.map(|size| format!("{size} bytes")));
                assert!(rows.iter().all(|row| row.min > 0.0));
            }
        }
    }

    /// The second cell of example F.2.1 follows from the first only if they are chained.
    #[test]
    fn cells_are_chained() {
        let mut cells = [cell(PLAIN), cell("ae2d8a571e03ac9c9eb76fac45af8e51")];
        let mut state = cell(VECTOR);
        let cipher = Library::<Aes128>::with_key(&bytes(KEY_128.key)).unwrap();
        cipher.chain(&mut state, &mut cells);
        assert_eq!(cells[1], cell("5086cb9b507219ee95db113a917678b2"));
        assert_eq!(state, cells[1]);
    }

    proptest! {
        #[test]
        fn hardware_and_software_aes_agree(
            key in any::<[u8; 32]>(),
            cells in proptest::collection::vec(any::<[u8; 16]>(), 0..20),
        ) {
            fn end<E: BlockCipher>(key: &[u8], cells: &[[u8; 16]]) -> (Cell, Vec<Cell>) {
                let mut cells: Vec<Cell> = cells.iter().map(|cell| Array(*cell)).collect();
                let mut state = cell(VECTOR);
                E::with_key(key).unwrap().chain(&mut state, &mut cells);
                (state, cells)
            }
            prop_assert_eq!(end::<Library<Aes128>>(&key[..16], &cells), end::<PlainAes>(&key[..16], &cells));
            prop_assert_eq!(end::<Library<Aes192>>(&key[..24], &cells), end::<PlainAes>(&key[..24], &cells));
            prop_assert_eq!(end::<Library<Aes256>>(&key, &cells), end::<PlainAes>(&key, &cells));
        }
    }

    #[test]
    fn result_depends_on_every_iteration() {
        let mut buffer = vec![Cell::default(); 4];
        let cipher = Library::<Aes256>::with_key(&bytes(KEY_256.key)).unwrap();
        let mut end = |turns| repeat(&cipher, &mut buffer, turns).1;
        assert_eq!(end(5), end(5));
        assert_ne!(end(5), end(6));
    }

    #[test]
    fn variant_that_does_not_exist_is_refused() {
        let job = Job { workload: WorkloadId::Aes, variant: Variant::AES_256_GCM, threads: 1, ..Job::default() };
        let failure = Bench::new(&[]).with(&job, run).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotStarted);
    }
}
