//! Site behind a secret address, because other users of a machine can connect to its ports.

use super::{Answer, Site};
use record::hex;
use rustix::rand::{GetRandomFlags, getrandom};

/// Random bytes of a token.
const BYTES: usize = 16;

/// First part of every path of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    lasting: String,
    once: String,
}

impl Token {
    /// Generates a token.
    ///
    /// # Errors
    /// The kernel gives no random bytes.
    pub fn new() -> std::io::Result<Self> {
        let mut random = [0_u8; 2 * BYTES];
        if getrandom(&mut random, GetRandomFlags::empty())? < random.len() {
            return Err(std::io::Error::other("the kernel gives too few random bytes"));
        }
        let (lasting, once) = random.split_at(BYTES);
        Ok(Self { lasting: hex(lasting), once: hex(once) })
    }

    /// The path of the site.
    pub fn path(&self) -> String {
        format!("/{}/", self.lasting)
    }

    /// A path that works once: for arguments of a program, which every user can read.
    pub fn path_once(&self) -> String {
        format!("/{}/", self.once)
    }
}

/// Site whose paths start with a token; all others are not found.
#[derive(Debug)]
pub struct TokenSite<S> {
    site: S,
    token: Token,
    is_used: bool,
}

impl<S: Site> TokenSite<S> {
    /// Wraps a site.
    pub fn new(site: S, token: Token) -> Self {
        Self { site, token, is_used: false }
    }
}

impl<S: Site> Site for TokenSite<S> {
    fn answer(&mut self, path: &str) -> Answer {
        let path = path.strip_prefix('/').unwrap_or_default();
        let (given, rest) = path.split_once('/').map_or((path, None), |(given, rest)| (given, Some(rest)));
        let (is_lasting, is_once) = (is_same(given, &self.token.lasting), is_same(given, &self.token.once));
        match rest {
            Some(rest) if is_lasting => self.site.answer(&format!("/{rest}")),
            None if is_lasting => Answer::Elsewhere(self.token.path()),
            _ if is_once && !self.is_used => {
                self.is_used = true;
                Answer::Elsewhere(self.token.path())
            }
            _ => Answer::NotFound("The address is not complete.\n"),
        }
    }

    fn news(&mut self) -> String {
        self.site.news()
    }
}

/// Compares in constant time.
fn is_same(given: &str, expected: &str) -> bool {
    let pairs = given.bytes().zip(expected.bytes());
    given.len() == expected.len() && pairs.fold(0, |differs, (a, b)| std::hint::black_box(differs | (a ^ b))) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Site for Echo {
        fn answer(&mut self, path: &str) -> Answer {
            Answer::page(path.to_owned())
        }
    }

    #[test]
    fn only_the_token_leads_to_the_site() {
        let token = Token::new().unwrap();
        let (path, once) = (token.path(), token.path_once());
        assert_eq!((path.len(), once.len()), (34, 34));
        assert!(path != once && token != Token::new().unwrap());
        let mut site = TokenSite::new(Echo, token);
        let to_site = Answer::Elsewhere(path.clone());
        for (asked, expected) in [
            (path.clone(), Some(Answer::page("/".to_owned()))),
            (format!("{path}a/b"), Some(Answer::page("/a/b".to_owned()))),
            (path.trim_end_matches('/').to_owned(), Some(to_site.clone())),
            ("/".to_owned(), None),
            (String::new(), None),
            ("//".to_owned(), None),
            (format!("/{path}"), None),
            (path[..32].to_owned() + "/", None),
            (format!("{}0/", &path[..33]), None),
            (once.clone(), Some(to_site)),
            (once, None),
        ] {
            let expected = expected.unwrap_or(Answer::NotFound("The address is not complete.\n"));
            assert_eq!(site.answer(&asked), expected, "{asked}");
        }
    }

    #[test]
    fn texts_are_compared_whole() {
        for (a, b, same) in
            [("", "", true), ("ab", "ab", true), ("ab", "ac", false), ("a", "ab", false), ("ab", "a", false)]
        {
            assert_eq!(is_same(a, b), same, "{a} {b}");
        }
    }
}
