//! Kinds of sections, one for each reader.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Kind of a section.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind { $($(#[$doc])* $name,)* }

        impl Kind {
            /// All kinds.
            pub(super) const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

kinds! {
    /// The start of the log: header line, distribution, compiler.
    System,
    /// Lines after a separator without a heading.
    Loose,
    DeviceInfo,
    Bios,
    ThreadxVersion,
    ThreadxConfig,
    ThreadxSettings,
    ArmbianRelease,
    Uptime,
    Iostat,
    Free,
    Swapon,
    Zswap,
    Power,
    Clocks,
    ClocksAgain,
    ParallelClocks,
    Sensors,
    Tinymembench,
    TinymembenchLatency,
    Ramlat,
    OpenSsl,
    SevenZip,
    Cpuminer,
    Stockfish,
    StressNg,
    OwnSeries,
    DramClocks,
    ThermalSource,
    Monitor,
    Throttling,
    FirmwareBits,
    KernelMessages,
    Topology,
    Lscpu,
    Processor,
    Labels,
    KernelSupport,
    Memory,
    Caches,
    OppTables,
    Validation,
    Governors,
    ClockTree,
    Summary,
    Review,
    Durations,
    /// Progress on the terminal, up to the first block of results.
    Progress,
    Attention,
    ConsoleMemory,
    ConsoleSevenZip,
    ConsoleCpuminer,
    ConsoleOpenSsl,
    ConsoleOther,
    /// A report of this program: its sentences, then its figures.
    ReportVerdict,
    ReportFigures,
    ReportTable,
}
