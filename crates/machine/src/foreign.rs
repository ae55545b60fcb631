//! Parsers of untrusted bytes, for fuzzing, unless a public function takes bytes directly. Everything read through a
//! [`crate::Root`] is fuzzed with a board. The program itself does not use this module.

use crate::group::parse_usage_us;
use crate::huge_pages::parse_smaps;
use crate::{rights, settings, suspend, switchable_device, vcio};

/// Name in kebab-case, and parser.
pub type Parser = (&'static str, fn(&[u8]));

/// Maximum number of bytes read from a kernel file.
pub const FILE_BYTES_MAX: usize = crate::root::FILE_BYTES_MAX as usize;

/// All parsers.
pub const PARSERS: &[Parser] = &[
    ("accounts", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (passwd, group) = text.split_once("\n\n").unwrap_or((&text, &text));
        rights::accounts::foreign(passwd, group);
    }),
    ("journal", settings::foreign::journal),
    ("kernel-files", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        parse_smaps(&text, 0x7f00_0000);
        parse_usage_us(&text);
        suspend::foreign(&text);
        switchable_device::foreign(&text);
    }),
    ("rpi-firmware", vcio::foreign),
];
