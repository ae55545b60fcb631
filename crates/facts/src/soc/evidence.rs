//! Evidence: a text of a file, and the SoCs that it allows. [`Kind`] is the order of authority.

use serde::Serialize;

/// Kinds of evidence, the most authoritative first. Each weighs more than all below it together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The processor's own name (x86).
    OwnName,
    /// A string of the device tree's root that is given to SoCs.
    Compatible,
    /// `soc_id` of the kernel's SoC bus, from the chip or its firmware (SMCCC).
    SocId,
    /// Revision code of a Raspberry Pi.
    Revision,
    /// Code in the chip's OTP, eFuse or SID.
    Otp,
    /// Amlogic's chip id: in the serial number or a boot message.
    ChipId,
    /// DMI: processor, board, instance of a cloud.
    Dmi,
    /// A string of the device tree's root that is given to boards.
    BoardCompatible,
    /// `Hardware` of cpuinfo, or the names that the SoC bus gives.
    Hardware,
    /// A boot message of the kernel.
    BootMessage,
    /// Name of the board.
    Board,
    /// Name of a SoC in a text.
    Words,
    /// Types of cores.
    Cores,
    /// Their steppings.
    Steppings,
    /// Features of cores.
    Features,
    /// Name of a vendor in a text.
    Vendor,
    /// Number of cores.
    Count,
    /// SoCs with the fewest additional cores.
    Absent,
    /// Conclusion of another program.
    Guess,
}

impl Kind {
    /// True for evidence that names; cores, and a vendor alone, do not.
    pub(super) fn names(self) -> bool {
        self < Self::Cores
    }

    /// True for statements of the chip, its firmware or its device tree about itself.
    pub(super) fn is_authority(self) -> bool {
        self <= Self::Dmi
    }

    /// Description.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::OwnName => "processor",
            Self::Compatible => "device tree",
            Self::SocId => "SoC bus",
            Self::Revision => "revision code",
            Self::Otp => "OTP",
            Self::ChipId => "chip id",
            Self::Dmi => "DMI",
            Self::BoardCompatible => "board (tree)",
            Self::Hardware => "hardware line",
            Self::BootMessage => "boot message",
            Self::Board => "board",
            Self::Words => "name",
            Self::Vendor => "vendor",
            Self::Cores => "core types",
            Self::Steppings => "steppings",
            Self::Features => "features",
            Self::Count => "core count",
            Self::Absent => "fewest missing cores",
            Self::Guess => "guess in log",
        }
    }
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Kind of evidence.
    pub kind: Kind,
    /// Value, or the conclusion from it.
    pub says: String,
    /// Source.
    pub from: String,
    /// Number of remaining SoCs after this and all earlier evidence.
    pub leaves: usize,
    /// Rows of the table that it allows, in order.
    #[serde(skip)]
    pub(super) socs: Vec<usize>,
}

impl Evidence {
    /// True if it allows this row of the table.
    pub(super) fn allows(&self, soc: usize) -> bool {
        self.socs.binary_search(&soc).is_ok()
    }
}

/// Adds one piece of evidence, if it allows any SoC.
pub(super) fn push(found: &mut Vec<Evidence>, kind: Kind, says: &str, from: &str, mut socs: Vec<usize>) {
    // Most texts name no SoC.
    if socs.is_empty() {
        return;
    }
    socs.sort_unstable();
    socs.dedup();
    found.push(Evidence { kind, says: says.to_owned(), from: from.to_owned(), leaves: 0, socs });
}
