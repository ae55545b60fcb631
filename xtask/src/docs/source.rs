//! Documentation in the source file of a rule: module comment, thresholds with reasons, and string literals.

use crate::tidy::string_literals;
use crate::workspace::File;
use std::fmt::Write;

/// A source file and the files of its directory that define no rule, without their tests.
pub(super) struct Source {
    text: String,
}

impl Source {
    pub(super) fn of(file: &File, all: &[File]) -> Self {
        let folder = format!("{}/", file.path.trim_end_matches(".rs"));
        let is_part = |part: &&File| part.path.starts_with(&folder) && !part.path.ends_with("/tests.rs");
        let parts = all.iter().filter(is_part).filter(|part| !part.text.contains("RuleId::own("));
        let texts = std::iter::once(file).chain(parts).map(|file| file.text.split("#[cfg(test)]").next());
        Self { text: texts.flatten().collect() }
    }

    /// Whether it defines the rule.
    pub(super) fn has_rule(&self, id: &str) -> bool {
        self.makers().any(|text| text.starts_with(&format!("\"{id}\"")))
    }

    /// Text after the beginning of each definition of a rule.
    fn makers(&self) -> impl Iterator<Item = &str> {
        const MAKERS: [&str; 3] = ["Rule::new(", "Rule::at_rest(", "Rule::of_storage("];
        let calls = MAKERS.into_iter().flat_map(|maker| self.text.split(maker).skip(1));
        calls.filter_map(|call| Some(call.trim_start().strip_prefix("RuleId::own(")?.trim_start()))
    }

    /// Module comment and thresholds as Markdown. Empty for a file of several rules.
    pub(super) fn detection(&self) -> String {
        if self.makers().count() != 1 {
            return String::new();
        }
        let mut text = String::new();
        for paragraph in self.head() {
            let _ = writeln!(text, "{paragraph}\n");
        }
        let thresholds = self.thresholds();
        if !thresholds.is_empty() {
            text.push_str("Thresholds:\n\n");
        }
        for (name, value, why) in &thresholds {
            let _ = writeln!(text, "* `{name}` is {value}: {why}");
        }
        if !thresholds.is_empty() {
            text.push('\n');
        }
        text
    }

    /// Paragraphs of the module comment, without the name of the rule and without links to code.
    fn head(&self) -> Vec<String> {
        let lines = self.text.lines().take_while(|line| line.starts_with("//!"));
        let lines = lines.map(|line| line.trim_start_matches("//!").trim());
        let all: Vec<&str> = lines.collect();
        let paragraphs = all.split(|line| line.is_empty()).map(|lines| lines.join(" "));
        let without_name = paragraphs.map(|paragraph| match paragraph.split_once(": ") {
            Some(("Rule" | "Check", rest)) => rest.split_once(". ").map_or(String::new(), |(_, rest)| rest.to_owned()),
            _ => paragraph,
        });
        without_name.filter(|paragraph| !paragraph.is_empty() && !paragraph.contains("[`")).collect()
    }

    /// Name, value and reason of each documented numeric constant.
    fn thresholds(&self) -> Vec<(&str, &str, String)> {
        let mut found = Vec::new();
        let mut why: Vec<&str> = Vec::new();
        for line in self.text.lines() {
            if let Some(words) = line.strip_prefix("///") {
                why.push(words.trim());
                continue;
            }
            let constant = line.strip_prefix("pub(crate) ").unwrap_or(line).strip_prefix("const ");
            let parts = constant.and_then(|rest| {
                let (name, rest) = rest.split_once(": ")?;
                let (kind, value) = rest.strip_suffix(';')?.split_once(" = ")?;
                let is_number = ["f64", "u8", "u32", "u64", "i32", "i64", "usize"].contains(&kind);
                is_number.then_some((name, value))
            });
            if let Some((name, value)) = parts.filter(|_| !why.is_empty() && !why.concat().contains("[`")) {
                found.push((name, value, why.join(" ")));
            }
            why.clear();
        }
        found
    }

    /// Values of string literals.
    pub(super) fn literals(&self) -> Vec<String> {
        let plain = |literal: &str| {
            let (mut text, mut rest) = (String::new(), literal);
            while let Some((before, escaped)) = rest.split_once('\\') {
                text.push_str(before);
                rest = escaped.strip_prefix('\n').map_or(escaped, str::trim_start);
                // The escaped character stays, also if it is a backslash.
                let length =
                    if rest.len() == escaped.len() { rest.chars().next().map_or(0, char::len_utf8) } else { 0 };
                text.push_str(&rest[..length]);
                rest = &rest[length..];
            }
            text + rest
        };
        string_literals(&self.text).iter().map(|literal| plain(literal)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_thresholds_are_told() {
        let text = "//! Rule: hot. It was hot.\n//!\n//! By the sensor of the SoC,\n//! if there is one.\n//!\n//! See [`crate::x`].\n\n\
                    pub(super) const RULE: Rule = Rule::new(RuleId::own(\"hot\"));\n\n/// Hotter than\n/// this.\n\
                    const LIMIT_CELSIUS: f64 = 80.0;\nconst NO_REASON: f64 = 1.0;\n/// Words.\nconst WORDS: &str = \"a\";\n\
                    #[cfg(test)]\nmod tests { /// x\nconst T: u8 = 1; }\n";
        let file = File { path: "hot.rs".into(), text: text.into() };
        let source = Source::of(&file, &[]);
        assert!(source.has_rule("hot") && !source.has_rule("cold"));
        let expected = "It was hot.\n\nBy the sensor of the SoC, if there is one.\n\nThresholds:\n\n* `LIMIT_CELSIUS` is 80.0: Hotter than this.\n\n";
        assert_eq!(source.detection(), expected);
        assert_eq!(source.literals(), ["hot", "a"]);
        let text = "f('\"', \"say \\\"a\\\", \\\n    b\"); // \n/// \"c\n\"d\"";
        let file = File { path: "texts.rs".into(), text: text.into() };
        assert_eq!(Source::of(&file, &[]).literals(), ["say \"a\", b", "d"]);
    }
}
