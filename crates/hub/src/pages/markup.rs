//! The frame of a page, and the one door of foreign text into it.

/// A page that is being written.
pub(crate) struct Page(String);

/// A link with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// An address of this site, made of slugs.
    pub(crate) to: String,
    /// What it says.
    pub(crate) words: String,
}

impl Link {
    pub(crate) fn html(&self) -> String {
        format!("<a href=\"{}\">{}</a>", escape(&self.to), escape(&self.words))
    }
}

const STYLE: &str = "body{font-family:sans-serif;max-width:76em;margin:1em auto;padding:0 1em;color:#222;background:#fff}\
    nav a{margin-right:1em}table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ccc;padding:.25em .5em;\
    text-align:left;vertical-align:top}td.n{text-align:right;white-space:nowrap}tr.degraded{background:#fff3cd}\
    tr.invalid{background:#f8d7da}pre{overflow-x:auto;background:#f4f4f4;padding:.5em}.wide{overflow-x:auto}\
    h1,p,li,td a{overflow-wrap:anywhere}.wide td:first-child{min-width:12em}\
    svg{max-width:100%;height:auto}form{margin:1em 0}input,select{max-width:100%;box-sizing:border-box}\
    @media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8bf}tr.degraded{background:#443a10}\
    tr.invalid{background:#4a1a20}pre{background:#222}}";

impl Page {
    /// Its head and its navigation.
    pub(crate) fn new(title: &str) -> Self {
        let links: String = [
            ("/", "Results"),
            ("/names/board", "Boards"),
            ("/names/soc", "SoCs"),
            ("/names/core", "Core types"),
            ("/compare", "Compare"),
            ("/stability", "Stability"),
            ("/feed.atom", "Feed"),
        ]
        .map(|(to, words)| Link { to: to.to_owned(), words: words.to_owned() }.html())
        .concat();
        Self(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{0} - sbc-bench</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<nav>{links}</nav>\n<main>\n<h1>{0}</h1>\n",
            escape(title)
        ))
    }

    /// Adds markup, in which everything foreign was escaped.
    pub(crate) fn add(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// The whole page.
    pub(crate) fn end(self) -> String {
        self.0 + "</main>\n</body>\n</html>\n"
    }
}

/// Foreign text as text, in bodies and in attributes with double quotes. Characters that would be obeyed become blanks.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in facts::harmless(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A day in UTC.
pub(crate) fn day(utc_ms: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(utc_ms);
    moment.map_or_else(|_| "unknown".to_owned(), |moment| moment.strftime("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        for (text, expected) in [
            ("<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"),
            ("\" onload=\"", "&quot; onload=&quot;"),
            ("a\u{1b}[0m\u{202e}b", "a\u{fffd}[0m\u{fffd}b"),
        ] {
            assert_eq!(escape(text), expected);
        }
        let link = Link { to: "/board/\"><b>".into(), words: "<i>".into() };
        assert_eq!(link.html(), "<a href=\"/board/&quot;&gt;&lt;b&gt;\">&lt;i&gt;</a>");
        let page = super::super::notice("<title>", "</p>");
        assert!(!page.contains("<title><") && page.contains("&lt;/p&gt;"), "{page}");
    }
}
