//! Names the type of a core: from MIDR_EL1 on ARM, `uarch` and vendor ids on RISC-V, family and model on x86, kernel
//! texts elsewhere. The names are rows of `data/cpu_parts.tsv` and `data/x86_cores.tsv`.

use crate::cpuinfo::CpuInfo;
use crate::data::{CPU_PARTS, Row, X86_CORES, parse_number};

/// Type and stepping of one core.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Core {
    /// Name of its type.
    pub(crate) name: Option<String>,
    /// Stepping in the notation of the architecture.
    pub(crate) stepping: Option<String>,
    /// MIDR_EL1; ARM only.
    pub(crate) midr: Option<u32>,
}

/// Half of a hybrid x86 CPU that a core belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HybridCoreKind {
    /// Not hybrid, or a performance core.
    Performance,
    /// Listed under `/sys/devices/cpu_atom`.
    Efficiency,
}

/// Decodes MIDR_EL1 (Arm Architecture Reference Manual, D17.2.100: implementer 31:24, variant 23:20, architecture
/// 19:16, part 15:4, revision 3:0).
pub(crate) fn of_midr(midr: u32) -> Core {
    let (implementer, variant) = (midr >> 24, midr >> 20 & 0xf);
    let (part, revision) = (midr >> 4 & 0xfff, midr & 0xf);
    let name = named_part("arm", implementer.into(), part.into(), variant.into());
    Core {
        name: Some(name.unwrap_or_else(|| {
            let vendor = named_vendor("arm", implementer.into());
            let vendor = vendor.unwrap_or_else(|| format!("implementer {implementer:#04x}"));
            format!("{vendor} part {part:#05x}")
        })),
        stepping: Some(format!("r{variant}p{revision}")),
        midr: Some(midr),
    }
}

/// Core type from the `compatible` of a CPU node in the device tree. Arm's own cores match the names in the table in
/// lower case; names of other vendors are kept.
pub(crate) fn of_compatible(compatible: &str) -> Option<String> {
    let compatible = compatible.trim();
    if let Some(row) = row_of("riscv-uarch", |row| row.get("part") == compatible) {
        return Some(row.get("name").to_owned());
    }
    let (vendor, part) = compatible.split_once(',')?;
    // "arm,armv8" and "riscv" name architectures, not cores.
    if vendor == "arm" {
        let named = |row: &Row| row.get("name").eq_ignore_ascii_case(part);
        return Some(row_of("arm", named)?.get("name").to_owned());
    }
    (!part.is_empty()).then(|| compatible.to_owned())
}

/// Core type from cpuinfo; `get` returns the value of a line by its lower-case key.
pub(crate) fn of_cpuinfo<'a>(get: &dyn Fn(&str) -> Option<&'a str>, half: HybridCoreKind) -> Core {
    if let Some(midr) = midr_of_cpuinfo(get) {
        return of_midr(midr);
    }
    let isa = get("isa").filter(|isa| isa.starts_with("rv"));
    if isa.is_some() || get("uarch").is_some() || get("mvendorid").is_some() {
        return of_riscv(get, isa);
    }
    if let (Some(vendor), Some(family)) = (get("vendor_id"), number(get("cpu family"))) {
        return of_x86(get, vendor, family, half);
    }
    let name = get("model name").or(get("cpu model")).or(get("cpu"));
    Core {
        name: name.map(loongson_part),
        stepping: get("cpu revision").map(|revision| format!("revision {revision}")),
        midr: None,
    }
}

fn of_riscv<'a>(get: &dyn Fn(&str) -> Option<&'a str>, isa: Option<&str>) -> Core {
    let ids = [get("mvendorid"), get("marchid"), get("mimpid")].map(number);
    let by_uarch = get("uarch").map(|uarch| of_compatible(uarch).unwrap_or_else(|| uarch.to_owned()));
    let by_ids = || match ids {
        [Some(vendor), Some(arch), implementation] => {
            let known = named_part("riscv-id", vendor, arch, implementation.unwrap_or(0));
            // Vendor 0 means any maker without a JEDEC number.
            known.or_else(|| named_vendor("riscv-id", vendor))
        }
        _ => None,
    };
    Core {
        name: by_uarch.or_else(by_ids).or(isa.map(base_of_isa)),
        stepping: get("mimpid").map(|id| format!("mimpid {id}")),
        midr: None,
    }
}

/// Letters of an ISA string. The list of named extensions after them (`_zicntr_zba`) grows with every kernel, although
/// the core is the same.
fn base_of_isa(isa: &str) -> String {
    isa.split('_').next().unwrap_or(isa).to_owned()
}

fn of_x86<'a>(get: &dyn Fn(&str) -> Option<&'a str>, vendor: &str, family: u64, half: HybridCoreKind) -> Core {
    let model = number(get("model"));
    let row = model.and_then(|model| {
        X86_CORES.rows().find(|row| {
            row.get("vendor") == vendor
                && row.number("family") == Some(family)
                && row.number("model_min").is_some_and(|min| min <= model)
                && row.number("model_max").is_some_and(|max| max >= model)
        })
    });
    let column = match half {
        HybridCoreKind::Performance => "core",
        HybridCoreKind::Efficiency => "efficiency",
    };
    let named = row.map(|row| row.get(column)).filter(|name| *name != "-");
    let oldest = named.and_then(|core| oldest_with(core, get("flags").unwrap_or_default()));
    let named = match oldest {
        Some(core) => Some(format!("{core} or newer (masked as model {})", get("model").unwrap_or_default().trim())),
        None => named.map(str::to_owned),
    };
    // A hybrid CPU that is missing in the table still has two core types.
    let model_name = || {
        let name = tidy_model_name(get("model name")?);
        Some(match half {
            HybridCoreKind::Performance => name,
            HybridCoreKind::Efficiency => format!("{name} efficiency core"),
        })
    };
    let words = [("family", "cpu family"), ("model", "model"), ("stepping", "stepping")]
        .map(|(word, key)| Some(format!("{word} {}", get(key)?)));
    Core {
        name: named.or_else(model_name),
        stepping: Some(words.into_iter().flatten().collect::<Vec<_>>().join(" ")),
        midr: None,
    }
}

/// Large cores of a maker and the features that show their age.
struct Generations {
    /// Names, oldest first.
    cores: &'static [&'static str],
    /// Features and the first of these cores with them.
    first_cores: &'static [(&'static str, &'static str)],
}

const GENERATIONS: [Generations; 2] = [
    Generations { cores: &INTEL_CORES, first_cores: &INTEL_FIRST_CORES },
    Generations { cores: &AMD_CORES, first_cores: &AMD_FIRST_CORES },
];

/// Large cores of Intel.
const INTEL_CORES: [&str; 13] = [
    "Haswell",
    "Broadwell",
    "Skylake",
    "Kaby Lake",
    "Coffee Lake",
    "Comet Lake",
    "Sunny Cove",
    "Willow Cove",
    "Cypress Cove",
    "Golden Cove",
    "Raptor Cove",
    "Redwood Cove",
    "Lion Cove",
];
/// Source: Intel 64 and IA-32 Architectures SDM, volume 1, chapter 5.
const INTEL_FIRST_CORES: [(&str, &str); 5] = [
    ("amx_tile", "Golden Cove"),
    ("avx512_fp16", "Golden Cove"),
    ("avx_vnni", "Golden Cove"),
    ("vaes", "Sunny Cove"),
    ("gfni", "Sunny Cove"),
];
/// Large cores of AMD.
const AMD_CORES: [&str; 11] =
    ["K10", "Bulldozer", "Piledriver", "Steamroller", "Excavator", "Zen", "Zen 2", "Zen 3", "Zen 4", "Zen 5", "Zen 6"];
/// Source: AMD64 Architecture Programmer's Manual, volume 3, appendix D, and `arch/x86/kernel/cpu/amd.c` of Linux.
const AMD_FIRST_CORES: [(&str, &str); 9] = [
    ("bmi2", "Excavator"),
    ("sha_ni", "Zen"),
    ("clzero", "Zen"),
    ("clwb", "Zen 2"),
    ("rdpid", "Zen 2"),
    ("vaes", "Zen 3"),
    ("avx512f", "Zen 4"),
    ("avx_vnni", "Zen 5"),
    ("movdiri", "Zen 5"),
];

/// The oldest core that has the features of these flags, if that is newer than the core that the model number names: a
/// hypervisor can show any model number.
fn oldest_with(core: &str, flags: &str) -> Option<&'static str> {
    let Generations { cores, first_cores } = GENERATIONS.iter().find(|maker| maker.cores.contains(&core))?;
    let age = |core: &str| cores.iter().position(|known| *known == core);
    let named = age(core)?;
    let has = |feature: &str| flags.split_ascii_whitespace().any(|flag| flag == feature);
    let firsts = first_cores.iter().filter(|(feature, _)| has(feature)).map(|(_, first)| *first);
    firsts.max_by_key(|first| age(first)).filter(|first| age(first) > Some(named))
}

fn row_of(isa: &str, fits: impl Fn(&Row<'static>) -> bool) -> Option<Row<'static>> {
    CPU_PARTS.rows().find(|row| row.get("isa") == isa && fits(row))
}

fn named_part(isa: &str, vendor: u64, part: u64, variant: u64) -> Option<String> {
    let row = row_of(isa, |row| {
        row.number("vendor") == Some(vendor)
            && row.number("part") == Some(part)
            && row.number("variant").is_none_or(|only| only == variant)
    })?;
    Some(row.get("name").to_owned())
}

fn named_vendor(isa: &str, vendor: u64) -> Option<String> {
    let row = row_of(isa, |row| row.number("vendor") == Some(vendor) && row.get("part") == "-")?;
    Some(row.get("name").to_owned())
}

/// Reconstructs MIDR_EL1 from lines of cpuinfo. The kernel prints every field except the architecture, which is 0xf on
/// all cores with CPUID registers, and an older code on ARMv4 and ARMv5 (Arm ARM, Main ID Register).
fn midr_of_cpuinfo<'a>(get: &dyn Fn(&str) -> Option<&'a str>) -> Option<u32> {
    // Kernels of some big.LITTLE phones print both types in one line: `0xc07 & 0xc0f`.
    let first = |key| get(key).map(|text| text.split('&').next().unwrap_or(text).trim());
    let field = |key, bits: u32| number(first(key)).filter(|value| *value < 1 << bits);
    let implementer = field("cpu implementer", 8)?;
    let part = field("cpu part", 12)?;
    let variant = field("cpu variant", 4).unwrap_or(0);
    let revision = field("cpu revision", 4).unwrap_or(0);
    let architecture = match get("cpu architecture") {
        Some("4") => 0x1,
        Some("4T") => 0x2,
        Some("5") => 0x3,
        Some("5T") => 0x4,
        Some("5TE") => 0x5,
        Some("5TEJ") => 0x6,
        Some("6TEJ") => 0x7,
        _ => 0xf,
    };
    let midr = implementer << 24 | variant << 20 | architecture << 16 | part << 4 | revision;
    u32::try_from(midr).ok()
}

fn number(text: Option<&str>) -> Option<u64> {
    parse_number(text?)
}

/// `Loongson-3A R4 (Loongson-3A4000) @ 1800MHz` becomes `Loongson-3A4000`: firmware writes the part number in front, in
/// brackets or both, even for cores of one chip. Other names are kept.
fn loongson_part(name: &str) -> String {
    let is_part = |word: &&str| word.starts_with("Loongson-") && word.chars().filter(char::is_ascii_digit).count() >= 3;
    let mut words = name.split([' ', '(', ')']);
    words.find(is_part).unwrap_or(name).to_owned()
}

/// Words of x86 model names without information.
const FILLERS: &[&str] = &["CPU", "Processor", "processor", "APU", "Authentic"];

/// `12th Gen Intel(R) Core(TM) i7-1260P` becomes `Intel Core i7-1260P`, and
/// `AMD Ryzen 9 7950X 16-Core Processor` becomes `AMD Ryzen 9 7950X`.
pub(crate) fn tidy_model_name(name: &str) -> String {
    let name = name.replace("(R)", " ").replace("(r)", " ");
    let name = name.replace("(TM)", " ").replace("(tm)", " ");
    let name = name.split(" @ ").next().unwrap_or_default();
    let name = name.split(" with ").next().unwrap_or_default();
    let mut words: Vec<&str> = name.split_whitespace().collect();
    if let Some(at) = words.iter().position(|word| *word == "Gen").filter(|at| *at == 1) {
        words.drain(..=at);
    }
    words.retain(|word| !FILLERS.contains(word) && !word.ends_with("-Core"));
    words.join(" ")
}

/// Core type from the block of this CPU in cpuinfo.
pub(crate) fn own(info: &CpuInfo, cpu: u32, half: HybridCoreKind) -> Core {
    of_cpuinfo(&|key| info.own(cpu, key), half)
}

/// Core type that cpuinfo states once for all CPUs.
pub(crate) fn common(info: &CpuInfo) -> Core {
    of_cpuinfo(&|key| info.common(key), HybridCoreKind::Performance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(midr: u32, name: &str, stepping: &str) {
        let core = of_midr(midr);
        assert_eq!(core.name.as_deref(), Some(name), "{midr:#x}");
        assert_eq!(core.stepping.as_deref(), Some(stepping), "{midr:#x}");
    }

    #[test]
    fn midr_names_cores() {
        check(0x410f_d034, "Cortex-A53", "r0p4");
        check(0x414f_d0b0, "Cortex-A76", "r4p0");
        check(0x410f_c075, "Cortex-A7", "r0p5");
        check(0x410f_b767, "ARM1176", "r0p7");
        // The same part number with another variant is a different core.
        check(0x51af_8001, "Qualcomm Kryo 2XX Gold", "r10p1");
        check(0x510f_8000, "Qualcomm Falkor V1", "r0p0");
        check(0x534f_0010, "Samsung Exynos-m2", "r4p0");
        // Unknown part numbers stay distinct.
        check(0x410f_eee1, "Arm part 0xeee", "r0p1");
        check(0x990f_eee1, "implementer 0x99 part 0xeee", "r0p1");
    }

    #[test]
    fn compatibles_name_cores() {
        for (compatible, name) in [
            ("arm,cortex-a55", Some("Cortex-A55")),
            ("arm,neoverse-n1", Some("Neoverse-N1")),
            ("sifive,u74-mc", Some("SiFive U74-MC")),
            ("qcom,kryo385", Some("qcom,kryo385")),
            ("arm,armv8", None),
            ("riscv", None),
            ("", None),
        ] {
            assert_eq!(of_compatible(compatible).as_deref(), name);
        }
    }

    #[test]
    fn cpuinfo_names_cores() {
        for (text, half, name, stepping) in [
            (
                "processor : 0\nCPU implementer : 0x41\nCPU architecture: 5TEJ\nCPU variant : 0x0\n\
                 CPU part : 0x926\nCPU revision : 5\n",
                HybridCoreKind::Performance,
                Some("ARM926"),
                Some("r0p5"),
            ),
            (
                "processor : 0\nisa : rv64imafdc\nmvendorid : 0x489\nmarchid : 0x8000000000000007\n\
                 mimpid : 0x4210427\n",
                HybridCoreKind::Performance,
                Some("SiFive U7 series"),
                Some("mimpid 0x4210427"),
            ),
            (
                "processor : 0\nisa : rv64imafdc\nuarch : vendor,new\n",
                HybridCoreKind::Performance,
                Some("vendor,new"),
                None,
            ),
            ("processor : 0\nisa : rv64imafdc\n", HybridCoreKind::Performance, Some("rv64imafdc"), None),
            // QEMU 7.2 under Linux 6.12.
            (
                "processor : 0\nhart : 0\nisa : rv64imafdch_zicntr_zicsr_zifencei_zihintpause_zihpm_zca_zcd_zba\n\
                 mmu : sv57\nmvendorid : 0x0\nmarchid : 0x70216\nmimpid : 0x70216\n",
                HybridCoreKind::Performance,
                Some("rv64imafdch"),
                Some("mimpid 0x70216"),
            ),
            (
                "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 154\n\
                 model name : 12th Gen Intel(R) Core(TM) i7-1260P\nstepping : 3\n",
                HybridCoreKind::Efficiency,
                Some("Gracemont"),
                Some("family 6 model 154 stepping 3"),
            ),
            (
                "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 999\n\
                 model name : Intel(R) Core(TM) X1\nstepping : 3\n",
                HybridCoreKind::Efficiency,
                Some("Intel Core X1 efficiency core"),
                Some("family 6 model 999 stepping 3"),
            ),
            (
                "system type : generic\nprocessor : 0\ncpu model : Loongson-3 V0.4  FPU V0.1\n\
                 model name : Loongson-3A R4 (Loongson-3A4000) @ 1800MHz\n",
                HybridCoreKind::Performance,
                Some("Loongson-3A4000"),
                None,
            ),
            ("processor : 0\n", HybridCoreKind::Performance, None, None),
        ] {
            let core = own(&CpuInfo::parse(text), 0, half);
            assert_eq!(core.name.as_deref(), name, "{text}");
            assert_eq!(core.stepping.as_deref(), stepping, "{text}");
        }
    }

    #[test]
    fn features_unmask_model_numbers() {
        for (core, flags, oldest) in [
            ("Cypress Cove", "fpu avx512f amx_tile amx_int8 avx512_fp16", Some("Golden Cove")),
            ("Cypress Cove", "fpu avx512f gfni vaes", None),
            ("Skylake", "fpu avx512f gfni", Some("Sunny Cove")),
            ("Golden Cove", "amx_tile", None),
            ("Goldmont", "amx_tile", None),
            ("Zen", "sha_ni clzero rdpid clwb vaes", Some("Zen 3")),
            ("Zen 2", "sha_ni clwb rdpid", None),
            ("Zen 4", "avx512f vaes movdiri", Some("Zen 5")),
            ("Jaguar", "avx512f", None),
        ] {
            assert_eq!(oldest_with(core, flags), oldest, "{core} {flags}");
        }
    }

    #[test]
    fn model_names_are_tidied() {
        for (name, tidy) in [
            ("12th Gen Intel(R) Core(TM) i7-1260P", "Intel Core i7-1260P"),
            ("Intel(R) Celeron(R) N5105 @ 2.00GHz", "Intel Celeron N5105"),
            ("Intel(R) Xeon(R) CPU E5-2670 v3 @ 2.30GHz", "Intel Xeon E5-2670 v3"),
            ("AMD Ryzen 9 7950X 16-Core Processor", "AMD Ryzen 9 7950X"),
            ("AMD Ryzen Embedded R1606G with Radeon Vega Gfx", "AMD Ryzen Embedded R1606G"),
            ("AMD EPYC", "AMD EPYC"),
            ("", ""),
        ] {
            assert_eq!(tidy_model_name(name), tidy);
        }
    }
}
