//! Parses the output of `7z b`, versions 9.20 to 26.
//!
//! ```text
//! Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating
//!          KiB/s     %   MIPS   MIPS  |      KiB/s     %   MIPS   MIPS
//! 22:       6342   100   6163   6170  |      52277    90   4985   4463
//! Avr:      4507    95   4891   4678  |      51822    92   4901   4516
//! Tot:              94   4896   4597
//! ```
//!
//! Old versions omit the mean speed and the bar in the line of means, and some options add columns at the end of each half,
//! so columns are found by name.

use record::statistics::median;
use record::{Compression, DictionaryRow};

/// Tolerance of means, which are rounded means of rounded ratings.
const ROUNDING_MIPS: f64 = 1.0;

/// Parsed output of the benchmark, and unreadable lines of its table.
///
/// # Errors
/// One sentence: what is missing or contradicts itself.
pub(in super::super) fn parse(text: &str) -> Result<(Compression, Vec<String>), String> {
    let mut table = Table::default();
    for line in text.lines().map(str::trim_end) {
        table.line(line);
    }
    table.finish()
}

/// Parses passes over one dictionary until the program was ended, without means and totals. Ratings are the medians of all
/// passes. Also returns unreadable lines of the table.
///
/// # Errors
/// No pass is complete.
pub(in super::super) fn parse_passes(text: &str) -> Result<(Compression, Vec<String>), String> {
    let mut table = Table::default();
    // After the last complete row there are parts of the next and the message of the end.
    let end = text.rfind('|').and_then(|bar| Some(bar + text[bar..].find('\n')?));
    for line in text[..end.unwrap_or(0)].lines().map(str::trim_end) {
        table.line(line);
    }
    let mut found = table.found;
    let half = |rows: &[DictionaryRow]| {
        let ratings: Vec<f64> = rows.iter().map(|row| row.rating_mips.into()).collect();
        whole_median(&ratings)
    };
    found.compressing_mips = half(&found.compressing);
    found.decompressing_mips = half(&found.decompressing);
    found.total_mips = whole_median(&found.rows_mips());
    let passes = found.compressing.iter().zip(&found.decompressing);
    let usages = passes.map(|(one, other)| f64::midpoint(one.usage_percent.into(), other.usage_percent.into()));
    found.usage_percent = whole_median(&usages.collect::<Vec<f64>>());
    if found.total_mips == 0 {
        return Err("7-zip printed no pass".to_owned());
    }
    Ok((found, table.unread))
}

/// Truncated median, as 7-zip truncates; 0 without values.
fn whole_median(values: &[f64]) -> u32 {
    median(values).unwrap_or(0.0) as u32
}

#[derive(Default)]
struct Table {
    found: Compression,
    unread: Vec<String>,
    /// Names of the columns of one half; empty before the heading.
    columns: Vec<String>,
    means: Option<(u32, u32)>,
    total: Option<(u32, u32)>,
}

impl Table {
    fn line(&mut self, line: &str) {
        let label = line.split(':').next().unwrap_or_default();
        let known = match label {
            _ if label.ends_with("CPU Freq") || label.ends_with("CPU Freq (MHz)") => self.clocks(line),
            "RAM size" => {
                self.found.ram_size_mb = number_after(line, "RAM size:");
                self.found.ram_size_mb.is_some()
            }
            "RAM usage" => {
                self.found.ram_usage_mb = number_after(line, "RAM usage:");
                self.found.benchmark_threads = number_after(line, "# Benchmark threads:");
                self.found.ram_usage_mb.is_some()
            }
            "Avr" => self.means(line).is_some(),
            "Tot" => self.total(line).is_some(),
            _ if line.contains("Usage") && line.contains("Rating") => self.heading(line),
            _ => match label.trim().parse() {
                Ok(dictionary_log2) if line.contains(':') => self.row(dictionary_log2, line).is_some(),
                _ => self.is_decoration(line),
            },
        };
        if !known {
            self.unread.push(line.to_owned());
        }
    }

    /// Whether a line has no figures: facts about the machine before the table, units and rules in it.
    fn is_decoration(&self, line: &str) -> bool {
        let unit = |word: &str| matches!(word, "KiB/s" | "KB/s" | "%" | "MIPS" | "|");
        self.found.ram_size_mb.is_none()
            || line.split_whitespace().all(unit)
            || line.contains("Compressing")
            || line.chars().all(|c| matches!(c, '-' | '|' | ' '))
    }

    /// Repeated readings of the clock of one thread. Percentages for more threads are ignored, as clock passes are more exact.
    fn clocks(&mut self, line: &str) -> bool {
        if self.found.cpu_freq_mhz.is_empty() && !line.contains('%') {
            let values = line.rsplit(':').next().unwrap_or_default();
            // An unknown clock is a dash.
            self.found.cpu_freq_mhz = values.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        }
        true
    }

    fn heading(&mut self, line: &str) -> bool {
        let half = line.split('|').next().unwrap_or_default();
        let names = half.split_whitespace().filter(|name| *name != "Dict");
        self.columns = names.map(str::to_owned).collect();
        true
    }

    fn row(&mut self, dictionary_log2: u32, line: &str) -> Option<()> {
        let (left, right) = line.split_once(':')?.1.split_once('|')?;
        let compressing = self.half(dictionary_log2, &numbers(left)?)?;
        let decompressing = self.half(dictionary_log2, &numbers(right)?)?;
        self.found.compressing.push(compressing);
        self.found.decompressing.push(decompressing);
        Some(())
    }

    fn half(&self, dictionary_log2: u32, values: &[u64]) -> Option<DictionaryRow> {
        let value = |name: &str| {
            let at = self.columns.iter().position(|column| column == name)?;
            values.get(at).copied()
        };
        let small = |name: &str| u32::try_from(value(name)?).ok();
        (values.len() == self.columns.len()).then_some(())?;
        Some(DictionaryRow {
            dictionary_log2,
            kib_per_s: value("Speed")?,
            usage_percent: small("Usage")?,
            rating_per_usage_mips: small("R/U")?,
            rating_mips: small("Rating")?,
        })
    }

    fn means(&mut self, line: &str) -> Option<()> {
        let values = numbers(&line.split_once(':')?.1.replace('|', " "))?;
        if values.len() % 2 != 0 {
            return None;
        }
        let rating = |half: &[u64]| {
            let at = self.columns.iter().position(|column| column == "Rating")?;
            // Some versions omit the mean speed.
            let left_out = self.columns.len().checked_sub(half.len()).filter(|n| *n <= 1)?;
            u32::try_from(*half.get(at.checked_sub(left_out)?)?).ok()
        };
        let (left, right) = values.split_at(values.len() / 2);
        self.means = Some((rating(left)?, rating(right)?));
        Some(())
    }

    fn total(&mut self, line: &str) -> Option<()> {
        let values = numbers(line.split_once(':')?.1)?;
        let [usage, _, rating, ..] = values.as_slice() else { return None };
        self.total = Some((u32::try_from(*usage).ok()?, u32::try_from(*rating).ok()?));
        Some(())
    }

    fn finish(mut self) -> Result<(Compression, Vec<String>), String> {
        let missing = |what: &str| format!("7-zip printed no {what}");
        let (compressing, decompressing) = self.means.ok_or_else(|| missing("means (Avr:)"))?;
        let (usage, total) = self.total.ok_or_else(|| missing("totals (Tot:)"))?;
        if self.found.compressing.is_empty() {
            return Err(missing("figures for a dictionary size"));
        }
        let halves = [
            ("compression", &self.found.compressing, compressing),
            ("decompression", &self.found.decompressing, decompressing),
        ];
        for (what, rows, mean) in halves {
            let ratings = rows.iter().map(|row| f64::from(row.rating_mips));
            let computed = ratings.sum::<f64>() / rows.len() as f64;
            if (computed - f64::from(mean)).abs() > ROUNDING_MIPS {
                let printed = format!("7-zip printed a mean {what} of {mean} MIPS");
                return Err(format!("{printed}, but its rows give {computed:.0}"));
            }
        }
        let computed = (f64::from(compressing) + f64::from(decompressing)) / 2.0;
        if (computed - f64::from(total)).abs() > ROUNDING_MIPS {
            return Err(format!("7-zip's total is {total} MIPS, but its means give {computed:.0}"));
        }
        if total == 0 {
            return Err("7-zip's total is 0 MIPS".to_owned());
        }
        self.found.compressing_mips = compressing;
        self.found.decompressing_mips = decompressing;
        self.found.total_mips = total;
        self.found.usage_percent = usage;
        Ok((self.found, self.unread))
    }
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}

fn number_after(line: &str, label: &str) -> Option<u32> {
    line.split_once(label)?.1.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NEW_SINGLE: &str = include_str!("../../tool_output/7zz/26.02-x86_64-single.txt");
    const NEW_MULTI: &str = include_str!("../../tool_output/7zz/26.02-x86_64-multi.txt");
    const OLD_MULTI: &str = include_str!("../../tool_output/p7zip/16.02-made-multi.txt");
    const OLD_SMALL: &str = include_str!("../../tool_output/p7zip/16.02-made-small.txt");
    const OLDEST: &str = include_str!("../../tool_output/p7zip/9.20-made-multi.txt");

    #[test]
    fn every_version_is_read_whole() {
        // (text, compression, decompression, total, usage, threads, RAM usage, last dictionary)
        let cases = [
            (NEW_SINGLE, 4678, 4516, 4597, 94, 1, 437, 25),
            (NEW_MULTI, 7454, 4640, 6047, 97, 2, 444, 25),
            (OLD_MULTI, 2100, 4973, 3536, 370, 4, 882, 25),
            (OLD_SMALL, 301, 590, 446, 98, 1, 219, 24),
            (OLDEST, 2550, 5550, 4050, 350, 4, 850, 25),
        ];
        for (text, compressing, decompressing, total, usage, threads, ram, dictionary) in cases {
            let (found, unread) = parse(text).unwrap();
            assert_eq!(found.compressing_mips, compressing);
            assert_eq!(found.decompressing_mips, decompressing);
            assert_eq!((found.total_mips, found.usage_percent), (total, usage));
            assert_eq!(found.benchmark_threads, Some(threads));
            assert_eq!(found.ram_usage_mb, Some(ram));
            assert_eq!(found.compressing.last().unwrap().dictionary_log2, dictionary);
            assert_eq!(found.compressing.len(), found.decompressing.len());
            assert_eq!(unread, Vec::<String>::new());
        }
    }

    #[test]
    fn row_is_read_by_the_names_of_its_columns() {
        let (found, _) = parse(NEW_SINGLE).unwrap();
        let expected = DictionaryRow {
            dictionary_log2: 25,
            kib_per_s: 49230,
            usage_percent: 90,
            rating_per_usage_mips: 4854,
            rating_mips: 4382,
        };
        assert_eq!(found.decompressing[3], expected);
        assert_eq!(found.cpu_freq_mhz, [3657, 3660, 3666, 3670, 3525, 3658, 3631]);
        assert_eq!(parse(OLD_MULTI).unwrap().0.cpu_freq_mhz[..3], [1201, 64000, 1202]);
        assert!(parse(OLD_SMALL).unwrap().0.cpu_freq_mhz.is_empty());
    }

    #[test]
    fn extra_columns_are_ignored() {
        let text = "\
RAM size:    1000 MB,  # CPU hardware threads:   1
RAM usage:    437 MB,  # Benchmark threads:      1
Dict     Speed Usage    R/U Rating  E/U Effec |      Speed Usage    R/U Rating  E/U Effec
         KiB/s     %   MIPS   MIPS    %     % |      KiB/s     %   MIPS   MIPS    %     %
22:       1000   100   1000   1000  90    90  |       5000   100   2000   2000   80    80
Avr:      1000   100   1000   1000  90    90  |       5000   100   2000   2000   80    80
Tot:             100   1500   1500  85    85
";
        let (found, unread) = parse(text).unwrap();
        assert_eq!((found.total_mips, found.compressing[0].rating_mips), (1500, 1000));
        assert_eq!(unread, Vec::<String>::new());
    }

    #[test]
    fn inconsistent_or_truncated_output_is_refused() {
        let cut = |text: &str, at: &str| text[..text.find(at).unwrap()].to_owned();
        let cases = [
            (String::new(), "no means (Avr:)"),
            (cut(NEW_SINGLE, "Avr:"), "no means (Avr:)"),
            (cut(NEW_SINGLE, "Tot:"), "no totals (Tot:)"),
            (NEW_SINGLE.replace("  4597", " 45970"), "total is 45970"),
            (NEW_SINGLE.replace("4118", "9118"), "its rows give"),
            (NEW_SINGLE.replace("4678  |", "8678  |"), "mean compression of 8678"),
            // A locale with points between thousands.
            (NEW_SINGLE.replace("4597", "4.597"), "no totals (Tot:)"),
            (NEW_SINGLE.replace("22:", "xx:").replace("23:", "yy:"), "its rows give"),
        ];
        for (text, expected) in cases {
            let why = parse(&text).unwrap_err();
            assert!(why.contains(expected), "{why:?} lacks {expected:?}");
        }
    }

    #[test]
    fn unknown_table_lines_are_kept() {
        let text = NEW_SINGLE.replace("22:  ", "WARNING: odd\n22:  ");
        assert_eq!(parse(&text).unwrap().1, ["WARNING: odd"]);
    }

    proptest! {
        #[test]
        fn parse_never_panics(text in any::<String>()) {
            let _ = parse(&text);
        }

        #[test]
        fn damaged_report_never_panics(at in 0..NEW_MULTI.len(), with in "[0-9 :|%\n-]{0,12}") {
            let text = format!("{}{with}{}", &NEW_MULTI[..at], &NEW_MULTI[at..]);
            if let Ok((found, _)) = parse(&text) {
                prop_assert!(found.total_mips > 0);
            }
        }
    }
}
