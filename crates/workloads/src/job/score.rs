//! Rules that find the score of a program: its run time, a number in its output by a regular expression, or a number in JSON by
//! its path.

use regex_lite::Regex;

/// Maximum length of a regular expression, as memory for a match grows with its groups and states.
const REGEX_BYTES_MAX: usize = 1024;

/// Rule that finds the score of a program.
#[derive(Debug, Clone)]
pub enum ScoreRule {
    /// Run time in seconds.
    Time,
    /// The first group of a regular expression, or the whole match without groups, at its last match, because programs
    /// print results after progress.
    Regex(Regex),
    /// A path in JSON output: `results.0.score` or `/results/0/score`.
    Json(String),
}

impl PartialEq for ScoreRule {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl ScoreRule {
    /// A rule by regular expression.
    ///
    /// # Errors
    /// One sentence about the defect of the expression.
    pub fn regex(text: &str) -> Result<Self, String> {
        if text.len() > REGEX_BYTES_MAX {
            return Err(format!("the regular expression has {} bytes; {REGEX_BYTES_MAX} is the limit", text.len()));
        }
        // Anchors match at lines.
        Regex::new(&format!("(?m){text}"))
            .map(Self::Regex)
            .map_err(|error| format!("invalid regular expression {text:?}: {error}"))
    }

    /// The rule in words, for the Record.
    pub fn words(&self) -> String {
        match self {
            Self::Time => "time".into(),
            Self::Regex(regex) => format!("regex {}", regex.as_str().trim_start_matches("(?m)")),
            Self::Json(path) => format!("json {path}"),
        }
    }

    /// The scores in a program's output, each with its name: the score, and the last match of each named group.
    ///
    /// # Errors
    /// As [`ScoreRule::find`].
    pub fn find_all(&self, output: &str, elapsed_s: f64) -> Result<Vec<(String, f64)>, String> {
        let mut scores = vec![(String::new(), self.find(output, elapsed_s)?)];
        if let Self::Regex(regex) = self {
            for name in regex.capture_names().flatten() {
                let found = regex.captures_iter(output).filter_map(|found| found.name(name)).last();
                scores.extend(found.and_then(|group| Some((name.to_owned(), number(group.as_str())?))));
            }
        }
        Ok(scores)
    }

    /// The score in a program's output.
    ///
    /// # Errors
    /// One sentence with the reason why there is no score.
    pub fn find(&self, output: &str, elapsed_s: f64) -> Result<f64, String> {
        let words = self.words();
        match self {
            Self::Time => Ok(elapsed_s),
            Self::Regex(regex) => {
                let found = regex.captures_iter(output).last();
                let found = found.ok_or_else(|| format!("{words} does not match the output"))?;
                let text = found.iter().skip(1).flatten().next().map_or(&found[0], |group| group.as_str());
                number(text).ok_or_else(|| format!("{words} matches {text:?}, which is not a number"))
            }
            Self::Json(path) => json_number(path, output).map_err(|why| format!("{words} found no number: {why}")),
        }
    }
}

/// A number without separators of thousands: `1,234.5`, `1'234.5`. A single comma that is not followed by three digits is a
/// decimal comma.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits_behind = |at: usize| text[at + 1..].chars().take_while(char::is_ascii_digit).count();
    let commas: Vec<usize> = text.match_indices(',').map(|(at, _)| at).collect();
    let plain: String = match commas.as_slice() {
        [only] if digits_behind(*only) != 3 && !text.contains('.') => text.replace(',', "."),
        _ => text.replace([',', '\'', '_'], ""),
    };
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The number at a path of the first JSON value in the text, which headings may precede.
fn json_number(path: &str, output: &str) -> Result<f64, String> {
    let value = first_json(output).ok_or("the output contains no JSON object or array")?;
    let pointer = if path.starts_with('/') { path.to_owned() } else { format!("/{}", path.replace('.', "/")) };
    let found = value.pointer(&pointer).ok_or_else(|| format!("the JSON output has no value at {path}"))?;
    let text = match found {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    number(&text).ok_or_else(|| format!("the value at {path} is {text:.40}"))
}

fn first_json(output: &str) -> Option<serde_json::Value> {
    let starts = output.match_indices(['{', '[']).map(|(at, _)| at);
    // A bound for text full of brackets that are not JSON.
    starts.take(1000).find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(&output[at..]).into_iter();
        match values.next() {
            Some(Ok(value @ (serde_json::Value::Object(_) | serde_json::Value::Array(_)))) => Some(value),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(rule: &ScoreRule, output: &str, expected: Result<f64, &str>) {
        match (rule.find(output, 2.5), expected) {
            (Ok(value), Ok(expected)) => assert_eq!(value, expected, "{rule:?} {output:?}"),
            (Err(why), Err(words)) => assert!(why.contains(words), "{why}"),
            (found, _) => panic!("{rule:?} {output:?}: {found:?}"),
        }
    }

    #[test]
    fn scores_are_found_in_what_programs_print() {
        let regex = |text: &str| ScoreRule::regex(text).unwrap();
        let json = |path: &str| ScoreRule::Json(path.into());
        check(&ScoreRule::Time, "", Ok(2.5));
        let ticks = "10 ticks\nscore: 1,234.5 points\nscore: 7 points\n";
        check(&regex(r"score: (\S+)"), ticks, Ok(7.0));
        check(&regex(r"^\d+"), ticks, Ok(10.0));
        check(&regex(r"score: (1\S+)"), ticks, Ok(1234.5));
        check(&regex(r"speed (\S+)"), ticks, Err("does not match"));
        check(&regex(r"(\w+): 7"), ticks, Err("not a number"));
        let fio = "heading {x}\n{\"jobs\": [{\"read\": {\"bw\": 88.25}, \"name\": \"a\"}]}\ndone";
        check(&json("jobs.0.read.bw"), fio, Ok(88.25));
        check(&json("/jobs/0/read/bw"), fio, Ok(88.25));
        check(&json("jobs.1"), fio, Err("no value at jobs.1"));
        check(&json("jobs.0.name"), fio, Err("is a"));
        check(&json("x"), "no json", Err("contains no JSON"));
    }

    #[test]
    fn numbers_have_separators_of_many_kinds() {
        for (text, expected) in [
            ("12", Some(12.0)),
            (" 1,234 ", Some(1234.0)),
            ("1,234,567.5", Some(1_234_567.5)),
            ("1'234", Some(1234.0)),
            ("3,5", Some(3.5)),
            ("1e3", Some(1000.0)),
            ("-4", Some(-4.0)),
            ("inf", None),
            ("1.2.3", None),
            ("", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn invalid_regex_error() {
        assert!(ScoreRule::regex("(").unwrap_err().contains("invalid regular expression"));
        let long = "(\\S+)".repeat(1000);
        assert!(ScoreRule::regex(&long).unwrap_err().contains("5000 bytes; 1024 is the limit"));
    }

    proptest! {
        #[test]
        fn score_rules_never_panic(output in ".{0,200}", path in "[a-z/.0-9]{0,12}") {
            let _ = ScoreRule::Json(path).find(&output, 1.0);
            let _ = ScoreRule::regex(r"(\S+)").unwrap().find(&output, 1.0);
            let _ = number(&output);
        }
    }
}
