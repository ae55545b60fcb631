//! The words of a Rust file that is compiled into the program: without comments, texts and what only tests have.
//!
//! Not a parser: it knows where an item ends, and no more of the grammar than that.

use super::rust;

/// A word, a `::`, or one other sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// Its line, from 1.
    pub(super) line: usize,
}

impl Token<'_> {
    /// True if it can be a segment of a path.
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_')
    }
}

/// The tokens of code whose comments and texts are blanked (`rust::code_only`), without items under `#[cfg(test)]`.
pub(super) fn tokens(code: &str) -> Vec<Token<'_>> {
    let all = split(code);
    let mut kept = Vec::with_capacity(all.len());
    let mut at = 0;
    while at < all.len() {
        if is_for_tests(&all[at..]) {
            at = item_end(&all, at);
        } else {
            kept.push(all[at]);
            at += 1;
        }
    }
    kept
}

fn split(code: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c| !rust::is_word(c)).unwrap_or(rest.len());
            let length = match word {
                0 if rest.starts_with("::") => 2,
                0 => first.len_utf8(),
                word => word,
            };
            found.push(Token { text: &rest[..length], line: index + 1 });
            rest = rest[length..].trim_start();
        }
    }
    found
}

/// True at an attribute that leaves its item to tests, or to builds in which tests let system calls fail.
fn is_for_tests(tokens: &[Token]) -> bool {
    let begins = |words: &[&str]| {
        let texts = tokens.iter().map(|token| token.text);
        tokens.len() > words.len() && texts.zip(words).all(|(text, word)| text == *word)
    };
    let cfg = ["#", "[", "cfg", "("];
    begins(&[&cfg[..], &["test"]].concat())
        || ["any", "all"].iter().any(|list| begins(&[&cfg[..], &[list, "(", "test"]].concat()))
}

/// The first token behind the item whose attributes begin at `at`.
fn item_end(tokens: &[Token], mut at: usize) -> usize {
    while tokens.get(at).is_some_and(|token| token.text == "#") {
        at = closing(tokens, at + 1) + 1;
    }
    // A field or an arm ends with its comma, which generics of an item have as well.
    let is_item = tokens.get(at).is_some_and(|token| {
        ["pub", "fn", "mod", "use", "impl", "struct", "enum", "trait", "type", "const", "static", "unsafe"]
            .contains(&token.text)
    });
    while let Some(token) = tokens.get(at) {
        match token.text {
            "{" => {
                at = closing(tokens, at) + 1;
                let ends = tokens.get(at).is_some_and(|token| [";", ","].contains(&token.text));
                return at + usize::from(ends);
            }
            "(" | "[" => at = closing(tokens, at),
            ";" => return at + 1,
            "," if !is_item => return at + 1,
            "}" => return at,
            _ => {}
        }
        // `use a::{b, c};` is the only item whose first brace is within it.
        if token.text == "use" {
            let end = tokens[at..].iter().position(|token| token.text == ";");
            return end.map_or(tokens.len(), |end| at + end + 1);
        }
        at += 1;
    }
    at
}

/// Position of the bracket that closes the one at `at`.
pub(super) fn closing(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 1 => return index,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: &str) {
        let found: Vec<&str> = tokens(code).iter().map(|token| token.text).collect();
        assert_eq!(found.join(" "), expected, "{code}");
    }

    #[test]
    fn words_paths_and_signs() {
        check("use a::{b as c};\nx.y()", "use a :: { b as c } ; x . y ( )");
        assert_eq!(tokens("a\n\n  b")[1], Token { text: "b", line: 3 });
    }

    #[test]
    fn items_for_tests_are_left_out() {
        check("#[cfg(test)]\nmod tests { fn a() { b(); } } c", "c");
        check("#[cfg(test)] #[x(y)] use a::{b, c}; d", "d");
        check("#[cfg(test)] const A: &[B] = &[B { c: 1 }]; d", "d");
        check("#[cfg(test)] const A: B = B { c: 1 }; d", "d");
        check("#[cfg(test)] fn a<B, C>(b: [u8; 3]) -> B { c } d", "d");
        check("#[cfg(any(test, feature))] pub(crate) mod a; b", "b");
        check("X { #[cfg(test)] a: b(1, 2), c }", "X { c }");
        check("X { #[cfg(test)] a: b }", "X { }");
        check("#[cfg(not(test))] fn a() {}", "# [ cfg ( not ( test ) ) ] fn a ( ) { }");
    }
}
