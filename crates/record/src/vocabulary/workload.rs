//! Workloads: those known to this program, and programs named by the user.

use super::Variant;
use crate::WorkBound;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::convert::Infallible;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

words! {
    /// Workload known to this program.
    pub enum WorkloadId {
        Aes = "aes",
        Clock = "clock",
        CoreToCore = "core-to-core",
        Cpuminer = "cpuminer",
        CpuminerPerCpu = "cpuminer-per-cpu",
        Drive = "drive",
        /// Multiplication of matrices.
        Flops = "flops",
        Geekbench = "geekbench",
        Heat = "heat",
        Lzma = "lzma",
        MemoryBandwidth = "memory-bandwidth",
        /// Copies of memory on all CPUs at once.
        MemoryCopy = "memory-copy",
        MemoryLatency = "memory-latency",
        /// Memory bandwidth by functions of the machine's own C library.
        MemoryLibc = "memory-libc",
        MemoryLoaded = "memory-loaded",
        MemoryScaling = "memory-scaling",
        Network = "network",
        NetworkCpu = "network-cpu",
        OpenGl = "opengl",
        OpenSsl = "openssl",
        PerfBench = "perf-bench",
        Phoronix = "phoronix",
        /// A user's own program without a name.
        Program = "program",
        Rsync = "rsync",
        SevenZip = "sevenzip",
        Sftp = "sftp",
        Simd = "simd",
        Stockfish = "stockfish",
        StressNg = "stress-ng",
        Sysbench = "sysbench",
        Video = "video",
        /// Idle wait.
        Wait = "wait",
        /// Monitoring of another workload.
        Watch = "watch",
        Zstd = "zstd",
    }
    or
    /// Private workload, described by its row in the table of workloads. Its text must differ from all other workloads.
    Own
}

impl Default for WorkloadId {
    fn default() -> Self {
        Self::Own("")
    }
}

impl WorkloadId {
    /// Resource that limits this variant; [`WorkBound::Unknown`] if it varies between uses.
    pub fn bound(self, variant: &Variant) -> WorkBound {
        use {WorkBound as B, WorkloadId::*};
        match (self, variant.first_word()) {
            (Heat, "simd") | (StressNg, "cpu" | "matrix") => B::Cpu,
            (PerfBench, "mem") | (StressNg, "stream" | "vm") | (Sysbench, "memory") => B::Memory,
            (Sysbench, "fileio") => B::Storage,
            _ => self.bound_mostly(),
        }
    }

    /// Resource that limits most of its variants.
    pub fn bound_mostly(self) -> WorkBound {
        use {WorkBound as B, WorkloadId::*};
        match self {
            Aes | Clock | Cpuminer | Flops | Geekbench | Lzma | OpenSsl | SevenZip | Simd | Stockfish | Sysbench
            | Video | Zstd => B::Cpu,
            CoreToCore | MemoryBandwidth | MemoryCopy | MemoryLatency | MemoryLibc | MemoryLoaded | MemoryScaling => {
                B::Memory
            }
            Drive | Rsync => B::Storage,
            Network | NetworkCpu | Sftp => B::Network,
            OpenGl => B::Gpu,
            PerfBench => B::Kernel,
            Wait => B::Idle,
            CpuminerPerCpu | Heat | Phoronix | Program | StressNg | Watch | Own(_) => B::Unknown,
        }
    }

    /// Name in sentences for users.
    pub fn label(self) -> &'static str {
        match self {
            Self::MemoryBandwidth => "memory bandwidth",
            Self::MemoryCopy => "memory copy",
            Self::MemoryLatency => "memory latency",
            Self::MemoryLibc => "libc memory bandwidth",
            Self::SevenZip => "7-zip",
            id => id.as_str(),
        }
    }

    /// External program that it replaces if that is missing.
    pub fn stands_in_for(self) -> Option<Self> {
        match self {
            Self::Aes => Some(Self::OpenSsl),
            Self::Lzma => Some(Self::SevenZip),
            Self::Simd => Some(Self::Cpuminer),
            _ => None,
        }
    }

    /// True for workloads of the main score of a standard run.
    pub fn is_main(self) -> bool {
        matches!(self, Self::Lzma | Self::SevenZip)
    }

    /// True if it has single-threaded variants, each pinned to one CPU.
    pub fn is_single_threaded(self) -> bool {
        use WorkloadId::*;
        let is_of_one_memory = matches!(self, MemoryBandwidth | MemoryLatency | MemoryLibc);
        is_of_one_memory || matches!(self, Aes | Lzma | OpenSsl | SevenZip)
    }

    /// True if it measures memory.
    pub fn is_of_memory(self) -> bool {
        use WorkloadId::*;
        matches!(self, MemoryBandwidth | MemoryCopy | MemoryLatency | MemoryLibc | MemoryLoaded | MemoryScaling)
    }

    /// True if its steps run within other steps.
    pub fn is_within_another(self) -> bool {
        self == Self::CpuminerPerCpu
    }
}

/// Workload of a step, or the user's name of a program. Compared and ordered by its text.
#[derive(Clone)]
pub struct WorkloadName(Name);

#[derive(Clone)]
enum Name {
    Id(WorkloadId),
    Other(Box<str>),
}

impl WorkloadName {
    /// Workload id; `None` for the name of a program and for workloads of newer versions.
    pub fn id(&self) -> Option<WorkloadId> {
        match self.0 {
            Name::Id(id) => Some(id),
            Name::Other(_) => None,
        }
    }

    /// Text of the name.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Id(id) => id.as_str(),
            Name::Other(text) => text,
        }
    }

    /// Name in sentences for users.
    pub fn label(&self) -> &str {
        match &self.0 {
            Name::Id(id) => id.label(),
            Name::Other(text) => text,
        }
    }

    /// True if it measures memory.
    pub fn is_of_memory(&self) -> bool {
        self.id().is_some_and(WorkloadId::is_of_memory)
    }

    /// True if its steps run within other steps.
    pub fn is_within_another(&self) -> bool {
        self.id().is_some_and(WorkloadId::is_within_another)
    }

    pub(crate) fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.as_str())
    }
}

spelled!(WorkloadName);

impl From<WorkloadId> for WorkloadName {
    fn from(id: WorkloadId) -> Self {
        Self(Name::Id(id))
    }
}

impl From<&str> for WorkloadName {
    fn from(text: &str) -> Self {
        let other = || Name::Other(text.into());
        Self(WorkloadId::of(text).map_or_else(other, Name::Id))
    }
}

impl FromStr for WorkloadName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::from(text))
    }
}

impl PartialEq for WorkloadName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for WorkloadName {}

impl PartialEq<WorkloadId> for WorkloadName {
    fn eq(&self, id: &WorkloadId) -> bool {
        self.as_str() == id.as_str()
    }
}

impl Hash for WorkloadName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialOrd for WorkloadName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for WorkloadName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::words::check_text_survives;
    use proptest::prelude::*;

    #[test]
    fn workloads_are_read_by_their_spelling() {
        for id in WorkloadId::ALL {
            assert_eq!(WorkloadName::from(id.as_str()).id(), Some(*id));
            assert_eq!(WorkloadName::from(*id), *id);
            check_text_survives::<WorkloadName>(id.as_str());
        }
        let other = WorkloadName::from("my-compiler");
        assert_eq!((other.id(), other.label()), (None, "my-compiler"));
        assert_eq!(other, WorkloadId::Own("my-compiler"));
        assert_eq!(WorkloadName::from(WorkloadId::SevenZip).label(), "7-zip");
    }

    #[test]
    fn names_are_ordered_by_their_text() {
        let mut names = ["zstd", "sevenzip", "clock", "bzip2"].map(WorkloadName::from);
        names.sort();
        assert_eq!(names.each_ref().map(WorkloadName::as_str), ["bzip2", "clock", "sevenzip", "zstd"]);
    }

    #[test]
    fn forms_may_be_bound_by_something_else() {
        let check = |id: WorkloadId, variant: &str, expected| {
            assert_eq!(id.bound(&variant.into()), expected, "{id:?} {variant}");
        };
        check(WorkloadId::Heat, "simd", WorkBound::Cpu);
        check(WorkloadId::Heat, "video", WorkBound::Unknown);
        check(WorkloadId::StressNg, "matrix/prod", WorkBound::Cpu);
        check(WorkloadId::StressNg, "stream", WorkBound::Memory);
        check(WorkloadId::Sysbench, "fileio-random", WorkBound::Storage);
        check(WorkloadId::Sysbench, "cpu", WorkBound::Cpu);
        check(WorkloadId::PerfBench, "mem memcpy", WorkBound::Memory);
        check(WorkloadId::PerfBench, "sched-pipe", WorkBound::Kernel);
        check(WorkloadId::Own("x"), "simd", WorkBound::Unknown);
    }

    proptest! {
        #[test]
        fn any_text_survives(text in ".*") {
            check_text_survives::<WorkloadName>(&text);
        }
    }
}
