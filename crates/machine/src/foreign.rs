//! Parsers of bytes that others made, for fuzzing, where no public function takes the bytes alone. Everything that is
//! read through a [`crate::Root`] is fuzzed with a board. Nothing in the program calls this.

use crate::group::parse_usage_us;
use crate::huge_pages::parse_smaps;
use crate::{rights, settings, vcio};

/// A name, in kebab-case, and what is done with bytes.
pub type Parser = (&'static str, fn(&[u8]));

/// Maximum size that is read of a file of the kernel, in bytes.
pub const FILE_BYTES_MAX: usize = crate::root::FILE_BYTES_MAX as usize;

/// All of them.
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
        settings::disturbed::foreign(&text);
    }),
    ("rpi-firmware", vcio::foreign),
];
