//! Parsers of tool output, for fuzzing.

use super::{
    copy, cpuminer, defined, drive, geekbench, network, opengl, openssl, phoronix, sevenzip, stockfish, video,
};

/// Name in kebab-case, and a call of the parser.
type Parser = (&'static str, fn(&str));

/// Parsers by program.
pub const PARSERS: &[Parser] = &[
    ("copy", |text| drop(copy::reason(text))),
    ("cpuminer", |text| drop(cpuminer::parse(text))),
    ("defined", |text| drop(defined::parse(text))),
    ("ffmpeg", |text| {
        drop(video::fast(text));
        drop(video::realtime(text, 5.0));
    }),
    ("fio", |text| {
        for variant in ["read", "write", "randread", "randwrite", "small", "full"] {
            drop(drive::parse(text, variant));
        }
    }),
    ("geekbench", |text| {
        drop(geekbench::parse(text, None));
        drop(geekbench::parse("", Some(text)));
    }),
    ("glmark2", |text| {
        drop(opengl::parse(text, true));
        drop(opengl::parse(text, false));
    }),
    ("iperf3", |text| drop(network::parse(text))),
    ("openssl", |text| {
        for algorithm in ["aes-256-cbc", "aes-128-gcm", "sha256"] {
            drop(openssl::parse(text, algorithm));
        }
    }),
    ("phoronix", |text| drop(phoronix::parse(text))),
    ("sevenzip", |text| {
        drop(sevenzip::parse(text));
        drop(sevenzip::parse_passes(text));
    }),
    ("stockfish", |text| drop(stockfish::parse(text))),
];
