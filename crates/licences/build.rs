//! Packs the text: a binary has a fifth of its size.

use flate2::{Compression, write::DeflateEncoder};
use std::error::Error;
use std::io::Write;
use std::{env, fs, path::Path};

#[allow(clippy::disallowed_methods, reason = "a build script reads the environment and writes files")]
#[allow(clippy::print_stdout, reason = "a build script prints its messages to Cargo")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=third-party.txt");
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read("third-party.txt")?)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("third-party.deflate"), packed.finish()?)?;
    Ok(())
}
