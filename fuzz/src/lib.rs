//! Fuzz targets: a table of functions of foreign bytes that must neither
//! panic nor hang nor ask for much memory, for any bytes.

mod altered;
pub mod coverage;
pub mod limits;
pub mod mutate;
mod records;
pub mod scaling;
mod targets;

use std::path::Path;
pub use targets::{Target, made, targets};

/// Seeds of a target: the empty input, a line, files of `folder` (`fuzz`) and of the repository around it, and what is
/// made of them.
pub fn seeds(target: &Target, folder: &Path) -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> = [b"".to_vec(), b"\n".to_vec()].to_vec();
    inputs.extend(seed_files(target, folder));
    inputs.extend(made(target.name));
    assert!(inputs.len() > 2, "{} has no seeds", target.name);
    inputs.iter_mut().for_each(|input| input.truncate(mutate::BYTES_MAX));
    inputs
}

/// Seeds of a target that are files.
pub fn seed_files(target: &Target, folder: &Path) -> Vec<Vec<u8>> {
    let shared = target.seeds.iter().map(|seeds| folder.join("..").join(seeds));
    std::iter::once(folder.join("seeds").join(target.name)).chain(shared).flat_map(|folder| files(&folder)).collect()
}

/// Contents of the files of a folder, in order of name; none if it does not exist.
pub fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}
