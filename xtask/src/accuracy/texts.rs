//! Reading: every text of the corpus in every form in which people post it, in pairs, and cut.

use super::{Judgement, Table, falsified};
use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use explain::explain;
use facts::Verdict;
use logs::any_file::{self, UnreadableReason};
use record::End;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders of texts in a corpus.
const FOLDERS: [&str; 4] = ["open/results", "more/results", "open/results/reviews", "more/results/reviews"];

/// Comparable parts of a reading.
#[derive(Debug, Clone, PartialEq)]
struct Reading {
    board: Option<String>,
    verdict: Verdict,
    figures: BTreeMap<String, f64>,
    rows: usize,
}

/// A text with its reading.
pub(super) struct Text {
    name: String,
    text: String,
    reading: Reading,
}

/// Folders of texts in this repository.
const OWN_FOLDERS: [&str; 3] = ["composed", "made", "composed/reviews"];

/// Name and content of the texts in these folders.
fn read_folders(folders: impl Iterator<Item = PathBuf>) -> Result<Vec<(String, String)>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in folders.filter(|folder| folder.is_dir()) {
        files.extend(crate::workspace::files_of(&folder, &["txt", "md"])?);
    }
    files.sort();
    let text = |file: &PathBuf| {
        let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, String::from_utf8_lossy(&bytes).into_owned()))
    };
    files.iter().map(text).collect()
}

/// Name and content of all texts of the corpus and of this repository.
pub(super) fn all(corpus: Option<&Path>) -> Result<Vec<(String, String)>> {
    let tests = crate::workspace::root().join("crates/explain/tests");
    let of_corpus = corpus.into_iter().flat_map(|corpus| FOLDERS.map(|folder| corpus.join(folder)));
    read_folders(OWN_FOLDERS.map(|folder| tests.join(folder)).into_iter().chain(of_corpus))
}

pub(super) fn texts(corpus: &Path, step: usize) -> Result<Vec<Text>> {
    let texts = read_folders(FOLDERS.map(|folder| corpus.join(folder)).into_iter())?.into_iter().step_by(step);
    let one = |(name, text): (String, String)| {
        let [reading] = <[Reading; 1]>::try_from(read(text.as_bytes())).ok()?;
        Some(Text { name, text, reading })
    };
    Ok(texts.filter_map(one).collect())
}

/// Readings of all results in these bytes.
fn read(bytes: &[u8]) -> Vec<Reading> {
    let results = any_file::read_all(bytes.to_vec(), record::VALUES_MAX).unwrap_or_default();
    let reading = |result: logs::TextResult| {
        let explained = explain(result.record);
        let facts = &explained.facts;
        let figures = facts.figures().iter().map(|figure| {
            let core = figure.core.as_ref().map_or(String::new(), |core| format!(" {}", core.label()));
            (format!("{}{core}", figure.key), figure.value)
        });
        Reading {
            board: facts.machine.board.known().cloned(),
            verdict: explained.assessment.verdict,
            figures: figures.collect(),
            rows: facts.samples.at_ms.len(),
        }
    };
    results.into_iter().map(reading).collect()
}

/// Compares another reading of a text with its own.
fn judge(found: &Reading, text: &Text) -> Judgement {
    let own = &text.reading;
    let name = &text.name;
    if found == own {
        return Judgement::Right;
    }
    if found.board.is_some() && found.board != own.board {
        return Judgement::Wrong(format!("{name}: board {:?}", found.board));
    }
    let other = found.figures.iter().find(|(key, value)| own.figures.get(*key) != Some(value));
    if let Some((key, value)) = other {
        return Judgement::Wrong(format!("{name}: {key} is {value}, not {:?}", own.figures.get(key)));
    }
    if found.verdict == Verdict::Valid && own.verdict != Verdict::Valid {
        return Judgement::Wrong(format!("{name}: {} instead of {}", found.verdict, own.verdict));
    }
    Judgement::Refused
}

fn judge_one(bytes: &[u8], text: &Text) -> Judgement {
    match read(bytes).as_slice() {
        [] => Judgement::Missing,
        [found] => judge(found, text),
        several => Judgement::Wrong(format!("{}: {} results", text.name, several.len())),
    }
}

/// Judges a report of this program as a text without its log: every figure must be one of the log with the same title,
/// rounded, and the board the same.
fn judge_report(id: &str, text: &Text) -> Judgement {
    const ROUNDED: f64 = 0.01;
    let own = any_file::read_all(text.text.clone().into_bytes(), record::VALUES_MAX).unwrap_or_default();
    let Some(own) = own.into_iter().next().map(|result| explain(result.record)) else { return Judgement::Missing };
    let Some(report) = report::find(id) else { return Judgement::Wrong(format!("no report {id}")) };
    let results =
        any_file::read_all(report.text(&own, compare::reference::Reference::builtin).into_bytes(), record::VALUES_MAX)
            .unwrap_or_default();
    let [result] = results.as_slice() else {
        return match results.len() {
            0 => Judgement::Missing,
            count => Judgement::Wrong(format!("{}: {count} results", text.name)),
        };
    };
    let found = explain(&result.record);
    let (own, found) = (&own.facts, &found.facts);
    // The heading of a report without a board is the name of the host.
    let name = |facts: &facts::Facts<'_>| {
        facts.machine.board.known().map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    if name(own).is_some() && name(found) != name(own) {
        return Judgement::Wrong(format!("{}: board {:?}", text.name, found.machine.board.known()));
    }
    for figure in found.figures() {
        let title = figure.key.title();
        let alike = |other: &&facts::Figure| {
            other.key.title() == title && (other.value - figure.value).abs() <= ROUNDED * other.value.abs()
        };
        if !own.figures().iter().any(|other| alike(&other)) {
            return Judgement::Wrong(format!("{}: {title} is {}", text.name, figure.value));
        }
    }
    if found.figures().is_empty() { Judgement::Refused } else { Judgement::Right }
}

/// Judges a cut text: right if reported as cut or unproven, wrong if better than the whole.
fn judge_cut(bytes: &[u8], text: &Text) -> Judgement {
    let results = match any_file::read_all(bytes.to_vec(), record::VALUES_MAX) {
        Err(UnreadableReason::LogPart(_)) => return Judgement::Right,
        results => results.unwrap_or_default(),
    };
    match results.as_slice() {
        [] => Judgement::Missing,
        [result] => {
            let explained = explain(&result.record);
            let is_said = explained.facts.run.end == End::Died || explained.assessment.verdict == Verdict::Unproven;
            match explained.assessment.verdict {
                _ if is_said => Judgement::Right,
                Verdict::Valid if text.reading.verdict != Verdict::Valid => {
                    Judgement::Wrong(format!("{}: valid instead of {}", text.name, text.reading.verdict))
                }
                _ => Judgement::Refused,
            }
        }
        several => Judgement::Wrong(format!("{}: {} results", text.name, several.len())),
    }
}

/// A form in which a text is posted.
type Form = fn(&str) -> Vec<u8>;

fn lines(text: &str, of: impl Fn(usize, &str) -> String) -> Vec<u8> {
    let lines = text.lines().enumerate().map(|(index, line)| of(index + 1, line));
    (lines.collect::<Vec<_>>().join("\n") + "\n").into_bytes()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Wraps as a terminal does.
fn hard(text: &str, width: usize) -> Vec<u8> {
    lines(text, |_, line| {
        let letters: Vec<char> = line.chars().collect();
        letters.chunks(width).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
    })
}

/// Wraps as a mail program does.
fn soft(text: &str, width: usize) -> Vec<u8> {
    lines(text, |_, line| {
        let mut out = String::new();
        let mut length = 0;
        for word in line.split_inclusive(' ') {
            let count = word.chars().count();
            if length > 0 && length + word.trim_end().chars().count() > width {
                out.push('\n');
                length = 0;
            }
            out.push_str(word);
            length += count;
        }
        out
    })
}

fn utf16(text: &str, mark: Option<[u8; 2]>, of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    mark.into_iter().flatten().chain(text.encode_utf16().flat_map(of)).collect()
}

/// Escapes as mail programs do: every `=` and each byte beyond ASCII, in lines of up to 70 characters.
fn quoted_printable(text: &str) -> Vec<u8> {
    let escaped = |byte: u8| match byte {
        b'=' | 0x80.. => format!("={byte:02X}"),
        _ => char::from(byte).into(),
    };
    let body = lines(text, |_, line| {
        let letters: Vec<String> = line.bytes().map(escaped).collect();
        letters.chunks(70).map(<[String]>::concat).collect::<Vec<_>>().join("=\n")
    });
    [b"Subject: my board\nContent-Transfer-Encoding: quoted-printable\n\n".to_vec(), body].concat()
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

const FASTFETCH: &str = "root@board\n----------\nOS: Debian GNU/Linux 12 (bookworm) aarch64\nKernel: 6.1.43\n\
    CPU: rk3588 (8) @ 2.26 GHz\nMemory: 1.2 GiB / 15.6 GiB (8%)\n\n";

const FORMS: &[(&str, Form)] = &[
    ("as it is", |text| text.as_bytes().to_vec()),
    ("CR LF", |text| text.replace('\n', "\r\n").into_bytes()),
    ("CR", |text| text.replace('\n', "\r").into_bytes()),
    ("UTF-16 LE with mark", |text| utf16(text, Some([0xff, 0xfe]), u16::to_le_bytes)),
    ("UTF-16 LE without mark", |text| utf16(text, None, u16::to_le_bytes)),
    ("UTF-16 BE without mark", |text| utf16(text, None, u16::to_be_bytes)),
    ("colours", |text| lines(text, |_, line| format!("\u{1b}[1m{line}\u{1b}[0m"))),
    ("quoted", |text| lines(text, |_, line| format!("> {line}"))),
    ("quoted twice", |text| lines(text, |_, line| format!(">> {line}"))),
    ("quoted below an answer", |text| {
        [b"On Monday somebody wrote:\n\n".to_vec(), lines(text, |_, line| format!("> {line}")), b"\nThanks!\n".to_vec()]
            .concat()
    }),
    ("fenced below a heading", |text| format!("# Orange Pi Zero 2\n\n```\n{text}\n```\n").into_bytes()),
    ("in details below fastfetch", |text| {
        format!("{FASTFETCH}<details>\n<summary>sbc-bench</summary>\n\n```text\n{text}\n```\n</details>\n").into_bytes()
    }),
    ("HTML", |text| {
        let text = escaped(text);
        format!("<html><head><title>x</title></head><body><pre>{text}</pre></body></html>").into_bytes()
    }),
    ("HTML with br and nbsp", |text| {
        let text = escaped(text).replace("  ", " &nbsp;");
        format!("<div class=\"post\"><p>{}</p></div>", text.replace('\n', "<br>\n")).into_bytes()
    }),
    ("no-break spaces", |text| text.replace("  ", "\u{a0} ").into_bytes()),
    ("behind a prompt", |text| format!("pi@board:~$ sudo ./sbc-bench.sh\n{text}pi@board:~$ \n").into_bytes()),
    ("numbered by cat -n", |text| lines(text, |number, line| format!("{number:6}\t{line}"))),
    ("numbered by grep -n", |text| lines(text, |number, line| format!("{number}:{line}"))),
    ("numbered with bars", |text| lines(text, |number, line| format!("{number:>4} | {line}"))),
    ("indented by four", |text| lines(text, |_, line| format!("    {line}"))),
    ("indented by a tab", |text| lines(text, |_, line| format!("\t{line}"))),
    ("trailing blanks", |text| lines(text, |_, line| format!("{line}   "))),
    ("without blank lines", |text| {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines.join("\n").into_bytes()
    }),
    ("blank lines doubled", |text| text.replace('\n', "\n\n").into_bytes()),
    ("without a line feed at its end", |text| text.trim_end().as_bytes().to_vec()),
    ("CI timestamps", |text| {
        lines(text, |number, line| format!("2026-04-30T12:17:{:02}.1234567Z {line}", number % 60))
    }),
    ("journal", |text| {
        lines(text, |number, line| format!("Apr {number} 12:{:02}:29 host sbc-bench[{number}]: {line}", number % 60))
    }),
    ("chat", |text| lines(text, |number, line| format!("[12:{:02}] <tk> {line}", number % 60))),
    ("found by grep", |text| lines(text, |number, line| format!("log.txt:{number}:{line}"))),
    ("patch", |text| [b"--- a\n+++ b\n@@ -0,0 +1 @@\n".to_vec(), lines(text, |_, line| format!("+{line}"))].concat()),
    ("comments", |text| lines(text, |_, line| format!("# {line}").trim_end().into())),
    ("table", |text| lines(text, |_, line| format!("| {line} |"))),
    ("quotation marks", |text| lines(text, |_, line| format!("\"{line}\""))),
    ("cat -A", |text| lines(text, |_, line| format!("{}$", line.replace('\t', "^I")))),
    ("visible colours", |text| lines(text, |_, line| format!("^[[1;32m{line}^[[0m"))),
    ("colours without escape", |text| lines(text, |_, line| format!("[1;32m{line}[0m"))),
    ("UTF-8 as Latin-1", |text| text.bytes().map(char::from).collect::<String>().into()),
    ("wide characters", |text| text.replace(':', "：").replace('(', "（").replace(')', "）").into()),
    ("quoted-printable", quoted_printable),
    ("base64", |text| {
        let digits = STANDARD.encode(text);
        let lines: Vec<&[u8]> = digits.as_bytes().chunks(76).collect();
        [b"Content-Transfer-Encoding: base64\n\n".to_vec(), lines.join(&b'\n')].concat()
    }),
    ("percent", |text| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>().into()),
    ("string of JSON", |text| json(text).into()),
    ("messages of a container", |text| lines(text, |_, line| format!("{{\"log\":{}}}", json(&format!("{line}\n"))))),
    ("wrapped at 60", |text| hard(text, 60)),
    ("wrapped at 80", |text| hard(text, 80)),
    ("wrapped at 100", |text| hard(text, 100)),
    ("wrapped at 132", |text| hard(text, 132)),
    ("words wrapped at 72", |text| soft(text, 72)),
    ("words wrapped at 100", |text| soft(text, 100)),
];

/// Remaining percentages of a text.
const CUTS: [usize; 3] = [5, 50, 95];

/// Number of texts combined in pairs.
const PAIRED: usize = 60;

/// Reviews are excluded: they have other stages.
pub(super) fn check_falsified(texts: &[Text], table: &mut Table) {
    let logs = texts.iter().filter(|text| text.text.contains("sbc-bench v"));
    logs.for_each(|text| falsified::check(&text.name, &text.text, table));
}

pub(super) fn check(corpus: &Path, step: usize, table: &mut Table) -> Result<()> {
    let texts = texts(corpus, step)?;
    for text in &texts {
        for (row, form) in FORMS {
            table.add(row, judge_one(&form(&text.text), text));
        }
        for id in ["text", "markdown"] {
            table.add(&format!("report {id}"), judge_report(id, text));
        }
        for percent in CUTS {
            let mut ends = (0..=text.text.len() * percent / 100).rev();
            let end = ends.find(|end| text.text.is_char_boundary(*end)).unwrap_or(0);
            table.add(&format!("the first {percent} %"), judge_cut(&text.text.as_bytes()[..end], text));
        }
    }
    check_falsified(&texts, table);
    let paired: Vec<&Text> = texts.iter().step_by(texts.len().div_ceil(PAIRED).max(1)).collect();
    let joins: [(&str, &str, bool); 3] = [
        ("pairs", "\n", false),
        ("pairs without a line feed", "", true),
        ("pairs with a heading", "\n## Next\n\n", false),
    ];
    for (row, between, is_trimmed) in joins {
        for (first, second) in paired.iter().flat_map(|first| paired.iter().map(move |second| (first, second))) {
            let above = if is_trimmed { first.text.trim_end() } else { &first.text };
            let found = read(format!("{above}{between}{}", second.text).as_bytes());
            let names = format!("{} + {}", first.name, second.name);
            let judgement = match found.as_slice() {
                [one, other] => match (judge(one, first), judge(other, second)) {
                    (Judgement::Wrong(why), _) | (_, Judgement::Wrong(why)) => {
                        Judgement::Wrong(format!("{names}: {why}"))
                    }
                    (Judgement::Right, Judgement::Right) => Judgement::Right,
                    _ => Judgement::Refused,
                },
                other => Judgement::Wrong(format!("{names}: {} results", other.len())),
            };
            table.add(row, judgement);
        }
    }
    Ok(())
}
