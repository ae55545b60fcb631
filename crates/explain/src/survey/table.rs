//! Rows of the tables in `data/` that these checks ask: numbers of makers, bridges and sizes.

/// Cells of every row behind comment and header.
pub(crate) fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.skip(1).map(|line| line.split('\t').collect())
}

/// `0x1b21`, as tables write numbers; none for anything else.
pub(crate) fn hex(cell: &str) -> Option<u32> {
    u32::from_str_radix(cell.strip_prefix("0x")?, 16).ok()
}

/// A bridge between USB and a disk.
pub(crate) struct Bridge {
    /// What it is.
    pub(crate) name: &'static str,
    /// Speed of its USB side.
    pub(crate) mbit_per_s: u32,
}

/// The bridge with these numbers.
pub(crate) fn bridge(vendor: u16, product: u16) -> Option<Bridge> {
    let text = include_str!("../../../../data/usb_bridges.tsv");
    rows(text).find_map(|cells| {
        let fits = hex(cells[0])? == u32::from(vendor) && hex(cells[1])? == u32::from(product);
        fits.then_some(())?;
        Some(Bridge { name: cells[2], mbit_per_s: cells[3].parse().ok()? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sound() {
        for (name, text, columns) in [
            ("usb_bridges", include_str!("../../../../data/usb_bridges.tsv"), 5),
            ("card_makers", include_str!("../../../../data/card_makers.tsv"), 6),
            ("card_sizes", include_str!("../../../../data/card_sizes.tsv"), 3),
            ("soc_kernels", include_str!("../../../../data/soc_kernels.tsv"), 4),
        ] {
            assert!(rows(text).count() > 4, "{name}");
            for row in rows(text) {
                assert_eq!(row.len(), columns, "{name}: {row:?}");
                assert!(row.iter().all(|cell| !cell.trim().is_empty()), "{name}: {row:?}");
            }
        }
        for row in rows(include_str!("../../../../data/usb_bridges.tsv")) {
            let number = |at: usize| hex(row[at]).and_then(|n| u16::try_from(n).ok()).unwrap();
            assert_eq!(bridge(number(0), number(1)).unwrap().name, row[2]);
        }
        assert!(bridge(1, 1).is_none());
    }
}
