//! Just enough of Rust's grammar to look at code without being misled by text in it.
//!
//! Not a parser: it blanks out comments and literals, so that a search for a brace or a word
//! finds code only, and it finds functions by their braces.

/// The code with every comment, string and character literal turned into spaces. Line breaks
/// stay, so line numbers stay too.
pub(super) fn code_only(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < characters.len() {
        match literal_end(&characters, at) {
            Some(end) => {
                for &character in &characters[at..end] {
                    out.push(if character == '\n' { '\n' } else { ' ' });
                }
                at = end;
            }
            None => {
                out.push(characters[at]);
                at += 1;
            }
        }
    }
    out
}

/// A string literal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Literal {
    /// The line where it begins, from 1.
    pub(super) line: usize,
    /// The end of what stands before it.
    pub(super) before: String,
    /// Source text between its quotes.
    pub(super) text: String,
}

/// Every string literal.
pub(super) fn literals(text: &str) -> Vec<Literal> {
    const BEFORE_MAX: usize = 40;
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while at < characters.len() {
        let end = literal_end(&characters, at).unwrap_or(at + 1).min(characters.len());
        let whole: String = characters[at..end].iter().collect();
        let is_string = end > at + 1 && !whole.starts_with(['/', '\'']);
        let bounds = whole.find('"').zip(whole.rfind('"'));
        if let Some((open, close)) = bounds.filter(|_| is_string) {
            let before: String = characters[at.saturating_sub(BEFORE_MAX)..at].iter().collect();
            found.push(Literal {
                line,
                before: before.trim_end().to_owned(),
                text: whole.get(open + 1..close).unwrap_or_default().to_owned(),
            });
        }
        line += whole.matches('\n').count();
        at = end;
    }
    found
}

/// End of the comment or literal that starts at `at`, if one does.
fn literal_end(characters: &[char], at: usize) -> Option<usize> {
    let rest = &characters[at..];
    let in_word = at > 0 && is_word(characters[at - 1]);
    let length = match rest {
        ['/', '/', ..] => rest.iter().position(|&c| c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment_length(rest),
        ['"', ..] => quoted_length(rest, '"'),
        ['r', '"' | '#', ..] if !in_word => raw_string_length(rest, 1)?,
        ['b' | 'c', 'r', '"' | '#', ..] if !in_word => raw_string_length(rest, 2)?,
        // A lifetime has no closing quote behind its first character.
        ['\'', '\\', ..] => quoted_length(rest, '\''),
        ['\'', _, '\'', ..] => 3,
        _ => return None,
    };
    Some(at + length)
}

pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn block_comment_length(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => {
                depth += 1;
                at += 2;
            }
            ['*', '/', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    rest.len()
}

fn quoted_length(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            character if character == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Length of a raw string whose prefix (`r`, `br`) is `prefix` long; none if it is no string but
/// a raw identifier such as `r#type`.
fn raw_string_length(rest: &[char], prefix: usize) -> Option<usize> {
    let hashes = rest[prefix..].iter().take_while(|&&c| c == '#').count();
    let open = prefix + hashes;
    if rest.get(open) != Some(&'"') {
        return None;
    }
    let mut closing = vec!['"'];
    closing.extend(std::iter::repeat_n('#', hashes));
    let body = &rest[open + 1..];
    let end = body
        .windows(closing.len())
        .position(|window| window == closing)
        .map_or(rest.len(), |found| open + 1 + found + closing.len());
    Some(end)
}

/// Number of lines before the tests at the end of a file: up to `#[cfg(test)]` on a module.
pub(super) fn lines_without_tests(code: &str) -> usize {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    lines
        .windows(2)
        .position(|pair| {
            let item = pair[1].strip_prefix("pub(crate) ").unwrap_or(pair[1]);
            pair[0] == "#[cfg(test)]" && item.starts_with("mod ")
        })
        .unwrap_or(lines.len())
}

/// A function in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// Its name.
    pub(super) name: String,
    /// Line of its `fn`, from 1.
    pub(super) line: usize,
    /// Lines between its braces.
    pub(super) body_lines: usize,
}

/// Every function with a body, in blanked code.
pub(super) fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        if code[..at].chars().next_back().is_some_and(is_word) {
            continue;
        }
        let name: String = code[at + 3..].chars().take_while(|&c| is_word(c)).collect();
        let Some((open, close)) = body(code, at) else { continue };
        if !name.is_empty() {
            found.push(Function {
                name,
                line: code[..at].matches('\n').count() + 1,
                body_lines: code[open..close].matches('\n').count().saturating_sub(1),
            });
        }
    }
    found
}

/// Lines, from 1, of every `return` without a value in a function under `#[test]`, in blanked code.
pub(super) fn silent_returns(code: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("#[test]") {
        let Some((open, close)) = code[at..].find("fn ").and_then(|fun| body(code, at + fun)) else { continue };
        for (offset, word) in code[open..close].match_indices("return") {
            let behind = code[open + offset + word.len()..close].trim_start();
            if behind.is_empty() || behind.starts_with([';', '}', ',']) {
                found.push(code[..open + offset].matches('\n').count() + 1);
            }
        }
    }
    found
}

/// Positions of the braces of the function at `at`; `None` for a declaration.
fn body(code: &str, at: usize) -> Option<(usize, usize)> {
    let mut nesting = 0;
    let mut braces = 0;
    let mut open = None;
    for (offset, character) in code[at..].char_indices() {
        match (character, open) {
            ('(' | '[', None) => nesting += 1,
            (')' | ']', None) => nesting -= 1,
            (';', None) if nesting == 0 => return None,
            ('{', None) if nesting == 0 => {
                open = Some(at + offset);
                braces = 1;
            }
            ('{', Some(_)) => braces += 1,
            ('}', Some(open)) => {
                braces -= 1;
                if braces == 0 {
                    return Some((open, at + offset));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let check = |text: &str, expected: &str| assert_eq!(code_only(text), expected, "{text}");
        check("a // {\nb", "a     \nb");
        check("a /* { /* } */ \n */ b", "a              \n    b");
        check(r#"f("{ \" {") {"#, "f(        ) {");
        check(r##"f(r#"{ " {"#) {"##, "f(          ) {");
        check(r##"f(br"{") {"##, "f(     ) {");
        check("r#type { }", "r#type { }");
        check(r"'{' '\'' '\u{7b}' <'a> {", "                  <'a> {");
        check("bar\"{\"", "bar   ");
        check("\"open {", "       ");
    }

    #[test]
    fn strings_are_found() {
        let text = "f(\n  \"a b\", // \"no\"\n  r#\"c\"d\"#, b\"e\", '\"', \"\");";
        let found = literals(text);
        let found: Vec<(usize, &str)> = found.iter().map(|literal| (literal.line, literal.text.as_str())).collect();
        assert_eq!(found, [(2, "a b"), (3, "c\"d"), (3, "e"), (3, "")]);
        assert_eq!(literals(text)[0].before, "f(");
    }

    #[test]
    fn functions_are_found_by_their_braces() {
        let check = |text: &str, expected: &[(&str, usize, usize)]| {
            let found: Vec<(String, usize, usize)> = functions(&code_only(text))
                .into_iter()
                .map(|function| (function.name, function.line, function.body_lines))
                .collect();
            let found: Vec<(&str, usize, usize)> =
                found.iter().map(|(name, line, lines)| (name.as_str(), *line, *lines)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("fn a() {\n  1\n}\n", &[("a", 1, 1)]);
        check("fn a() {}\n\nfn b(x: [u8; 3]) -> u8 {\n  {\n  }\n  2 // }\n}", &[("a", 1, 0), ("b", 3, 3)]);
        check("trait T {\n  fn declared(&self);\n}", &[]);
        check("type F = fn(u8) -> u8;", &[]);
        check("fn outer() {\n  fn inner() {\n  }\n}", &[("outer", 1, 2), ("inner", 2, 0)]);
    }

    #[test]
    fn tests_at_the_end_do_not_count() {
        assert_eq!(lines_without_tests("a\nb\n#[cfg(test)]\nmod tests {\n}\n"), 2);
        assert_eq!(lines_without_tests("a\n#[cfg(test)]\nuse x;\nb\n"), 4);
        let shown = "a\n#[cfg(test)]\npub(crate) mod tests {\n}\n";
        assert_eq!(lines_without_tests(shown), 1);
    }
}
