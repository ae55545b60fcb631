//! Figures in words: `7-zip, all CPUs` for `sevenzip@16 multi`. Keys are for files and tables of programs.

use super::{Figure, FigureKey};
use record::{Variant, WorkloadId};

impl FigureKey {
    /// `clock, measured cold`, `memory latency 64 MiB`, `AES-256-CBC, 16 KiB blocks`. Methods are not part of it: see
    /// [`titles_among`].
    pub fn title(&self) -> String {
        let words = self.as_str().split(' ').skip(1);
        let is_latency = self.is_of(WorkloadId::MemoryLatency);
        let words: Vec<&str> = words.filter(|word| is_latency || *word != Variant::TINYMEMBENCH.as_str()).collect();
        let label = self.workload().label();
        let (form, names) = match words.split_first() {
            None => return label.to_owned(),
            Some((form, names)) => (*form, names),
        };
        match self.workload().id() {
            Some(WorkloadId::Clock) => named(&format!("clock, {}", pass(form)), names),
            Some(WorkloadId::MemoryBandwidth) => named(&format!("memory {form}"), names),
            Some(WorkloadId::MemoryLibc) => named(&format!("libc memory {form}"), names),
            Some(WorkloadId::MemoryLatency) => latency(label, &words),
            Some(WorkloadId::SevenZip | WorkloadId::Lzma) => named(&format!("{label}, {}", cpus(form)), names),
            Some(WorkloadId::OpenSsl) => cipher(form, names),
            _ if self.is_power() => power(form, names),
            _ if self.is_libressl() => format!("{} (LibreSSL)", cipher(form, names)),
            _ => named(&format!("{label}, {}", cpus(form)), names),
        }
    }
}

fn named(what: &str, names: &[&str]) -> String {
    match names {
        [] => what.to_owned(),
        ["compressing"] => format!("{what}, compression"),
        ["decompressing"] => format!("{what}, decompression"),
        names => format!("{what}, {}", names.join(" ")),
    }
}

fn in_words<'a>(form: &'a str, known: &[(Variant, &'static str)]) -> &'a str {
    known.iter().find(|(variant, _)| variant.as_str() == form).map_or(form, |(_, words)| words)
}

fn cpus(form: &str) -> &str {
    in_words(
        form,
        &[
            (Variant::MULTI, "all CPUs"),
            (Variant::SINGLE, "one CPU"),
            (Variant::OTHER_VERSION, "one CPU, other version"),
        ],
    )
}

fn pass(form: &str) -> &str {
    in_words(
        form,
        &[
            (Variant::COLD, "measured cold"),
            (Variant::HOT_LOADED, "measured under load"),
            (Variant::HOT_AFTER, "measured after load"),
        ],
    )
}

/// `64M` in words, with its access pattern.
fn latency(label: &str, words: &[&str]) -> String {
    let megabytes = |word: &&str| word.strip_suffix('M').and_then(|size| size.parse::<u32>().ok());
    let size = words.iter().find_map(megabytes).map_or(String::new(), |size| format!(" {size} MiB"));
    let pages = [(Variant::TINYMEMBENCH_SMALL, "small pages"), (Variant::TINYMEMBENCH_HUGE, "huge pages")];
    let ways: Vec<&str> =
        words.iter().filter(|word| megabytes(word).is_none()).map(|word| in_words(word, &pages)).collect();
    named(&format!("{label}{size}"), &ways)
}

/// `7-zip, all CPUs: work per energy, at the wall`.
fn power(form: &str, names: &[&str]) -> String {
    let [of @ .., place] = names else { return named(form, names) };
    let place = match *place {
        "input" => "at the input of the board".to_owned(),
        "wall" | "meter" => format!("at the {place}"),
        "module" | "processor" => format!("of the {place}"),
        part => format!("of {}", part.replace('-', " ")),
    };
    let (of, what) = match of {
        [of @ .., "per-energy"] => (of, "work per energy"),
        [of @ .., "mean"] => (of, "mean power"),
        [of @ .., "energy"] => (of, "energy"),
        [of @ .., "energy-above-idle"] => (of, "energy without idle power"),
        of => return format!("power when {}, {place}", [&[form], of].concat().join(" ")),
    };
    let Ok(key) = [&[form], of].concat().join(" ").parse::<FigureKey>();
    format!("{}: {what}, {place}", key.title())
}

fn cipher(form: &str, names: &[&str]) -> String {
    let name = form.to_uppercase();
    match names {
        [bytes] => match bytes.parse::<u32>() {
            Ok(bytes) if bytes >= 1024 => format!("{name}, {} KiB blocks", bytes / 1024),
            _ => format!("{name}, {bytes} byte blocks"),
        },
        names => named(&name, names),
    }
}

impl Figure {
    /// Title and core type: `7-zip, one CPU (Cortex-A76)`.
    pub fn name(&self) -> String {
        match self.core.as_ref().map(super::Core::label) {
            Some(label) => format!("{} ({label})", self.key.title()),
            None => self.key.title(),
        }
    }
}

/// The titles of figures in a table with these keys: methods are named where two of them share a title.
pub fn titles_among<'a>(keys: impl Iterator<Item = &'a FigureKey>) -> Vec<String> {
    let titles: Vec<(&FigureKey, String)> = keys.map(|key| (key, key.title())).collect();
    let title = |(key, title): &(&FigureKey, String)| {
        if titles.iter().any(|(other, of_other)| other != key && of_other == title) {
            format!("{title} [{}]", key.workload_at_method())
        } else {
            title.clone()
        }
    };
    titles.iter().map(title).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_words() {
        for (key, title) in [
            ("clock@0 cold", "clock, measured cold"),
            ("clock@0 hot-loaded", "clock, measured under load"),
            ("clock@0 hot-after", "clock, measured after load"),
            ("sevenzip@16 multi", "7-zip, all CPUs"),
            ("sevenzip@16 single decompressing", "7-zip, one CPU, decompression"),
            ("memory-bandwidth@0 tinymembench copy", "memory copy"),
            ("memory-bandwidth@2 copy", "memory copy"),
            ("memory-libc@1 fill", "libc memory fill"),
            ("memory-latency@0 ramlat 64M", "memory latency 64 MiB, ramlat"),
            ("memory-latency@0 tinymembench 64M", "memory latency 64 MiB, tinymembench"),
            ("memory-latency@1 64M", "memory latency 64 MiB"),
            ("memory-latency@0 tinymembench-huge-pages 16M", "memory latency 16 MiB, huge pages"),
            ("openssl@3 aes-256-cbc 16384", "AES-256-CBC, 16 KiB blocks"),
            ("libressl@3 aes-256-cbc 16", "AES-256-CBC, 16 byte blocks (LibreSSL)"),
            ("cpuminer@1", WorkloadId::Cpuminer.label()),
            ("newer@7 some thing", "newer, some, thing"),
            ("power@1 idle wall", "power when idle, at the wall"),
            (
                "power@1 sevenzip@16 multi per-energy input",
                "7-zip, all CPUs: work per energy, at the input of the board",
            ),
            ("power@1 lzma@1 mean wall", "lzma: mean power, at the wall"),
            ("power@1 lzma@1 energy-above-idle module", "lzma: energy without idle power, of the module"),
            ("power@1 lzma@1 energy the-cpu-and-gpu", "lzma: energy, of the cpu and gpu"),
            ("power@1 idle, performance input", "power when idle, performance, at the input of the board"),
            ("power@1 x", "x"),
        ] {
            let Ok(key) = key.parse::<FigureKey>();
            assert_eq!(key.title(), title);
        }
    }

    #[test]
    fn methods_are_told_apart() {
        let keys: Vec<FigureKey> = ["openssl@1 aes-256-cbc 16384", "openssl@3 aes-256-cbc 16384", "cpuminer@1"]
            .into_iter()
            .map(|key| key.parse().unwrap())
            .collect();
        let titles = titles_among(keys.iter());
        let expected = [
            "AES-256-CBC, 16 KiB blocks [openssl@1]",
            "AES-256-CBC, 16 KiB blocks [openssl@3]",
            WorkloadId::Cpuminer.label(),
        ];
        assert_eq!(titles, expected);
    }
}
