//! Every target of `fuzz` takes its seeds, among them each input that once broke it, also with a wide character in each
//! column. `cargo xtask fuzz` goes on from there, and also limits time and memory.

#![allow(clippy::disallowed_methods, reason = "seeds are files of the repository")]

use fuzz::mutate::with_wide_columns;
use fuzz::{Target, seed_files, seeds, targets};
use std::path::Path;

/// Stack that this test uses below a target.
const OWN_STACK_BYTES: usize = 64 << 10;

/// A target on the stack that it has in the program: an overflow ends this process.
fn take_seeds(target: &Target) -> bool {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz"));
    let inputs = seeds(target, folder);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(target.name.to_owned());
        let thread = thread.stack_size(target.stack_bytes + OWN_STACK_BYTES);
        let wide =
            || seed_files(target, folder).into_iter().flat_map(|seed| with_wide_columns(&seed).collect::<Vec<_>>());
        let take = move || inputs.into_iter().chain(wide()).for_each(|input| target.run(&input));
        thread.spawn_scoped(scope, take).unwrap().join().is_ok()
    })
}

#[test]
fn seeds_of_fuzz_targets_break_nothing() {
    let targets = targets();
    assert!(!targets.is_empty());
    let broken: Vec<&str> = targets.iter().filter(|target| !take_seeds(target)).map(|target| target.name).collect();
    assert_eq!(broken, [""; 0]);
}
