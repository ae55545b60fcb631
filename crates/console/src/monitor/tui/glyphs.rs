//! Bars made of characters: eighths of a cell where the terminal has them, else plain ASCII.

/// Parts of a cell from empty to full.
const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ASCII: [&str; 4] = [" ", ".", ":", "#"];

/// Characters of one column of a bar, bottom cell first. Any known value shows at least the smallest part.
pub(super) fn bar(share: f32, height: usize, ascii: bool) -> Vec<&'static str> {
    let parts: &[&str] = if ascii { &ASCII } else { &EIGHTHS };
    let per_cell = parts.len() - 1;
    let all = per_cell * height;
    let filled = ((share.clamp(0.0, 1.0) * all as f32).round() as usize).max(1);
    let cell = |row: usize| parts[filled.saturating_sub(row * per_cell).min(per_cell)];
    (0..height).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_from_the_bottom() {
        for (share, height, ascii, expected) in [
            (0.0, 2, false, "▁ "),
            (0.5, 2, false, "█ "),
            (0.75, 2, false, "█▄"),
            (1.0, 2, false, "██"),
            (7.0, 1, false, "█"),
            (0.0, 1, true, "."),
            (0.5, 2, true, "# "),
            (1.0, 2, true, "##"),
        ] {
            assert_eq!(bar(share, height, ascii).concat(), expected, "{share} {height}");
        }
    }
}
