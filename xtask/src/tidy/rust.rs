//! Tokens of Rust files with their positions, by `proc-macro2`. The tokens include arguments of macros, but no comments.

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};

/// A word, a `::`, a literal, or another single character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    /// Line, from 1.
    pub(super) line: usize,
    /// Column in characters, from 0.
    column: usize,
    /// Whether it belongs to an item of tests.
    is_test: bool,
}

impl Token {
    /// Whether it can be a segment of a path.
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && !self.text.ends_with(['"', '\'', '#'])
    }

    /// Text between the quotes of a string literal.
    pub(super) fn string(&self) -> Option<&str> {
        let is_string = self.text.ends_with(['"', '#']) && !self.text.starts_with(['\'', '#']);
        is_string.then(|| self.text.split_once('"')?.1.rsplit_once('"').map(|(text, _)| text))?
    }
}

/// All tokens of a file. Empty for invalid Rust, which the compiler reports.
pub(super) fn all_tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    if let Ok(stream) = text.parse() {
        flatten(stream, false, &mut tokens);
    }
    tokens
}

/// The tokens of a file without items for tests.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    all_tokens(text).into_iter().filter(|token| !token.is_test).collect()
}

fn flatten(stream: TokenStream, is_test: bool, tokens: &mut Vec<Token>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let (mut at, mut test_end) = (0, 0);
    while let Some(tree) = trees.get(at) {
        if let Some(attribute) = attribute(&trees[at..]) {
            if attribute.starts_with("doc =") {
                at += 2 + usize::from(is_sign(&trees[at + 1], '!'));
                continue;
            }
            if ["cfg (test)", "cfg (any (test", "cfg (all (test"].iter().any(|cfg| attribute.starts_with(cfg)) {
                test_end = item_end(&trees, at);
            }
        }
        let is_test = is_test || at < test_end;
        let mut push = |text: String, start: LineColumn| {
            tokens.push(Token { text, line: start.line, column: start.column, is_test });
        };
        match tree {
            TokenTree::Group(group) => {
                let signs = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis | Delimiter::None => ("(", ")"),
                };
                push(signs.0.into(), group.span_open().start());
                flatten(group.stream(), is_test, tokens);
                let (text, start) = (signs.1.into(), group.span_close().start());
                tokens.push(Token { text, line: start.line, column: start.column, is_test });
            }
            TokenTree::Punct(_) if is_sign(tree, ':') && trees.get(at + 1).is_some_and(|next| is_sign(next, ':')) => {
                push("::".into(), tree.span().start());
                at += 1;
            }
            other => push(other.to_string(), other.span().start()),
        }
        at += 1;
    }
}

fn is_sign(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Text of the attribute at this position.
fn attribute(trees: &[TokenTree]) -> Option<String> {
    let group = match trees {
        [sharp, TokenTree::Group(group), ..] if is_sign(sharp, '#') => group,
        [sharp, bang, TokenTree::Group(group), ..] if is_sign(sharp, '#') && is_sign(bang, '!') => group,
        _ => return None,
    };
    (group.delimiter() == Delimiter::Bracket).then(|| group.stream().to_string())
}

/// Position after the item, field or arm whose attributes start at `at`.
fn item_end(trees: &[TokenTree], mut at: usize) -> usize {
    while attribute(&trees[at..]).is_some() {
        at += 2;
    }
    // Fields and arms end with a comma, which generics of an item contain.
    let first = trees.get(at).map_or(String::new(), ToString::to_string);
    let items = ["pub", "fn", "mod", "use", "impl", "struct", "enum", "trait", "type", "const", "static", "unsafe"];
    let (is_item, is_use) = (items.contains(&first.as_str()), first == "use");
    let is_end = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_use,
        tree => is_sign(tree, ';') || is_sign(tree, ',') && !is_item,
    };
    let end = trees[at..].iter().position(is_end).map_or(trees.len(), |end| at + end + 1);
    let goes_on = |tree: &TokenTree| is_sign(tree, ';') || is_sign(tree, ',');
    let after_braces = matches!(trees.get(end - 1), Some(TokenTree::Group(_)));
    end + usize::from(after_braces && trees.get(end).is_some_and(goes_on))
}

/// The code with spaces in place of comments and literals. Lines and columns do not change.
pub(super) fn code_only(text: &str) -> String {
    let mut lines: Vec<Vec<char>> = text.lines().map(|line| vec![' '; line.chars().count()]).collect();
    let is_code = |token: &&Token| token.string().is_none() && (token.text.len() == 1 || !token.text.ends_with('\''));
    for token in all_tokens(text).iter().filter(is_code) {
        let line = &mut lines[token.line - 1];
        for (place, character) in line.iter_mut().skip(token.column).zip(token.text.chars()) {
            *place = character;
        }
    }
    lines.into_iter().map(|line| line.into_iter().collect::<String>() + "\n").collect()
}

/// Number of lines before the module of tests at the end of a file.
pub(super) fn lines_without_tests(code: &str) -> usize {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let is_tests = |pair: &[&str]| {
        let item = pair[1].strip_prefix("pub(crate) ").unwrap_or(pair[1]);
        pair[0] == "#[cfg(test)]" && item.starts_with("mod ")
    };
    lines.windows(2).position(is_tests).unwrap_or(lines.len())
}

/// A function with a body.
#[derive(Debug)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    /// Whether it is in an `impl` or a `trait`.
    pub(super) is_method: bool,
    /// Whether it has the attribute `#[test]`.
    pub(super) is_test: bool,
    /// Line of its name, from 1.
    pub(super) line: usize,
    /// Positions of its name and of its braces among the tokens.
    pub(super) at: usize,
    pub(super) open: usize,
    pub(super) close: usize,
}

/// Functions with a body.
pub(super) fn functions(tokens: &[Token]) -> Vec<Function<'_>> {
    let words = |word: &'static str| (0..tokens.len()).filter(move |at| tokens[*at].text == word);
    // `impl` within a signature is not an item.
    let before_items = ["}", ";", "]", "{", "unsafe", "pub", ")"];
    let is_item = |at: usize| at == 0 || before_items.contains(&tokens[at - 1].text.as_str());
    let items = words("impl").chain(words("trait")).filter(|at| is_item(*at));
    let items: Vec<(usize, usize)> = items.filter_map(|at| braces(tokens, at)).collect();
    let function = |at: usize| {
        let name = tokens.get(at + 1).filter(|name| name.is_word())?;
        let (open, close) = braces(tokens, at)?;
        let is_method = items.iter().any(|(from, to)| (*from..*to).contains(&at));
        // Attributes follow the end of the previous item.
        let attributes = tokens[..at].rsplit(|token| ["}", ";", "{"].contains(&token.text.as_str())).next()?;
        let is_test =
            attributes.windows(4).any(|four| four.iter().map(|token| token.text.as_str()).eq(["#", "[", "test", "]"]));
        Some(Function { name: &name.text, is_method, is_test, line: name.line, at: at + 1, open, close })
    };
    words("fn").filter_map(function).collect()
}

/// Positions of the braces of the item at `at`. `None` for a declaration.
fn braces(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let mut nesting = 0_i32;
    let mut depth = |token: &Token| {
        nesting += i32::from(["(", "["].contains(&token.text.as_str()));
        nesting -= i32::from([")", "]"].contains(&token.text.as_str()));
        nesting
    };
    let open =
        at + tokens[at..].iter().position(|token| depth(token) <= 0 && ["{", ";"].contains(&token.text.as_str()))?;
    let mut depth = 0_i32;
    let mut is_close = |token: &Token| {
        depth += i32::from(token.text == "{") - i32::from(token.text == "}");
        depth == 0
    };
    (tokens[open].text == "{").then(|| Some((open, open + tokens[open..].iter().position(&mut is_close)?)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let check = |text: &str, expected: &str| assert_eq!(code_only(text).trim_end_matches('\n'), expected, "{text}");
        check("a // {\nb", "a     \nb");
        check("a /* { /* } */ \n */ b", "a              \n    b");
        check(r#"f("{ \" {") {}"#, "f(        ) {}");
        check(r##"f(r#"{ " {"#) {}"##, "f(          ) {}");
        check(r##"f(br"{") {}"##, "f(     ) {}");
        check("r#type { }", "r#type { }");
        check(r"['{', '\'', '\u{7b}'] <'a> {}", "[   ,     ,         ] <'a> {}");
        check("/// {\n//! {\n#[doc = \"{\"] fn", "     \n     \n             fn");
    }

    #[test]
    fn strings_are_found() {
        let tokens = all_tokens("f(\n  \"a b\", // \"no\"\n  r#\"c\"d\"#, b\"e\", '\"', \"\", r#type, 1);");
        let found: Vec<(usize, &str)> = tokens.iter().filter_map(|token| Some((token.line, token.string()?))).collect();
        assert_eq!(found, [(2, "a b"), (3, "c\"d"), (3, "e"), (3, "")]);
    }

    fn check_tokens(code: &str, expected: &str) {
        let found: Vec<String> = tokens(code).into_iter().map(|token| token.text).collect();
        assert_eq!(found.join(" "), expected, "{code}");
    }

    #[test]
    fn words_paths_and_signs() {
        check_tokens("use a::{b as c};\nx.y()", "use a :: { b as c } ; x . y ( )");
        assert_eq!(tokens("a\n\n  b")[1].line, 3);
    }

    #[test]
    fn items_for_tests_are_left_out() {
        check_tokens("#[cfg(test)]\nmod tests { fn a() { b(); } } c", "c");
        check_tokens("#[cfg(test)] #[x(y)] use a::{b, c}; d", "d");
        check_tokens("#[cfg(test)] const A: &[B] = &[B { c: 1 }]; d", "d");
        check_tokens("#[cfg(test)] const A: B = B { c: 1 }; d", "d");
        check_tokens("#[cfg(test)] fn a<B, C>(b: [u8; 3]) -> B { c } d", "d");
        check_tokens("#[cfg(any(test, feature))] pub(crate) mod a; b", "b");
        check_tokens("X { #[cfg(test)] a: b(1, 2), c }", "X { c }");
        check_tokens("X { #[cfg(test)] a: b }", "X { }");
        check_tokens("#[cfg(not(test))] fn a() {}", "# [ cfg ( not ( test ) ) ] fn a ( ) { }");
    }

    #[test]
    fn functions_are_found_by_their_braces() {
        let check = |text: &str, expected: &[(&str, usize, usize)]| {
            let tokens = all_tokens(text);
            let found: Vec<(&str, usize, usize)> = functions(&tokens)
                .iter()
                .map(|function| {
                    (function.name, function.line, tokens[function.close].line - tokens[function.open].line)
                })
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check("fn a() {\n  1\n}\n", &[("a", 1, 2)]);
        check("fn a() {}\n\nfn b(x: [u8; 3]) -> u8 {\n  {\n  }\n  2 // }\n}", &[("a", 1, 0), ("b", 3, 4)]);
        check("trait T {\n  fn declared(&self);\n}", &[]);
        check("type F = fn(u8) -> u8;", &[]);
        check("fn outer() {\n  fn inner() {\n  }\n}", &[("outer", 1, 3), ("inner", 2, 1)]);
    }

    #[test]
    fn tests_at_the_end_do_not_count() {
        assert_eq!(lines_without_tests("a\nb\n#[cfg(test)]\nmod tests {\n}\n"), 2);
        assert_eq!(lines_without_tests("a\n#[cfg(test)]\nuse x;\nb\n"), 4);
        assert_eq!(lines_without_tests("a\n#[cfg(test)]\npub(crate) mod tests {\n}\n"), 1);
    }
}
