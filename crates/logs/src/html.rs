//! Removes tags and entities of HTML.

use super::text::start_of;
use record::table::word_list;
use std::sync::LazyLock;

/// Elements whose tags a paste contains. A log quotes addresses in angle brackets, so other names are text.
static ELEMENTS: LazyLock<Vec<&str>> = LazyLock::new(|| word_list("html-elements"));
/// Elements that end a line.
const LINE_ENDS: [&str; 15] =
    ["blockquote", "br", "details", "div", "h1", "h2", "h3", "h4", "hr", "li", "p", "pre", "summary", "title", "tr"];
/// Maximum length of a tag or entity in bytes.
const TAG_BYTES_MAX: usize = 600;
const ENTITY_BYTES_MAX: usize = 10;

/// The text of a page; `None` for text without tags and entities.
pub(super) fn without_html(text: &str) -> Option<String> {
    // A name may contain a tag for emphasis; a page has others.
    const PAGE: [&str; 6] = ["body", "code", "html", "span", "table", "td"];
    let is_of_page = |name: &str| PAGE.contains(&name) || LINE_ENDS.contains(&name);
    let has_tag = text.match_indices('<').any(|(at, _)| tag(&text[at..]).is_some_and(|(name, _)| is_of_page(name)));
    const ENTITIES: [&str; 7] = ["&gt;", "&lt;", "&amp;", "&nbsp;", "&quot;", "&deg;", "&#"];
    let has_entity = || text.match_indices('&').any(|(at, _)| start_of(&text[at..], &ENTITIES).is_some());
    if !has_tag && !has_entity() {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((name, length)) = tag(rest) {
            rest = &rest[length..];
            if matches!(name, "td" | "th") {
                plain.push(' ');
            } else if LINE_ENDS.contains(&name) && !rest.starts_with(['\n', '\r']) && !plain.ends_with('\n') {
                plain.push('\n');
            }
        } else if let Some((character, length)) = entity(rest) {
            plain.push(character);
            rest = &rest[length..];
        } else {
            plain.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    Some(plain)
}

/// Element and length of the tag at the start of a text.
fn tag(text: &str) -> Option<(&'static str, usize)> {
    let inner = text.strip_prefix('<')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let end = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name = &inner[..end];
    let element = ELEMENTS.iter().find(|element| element.eq_ignore_ascii_case(name))?;
    let length = text.bytes().take(TAG_BYTES_MAX).position(|byte| byte == b'>')? + 1;
    let after = text.as_bytes()[text.len() - inner.len() + end];
    let is_one = matches!(after, b'>' | b'/' | b' ' | b'\n' | b'\t') && !text[1..length].contains('<');
    is_one.then_some((*element, length))
}

/// Character and length of the entity at the start of a text.
fn entity(text: &str) -> Option<(char, usize)> {
    let length = text.bytes().take(ENTITY_BYTES_MAX).position(|byte| byte == b';')? + 1;
    let name = &text[1..length - 1];
    let code = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "deg" => '°',
        "micro" => 'µ',
        _ => {
            let number = name.strip_prefix('#')?;
            let character = match number.strip_prefix(['x', 'X']) {
                Some(digits) => code(digits, 16),
                None => code(number, 10),
            };
            character.filter(|character| !character.is_control())?
        }
    };
    Some((character, length))
}
