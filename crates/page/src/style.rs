//! Style of pages and plots from one table of colours: pages follow the reader's colour scheme, pictures are light.

/// Name of a colour, with its light and dark value.
const COLOURS: &[(&str, &str, &str)] = &[
    ("ink", "#16191d", "#e6e9ed"),
    ("soft", "#565d66", "#a9b1bb"),
    ("paper", "#ffffff", "#14171b"),
    ("raised", "#f5f6f8", "#1e2228"),
    ("edge", "#d4d8de", "#3a4149"),
    ("good", "#0b6b3a", "#6fd39b"),
    ("warn", "#8a4b00", "#f0b35e"),
    ("bad", "#a3152a", "#ff8f9c"),
    ("accent", "#0b57a4", "#7db8f5"),
    ("c0", "#0b57a4", "#7db8f5"),
    ("c1", "#b34700", "#f5a25d"),
    ("c2", "#0b6b3a", "#6fd39b"),
    ("c3", "#8b2d86", "#dd94d8"),
    ("c4", "#6b5900", "#d8c45a"),
    ("c5", "#00707c", "#5fd0dc"),
    ("c6", "#a3152a", "#ff8f9c"),
    ("c7", "#4d5560", "#b4bcc6"),
    ("phase", "#eef1f5", "#20252b"),
    ("shade", "#0b57a4", "#7db8f5"),
];

const PAGE: &str = include_str!("style/page.css");
const PLOT: &str = include_str!("style/plot.css");

/// Style of pages. Prints use light colours, so dark ones are limited to screens.
pub(crate) fn of_page() -> String {
    let set = |colour: fn(&(&str, &str, &str)) -> String| COLOURS.iter().map(colour).collect::<String>();
    let light = set(|(name, light, _)| format!("--{name}:{light};"));
    let dark = set(|(name, _, dark)| format!("--{name}:{dark};"));
    format!(
        ":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{PLOT}{PAGE}"
    )
}

/// Style within a picture, without variables, because some viewers do not support them.
pub(crate) fn of_picture() -> String {
    COLOURS.iter().fold(PLOT.to_owned(), |css, (name, light, _)| css.replace(&format!("var(--{name})"), light))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_is_in_the_table() {
        assert!(!of_picture().contains("var("), "{}", of_picture());
        let known = |name: &str| COLOURS.iter().any(|(known, ..)| *known == name);
        let named = PAGE.split("var(--").skip(1).filter_map(|rest| rest.split(')').next());
        named.for_each(|name| assert!(known(name), "{name}"));
    }
}
