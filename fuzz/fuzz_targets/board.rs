//! Any text as a board: identified, its state taken, every sensor discovered and read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use machine::{Root, Sampler, SamplerOptions, Timeline};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(root) = Root::from_board(&text) {
        machine::identify(&root);
        machine::state(&root, 0);
        let timeline = Timeline::start();
        let mut sampler = Sampler::new(&root, &SamplerOptions::default());
        sampler.tick(&timeline);
        sampler.tick(&timeline);
    }
});
